"""Fixtures for all tests of the engine: figures of speed from few calls, and the toy data."""

import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from engine.families.masked_lm import family as masked_lm
from engine.families.span_qa import evaluation as span_qa
from engine.trainer import evaluation
from tests.factories.recipes import write_reviews


@pytest.fixture(autouse=True, scope="package")
def _few_calls() -> Iterator[None]:
    """Time models with few calls and resample scores a few times: a run of a toy model needs no exact figures."""
    torch.set_num_threads(1)
    with pytest.MonkeyPatch.context() as patch:
        for timing in (evaluation.timing, span_qa.timing):
            patch.setitem(inspect.unwrap(timing).__kwdefaults__, "calls", 5)
        patch.setattr(masked_lm, "_TIMED_CALLS", 3)
        patch.setattr(span_qa, "_RESAMPLES", 100)
        yield


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """The toy task as a folder for --data."""
    return str(write_reviews(tmp_path / "reviews"))
