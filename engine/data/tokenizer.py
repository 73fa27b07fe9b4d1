"""Tokenizers trained on the training split, and texts as token ids."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer, decoders, normalizers, pre_tokenizers, processors
from tokenizers.models import BPE, WordPiece
from tokenizers.trainers import BpeTrainer, WordPieceTrainer

from engine.base.errors import RecipeError
from engine.recipes.schema import TokenizerConfig

PAD, UNK, SEP = "[PAD]", "[UNK]", "[SEP]"
SPECIALS = [PAD, UNK, SEP]
PAD_ID, UNK_ID = 0, 1


@dataclass(frozen=True)
class Encoded:
    """Texts as token ids.

    Attributes:
        sequences: One int32 array per text, never empty.
        unk_rate: Share of tokens that are unknown.
        cut: Number of texts that were too long and are not here whole.
    """

    sequences: list[NDArray[np.int32]]
    unk_rate: float
    cut: int = 0

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens per text, shape (texts,)."""
        return np.fromiter((len(sequence) for sequence in self.sequences), dtype=np.int64, count=len(self.sequences))


def train_tokenizer(texts: Sequence[tuple[str, ...]], vocab_size: int, config: TokenizerConfig) -> Tokenizer:
    """A tokenizer trained on texts; the same texts give the same tokenizer.

    WordPiece (Schuster and Nakajima 2012) as the documents use it: a word with one rare syllable becomes unknown as a
    whole. Byte-pair encoding (Sennrich et al. 2016) loses that syllable alone. Text is lower-cased and composed (NFC),
    or with ``jamo`` decomposed into letters (NFD). Accents are not stripped: that step decomposes Hangul syllables too.

    Args:
        texts: Tuples of one text or two.
        vocab_size: Size of the vocabulary, special tokens included; smaller when the texts do not yield as much.
        config: The recipe's tokenizer section.

    Raises:
        RecipeError: The alphabet alone would not fit the vocabulary, or a kind that has no letters was asked for them.
    """
    check(vocab_size, config)
    train = _train_bpe if config.kind == "bpe" else _train_wordpiece
    return train(texts, vocab_size, config)


def check(vocab_size: int, config: TokenizerConfig) -> None:
    """Refuse settings that no texts could be tokenized with.

    Raises:
        RecipeError: See ``train_tokenizer``.
    """
    entries = 1 if config.kind == "bpe" else 2
    if config.jamo and config.kind != "bpe":
        raise RecipeError("tokenizer.jamo: only tokenizer.kind = 'bpe' works on letters.")
    if entries * config.alphabet + len(SPECIALS) > vocab_size:
        raise RecipeError(
            f"tokenizer.alphabet = {config.alphabet}: each character needs {'two' if entries == 2 else 'one'} of the "
            f"{vocab_size} entries of the vocabulary; at most {(vocab_size - len(SPECIALS)) // entries} fit."
        )


def _train_wordpiece(texts: Sequence[tuple[str, ...]], vocab_size: int, config: TokenizerConfig) -> Tokenizer:
    trained = _wordpiece({token: position for position, token in enumerate(SPECIALS)})
    # The trainer breaks ties between equally frequent characters at random, so the alphabet is chosen here. It breaks
    # those between equally frequent pairs by the numbers of their parts, and numbers what stands inside words in random
    # order: as "special" tokens these are numbered before it looks at a word.
    alphabet, inside = _alphabet(trained, texts, config.alphabet)
    trainer = WordPieceTrainer(
        vocab_size=vocab_size,
        initial_alphabet=alphabet,
        limit_alphabet=len(alphabet),
        special_tokens=[*SPECIALS, *(f"##{character}" for character in inside)],
        show_progress=False,
    )
    trained.train_from_iterator(_pieces(texts), trainer=trainer)
    # Matching depends on the set of tokens alone, so they are numbered by text.
    ordered = [*SPECIALS, *sorted(set(trained.get_vocab()) - set(SPECIALS))]
    return _wordpiece({token: position for position, token in enumerate(ordered)})


def _train_bpe(texts: Sequence[tuple[str, ...]], vocab_size: int, config: TokenizerConfig) -> Tokenizer:
    tokenizer = Tokenizer(BPE(unk_token=UNK))
    form = normalizers.NFD() if config.jamo else normalizers.NFC()
    tokenizer.normalizer = normalizers.Sequence([form, normalizers.Lowercase()])
    # The space belongs to the word that follows, so that no token is spent on it.
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Metaspace(), pre_tokenizers.Punctuation(behavior="contiguous")]
    )
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = _pairs()
    alphabet, _ = _alphabet(tokenizer, texts, config.alphabet)
    trainer = BpeTrainer(
        vocab_size=vocab_size,
        initial_alphabet=alphabet,
        limit_alphabet=len(alphabet),
        special_tokens=SPECIALS,
        show_progress=False,
    )
    tokenizer.train_from_iterator(_pieces(texts), trainer=trainer)
    return tokenizer


def _wordpiece(vocabulary: dict[str, int]) -> Tokenizer:
    tokenizer = Tokenizer(WordPiece(vocabulary, unk_token=UNK))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.post_processor = _pairs()
    return tokenizer


def _pairs() -> processors.TemplateProcessing:
    return processors.TemplateProcessing(single="$A", pair=f"$A {SEP} $B", special_tokens=[(SEP, SPECIALS.index(SEP))])


def _alphabet(tokenizer: Tokenizer, texts: Sequence[tuple[str, ...]], size: int) -> tuple[list[str], list[str]]:
    """The most frequent characters, and those of them that stand inside words."""
    counts: Counter[str] = Counter()
    inside: set[str] = set()
    for piece in _pieces(texts):
        for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(tokenizer.normalizer.normalize_str(piece)):
            counts.update(word)
            inside.update(word[1:])
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    alphabet = [character for character, _ in ranked[:size]]
    return alphabet, sorted(inside.intersection(alphabet))


def _pieces(texts: Sequence[tuple[str, ...]]) -> Iterator[str]:
    for text in texts:
        yield from text


def encode(tokenizer: Tokenizer, texts: Sequence[tuple[str, ...]], max_length: int) -> Encoded:
    """Token ids of texts, cut to ``max_length``; a text without any token becomes one unknown token."""
    batch = [text[0] if len(text) == 1 else text for text in texts]
    unk = next((token_id for name in (UNK, "<unk>") if (token_id := tokenizer.token_to_id(name)) is not None), UNK_ID)
    sequences, unknown, total, cut = [], 0, 0, 0
    for encoding in tokenizer.encode_batch(batch):
        ids = np.asarray(encoding.ids[:max_length] or [unk], dtype=np.int32)
        sequences.append(ids)
        unknown += int((ids == unk).sum())
        total += len(ids)
        # The tokenizer of a pretrained model cuts by itself.
        cut += len(encoding) > max_length or bool(encoding.overflowing)
    return Encoded(sequences, unknown / max(total, 1), cut)
