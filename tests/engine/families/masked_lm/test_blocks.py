"""Blocks of tokens: cut from texts, and hidden in a way that a resumption repeats."""

import numpy as np
import pytest

from engine.families.masked_lm import blocks, network
from engine.families.masked_lm import masking as hiding
from engine.families.masked_lm.blocks import Blocks, Vocabulary
from engine.families.masked_lm.corpus import Document
from engine.families.masked_lm.masking import Masking
from engine.recipes.schema import TextConfig
from tests.factories.masked_lm import SPECIALS, WORDS, tiny_bert

CLS, SEP, MASK = 2, 3, 4


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory: pytest.TempPathFactory) -> Vocabulary:
    """The tiny BERT's."""
    return network.vocabulary(str(tiny_bert(tmp_path_factory.mktemp("bert"))), "tiny", len(WORDS))


def _masking(vocabulary: Vocabulary, **changes: float) -> Masking:
    return Masking.of(TextConfig(**changes), vocabulary)


def _block(length: int) -> np.ndarray:
    inside = 5 + np.arange(length - 2) % (len(WORDS) - 5)
    return np.concatenate([[CLS], inside, [SEP]]).astype(np.int32)


def test_a_long_text_becomes_blocks_of_nearly_one_length(vocabulary: Vocabulary) -> None:
    """Every token once and in order, [CLS] and [SEP] around each block, none longer than asked for."""
    words = [WORDS[5 + i % 20] for i in range(50)]
    result = blocks.cut([Document("a", (" ".join(words),))], vocabulary, 16)
    assert result.lengths.tolist() == [15, 15, 14, 14]
    assert all(block[0] == CLS and block[-1] == SEP for block in result.sequences)
    inside = np.concatenate([block[1:-1] for block in result.sequences])
    assert [WORDS[token] for token in inside] == words


def test_a_block_never_holds_two_texts_and_short_ones_are_counted(vocabulary: Vocabulary) -> None:
    """Two texts of a document are two blocks; a heading is left out, and told."""
    texts = ("the cat sits on the old red house", "a dog", "a dog runs near the river and a tree")
    result = blocks.cut([Document("a", texts)], vocabulary, 16)
    assert result.lengths.tolist() == [10, 11]
    assert (result.documents, result.left_out) == (1, 1)


def test_reading_stops_when_there_is_enough(vocabulary: Vocabulary) -> None:
    """At the first block that reaches the tokens, or at the number of blocks; what lies behind is not tokenized."""
    documents = [Document(str(i), (" ".join(["cat"] * 10),)) for i in range(1000)]
    assert blocks.cut(documents, vocabulary, 16, tokens=30).lengths.tolist() == [12, 12, 12]
    few = blocks.cut(documents, vocabulary, 16, blocks=2)
    assert len(few.sequences) == few.documents == 2
    assert blocks.cut([], vocabulary, 16).sequences == []


def test_the_same_numbers_hide_the_same_words(vocabulary: Vocabulary) -> None:
    """Seed, epoch and block decide, and nothing else; each of the three changes what is hidden."""
    masking, block = _masking(vocabulary), _block(40)
    first = masking.hide(block, 1, 2, 3)
    np.random.default_rng(0).random(5)
    again = masking.hide(block, 1, 2, 3)
    assert all(np.array_equal(left, other) for left, other in zip(first, again, strict=True))
    for other in ((0, 2, 3), (1, 0, 3), (1, 2, 0)):
        assert not np.array_equal(first[1], masking.hide(block, *other)[1])


def test_the_shares_are_those_of_the_recipe(vocabulary: Vocabulary) -> None:
    """Of 15% of the tokens 80% become [MASK], 10% another token, 10% stay; special tokens are never chosen."""
    masking, block = _masking(vocabulary), _block(200)
    seen, chosen = zip(*(masking.hide(block, 0, 0, i) for i in range(200)), strict=True)
    seen, chosen = np.stack(seen), np.stack(chosen)
    assert not chosen[:, [0, -1]].any()
    assert (seen[~chosen] == np.broadcast_to(block, seen.shape)[~chosen]).all()
    assert chosen[:, 1:-1].mean() == pytest.approx(0.15, abs=0.01)
    inside, gold = seen[chosen], np.broadcast_to(block, seen.shape)[chosen]
    assert (inside == MASK).mean() == pytest.approx(0.8, abs=0.02)
    assert (inside == gold).mean() == pytest.approx(0.1 + 0.1 / (len(WORDS) - 5), abs=0.02)
    assert not np.isin(inside[inside != MASK], range(len(SPECIALS))).any()


@pytest.mark.parametrize(
    ("changes", "share"),
    [({"mask_token": 1.0, "mask_random": 0.0}, 1.0), ({"mask_token": 0.0, "mask_random": 0.0}, 0.0)],
)
def test_the_shares_can_be_extreme(vocabulary: Vocabulary, changes: dict[str, float], share: float) -> None:
    """All chosen tokens hidden, or none of them."""
    seen, chosen = _masking(vocabulary, **changes).hide(_block(100), 0, 0, 0)
    assert (seen[chosen] == MASK).mean() == share


def test_a_block_always_asks_for_a_word(vocabulary: Vocabulary) -> None:
    """Where chance chose no token, one is chosen all the same; a block of nothing but special tokens asks nothing."""
    masking = _masking(vocabulary, mask_rate=1e-9)
    for example in range(20):
        assert masking.hide(_block(8), 0, 0, example)[1].sum() == 1
    assert not masking.hide(np.array([CLS, SEP], dtype=np.int32), 0, 0, 0)[1].any()


def test_a_batch_is_padded_and_asks_for_the_right_words(vocabulary: Vocabulary) -> None:
    """Gold tokens stand row by row as the mask finds them; padding is never asked for."""
    sequences = [_block(9), _block(14), _block(11)]
    masked = hiding.batch(Blocks(sequences), np.array([2, 1]), _masking(vocabulary, mask_rate=0.5), 0, 0)
    assert masked.ids.shape == masked.chosen.shape == (2, 14)
    assert masked.lengths.tolist() == [11, 14]
    assert not masked.chosen[0, 11:].any()
    rows, columns = masked.chosen.nonzero(as_tuple=True)
    expected = [sequences[[2, 1][row]][column] for row, column in zip(rows.tolist(), columns.tolist(), strict=True)]
    assert masked.gold.tolist() == [int(token) for token in expected]
