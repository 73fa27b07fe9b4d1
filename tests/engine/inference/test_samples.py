"""Samples of the playground."""

from collections import Counter

import pytest

from engine.inference import samples
from engine.inference.models import TASK_TYPES, TaskType


@pytest.mark.parametrize("reads", [kind for kind in TASK_TYPES if kind != "qa"])
def test_each_label_of_each_corpus_is_on_offer_equally_often(reads: TaskType) -> None:
    """The six English pairs held no contradiction once."""
    offered = samples.samples(reads)
    counts = Counter((row.language, row.gold) for row in offered)
    assert len({row.gold for row in offered}) == {"sentiment": 2, "nli": 3, "text": 7}[reads]
    assert len(set(counts.values())) == 1
    assert len(offered) >= 6


def test_a_page_opens_with_a_plain_pair() -> None:
    """The first of each language."""
    first = {row.language: row.key for row in reversed(samples.samples("nli"))}
    assert set(first.values()) == samples._FIRST


def test_a_link_to_a_text_that_is_no_longer_on_offer_still_opens_it() -> None:
    assert "ne-0651" not in {row.key for row in samples.samples("nli")}
    row = samples.sample("nli", "ne-0651")
    assert row is not None
    assert row.gold == ("neutral",)
    assert samples.sample("nli", "capital") is None
    assert samples.sample("qa", "capital") is not None
