"""What was typed: kept apart from the fields themselves, which Streamlit forgets where they are not drawn."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import streamlit as st

from db import submissions
from db.submissions.claim import Claim

PREFIX = "submit_"
"""Of everything that this page keeps in the session."""

FORM = "form"
"""The sheet of the page's own fields."""

FACTS = "facts"
"""Facts of the training, one a line: ``name = value``."""

_GROUPS = ("metrics", "training")
_LONGEST = 20_000
_MOST_FIELDS = 120


@dataclass(frozen=True)
class Sheet:
    """Fields with what was typed into them.

    Attributes:
        name: Of the sheet.
    """

    name: str

    @property
    def values(self) -> dict[str, str]:
        """By field; parts of metrics by names such as ``metrics.accuracy``."""
        found: dict[str, str] = st.session_state.setdefault(f"{PREFIX}{self.name} values", {})
        return found

    @property
    def touched(self) -> set[str]:
        """Fields that somebody changed: what is wrong with them is told at once."""
        found: set[str] = st.session_state.setdefault(f"{PREFIX}{self.name} touched", set())
        return found

    def key(self, field: str) -> str:
        """The session's name of a field's widget."""
        return f"{PREFIX}{self.name}_{field}"

    def put(self, field: str, value: str) -> None:
        """Fill a field; before it is drawn, or in a callback."""
        self.values[field] = value
        st.session_state[self.key(field)] = value

    def touch(self, field: str) -> None:
        """Remember that somebody changed a field; for callbacks."""
        self.touched.add(field)

    def sync(self) -> None:
        """Take in what the fields hold; before it is checked, which is before they are drawn."""
        start = self.key("")
        for key in st.session_state:
            if isinstance(key, str) and key.startswith(start):
                self.values[key.removeprefix(start)] = str(st.session_state[key] or "")

    def fill(self, values: Mapping[str, str]) -> None:
        """Fill several fields, and tell at once what is wrong with them."""
        for field, value in values.items():
            self.put(field, value)
            self.touch(field)

    def flat(self, fields: Iterable[str] | None = None) -> dict[str, object]:
        """What is filled in, by field; see ``db.submissions.prepared``.

        Args:
            fields: Only these; None: all of them.
        """
        told: dict[str, object] = {}
        for field, value in self.values.items():
            if not value.strip() or (fields is not None and field not in fields):
                continue
            told |= (
                {f"training.{name}": one for name, one in facts(value)[0].items()} if field == FACTS else {field: value}
            )
        return told


def facts(lines: str) -> tuple[dict[str, str], list[str]]:
    """Facts of the training, and the lines that are none."""
    found: dict[str, str] = {}
    wrong: list[str] = []
    for line in lines.splitlines():
        name, sign, value = (part.strip() for part in line.partition("="))
        if not line.strip():
            continue
        if sign and name and name not in found:
            found[name] = value
        else:
            wrong.append(line.strip())
    return found, wrong


def flattened(draft: Mapping[str, object]) -> dict[str, str]:
    """A draft of a file as the fields of a sheet."""
    told: dict[str, str] = {}
    lines: list[str] = []
    for field, value in _parts(draft):
        group, _, rest = field.partition(".")
        if value is None or not _is_field(field):
            continue
        if group == "training":
            lines.append(f"{_line(rest)} = {_line(value)}")
        else:
            told[field] = _line(value) if rest else str(value)
    return told | ({FACTS: "\n".join(lines)} if lines else {})


def _parts(draft: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """Fields with their values, those inside of metrics and training by names such as ``metrics.accuracy``."""
    for field, value in draft.items():
        if field in _GROUPS and isinstance(value, Mapping):
            yield from ((f"{field}.{name}", one) for name, one in value.items())
        else:
            yield field, value


def _line(value: object) -> str:
    return " ".join(str(value).split())


def nested(draft: Mapping[str, object], given: Mapping[str, object]) -> dict[str, object]:
    """A draft with what stands above it; names that are no fields are left out."""
    known = {name: value for name, value in given.items() if _is_field(name)}
    return submissions.prepared([draft], known)[0]


def _is_field(name: str) -> bool:
    group, _, rest = name.partition(".")
    return group in Claim.model_fields and bool(rest) == (group in _GROUPS)


def written(values: Mapping[str, str]) -> str:
    """What is filled in, as the browser keeps it; nothing where nothing is."""
    told = {field: value for field, value in values.items() if value.strip()}
    return json.dumps(told, ensure_ascii=False, sort_keys=True) if told else ""


def read(told: object) -> dict[str, str]:
    """What a browser kept; whatever else it may hold is passed over."""
    if not isinstance(told, str) or len(told) > 10 * _LONGEST:
        return {}
    try:
        found = json.loads(told)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {
        field: value
        for field, value in list(found.items())[:_MOST_FIELDS]
        if isinstance(value, str)
        and len(value) <= _LONGEST
        and (field == FACTS or _is_field(field))
        and field != "params_source"
        and not field.startswith("training.")
        and "\0" not in value
    }
