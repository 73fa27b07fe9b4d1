"""The dashboard's door to the engine, opened when somebody tries a model: torch takes seconds and may be missing."""

from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.ui import cache

if TYPE_CHECKING:
    from engine.inference.hub import Plan
    from engine.inference.models import ModelRef, TaskType
    from engine.inference.predictor import Predictor
    from engine.inference.samples import Sample

__all__ = ["ModelRef", "Plan", "Predictor", "Sample", "TaskType"]

_NEEDED = ("torch", "transformers", "tokenizers", "regex", "psutil")
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def missing() -> list[str]:
    """Packages of the extra ``engine`` that are not installed; without them nothing can be tried."""
    return [name for name in _NEEDED if find_spec(name) is None]


def outside() -> bool:
    """Whether visitors may name folders and models of the hub: only where nobody but this machine's user gets in."""
    return st.get_option("server.address") in _LOOPBACK


def predictor() -> "Predictor":
    """The playground of this process; the first call imports torch."""
    from engine.inference.predictor import shared  # noqa: PLC0415 - see above

    return shared(cache.store(), outside=outside())


def listed(reads: "TaskType") -> "list[ModelRef]":
    """The models that can be tried; needs no torch."""
    here = cache.store()
    return list(_listed(str(here.path), here.generation(), reads))


@st.cache_data(max_entries=16, show_spinner=False)
def _listed(path: str, generation: str, reads: "TaskType") -> "list[ModelRef]":
    from engine.inference import models  # noqa: PLC0415 - see above

    return models.listed(cache.store(), reads)


def named(key: str) -> "ModelRef":
    """The model of a key; see ``engine.inference.models.named``. Needs no torch."""
    from engine.inference import models  # noqa: PLC0415 - see above

    return models.named(cache.store(), key, outside=outside())


def default(reads: "TaskType") -> str:
    """The model that answers where nobody chose; empty where there is none."""
    from engine.inference import models  # noqa: PLC0415 - see above

    return models.default(reads)


def samples(reads: "TaskType") -> "tuple[Sample, ...]":
    """Texts to try; needs no torch."""
    from engine.inference import samples as shelf  # noqa: PLC0415 - see above

    return shelf.samples(reads)


def hub() -> ModuleType:
    """``engine.inference.hub``; needs no torch."""
    from engine.inference import hub as found  # noqa: PLC0415 - see above

    return found


def batch() -> ModuleType:
    """``engine.inference.batch``."""
    from engine.inference import batch as found  # noqa: PLC0415 - see above

    return found


def lab() -> ModuleType:
    """``engine.inference.speed``."""
    from engine.inference import speed as found  # noqa: PLC0415 - see above

    return found


def parts(texts: tuple[str, ...]) -> int:
    """Into how many parts texts are cut that are weighed."""
    from engine.inference.attribution import parts_of  # noqa: PLC0415 - see above

    return len(parts_of(texts))


def process_bytes() -> int:
    """Memory of this process."""
    from engine.inference.predictor import process_bytes as found  # noqa: PLC0415 - see above

    return found()
