"""A training passes through few files: whoever follows it by reading has not many to open."""

import math

import pytest

from tests.contracts.journeys import follow

pytest.importorskip("torch")

LIMITS = {"training": (70, 142)}
"""Files, and calls from one file into another; before plan, run and families there were 44 and 88. A processor without
bfloat16 adds the call that says so. What torchrun needs passes through three of the files, and what keeps a journal
short through five calls of the store and one file."""


@pytest.mark.parametrize("journey", LIMITS)
def test_a_journey_passes_through_few_files(journey: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many files and calls as the limits say, or fewer, also where a slow machine would save the state half-way."""
    monkeypatch.setattr("engine.trainer.loop.SAVE_EVERY_S", math.inf)
    trace = follow(journey)
    assert (len(trace.files), len(trace.calls)) <= LIMITS[journey]
    assert len(trace.calls) <= LIMITS[journey][1], sorted(trace.calls)
