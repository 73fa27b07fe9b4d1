"""Byte-pair tokenizers: the same everywhere, and a rare syllable costs itself alone."""

import hashlib
import os
import subprocess
import sys
import unicodedata

import pytest

from engine.base.errors import RecipeError
from engine.data import corpora
from engine.data.tokenizer import SPECIALS, UNK_ID, encode, train_tokenizer
from engine.recipes.schema import TokenizerConfig
from tests.factories.recipes import REPO, toy_set

_PRINT_HASH = """
import hashlib, sys
from engine.data import corpora
from engine.recipes.schema import TokenizerConfig
from engine.data.tokenizer import train_tokenizer
texts = corpora.load("reviews-ko-mini", None).train.texts
config = TokenizerConfig(kind="bpe", alphabet=300, jamo=sys.argv[1] == "jamo")
print(hashlib.sha256(train_tokenizer(texts, 1200, config).to_str().encode()).hexdigest())
"""


def _bpe(alphabet: int = 50, jamo: bool = False) -> TokenizerConfig:
    return TokenizerConfig(kind="bpe", alphabet=alphabet, jamo=jamo)


@pytest.fixture(scope="module")
def reviews() -> corpora.Corpus:
    """The shipped Korean reviews."""
    return corpora.load("reviews-ko-mini", None)


@pytest.mark.parametrize("jamo", [False, True])
@pytest.mark.parametrize(("vocab_size", "alphabet"), [(3000, 1000), (1200, 300), (300, 100)])
def test_the_same_texts_give_the_same_tokenizer(
    reviews: corpora.Corpus, vocab_size: int, alphabet: int, jamo: bool
) -> None:
    """Ten trainings on the same texts give byte for byte the same tokenizer, ties between frequencies or not."""
    vocabularies = {train_tokenizer(reviews.train.texts, vocab_size, _bpe(alphabet, jamo)).to_str() for _ in range(10)}
    assert len(vocabularies) == 1


