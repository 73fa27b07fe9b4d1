"""What was typed: kept apart from the fields themselves, which Streamlit forgets where they are not drawn."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import streamlit as st

from db.submissions import claim
from db.submissions.claim import is_field

T = TypeVar("T")

PREFIX = "submit_"
"""Of everything that this page keeps in the session."""

FORM = "form"
"""The fields of the page itself; each row of a file that is corrected has its own."""

FACTS = "facts"
"""Facts of the training, one a line: ``name = value``."""

COMMON = (
    "task",
    "family",
    "architecture",
    "language",
    "licence",
    "dataset",
    "teacher",
    "device",
    "link",
    "checkpoint",
    "contact",
    "notes",
)
"""Fields that may be the same for all rows of a file."""

_LONGEST = 20_000
_MOST_FIELDS = 120


@dataclass(frozen=True)
class FormState:
    """Fields with what was typed into them."""

    name: str

    @property
    def values(self) -> dict[str, str]:
        """By field; parts of metrics by names such as ``metrics.accuracy``."""
        values: dict[str, str] = st.session_state.setdefault(f"{PREFIX}{self.name} values", {})
        return values

    @property
    def touched(self) -> set[str]:
        """Fields that somebody changed: what is wrong with them is told at once."""
        fields: set[str] = st.session_state.setdefault(f"{PREFIX}{self.name} touched", set())
        return fields

    def key(self, field: str) -> str:
        """The session's name of a field's widget."""
        fills = self._fills.get(field, 0)
        return f"{PREFIX}{self.name}_{field}" + (f" {fills}" if fills else "")

    @property
    def _fills(self) -> dict[str, int]:
        """How often the code filled a field."""
        fills: dict[str, int] = st.session_state.setdefault(f"{PREFIX}{self.name} fills", {})
        return fills

    def put(self, field: str, value: str) -> None:
        """Fill a field; before it is drawn, or in a callback.

        Its widget is a new one: a browser that asked for another run before it heard of this value sends the widget's
        former one, which would replace it.
        """
        st.session_state.pop(self.key(field), None)
        self._fills[field] = self._fills.get(field, 0) + 1
        self.values[field] = value

    def touch(self, field: str) -> None:
        """Remember that somebody changed a field; for callbacks."""
        self.touched.add(field)

    def sync(self) -> None:
        """Take in what the fields hold; before it is checked, which is before they are drawn."""
        for field in self.values:
            if (key := self.key(field)) in st.session_state:
                self.values[field] = str(st.session_state[key] or "")

    def fill(self, values: Mapping[str, str]) -> None:
        """Fill several fields, and tell at once what is wrong with them."""
        for field, value in values.items():
            self.put(field, value)
            self.touch(field)

    def flat(self, fields: Iterable[str] | None = None) -> dict[str, object]:
        """What is filled in, by field, of some fields or of all; see ``db.submissions.prepared``."""
        result: dict[str, object] = {}
        for field, value in self.values.items():
            if not value.strip() or (fields is not None and field not in fields):
                continue
            result |= (
                {f"training.{name}": fact for name, fact in facts(value)[0].items()}
                if field == FACTS
                else {field: value}
            )
        return result


def remembered(name: str, made_from: object, make: Callable[[], T]) -> T:
    """What was made from the same facts at the last look, or else is made now."""
    before: tuple[object, T] | None = st.session_state.get(f"{PREFIX}{name}")
    if before is None or before[0] != made_from:
        before = st.session_state[f"{PREFIX}{name}"] = (made_from, make())
    return before[1]


def facts(lines: str) -> tuple[dict[str, str], list[str]]:
    """Facts of the training, and the lines that are none."""
    known: dict[str, str] = {}
    wrong: list[str] = []
    for line in lines.splitlines():
        name, sign, value = (part.strip() for part in line.partition("="))
        if not line.strip():
            continue
        if sign and name and name not in known:
            known[name] = value
        else:
            wrong.append(line.strip())
    return known, wrong


def flattened(draft: Mapping[str, object]) -> dict[str, str]:
    """Turn a draft of a file into the fields of a form."""
    result: dict[str, str] = {}
    lines: list[str] = []
    for field, value in claim.flat(draft).items():
        group, _, part = field.partition(".")
        if value is None or not is_field(field):
            continue
        if group == "training":
            lines.append(f"{_line(part)} = {_line(value)}")
        else:
            result[field] = _line(value) if part else str(value)
    return result | ({FACTS: "\n".join(lines)} if lines else {})


def _line(value: object) -> str:
    return " ".join(str(value).split())


def nested(draft: Mapping[str, object], fields: Mapping[str, object]) -> dict[str, object]:
    """Set fields in a draft; names that are not fields are left out."""
    return claim.nested(claim.flat(draft) | {name: value for name, value in fields.items() if is_field(name)})


def written(values: Mapping[str, str]) -> str:
    """What is filled in, as the browser keeps it; nothing where nothing is."""
    filled = {field: value for field, value in values.items() if value.strip()}
    return json.dumps(filled, ensure_ascii=False, sort_keys=True) if filled else ""


def read(stored: object) -> dict[str, str]:
    """What a browser kept; whatever else it may hold is passed over."""
    if not isinstance(stored, str) or len(stored) > 10 * _LONGEST:
        return {}
    try:
        draft = json.loads(stored)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(draft, dict):
        return {}
    return {
        field: value
        for field, value in list(draft.items())[:_MOST_FIELDS]
        if isinstance(value, str)
        and len(value) <= _LONGEST
        and (field == FACTS or is_field(field))
        and field != "params_source"
        and not field.startswith("training.")
        and "\0" not in value
    }
