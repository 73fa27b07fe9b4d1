"""The tokenizers: the same texts give the same one, Hangul stays whole or comes back, nothing becomes empty."""

import hashlib
import json
import os
import subprocess
import sys
import unicodedata

import pytest

from engine.base.errors import RecipeError
from engine.data import corpora
from engine.data.tokenizer import PAD_ID, SPECIALS, UNK_ID, encode, train_tokenizer
from engine.recipes.schema import TokenizerConfig
from tests.factories.recipes import REPO, toy_set

KINDS = {"wordpiece": {"kind": "wordpiece"}, "bpe": {"kind": "bpe"}, "jamo": {"kind": "bpe", "jamo": True}}
every_kind = pytest.mark.parametrize("kind", KINDS)

_PRINT_HASHES = """
import hashlib, json, sys
from engine.data import corpora
from engine.data.tokenizer import train_tokenizer
from engine.recipes.schema import TokenizerConfig
texts = corpora.load("reviews-ko-mini", None).train.texts
for kind in json.loads(sys.argv[1]):
    trained = train_tokenizer(texts, 1200, TokenizerConfig(**kind, alphabet=300))
    print(hashlib.sha256(trained.to_str().encode()).hexdigest())
"""


def config(kind: str, alphabet: int = 1000) -> TokenizerConfig:
    """The settings of a kind."""
    return TokenizerConfig(**KINDS[kind], alphabet=alphabet)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def reviews() -> corpora.Corpus:
    """The shipped Korean reviews."""
    return corpora.load("reviews-ko-mini", None)


@every_kind
@pytest.mark.parametrize(("vocab_size", "alphabet"), [(3000, 1000), (1200, 300), (300, 100)])
def test_the_same_texts_give_the_same_tokenizer(
    reviews: corpora.Corpus, vocab_size: int, alphabet: int, kind: str
) -> None:
    """Ten trainings on the same texts give byte for byte the same tokenizer, ties between frequencies or not."""
    settings = config(kind, alphabet)
    vocabularies = {train_tokenizer(reviews.train.texts, vocab_size, settings).to_str() for _ in range(10)}
    assert len(vocabularies) == 1


