"""Tokenizers trained on the training split, and texts as token ids."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer, decoders, normalizers, pre_tokenizers, processors
from tokenizers.models import WordPiece
from tokenizers.trainers import WordPieceTrainer

from engine.errors import RecipeError
from engine.recipe import TokenizerConfig

PAD, UNK, SEP = "[PAD]", "[UNK]", "[SEP]"
SPECIALS = [PAD, UNK, SEP]
PAD_ID, UNK_ID = 0, 1


@dataclass(frozen=True)
class Encoded:
    """Texts as token ids.

    Attributes:
        sequences: One int32 array per text, never empty.
        unk_rate: Share of tokens that are unknown.
    """

    sequences: list[NDArray[np.int32]]
    unk_rate: float

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens per text, shape (texts,)."""
        return np.fromiter((len(sequence) for sequence in self.sequences), dtype=np.int64, count=len(self.sequences))


def train_wordpiece(texts: Sequence[tuple[str, ...]], vocab_size: int, config: TokenizerConfig) -> Tokenizer:
    """A WordPiece tokenizer (Schuster and Nakajima 2012) trained on texts; the same texts give the same tokenizer.

    Text is composed (NFC) and lower-cased. Accents are not stripped: that step decomposes Hangul syllables, and every
    word would become unknown.

    Args:
        texts: Tuples of one text or two.
        vocab_size: Size of the vocabulary, special tokens included; smaller when the texts do not yield as much.
        config: The recipe's tokenizer section.

    Raises:
        RecipeError: The alphabet alone, at the start and inside of words, would not fit the vocabulary.
    """
    if 2 * config.alphabet + len(SPECIALS) > vocab_size:
        raise RecipeError(
            f"tokenizer.alphabet = {config.alphabet}: each character needs two of the {vocab_size} entries of the "
            f"vocabulary; at most {(vocab_size - len(SPECIALS)) // 2} fit."
        )
    trained = _with_vocabulary({token: position for position, token in enumerate(SPECIALS)})
    # The trainer breaks ties between equally frequent characters at random, so the alphabet is chosen here. It breaks
    # those between equally frequent pairs by the numbers of their parts, and numbers what stands inside words in random
    # order: as "special" tokens these are numbered before it looks at a word.
    alphabet, inside = _alphabet(trained, texts, config.alphabet)
    trainer = WordPieceTrainer(
        vocab_size=vocab_size, initial_alphabet=alphabet, limit_alphabet=len(alphabet),
        special_tokens=[*SPECIALS, *inside], show_progress=False,
    )  # fmt: skip
    trained.train_from_iterator(_pieces(texts), trainer=trainer)
    # Matching depends on the set of tokens alone, so they are numbered by text.
    ordered = [*SPECIALS, *sorted(set(trained.get_vocab()) - set(SPECIALS))]
    return _with_vocabulary({token: position for position, token in enumerate(ordered)})


def _with_vocabulary(vocabulary: dict[str, int]) -> Tokenizer:
    tokenizer = Tokenizer(WordPiece(vocabulary, unk_token=UNK))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A", pair=f"$A {SEP} $B", special_tokens=[(SEP, SPECIALS.index(SEP))]
    )
    return tokenizer


def _alphabet(tokenizer: Tokenizer, texts: Sequence[tuple[str, ...]], size: int) -> tuple[list[str], list[str]]:
    """The most frequent characters, and those of them that stand inside words, with the prefix ``##``."""
    counts: Counter[str] = Counter()
    inside: set[str] = set()
    for piece in _pieces(texts):
        for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(tokenizer.normalizer.normalize_str(piece)):
            counts.update(word)
            inside.update(word[1:])
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    alphabet = [character for character, _ in ranked[:size]]
    return alphabet, [f"##{character}" for character in sorted(inside.intersection(alphabet))]


def _pieces(texts: Sequence[tuple[str, ...]]) -> Iterator[str]:
    for text in texts:
        yield from text


def encode(tokenizer: Tokenizer, texts: Sequence[tuple[str, ...]], max_length: int) -> Encoded:
    """Token ids of texts, cut to ``max_length``; a text without any token becomes one unknown token."""
    batch = [text[0] if len(text) == 1 else text for text in texts]
    sequences, unknown, total = [], 0, 0
    for encoding in tokenizer.encode_batch(batch):
        ids = np.asarray(encoding.ids[:max_length] or [UNK_ID], dtype=np.int32)
        sequences.append(ids)
        unknown += int((ids == UNK_ID).sum())
        total += len(ids)
    return Encoded(sequences, unknown / max(total, 1))
