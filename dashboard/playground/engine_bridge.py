"""Access to the engine, imported when a model is first used: torch takes seconds to load and may be missing."""

from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.ui import cache
from dashboard.ui.i18n import DEFAULT, current_language

if TYPE_CHECKING:
    from engine.inference.hub import Plan
    from engine.inference.models import ModelRef, TaskType
    from engine.inference.predictor import Predictor
    from engine.inference.samples import Sample

__all__ = ["ModelRef", "Plan", "Predictor", "Sample", "TaskType"]

_REQUIRED = ("torch", "transformers", "tokenizers", "regex", "psutil")
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def missing() -> list[str]:
    """List the packages of the extra ``engine`` that are not installed; no model runs without them."""
    return [name for name in _REQUIRED if find_spec(name) is None]


def outside() -> bool:
    """Whether visitors may name folders and models of the hub: only where this machine's user alone has access."""
    return st.get_option("server.address") in _LOOPBACK


def inference(name: str) -> ModuleType:
    """Import a module of ``engine.inference``; ``hub``, ``models`` and ``samples`` need no torch."""
    return import_module(f"engine.inference.{name}")


def predictor() -> "Predictor":
    """Return the predictor of this process."""
    shared: Predictor = inference("predictor").shared(cache.store(), outside=outside())
    return shared


def listed(task: "TaskType") -> "list[ModelRef]":
    """List the models that can be tried; see ``engine.inference.models.listed``."""
    store = cache.store()
    return list(_listed(str(store.path), store.generation(), task))


@st.cache_data(max_entries=16, show_spinner=False)
def _listed(path: str, generation: str, task: "TaskType") -> "list[ModelRef]":
    store = cache.store()
    models: list[ModelRef] = inference("models").listed(store, task)
    if not store.exists():
        return models
    # A card's score is that of the shipped weights, rounded to 16 bits; the page shows the one that the board has.
    board = store.query(
        "SELECT run_id, name, value FROM metrics WHERE run_id IN (SELECT unnest(?))",
        [[model.run_id for model in models if model.run_id]],
    )
    scores = {(row.run_id, row.name): row.value for row in board.itertuples(index=False)}
    return [replace(model, score=scores.get((model.run_id, model.metric), model.score)) for model in models]


def named(key: str) -> "ModelRef":
    """Find the model of a key; see ``engine.inference.models.named``."""
    model: ModelRef = inference("models").named(cache.store(), key, outside=outside())
    return model


def defaults(task: "TaskType") -> list[str]:
    """Return the keys of the models that answer where nobody chose, best first: shipped ones for the page's language.

    Questions are answered by two, so that there is something to compare, where two read the language: models of Korean
    texts read English ones as well. The second is loaded when it is first needed.
    """
    language = current_language()
    first = str(inference("models").default(task, language))
    shipped = [model for model in listed(task) if model.origin == "shipped"]
    readers = [model for model in shipped if language == DEFAULT or language in model.languages]
    readers.sort(key=lambda model: (model.key != first, -(model.score or 0.0)))
    keys = [model.key for model in readers[: 2 if task == "qa" else 1]]
    return keys if first in keys else [first] if first else []


def samples(task: "TaskType") -> "tuple[Sample, ...]":
    """Return example texts, those in the page's language first."""
    texts: tuple[Sample, ...] = inference("samples").samples(task)
    return tuple(sorted(texts, key=lambda sample: sample.language != current_language()))


def sample(task: "TaskType", key: str | None) -> "Sample | None":
    """Return the example of a key; None where there is none."""
    match: Sample | None = inference("samples").sample(task, key) if key else None
    return match
