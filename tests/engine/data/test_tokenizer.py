"""The tokenizer: the same texts give the same one, Hangul stays whole, nothing becomes empty."""

import subprocess
import sys
import unicodedata

import pytest

from engine.base.errors import RecipeError
from engine.data import corpora
from engine.data.tokenizer import PAD_ID, SPECIALS, UNK_ID, encode, train_tokenizer
from engine.recipes.schema import TokenizerConfig
from tests.factories.recipes import REPO, toy_set

_PRINT_HASH = """
import hashlib
from engine.data import corpora
from engine.recipes.schema import TokenizerConfig
from engine.data.tokenizer import train_tokenizer
texts = corpora.load("reviews-ko-mini", None).train.texts
print(hashlib.sha256(train_tokenizer(texts, 1200, TokenizerConfig(alphabet=500)).to_str().encode()).hexdigest())
"""


@pytest.fixture(scope="module")
def reviews() -> corpora.Corpus:
    """The shipped Korean reviews."""
    return corpora.load("reviews-ko-mini", None)


@pytest.mark.parametrize(("vocab_size", "alphabet"), [(3000, 1000), (1200, 500), (300, 100)])
def test_the_same_texts_give_the_same_tokenizer(reviews: corpora.Corpus, vocab_size: int, alphabet: int) -> None:
    """Ten trainings on the same texts give byte for byte the same tokenizer, ties between frequencies or not."""
    config = TokenizerConfig(alphabet=alphabet)
    vocabularies = {train_tokenizer(reviews.train.texts, vocab_size, config).to_str() for _ in range(10)}
    assert len(vocabularies) == 1


def test_another_process_gives_the_same_tokenizer(reviews: corpora.Corpus) -> None:
    """A run can be reproduced elsewhere: a process of its own, with other hash seeds, trains the same tokenizer."""
    import hashlib

    done = subprocess.run([sys.executable, "-c", _PRINT_HASH], cwd=REPO, capture_output=True, text=True, check=True)
    local = train_tokenizer(reviews.train.texts, 1200, TokenizerConfig(alphabet=500)).to_str()
    assert done.stdout.strip() == hashlib.sha256(local.encode()).hexdigest()


def test_hangul_is_not_taken_apart(reviews: corpora.Corpus) -> None:
    """Syllables stay syllables: no token holds a lone conjoining letter, and decomposed input gives the same tokens."""
    tokenizer = train_tokenizer(reviews.train.texts, 3000, TokenizerConfig())
    assert [token for token in tokenizer.get_vocab() if any("ᄀ" <= letter <= "ᇿ" for letter in token)] == []
    texts = reviews.train.texts[:50]
    apart = [(unicodedata.normalize("NFD", text[0]),) for text in texts]
    assert [list(ids) for ids in encode(tokenizer, apart, 100).sequences] == [
        list(ids) for ids in encode(tokenizer, texts, 100).sequences
    ]


def test_few_tokens_are_unknown(reviews: corpora.Corpus) -> None:
    """No token of train is unknown; of the 200 test reviews some 2.8% are, for syllables that 400 reviews lack."""
    tokenizer = train_tokenizer(reviews.train.texts, 3000, TokenizerConfig())
    assert encode(tokenizer, reviews.train.texts, 100).unk_rate == 0
    assert encode(tokenizer, reviews.test.texts, 100).unk_rate < 0.035


def test_few_english_tokens_are_unknown() -> None:
    """Below one in a thousand tokens of the English test pairs is unknown."""
    pairs = corpora.load("nli-en-mini", None)
    tokenizer = train_tokenizer(pairs.train.texts, 3000, TokenizerConfig())
    assert encode(tokenizer, pairs.test.texts, 100).unk_rate < 0.001


def test_the_special_tokens_come_first() -> None:
    """Padding is 0 and unknown is 1, which models and batches rely on."""
    vocabulary = train_tokenizer(toy_set(20).texts, 120, TokenizerConfig(alphabet=50)).get_vocab()
    assert [vocabulary[token] for token in SPECIALS] == [0, 1, 2]
    assert (PAD_ID, UNK_ID) == (0, 1)
    assert sorted(vocabulary.values()) == list(range(len(vocabulary)))


def test_the_vocabulary_never_exceeds_its_size(reviews: corpora.Corpus) -> None:
    """A vocabulary has at most the entries that the embedding has rows for."""
    for vocab_size, alphabet in ((103, 50), (500, 200), (3000, 1000)):
        tokenizer = train_tokenizer(reviews.train.texts, vocab_size, TokenizerConfig(alphabet=alphabet))
        assert tokenizer.get_vocab_size() <= vocab_size


def test_a_text_without_tokens_becomes_one_unknown_token() -> None:
    """An empty text is a sequence of one unknown token, not an empty sequence, and counts as unknown."""
    tokenizer = train_tokenizer(toy_set(20).texts, 120, TokenizerConfig(alphabet=50))
    encoded = encode(tokenizer, [("",), ("   ",), ("영화",)], 20)
    assert [list(ids) for ids in encoded.sequences[:2]] == [[UNK_ID], [UNK_ID]]
    assert UNK_ID not in encoded.sequences[2]
    assert encoded.unk_rate == pytest.approx(2 / (2 + len(encoded.sequences[2])))


def test_a_pair_is_joined_by_a_separator() -> None:
    """Premise and hypothesis come in a row with one separator between them."""
    tokenizer = train_tokenizer([("영화 좋은", "배우 나쁜")] * 3, 60, TokenizerConfig(alphabet=20))
    first, second = (list(ids) for ids in encode(tokenizer, [("영화 좋은",), ("배우 나쁜",)], 20).sequences)
    (pair,) = encode(tokenizer, [("영화 좋은", "배우 나쁜")], 20).sequences
    assert list(pair) == [*first, SPECIALS.index("[SEP]"), *second]


def test_long_texts_are_cut() -> None:
    """No sequence is longer than the recipe allows, and what is kept is the beginning."""
    tokenizer = train_tokenizer(toy_set(20).texts, 120, TokenizerConfig(alphabet=50))
    text = ("영화 배우 음악 결말 장면 " * 20,)
    (long,) = encode(tokenizer, [text], 1000).sequences
    (cut,) = encode(tokenizer, [text], 7).sequences
    assert list(cut) == list(long[:7])


def test_case_is_folded() -> None:
    """Upper and lower case are the same token."""
    tokenizer = train_tokenizer([("The film",)] * 3, 60, TokenizerConfig(alphabet=20))
    upper, lower = encode(tokenizer, [("THE FILM",), ("the film",)], 20).sequences
    assert list(upper) == list(lower)


def test_an_alphabet_that_cannot_fit_is_refused() -> None:
    """An alphabet whose two entries a character exceed the vocabulary is refused with the largest that fits."""
    with pytest.raises(RecipeError, match=r"tokenizer.alphabet = 60: .* at most 58 fit"):
        train_tokenizer(toy_set(20).texts, 120, TokenizerConfig(alphabet=60))
    train_tokenizer(toy_set(20).texts, 120, TokenizerConfig(alphabet=58))
