"""What a visitor asked, in the session and in the address: a link opens the same texts, models and settings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.playground import engine_bridge
from dashboard.ui import cache
from db.base.errors import FeatherboardError
from db.storage import long_texts

if TYPE_CHECKING:
    from dashboard.playground.engine_bridge import TaskType

TAB, MODELS, SAMPLE = "tab", "models", "ex"
TEXTS = {"qa": 2, "sentiment": 1, "nli": 2}
"""Texts of each kind of question: question and context, a review, premise and hypothesis."""

_SHORT = 200
"""Characters of a text that stands in the address itself; a longer one stands there by its id."""

_OWN = ("lang",)


@dataclass(frozen=True)
class Asked:
    """What was asked last.

    Attributes:
        texts: In their order.
        sample: The key of the sample that they are; None where somebody wrote or changed them.
    """

    texts: tuple[str, ...]
    sample: str | None = None

    @property
    def empty(self) -> bool:
        """Whether something is missing."""
        return not all(text.strip() for text in self.texts)


def key(reads: str, name: str) -> str:
    """The session's name of a widget or a value of a tab."""
    return f"pg_{reads}_{name}"


def fresh(reads: "TaskType") -> bool:
    """Whether the address is a new link: not what this tab wrote itself, and more than the name of a tab."""
    link = _link()
    return link != st.session_state.get(key(reads, "link")) and not set(link) <= {TAB}


def _link() -> dict[str, str]:
    return {name: value for name, value in st.query_params.items() if name not in _OWN}


def settle(reads: "TaskType") -> Asked:
    """What was asked: of a new link, else what the session has, else the first sample.

    Called before any widget is drawn.
    """
    link = _link()
    asked = st.session_state.get(key(reads, "asked"))
    if isinstance(asked, Asked) and not fresh(reads):
        return asked
    asked = _read(reads, link)
    st.session_state[key(reads, "asked")] = asked
    fill(reads, asked.texts)
    chosen = [one for one in link.get(MODELS, "").split(",") if one]
    if chosen or key(reads, "models") not in st.session_state:
        st.session_state[key(reads, "models")] = _there(reads, chosen)
    return asked


def _there(reads: "TaskType", chosen: Sequence[str]) -> list[str]:
    """The models of a link that are here; the one that answers by itself where none is."""
    found = []
    for one in dict.fromkeys(chosen):
        try:
            if engine_bridge.named(one).reads == reads:
                found.append(one)
        except FeatherboardError as error:
            st.session_state[key(reads, "unknown")] = str(error)
    return found[:4] or [one for one in [engine_bridge.default(reads)] if one]


def _read(reads: "TaskType", link: Mapping[str, str]) -> Asked:
    shelf = engine_bridge.samples(reads)
    sample = next((one for one in shelf if one.key == link.get(SAMPLE)), None)
    texts = [_text(link, place) for place in range(1, TEXTS[reads] + 1)]
    if all(text is None for text in texts):
        sample = sample or shelf[0]
        return Asked(sample.texts, sample.key)
    return Asked(tuple(text or "" for text in texts))


def _text(link: Mapping[str, str], place: int) -> str | None:
    if f"t{place}" in link:
        return link[f"t{place}"]
    if f"k{place}" not in link:
        return None
    try:
        return long_texts.find(cache.store(), link[f"k{place}"])
    except FeatherboardError:
        return None


def fill(reads: "TaskType", texts: Sequence[str]) -> None:
    """Put texts into the fields; before they are drawn, or in a callback."""
    for place, one in enumerate(texts, start=1):
        st.session_state[key(reads, f"t{place}")] = one


def ask(reads: "TaskType") -> None:
    """Ask what the fields hold; for callbacks."""
    pose(reads, tuple(str(st.session_state.get(key(reads, f"t{place}"), "")) for place in range(1, TEXTS[reads] + 1)))


def pose(reads: "TaskType", texts: tuple[str, ...]) -> None:
    """Ask this, and put it into the fields; for callbacks."""
    fill(reads, texts)
    same = next((one.key for one in engine_bridge.samples(reads) if one.texts == texts), None)
    st.session_state[key(reads, "asked")] = Asked(texts, same)


def write(reads: "TaskType", asked: Asked, models: Sequence[str], settings: Mapping[str, str | None]) -> None:
    """Write what is shown into the address. Called once all is drawn.

    Args:
        reads: The tab.
        asked: What was asked.
        models: Keys.
        settings: Further values; None for the one that the plain address means.
    """
    told: dict[str, str] = {} if reads == "qa" else {TAB: reads}
    if list(models) != [engine_bridge.default(reads)]:
        told[MODELS] = ",".join(models)
    if asked.sample is not None:
        if asked.sample != engine_bridge.samples(reads)[0].key:
            told[SAMPLE] = asked.sample
    else:
        told |= dict(_told(place, one) for place, one in enumerate(asked.texts, start=1) if one)
    told |= {name: value for name, value in settings.items() if value is not None}
    put(told)
    st.session_state[key(reads, "link")] = told
    for name, value in settings.items():
        st.session_state[f"{name} link"] = value  # the address says what the visitor chose; see links.follow


def put(told: Mapping[str, str]) -> None:
    """Make the address say this, and leave the language in it."""
    kept = {name: st.query_params[name] for name in _OWN if name in st.query_params}
    wanted = {**told, **kept}
    if dict(st.query_params.items()) != wanted:
        st.query_params.from_dict(wanted)


def _told(place: int, text: str) -> tuple[str, str]:
    if len(text) <= _SHORT:
        return f"t{place}", text
    ids: dict[str, str] = st.session_state.setdefault("pg_kept", {})
    if text not in ids:
        try:
            ids[text] = long_texts.keep(cache.store(), text)
        except FeatherboardError:  # a busy or missing database: the link holds the beginning
            return f"t{place}", text[:_SHORT]
    return f"k{place}", ids[text]