@pytest.mark.parametrize("jamo", [False, True])
def test_another_process_gives_the_same_tokenizer(reviews: corpora.Corpus, jamo: bool) -> None:
    """Processes of their own, with other hash seeds, train the same tokenizer as this one."""
    digest = hashlib.sha256(train_tokenizer(reviews.train.texts, 1200, _bpe(300, jamo)).to_str().encode()).hexdigest()
    for seed in ("1", "4242"):
        done = subprocess.run(
            [sys.executable, "-c", _PRINT_HASH, "jamo" if jamo else "no"],
            cwd=REPO,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        assert done.stdout.strip() == digest


def test_a_rare_syllable_costs_itself_alone() -> None:
    """A syllable outside the alphabet is one unknown token and its word survives; in wordpiece the word is lost."""
    texts = [("훌륭한 영화",)] * 20
    bpe = train_tokenizer(texts, 100, _bpe())
    wordpiece = train_tokenizer(texts, 100, TokenizerConfig(alphabet=40))
    (sequence,) = encode(bpe, [("훌륭뷁한",)], 20).sequences
    assert list(sequence).count(UNK_ID) == 1
    tokens = [bpe.id_to_token(int(token)) for token in sequence]
    assert "".join(tokens) == "▁훌륭[UNK]한"
    (two,) = encode(bpe, [("뷁쫆영화",)], 20).sequences
    assert list(two).count(UNK_ID) == 2
    (lost,) = encode(wordpiece, [("훌륭뷁한",)], 20).sequences
    assert list(lost) == [UNK_ID]


def test_jamo_go_in_and_come_back() -> None:
    """With letters every token is made of jamo, and decoding what was encoded gives the text again."""
    texts = toy_set(60).texts
    tokenizer = train_tokenizer(texts, 200, _bpe(60, jamo=True))
    vocabulary = tokenizer.get_vocab()
    assert not any("가" <= character <= "힣" for token in vocabulary for character in token)
    assert any("ᄀ" <= character <= "ᇿ" for token in vocabulary for character in token)
    for (text,) in texts[:20]:
        (ids,) = encode(tokenizer, [(text,)], 1000).sequences
        assert unicodedata.normalize("NFC", tokenizer.decode(ids.tolist())) == text


def test_jamo_know_a_syllable_that_was_never_seen() -> None:
    """A new syllable of known letters has no unknown token with jamo, and one without."""
    texts = [("강산 곰손",)] * 10
    letters, syllables = train_tokenizer(texts, 60, _bpe(40, jamo=True)), train_tokenizer(texts, 60, _bpe(40))
    assert encode(letters, [("솜강",)], 20).unk_rate == 0
    assert encode(syllables, [("솜강",)], 20).unk_rate > 0


def test_syllables_stay_whole(reviews: corpora.Corpus) -> None:
    """Without jamo no token holds a lone letter, and decomposed input gives the same tokens."""
    tokenizer = train_tokenizer(reviews.train.texts, 3000, _bpe(1000))
    assert [token for token in tokenizer.get_vocab() if any("ᄀ" <= letter <= "ᇿ" for letter in token)] == []
    texts = reviews.train.texts[:50]
    apart = [(unicodedata.normalize("NFD", text[0]),) for text in texts]
    together, two = encode(tokenizer, texts, 100), encode(tokenizer, apart, 100)
    assert all(list(first) == list(second) for first, second in zip(together.sequences, two.sequences, strict=True))


def test_hardly_a_token_is_unknown(reviews: corpora.Corpus) -> None:
    """Of the test reviews' tokens fewer are unknown than with wordpiece, which loses whole words: some 1.9%."""
    bpe, wordpiece = (train_tokenizer(reviews.train.texts, 3000, config) for config in (_bpe(1000), TokenizerConfig()))
    rate = encode(bpe, reviews.test.texts, 100).unk_rate
    assert rate < 0.025
    assert rate < encode(wordpiece, reviews.test.texts, 100).unk_rate


def test_a_vocabulary_has_its_specials_first_and_never_too_many_entries(reviews: corpora.Corpus) -> None:
    """Padding, unknown and separator are 0, 1 and 2, and no id reaches the size of the embedding."""
    for vocab_size, alphabet in ((60, 50), (500, 200), (3000, 1000)):
        vocabulary = train_tokenizer(reviews.train.texts, vocab_size, _bpe(alphabet)).get_vocab()
        assert [vocabulary[token] for token in SPECIALS] == [0, 1, 2]
        assert sorted(vocabulary.values()) == list(range(len(vocabulary)))
        assert len(vocabulary) <= vocab_size


def test_pairs_and_empty_texts_are_as_with_wordpiece() -> None:
    """A pair has one separator in its middle, and a text without a token is one unknown token."""
    tokenizer = train_tokenizer([("영화 좋은", "배우 나쁜")] * 3, 60, _bpe(20))
    first, second = (list(ids) for ids in encode(tokenizer, [("영화 좋은",), ("배우 나쁜",)], 20).sequences)
    (pair,) = encode(tokenizer, [("영화 좋은", "배우 나쁜")], 20).sequences
    assert list(pair) == [*first, SPECIALS.index("[SEP]"), *second]
    (empty,) = encode(tokenizer, [("",)], 20).sequences
    assert list(empty) == [UNK_ID]


def test_an_alphabet_that_cannot_fit_is_refused() -> None:
    """An alphabet larger than the vocabulary is refused with the largest that fits; one entry a character is enough."""
    with pytest.raises(RecipeError, match=r"tokenizer.alphabet = 58: .* needs one of .* at most 57 fit"):
        train_tokenizer(toy_set(20).texts, 60, _bpe(58))
    train_tokenizer(toy_set(20).texts, 60, _bpe(57))


def test_wordpiece_over_letters_is_refused() -> None:
    """Letters are asked of a kind that works on them."""
    with pytest.raises(RecipeError, match=r"tokenizer.jamo: only tokenizer.kind = 'bpe'"):
        train_tokenizer(toy_set(20).texts, 200, TokenizerConfig(alphabet=50, jamo=True))
