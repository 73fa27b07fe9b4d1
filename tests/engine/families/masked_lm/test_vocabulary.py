"""Vocabularies learned from text: nothing is lower-cased or taken apart, little is unknown, none is learned twice."""

import unicodedata
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer
from transformers import AutoTokenizer

from engine.base.errors import DataError, RecipeError
from engine.families.masked_lm import vocabulary
from engine.families.masked_lm.corpus import Document, Text, split_held_out
from engine.recipes import loader
from engine.recipes.schema import Recipe, VocabularyConfig
from tests.factories.command_line import one_line
from tests.factories.pretraining import documents

TEXTS = [text for document in documents(40) for text in document.texts]
UNKNOWN = vocabulary.SPECIALS.index("[UNK]")
MIXED = [*TEXTS, *["서울 Seoul의 Café(咖啡)에서 “차”를 마셨다."] * 20]


def _learn(texts: list[str] = MIXED, size: int = 400, **settings: Any) -> Tokenizer:
    return vocabulary.learn(texts, size, VocabularyConfig(**settings))


@pytest.fixture(scope="module", params=["unigram", "wordpiece"])
def learned(request: pytest.FixtureRequest) -> Tokenizer:
    """One of each kind."""
    return _learn(kind=request.param)


def test_special_tokens_come_first(learned: Tokenizer) -> None:
    """Seven of them, padding as 0; a pair is framed and its texts are told apart."""
    assert [learned.token_to_id(token) for token in vocabulary.SPECIALS] == list(range(7))
    assert vocabulary.SPECIALS[0] == "[PAD]"
    assert learned.get_vocab_size() <= 400
    pair = learned.encode("고양이", "나무")
    assert (pair.tokens[0], pair.tokens[-1], pair.tokens.count("[SEP]")) == ("[CLS]", "[SEP]", 2)
    assert pair.type_ids[0] == 0
    assert pair.type_ids[-1] == 1
    assert learned.num_special_tokens_to_add(True) == 3


def test_case_accents_and_syllables_stay(learned: Tokenizer) -> None:
    """What was learned is known as it is written, and comes back; syllables in letters (NFD) become syllables."""
    text = "서울 Seoul의 Café(咖啡)에서 “차”를 마셨다."
    encoding = learned.encode(text, add_special_tokens=False)
    assert UNKNOWN not in encoding.ids
    plain = "".join(encoding.tokens).replace("##", "").replace("▁", "")
    assert plain == text.replace(" ", "")
    assert learned.encode(unicodedata.normalize("NFD", text), add_special_tokens=False).ids == encoding.ids


def test_a_token_covers_no_space(learned: Tokenizer) -> None:
    """An answer that is cut out by offsets neither begins nor ends with a space."""
    for text in MIXED[-3:] + TEXTS[:20]:
        for begin, end in learned.encode(text, add_special_tokens=False).offsets:
            assert text[begin:end] == text[begin:end].strip()


def test_punctuation_is_a_word_of_its_own(learned: Tokenizer) -> None:
    """An answer in quotes or before a full stop can be marked exactly."""
    encoding = learned.encode("“차”를 마셨다.", add_special_tokens=False)
    for mark in "“”.":
        index = "“차”를 마셨다.".index(mark)
        assert any(offset == (index, index + 1) for offset in encoding.offsets)
    words = {encoding.word_ids[i] for i, (begin, _) in enumerate(encoding.offsets) if begin == 0}
    assert encoding.word_ids.count(max(words)) == sum(begin == 0 for begin, _ in encoding.offsets)


@pytest.mark.parametrize("kind", ["unigram", "wordpiece"])
def test_the_same_text_gives_the_same_vocabulary(kind: str) -> None:
    """Token for token with the same numbers and scores."""
    first, again = (_learn(kind=kind).to_str() for _ in range(2))
    assert first == again


@pytest.mark.parametrize(
    ("kind", "strange", "lost"),
    [("unigram", "鑫", "鑫"), ("wordpiece", "鑫", "鑫"), ("unigram", "ῼ", "ῼ"), ("wordpiece", "ῼ", "고양ῼ이는")],
)
def test_a_rare_character_costs_itself_or_its_word(kind: str, strange: str, lost: str) -> None:
    """Outside the alphabet it is unknown: alone for pieces and where it is an ideograph, else with its word."""
    word = f"고양{strange}이는"
    encoding = _learn([*TEXTS * 5, f"{word} 본다"], kind=kind, coverage=0.999).encode(word, add_special_tokens=False)
    unknown = [offset for token, offset in zip(encoding.ids, encoding.offsets, strict=True) if token == UNKNOWN]
    assert [word[begin:end] for begin, end in unknown] == [lost]
    whole = _learn([*TEXTS * 5, f"{word} 본다"], kind=kind, coverage=1.0)
    assert UNKNOWN not in whole.encode(word, add_special_tokens=False).ids


