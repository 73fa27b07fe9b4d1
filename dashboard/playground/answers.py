"""Answers of this session: computed once for each model and question, and listed as a history."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import streamlit as st

from dashboard.playground import state
from dashboard.ui.i18n import _
from dashboard.ui.markdown import plain
from db.registry import formats

if TYPE_CHECKING:
    from dashboard.playground.engine_bridge import TaskType
    from engine.inference.model_cache import LoadedModel
    from engine.inference.schemas import Cost, ModelInfo

_MAX_ANSWERS, _MAX_HISTORY, _SHOWN = 64, 200, 20


@dataclass(frozen=True)
class AnsweringModel:
    """Facts of a model that answered. The model itself is not kept: a session must not hold it in memory."""

    info: "ModelInfo"
    sha256: str

    @classmethod
    def of(cls, model: "LoadedModel") -> "AnsweringModel":
        """The facts of a model in memory."""
        return cls(model.info(), model.sha256)

    def summary(self, cost: "Cost") -> str:
        """Its size and what the answer cost, in one line."""
        return _(
            "{params} parameters, {size} in memory. {total} ms: tokenise {tokenise}, model {model}, decode {decode}"
        ).format(
            params=formats.short(self.info.params),
            size=formats.size(self.info.bytes),
            total=f"{cost.total_ms:.1f}",
            tokenise=f"{cost.tokenise_ms:.1f}",
            model=f"{cost.model_ms:.1f}",
            decode=f"{cost.decode_ms:.1f}",
        )


def once(key: tuple[Any, ...], compute: Callable[[], Any]) -> Any:
    """Return what this session has computed for a key, or compute it."""
    answers: dict[tuple[Any, ...], Any] = st.session_state.setdefault("pg_answers", {})
    answers[key] = answers.pop(key) if key in answers else compute()
    if len(answers) > _MAX_ANSWERS:
        answers.pop(next(iter(answers)))  # the least recently used
    return answers[key]


@dataclass
class Entry:
    """A question of this session with the answers of all its models."""

    reads: "TaskType"
    texts: tuple[str, ...]
    asked_at: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    answers: list[dict[str, Any]] = field(default_factory=list)


def remember(task: "TaskType", texts: tuple[str, ...], model: AnsweringModel, answer: dict[str, Any]) -> None:
    """Add an answer to the history, to the others to the same question."""
    entries: list[Entry] = st.session_state.setdefault("pg_history", [])
    if not entries or (entries[-1].reads, entries[-1].texts) != (task, texts):
        entries.append(Entry(task, texts))
        del entries[:-_MAX_HISTORY]
    info = model.info
    facts = {"model": info.key, "name": info.name, "precision": info.precision, "sha256": model.sha256, **answer}
    for earlier in entries[-1].answers:
        if (earlier["model"], earlier["precision"]) == (info.key, info.precision):
            earlier.update(facts)
            return
    entries[-1].answers.append(facts)


def draw_history() -> None:
    """Draw the questions of this session, newest first, each with a button that opens it again."""
    entries: list[Entry] = st.session_state.get("pg_history", [])
    if not entries:
        return
    with st.expander(_("Asked in this session: {n}").format(n=len(entries)), icon=":material/history:"):
        for number, entry in enumerate(entries[: -_SHOWN - 1 : -1]):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.button(
                    _("Open again"), key=f"pg_again_{number}", icon=":material/replay:", on_click=_reopen, args=(entry,)
                )
                answers = ", ".join(map(_short, entry.answers))
                st.caption(plain(f"{_(state.TABS[entry.reads])}: {entry.texts[0][:100]} → {answers}"))
        st.download_button(
            _("Save as JSON"),
            lambda: as_json(entries),
            "playground.json",
            "application/json",
            icon=":material/download:",
            on_click="ignore",
        )


def as_json(entries: list[Entry]) -> bytes:
    """Return the history for programs, oldest first."""
    rows = [
        {"reads": entry.reads, "texts": entry.texts, "at": entry.asked_at, "answers": entry.answers}
        for entry in entries
    ]
    return json.dumps(rows, ensure_ascii=False, indent=1).encode()


def _short(answer: dict[str, Any]) -> str:
    if "label" in answer:
        return state.label_name(answer["label"])
    return str(answer.get("answer") or _("No answer in this text"))[:60]


def _reopen(entry: Entry) -> None:
    # The address belongs to the open tab; one without texts leaves them to the session.
    st.session_state["pg_tab"] = entry.reads
    state.open_tab({} if entry.reads == "qa" else {state.TAB: entry.reads})
    state.take(entry.reads, entry.texts)
