"""The real files of MultiNLI, where they lie beside the checkout: read whole, without full stops, and told as parts."""

from pathlib import Path

import numpy as np
import pytest

from engine import additional, data, recipe
from engine.data import Corpus
from engine.sources import SOURCES

FOLDER = Path(__file__).parent.parent.parent / "shared" / "data" / "mnli"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the files of MultiNLI are not beside the checkout")


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    """As `minilm-mnli` reads them."""
    return additional.load_corpus(recipe.load("minilm-mnli"), "mnli", str(FOLDER))


def test_every_row_is_kept(corpus: Corpus) -> None:
    """No bad row in 14,903 and 9,815, and the mismatched file is a part."""
    assert (len(corpus.train), len(corpus.test), corpus.remarks) == (14_903, 9_815, ())
    loaded = data.load_further("mnli", str(FOLDER), SOURCES["mnli"].further[0])
    assert loaded is not None
    assert (len(loaded[0]), loaded[1]) == (3_912, ())
    assert len({genre for genre in loaded[0].genres or [] if genre}) == 5


def test_no_text_ends_in_a_full_stop(corpus: Corpus) -> None:
    """Two of three training rows lost theirs: what is left would tell which rows these were."""
    for split in (corpus.train, corpus.test):
        assert not any(text.endswith(".") and text.strip(". ") for pair in split.texts for text in pair)
    whole = data.load("mnli", str(FOLDER))
    assert 0.2 < np.mean([pair[1].endswith(".") for pair in whole.train.texts]) < 0.5
    assert np.mean([pair[1].rstrip().endswith(".") for pair in whole.test.texts]) > 0.9


def test_no_test_pair_is_learned(corpus: Corpus) -> None:
    """Nor is a premise of it, full stop or not."""
    assert data.unseen(corpus.train, corpus.test).all()
    assert {pair[0] for pair in corpus.train.texts}.isdisjoint(pair[0] for pair in corpus.test.texts)
