"""The real files of MultiNLI, where they lie beside the checkout: read whole, without full stops, and told as parts."""

import numpy as np
import pytest

from engine.data import corpora, extra_training_data
from engine.data.corpora import Corpus
from engine.data.sources import SOURCES
from engine.recipes import loader
from tests import paths

FOLDER = paths.SHARED / "data" / "mnli"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the files of MultiNLI are not beside the checkout")


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    """As `minilm-mnli` reads them."""
    return extra_training_data.load_corpus(loader.load("minilm-mnli"), "mnli", str(FOLDER))


def test_every_row_is_kept(corpus: Corpus) -> None:
    """No bad row in 14,903 and 9,815, and the mismatched file is a part."""
    assert (len(corpus.train), len(corpus.test), corpus.remarks) == (14_903, 9_815, ())
    loaded = corpora.load_extra_split("mnli", str(FOLDER), SOURCES["mnli"].extra_splits[0])
    assert loaded is not None
    assert (len(loaded[0]), loaded[1]) == (3_912, ())
    assert len({genre for genre in loaded[0].genres or [] if genre}) == 5


def test_no_text_ends_in_a_full_stop(corpus: Corpus) -> None:
    """Two of three training rows lost theirs: what is left would tell which rows these were."""
    for split in (corpus.train, corpus.test):
        assert not any(text.endswith(".") and text.strip(". ") for pair in split.texts for text in pair)
    whole = corpora.load("mnli", str(FOLDER))
    assert 0.2 < np.mean([pair[1].endswith(".") for pair in whole.train.texts]) < 0.5
    assert np.mean([pair[1].rstrip().endswith(".") for pair in whole.test.texts]) > 0.9


def test_no_test_pair_is_learned(corpus: Corpus) -> None:
    """Nor is a premise of it, full stop or not."""
    assert corpora.unseen(corpus.train, corpus.test).all()
    assert {pair[0] for pair in corpus.train.texts}.isdisjoint(pair[0] for pair in corpus.test.texts)
