"""Answers of this visit: computed once for each model and question, kept as plain facts, and told as a history."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import streamlit as st

from dashboard.ui.i18n import _
from db.registry import formats

if TYPE_CHECKING:
    from dashboard.playground.engine_bridge import TaskType
    from engine.inference.model_cache import LoadedModel
    from engine.inference.schemas import Cost

_MOST = 64
"""Answers that a visit keeps; the oldest go first."""

_HISTORY = 200


@dataclass(frozen=True)
class Model:
    """What is told of the model beside its answer. The model itself is not kept: a visit must not hold it in memory."""

    key: str
    name: str
    run_id: str | None
    precision: str
    params: int
    bytes: int
    load_s: float
    sha256: str

    @classmethod
    def of(cls, held: "LoadedModel") -> "Model":
        """The facts of a model in memory."""
        return cls(
            held.ref.key,
            held.ref.name,
            held.ref.run_id,
            held.precision,
            held.params,
            held.bytes,
            held.load_s,
            held.sha256,
        )

    def told(self, cost: "Cost") -> str:
        """Its size and what the answer cost, in one line."""
        return _(
            "{params} parameters, {size} in memory. {total} ms: tokenise {tokenise}, model {model}, decode {decode}"
        ).format(
            params=formats.short(self.params),
            size=formats.size(self.bytes),
            total=f"{cost.total_ms:.1f}",
            tokenise=f"{cost.tokenise_ms:.1f}",
            model=f"{cost.model_ms:.1f}",
            decode=f"{cost.decode_ms:.1f}",
        )


def once(key: tuple[Any, ...], compute: Callable[[], Any]) -> Any:
    """What was computed for a key in this visit, or is computed now."""
    kept: dict[tuple[Any, ...], Any] = st.session_state.setdefault("pg_answers", {})
    if key in kept:
        kept[key] = kept.pop(key)
    else:
        kept[key] = compute()
        while len(kept) > _MOST:
            kept.pop(next(iter(kept)))
    return kept[key]


@dataclass
class Entry:
    """One question of this visit, with the answers of all models that were asked."""

    reads: "TaskType"
    texts: tuple[str, ...]
    at: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    answers: list[dict[str, Any]] = field(default_factory=list)


def remember(reads: "TaskType", texts: tuple[str, ...], model: Model, answer: dict[str, Any]) -> None:
    """Put an answer into the history, beside the others to the same question."""
    entries: list[Entry] = st.session_state.setdefault("pg_history", [])
    if not entries or (entries[-1].reads, entries[-1].texts) != (reads, texts):
        entries.append(Entry(reads, texts))
        del entries[:-_HISTORY]
    facts = {"model": model.key, "name": model.name, "precision": model.precision, "sha256": model.sha256, **answer}
    same = [one for one in entries[-1].answers if (one["model"], one["precision"]) == (model.key, model.precision)]
    if same:
        same[0].update(facts)
    else:
        entries[-1].answers.append(facts)


def history() -> list[Entry]:
    """The questions of this visit, newest first."""
    return list(reversed(st.session_state.get("pg_history", [])))


def as_json(entries: list[Entry]) -> bytes:
    """The history for programs, oldest first."""
    return json.dumps([asdict(one) for one in reversed(entries)], ensure_ascii=False, indent=1).encode()