def test_what_gives_no_vocabulary_is_told(tmp_path: Path) -> None:
    """No words, too few tokens for the alphabet, too much unknown: one line each, and nothing is kept."""
    assert "no words" in one_line(lambda: _learn(["", "  "]), DataError)
    message = one_line(lambda: _learn(size=30), RecipeError)
    assert "model.vocab_size = 30" in message
    settings = VocabularyConfig(kind="wordpiece", coverage=0.8)
    message = one_line(lambda: vocabulary.learned_folder(tmp_path, documents(30), 400, settings), RecipeError)
    assert "of the text's tokens would be unknown, and at most 1% may be" in message
    assert not (tmp_path / "vocabulary").exists()


def test_a_vocabulary_is_learned_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kept by the hash of text and settings; another text, size or setting is another one."""
    calls = []
    learn = vocabulary.learn
    monkeypatch.setattr(vocabulary, "learn", lambda *args: calls.append(args) or learn(*args))
    read, usual = documents(30), VocabularyConfig()
    places = [vocabulary.learned_folder(tmp_path, read, 300, usual) for _ in range(2)]
    assert places[0] == places[1]
    assert len(calls) == 1
    other = [Document("d0", (*read[0].texts, "바다")), *read[1:]]
    more = [
        vocabulary.learned_folder(tmp_path, other, 300, usual),
        vocabulary.learned_folder(tmp_path, read, 301, usual),
        vocabulary.learned_folder(tmp_path, read, 300, VocabularyConfig(kind="wordpiece")),
        vocabulary.learned_folder(tmp_path, read, 300, VocabularyConfig(coverage=0.998)),
    ]
    assert len({places[0], *more}) == 5
    assert len(calls) == 5
    assert sorted(file.name for file in places[0].iterdir()) == ["tokenizer.json", "tokenizer_config.json"]


def _texts_read(recipe: Recipe, text: Text, cache: Path, patch: pytest.MonkeyPatch) -> set[str]:
    """What the vocabulary of a pretraining is learned from."""
    read: set[str] = set()
    learn = vocabulary.learn
    with patch.context() as patched:
        patched.setattr(vocabulary, "learn", lambda texts, *rest: read.update(texts) or learn(texts, *rest))
        vocabulary.learn_blank(recipe, "korean-text", text, cache)
    return read


def test_a_pretraining_learns_its_vocabulary_from_the_training_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No held-out text is read, whatever the seed; a recipe of the former split reads all, as it did."""
    text = Text([Document(f"d{i}", (f"고양이가 나무 {i}번에 앉았다.",)) for i in range(60)], [], {}, "")
    read = {}
    for way in ("text", "seed"):
        for seed in (0, 1):
            overrides = [f"train.held_out={way}", "train.validation_fraction=0.2", "model.vocab_size=300"]
            recipe = loader.load("small-bert-lm", overrides, seed=seed)
            cache = tmp_path / f"{way} {seed}"
            read[way, seed] = _texts_read(recipe, text, cache, monkeypatch)
            held = split_held_out(text.train, recipe.train, seed)[1]
            held_texts = {piece for document in held for piece in document.texts}
            assert 3 < len(held_texts) < 30
            assert bool(held_texts & read[way, seed]) == (way == "seed")
    assert read["text", 0] == read["text", 1]
    assert len(read["seed", 0]) == 60


def test_the_transformers_library_reads_it(tmp_path: Path, learned: Tokenizer) -> None:
    """With the names of its special tokens, and the same ids."""
    vocabulary.write(learned, tmp_path)
    tokenizer = AutoTokenizer.from_pretrained(str(tmp_path))
    assert (tokenizer.pad_token_id, tokenizer.unk_token_id, tokenizer.mask_token) == (0, 1, "[MASK]")
    assert tokenizer(TEXTS[0])["input_ids"] == learned.encode(TEXTS[0]).ids
