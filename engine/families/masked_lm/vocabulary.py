"""Vocabularies of BERTs that start from random weights: learned from text, kept by the hash of text and settings.

WordPiece (Schuster and Nakajima 2012) looks for the longest known beginning and knows a word with one strange character
not at all. A unigram model (Kudo 2018; SentencePiece) takes the likeliest pieces and loses that character alone.

A blank model is the shape and the vocabulary of a pretraining's recipe, without weights: a fine-tuning that is to show
what pretraining brings starts from one (``model.init = "random"``).
"""

import hashlib
import json
import os
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, normalizers, pre_tokenizers, processors
from tokenizers.models import Unigram, WordPiece
from tokenizers.trainers import UnigramTrainer, WordPieceTrainer
from transformers import PreTrainedTokenizerFast

from engine.base.errors import DataError, RecipeError
from engine.base.progress import say
from engine.checkpoints.checkpoint import TOKENIZER
from engine.families.masked_lm.bert import question_shape, shape
from engine.families.masked_lm.corpus import Document, Text, split_held_out
from engine.recipes.schema import BertConfig, Recipe, VocabularyConfig

SPECIALS = ("[PAD]", "[UNK]", "[BOS]", "[EOS]", "[SEP]", "[CLS]", "[MASK]")
"""The seven special tokens of 002_f123daafd2f5ddb9.txt's vocabulary of 32,007, of which five are used."""

QUESTION = SPECIALS.index("[MASK]")
"""Stands for hidden spans while a network reads, and behind a question when it is fine-tuned on questions."""

UNKNOWN = 0.01
"""Part of a text's tokens that may be unknown, at most."""

_UNK = "[UNK]"
_NAMES = {
    "pad_token": "[PAD]",
    "unk_token": "[UNK]",
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "mask_token": "[MASK]",
}
_SPACE = "▁"
_SCORE_DIGITS = 4
_FORMAT = 1