def test_another_process_gives_the_same_tokenizer(reviews: corpora.Corpus) -> None:
    """A run can be reproduced elsewhere: processes with other hash seeds train the same tokenizers as this one."""
    trained = [train_tokenizer(reviews.train.texts, 1200, config(kind, 300)).to_str() for kind in KINDS]
    digests = [hashlib.sha256(text.encode()).hexdigest() for text in trained]
    for seed in ("1", "4242"):
        done = subprocess.run(
            [sys.executable, "-c", _PRINT_HASHES, json.dumps([*KINDS.values()])],
            cwd=REPO,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        assert done.stdout.split() == digests


@pytest.mark.parametrize("kind", ["wordpiece", "bpe"])
def test_hangul_is_not_taken_apart(reviews: corpora.Corpus, kind: str) -> None:
    """Syllables stay syllables: no token holds a lone conjoining letter, and decomposed input gives the same tokens."""
    tokenizer = train_tokenizer(reviews.train.texts, 3000, config(kind))
    assert [token for token in tokenizer.get_vocab() if any("ᄀ" <= letter <= "ᇿ" for letter in token)] == []
    texts = reviews.train.texts[:50]
    apart = [(unicodedata.normalize("NFD", text[0]),) for text in texts]
    assert [list(ids) for ids in encode(tokenizer, apart, 100).sequences] == [
        list(ids) for ids in encode(tokenizer, texts, 100).sequences
    ]


def test_few_tokens_are_unknown(reviews: corpora.Corpus) -> None:
    """No token of train is unknown to wordpiece; of the 200 test reviews some 2.8% are, for syllables that 400 lack.

    Byte pairs know more of them: a rare syllable costs them no whole word.
    """
    wordpiece, bpe = (train_tokenizer(reviews.train.texts, 3000, config(kind)) for kind in ("wordpiece", "bpe"))
    assert encode(wordpiece, reviews.train.texts, 100).unk_rate == 0
    lost, fewer = (encode(tokenizer, reviews.test.texts, 100).unk_rate for tokenizer in (wordpiece, bpe))
    assert lost < 0.035
    assert fewer < min(lost, 0.025)


def test_few_english_tokens_are_unknown() -> None:
    """Below one in a thousand tokens of the English test pairs is unknown."""
    pairs = corpora.load("nli-en-mini", None)
    tokenizer = train_tokenizer(pairs.train.texts, 3000, TokenizerConfig())
    assert encode(tokenizer, pairs.test.texts, 100).unk_rate < 0.001


@pytest.mark.parametrize("kind", ["wordpiece", "bpe"])
def test_a_vocabulary_has_its_specials_first_and_never_too_many_entries(reviews: corpora.Corpus, kind: str) -> None:
    """Padding, unknown and separator are 0, 1 and 2, and no id reaches the size of the embedding."""
    assert (PAD_ID, UNK_ID) == (0, 1)
    for vocab_size, alphabet in ((103 if kind == "wordpiece" else 60, 50), (500, 200), (3000, 1000)):
        vocabulary = train_tokenizer(reviews.train.texts, vocab_size, config(kind, alphabet)).get_vocab()
        assert [vocabulary[token] for token in SPECIALS] == [0, 1, 2]
        assert sorted(vocabulary.values()) == list(range(len(vocabulary)))
        assert len(vocabulary) <= vocab_size


@every_kind
def test_a_text_without_tokens_becomes_one_unknown_token(kind: str) -> None:
    """An empty text is a sequence of one unknown token, not an empty sequence, and counts as unknown."""
    tokenizer = train_tokenizer(toy_set(20).texts, 120, config(kind, 50))
    encoded = encode(tokenizer, [("",), ("   " if kind == "wordpiece" else "",), ("영화",)], 20)
    assert [list(ids) for ids in encoded.sequences[:2]] == [[UNK_ID], [UNK_ID]]
    assert UNK_ID not in encoded.sequences[2]
    assert encoded.unk_rate == pytest.approx(2 / (2 + len(encoded.sequences[2])))


@every_kind
def test_a_pair_is_joined_by_a_separator(kind: str) -> None:
    """Premise and hypothesis come in a row with one separator between them."""
    tokenizer = train_tokenizer([("영화 좋은", "배우 나쁜")] * 3, 60, config(kind, 20))
    first, second = (list(ids) for ids in encode(tokenizer, [("영화 좋은",), ("배우 나쁜",)], 20).sequences)
    (pair,) = encode(tokenizer, [("영화 좋은", "배우 나쁜")], 20).sequences
    assert list(pair) == [*first, SPECIALS.index("[SEP]"), *second]


@every_kind
def test_long_texts_are_cut(kind: str) -> None:
    """No sequence is longer than the recipe allows, and what is kept is the beginning."""
    tokenizer = train_tokenizer(toy_set(20).texts, 120, config(kind, 50))
    text = ("영화 배우 음악 결말 장면 " * 20,)
    (long,) = encode(tokenizer, [text], 1000).sequences
    (cut,) = encode(tokenizer, [text], 7).sequences
    assert list(cut) == list(long[:7])


@every_kind
def test_case_is_folded(kind: str) -> None:
    """Upper and lower case are the same token."""
    tokenizer = train_tokenizer([("The film",)] * 3, 60, config(kind, 20))
    upper, lower = encode(tokenizer, [("THE FILM",), ("the film",)], 20).sequences
    assert list(upper) == list(lower)


def test_a_rare_syllable_costs_itself_alone() -> None:
    """A syllable outside the alphabet is one unknown token and its word survives; in wordpiece the word is lost."""
    texts = [("훌륭한 영화",)] * 20
    bpe, wordpiece = (
        train_tokenizer(texts, 100, config("bpe", 50)),
        train_tokenizer(texts, 100, config("wordpiece", 40)),
    )
    (sequence,) = encode(bpe, [("훌륭뷁한",)], 20).sequences
    assert list(sequence).count(UNK_ID) == 1
    assert "".join(bpe.id_to_token(int(token)) for token in sequence) == "▁훌륭[UNK]한"
    (two,) = encode(bpe, [("뷁쫆영화",)], 20).sequences
    assert list(two).count(UNK_ID) == 2
    (lost,) = encode(wordpiece, [("훌륭뷁한",)], 20).sequences
    assert list(lost) == [UNK_ID]


def test_jamo_go_in_and_come_back() -> None:
    """With letters every token is made of jamo, and decoding what was encoded gives the text again."""
    texts = toy_set(60).texts
    tokenizer = train_tokenizer(texts, 200, config("jamo", 60))
    vocabulary = tokenizer.get_vocab()
    assert not any("가" <= character <= "힣" for token in vocabulary for character in token)
    assert any("ᄀ" <= character <= "ᇿ" for token in vocabulary for character in token)
    for (text,) in texts[:20]:
        (ids,) = encode(tokenizer, [(text,)], 1000).sequences
        assert unicodedata.normalize("NFC", tokenizer.decode(ids.tolist())) == text


def test_jamo_know_a_syllable_that_was_never_seen() -> None:
    """A new syllable of known letters has no unknown token with jamo, and one without."""
    letters, syllables = (train_tokenizer([("강산 곰손",)] * 10, 60, config(kind, 40)) for kind in ("jamo", "bpe"))
    assert encode(letters, [("솜강",)], 20).unk_rate == 0
    assert encode(syllables, [("솜강",)], 20).unk_rate > 0


@pytest.mark.parametrize(
    ("kind", "size", "limit", "needs"), [("wordpiece", 120, 58, "needs two of"), ("bpe", 60, 57, "needs one of")]
)
def test_an_alphabet_that_cannot_fit_is_refused(kind: str, size: int, limit: int, needs: str) -> None:
    """An alphabet whose entries, two or one a character, exceed the vocabulary is refused with the largest."""
    with pytest.raises(RecipeError, match=rf"tokenizer.alphabet = {limit + 1}: .* {needs} .* at most {limit} fit"):
        train_tokenizer(toy_set(20).texts, size, config(kind, limit + 1))
    train_tokenizer(toy_set(20).texts, size, config(kind, limit))


def test_wordpiece_over_letters_is_refused() -> None:
    """Letters are asked of a kind that works on them."""
    with pytest.raises(RecipeError, match=r"tokenizer.jamo: only tokenizer.kind = 'bpe'"):
        train_tokenizer(toy_set(20).texts, 200, TokenizerConfig(alphabet=50, jamo=True))