def learned_folder(cache: Path, documents: Sequence[Document], size: int, settings: VocabularyConfig) -> Path:
    """The folder of the vocabulary that a text gives, learned first where it is not there yet.

    Args:
        cache: Folder of what can be computed again.
        documents: The text; never one that is scored.
        size: Rows of the network, special tokens included.
        settings: The recipe's section.

    Raises:
        DataError: The text has no words.
        RecipeError: The alphabet does not fit, or too much of the text is unknown.
    """
    digest = hashlib.sha256(json.dumps([_FORMAT, size, settings.model_dump(mode="json"), SPECIALS]).encode())
    for document in documents:
        for text in document.texts:
            digest.update(len(text).to_bytes(8, "little") + text.encode())
    folder = cache / "vocabulary" / digest.hexdigest()[:32]
    if (folder / "tokenizer.json").is_file():
        return folder
    texts = [text for document in documents for text in document.texts]
    if settings.texts is not None:
        texts = texts[:: -(-len(texts) // settings.texts)]
    say(f"Learning a vocabulary of {size:,} tokens from {len(texts):,} texts.")
    made = learn(texts, size, settings)
    rate = unknown(made, texts)
    if rate > UNKNOWN:
        raise RecipeError(
            f"vocabulary.kind = {settings.kind!r}, coverage = {settings.coverage}: {rate:.1%} of the text's tokens "
            f"would be unknown, and at most {UNKNOWN:.0%} may be. Take vocabulary.kind = 'unigram', more coverage or a "
            "larger model.vocab_size."
        )
    part = folder.with_name(f"{folder.name}.{os.getpid()}")
    write(made, part)
    if folder.is_dir():  # another run was faster
        shutil.rmtree(part)
    else:
        part.replace(folder)
    return folder


def write(tokenizer: Tokenizer, folder: Path) -> None:
    """Write a tokenizer as the transformers library reads it."""
    folder.mkdir(parents=True, exist_ok=True)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **_NAMES).save_pretrained(folder)


def learn(texts: Sequence[str], size: int, settings: VocabularyConfig) -> Tokenizer:
    """A tokenizer learned from texts; the same texts give the same one.

    Args:
        texts: At least one with a word in it.
        size: Tokens in all, special ones included; fewer where the texts do not yield as many.
        settings: The recipe's section.

    Raises:
        DataError: The texts have no words.
        RecipeError: The alphabet alone does not fit.
    """
    empty = _unigram([]) if settings.kind == "unigram" else _wordpiece([])
    alphabet, inside, rare = _alphabet(empty, texts, settings.coverage)
    if not alphabet:
        raise DataError("The text holds no words to learn a vocabulary from.")
    least = len(SPECIALS) + len(alphabet) + (len(inside) if settings.kind == "wordpiece" else 1)
    if least > size:
        raise RecipeError(
            f"model.vocab_size = {size}: the {len(alphabet):,} characters of the alphabet need {least:,} tokens. "
            "Take more, or a smaller vocabulary.coverage."
        )
    # What is not in the alphabet parts the words around it, so that no piece holds it.
    table = dict.fromkeys(map(ord, rare), " ")
    common = (text.translate(table) for text in texts)
    if settings.kind == "unigram":
        return _learn_unigram(common, size)
    return _learn_wordpiece(common, size, alphabet, inside)


def unknown(tokenizer: Tokenizer, texts: Sequence[str]) -> float:
    """Part of the tokens of texts that are unknown, over every so-manyth text of a large set."""
    strange, total = 0, 0
    unk = SPECIALS.index(_UNK)
    for encoding in tokenizer.encode_batch(list(texts[:: max(1, len(texts) // 2000)]), add_special_tokens=False):
        strange += encoding.ids.count(unk)
        total += len(encoding.ids)
    return strange / max(total, 1)


def _learn_unigram(texts: Iterator[str], size: int) -> Tokenizer:
    trained = _unigram([])
    trainer = UnigramTrainer(vocab_size=size, special_tokens=list(SPECIALS), unk_token=_UNK, show_progress=False)
    trained.train_from_iterator(texts, trainer=trainer)
    pieces = json.loads(trained.to_str())["model"]["vocab"]
    # The trainer adds up in an order of chance, which shows in the last digits. In such an order it also numbers the
    # characters that it keeps though no likely cut uses them, from the lowest score upwards: they are equally rare.
    scores = {piece: round(float(score), _SCORE_DIGITS) for piece, score in pieces if piece not in SPECIALS}
    lowest, characters = min(scores.values()), [piece for piece in scores if len(piece) == 1]
    highest = lowest + 10**-_SCORE_DIGITS * (len(characters) + 1)
    scores |= {piece: lowest for piece in characters if scores[piece] <= highest}
    return _unigram(sorted(scores.items()))


def _learn_wordpiece(texts: Iterator[str], size: int, alphabet: list[str], inside: list[str]) -> Tokenizer:
    trained = _wordpiece([])
    # As in engine.data.tokenizer: told the alphabet as special tokens, the trainer leaves nothing to chance.
    trainer = WordPieceTrainer(
        vocab_size=size,
        initial_alphabet=alphabet,
        limit_alphabet=len(alphabet),
        special_tokens=[*SPECIALS, *(f"##{character}" for character in inside)],
        show_progress=False,
    )
    trained.train_from_iterator(texts, trainer=trainer)
    return _wordpiece(sorted(set(trained.get_vocab()) - set(SPECIALS)))


def _unigram(pieces: Sequence[tuple[str, float]]) -> Tokenizer:
    made = Tokenizer(Unigram([*((token, 0.0) for token in SPECIALS), *pieces], SPECIALS.index(_UNK)))
    made.normalizer = _normal(ideographs_apart=False)
    # A word's mark stands for the space before it and covers no character, so that an answer never begins with a space.
    # Punctuation is a word of its own; answers often begin or end beside it. (The mark itself is of \\p{So}.)
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.WhitespaceSplit(),
            pre_tokenizers.Metaspace(replacement=_SPACE, prepend_scheme="always"),
            pre_tokenizers.Split(Regex(rf"{_SPACE}?[\p{{P}}\p{{Sc}}\p{{Sm}}\p{{Sk}}]"), "isolated"),
        ]
    )
    made.decoder = decoders.Metaspace(replacement=_SPACE, prepend_scheme="always")
    return _framed(made)


def _wordpiece(pieces: Sequence[str]) -> Tokenizer:
    numbered = {token: position for position, token in enumerate([*SPECIALS, *pieces])}
    made = Tokenizer(WordPiece(numbered, unk_token=_UNK))
    made.normalizer = _normal(ideographs_apart=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    return _framed(made)


def _normal(*, ideographs_apart: bool) -> normalizers.Normalizer:
    """Syllables composed, control characters gone; case and accents as they are."""
    clean = normalizers.BertNormalizer(
        clean_text=True, handle_chinese_chars=ideographs_apart, strip_accents=False, lowercase=False
    )
    return normalizers.Sequence([normalizers.NFC(), clean])


def _framed(made: Tokenizer) -> Tokenizer:
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(token, SPECIALS.index(token)) for token in ("[CLS]", "[SEP]")],
    )
    return made


def _alphabet(tokenizer: Tokenizer, texts: Sequence[str], coverage: float) -> tuple[list[str], list[str], list[str]]:
    """The most frequent characters, those of them that stand inside words, and the other ones."""
    counts: Counter[str] = Counter()
    inside: set[str] = set()
    for text in texts:
        for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(tokenizer.normalizer.normalize_str(text)):
            counts.update(word.replace(_SPACE, ""))
            inside.update(word[1:])
    required = coverage * counts.total()
    alphabet: list[str] = []
    covered = 0
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    for character, count in ranked:
        if covered >= required:
            break
        alphabet.append(character)
        covered += count
    return alphabet, sorted(inside.intersection(alphabet)), [character for character, _ in ranked[len(alphabet) :]]


def blank_folder(recipe: Recipe, task_id: str, cache: Path) -> Path:
    """Locate the blank model of a pretraining; of several texts it is the newest one's."""
    digest = hashlib.sha256(json.dumps([recipe.digest(), task_id]).encode()).hexdigest()
    return cache / "blank" / digest[:32]


def learn_blank(recipe: Recipe, task_id: str, text: Text, cache: Path) -> Path:
    """Learn the vocabulary of a pretraining where it is not there yet, and make its blank model.

    Args:
        recipe: Its model is a ``BertConfig``.
        task_id: The board of the pretraining.
        text: What it is to read; the vocabulary comes from its training part alone.
        cache: Folder of results that can be computed again.

    Returns:
        The vocabulary's folder, which another text never changes.

    Raises:
        FeatherboardError: The text gives no vocabulary.
    """
    if not isinstance(recipe.model, BertConfig):
        raise RecipeError(f"{recipe.name}: model.kind = {recipe.model.kind!r} learns no vocabulary of its own.")
    documents = text.train
    if recipe.train.held_out == "text":  # in the order of the text, so that every seed has the same vocabulary
        readable = {document.name for document in split_held_out(documents, recipe.train, recipe.seed)[0]}
        documents = [document for document in documents if document.name in readable]
    learned = learned_folder(cache, documents, recipe.model.vocab_size, recipe.vocabulary or VocabularyConfig())
    blank = blank_folder(recipe, task_id, cache)
    if not (blank / TOKENIZER).is_file() or (blank / TOKENIZER).read_bytes() != (learned / TOKENIZER).read_bytes():
        part = blank.with_name(f"{blank.name}.{os.getpid()}")
        shutil.copytree(learned, part)
        whole = shape(recipe.model)
        spans = recipe.text is not None and recipe.text.recurring_spans
        (question_shape(whole, QUESTION) if spans else whole).save_pretrained(part)
        shutil.rmtree(blank, ignore_errors=True)
        part.replace(blank)
    return learned
