"""Drafts from the files that people have: several files may tell of one run, and a person adds what no file says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import pandas as pd

from db.base.errors import SubmissionError
from db.submissions.claim import Claim

_GROUPS = ("metrics", "training")
_COUNTED = ("safetensors", "config")


class Found(Protocol):
    """What an importer gives back; see ``db.importers``."""

    @property
    def kind(self) -> str:
        """Which kind of file it was."""

    @property
    def drafts(self) -> tuple[dict[str, object], ...]:
        """Each with some fields of a claim."""

    @property
    def predictions(self) -> pd.DataFrame | None:
        """Columns ``example_id, predicted, score``."""

    @property
    def curves(self) -> pd.DataFrame | None:
        """Columns ``series, step, epoch, value``."""

    @property
    def params(self) -> int | None:
        """Counted from shapes."""

    @property
    def unknown(self) -> tuple[str, ...]:
        """What was seen and not used."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know."""


@dataclass(frozen=True)
class Gathered:
    """What several files say together.

    Attributes:
        drafts: At least one.
        predictions: Of the only draft.
        curves: Of the only draft.
        unknown: Columns and keys that were not used, each with its file.
        notes: One sentence each.
    """

    drafts: tuple[dict[str, object], ...]
    predictions: pd.DataFrame | None
    curves: pd.DataFrame | None
    unknown: tuple[str, ...]
    notes: tuple[str, ...]


def gather(files: Sequence[tuple[str, Found]]) -> Gathered:
    """Put together what files say: one may hold many rows, else all of them tell of one run.

    Args:
        files: The files' names, and what an importer found in them.

    Raises:
        SubmissionError: It cannot be known which row a file belongs to, or two say different things of one field.
    """
    many = [name for name, found in files if len(found.drafts) > 1]
    own: dict[str, object] = {}
    origin: dict[str, str] = {}
    for name, found in files:
        parts = [_counted(found)] if len(found.drafts) > 1 else [*found.drafts, _counted(found)]
        for part in parts:
            _take(own, origin, part, name)
    tables = {
        what: [(name, getattr(found, what)) for name, found in files if getattr(found, what) is not None]
        for what in ("predictions", "curves")
    }
    if many and (len(many) > 1 or own or any(tables.values())):
        other = next((name for name, found in files if name != many[0]), many[0])
        raise SubmissionError(
            f"{many[0]} holds several rows, so it cannot be known which of them {other} belongs to. Hand them in one "
            "by one; nothing was taken."
        )
    rows = next((found.drafts for name, found in files if name in many), (own,))
    return Gathered(
        tuple(dict(row) for row in rows),
        _only("predictions", tables["predictions"]),
        _joined(tables["curves"]),
        tuple(f"{name}: {one}" for name, found in files for one in found.unknown),
        tuple(f"{name}: {one}" for name, found in files for one in found.notes),
    )


def _counted(found: Found) -> dict[str, object]:
    if found.params is None:
        return {}
    return {"params": found.params, **({"params_source": found.kind} if found.kind in _COUNTED else {})}


def _take(own: dict[str, object], origin: dict[str, str], part: Mapping[str, object], name: str) -> None:
    for field, value in _flat(part).items():
        if field in own and own[field] != value:
            raise SubmissionError(
                f"{origin[field]} and {name} say different things of {field}: {str(own[field])[:60]} and "
                f"{str(value)[:60]}. Hand in one of them; nothing was taken."
            )
        own[field], origin[field] = value, name


def _flat(part: Mapping[str, object]) -> dict[str, object]:
    """Fields with their values; those of metrics and training by names such as ``metrics.accuracy``."""
    told: dict[str, object] = {}
    for field, value in part.items():
        inner = value if field in _GROUPS and isinstance(value, Mapping) else None
        told |= {field: value} if inner is None else {f"{field}.{key}": one for key, one in inner.items()}
    return told


def _only(what: str, tables: list[tuple[str, Any]]) -> pd.DataFrame | None:
    if len(tables) > 1:
        raise SubmissionError(
            f"{tables[0][0]} and {tables[1][0]} both hold {what}; one run has them once. Nothing was taken."
        )
    return tables[0][1] if tables else None


def _joined(tables: list[tuple[str, Any]]) -> pd.DataFrame | None:
    return pd.concat([table for _, table in tables], ignore_index=True) if tables else None


def prepared(drafts: Sequence[Mapping[str, object]], given: Mapping[str, object]) -> list[dict[str, object]]:
    """Drafts with what a person said of all of them, which stands above what a file says.

    Args:
        drafts: Each with some fields of a claim.
        given: By field; ``metrics.NAME`` and ``training.NAME`` name a part of one.

    Raises:
        SubmissionError: There is no such field.
    """
    for field in given:
        group, _, rest = field.partition(".")
        if group not in Claim.model_fields or bool(rest) != (group in _GROUPS):
            shown = ", ".join(f"{one}.NAME" if one in _GROUPS else one for one in Claim.model_fields)
            raise SubmissionError(f"There is no field {field!r} of a submission; there are {shown}. Nothing was taken.")
    return [_nested({**_flat(draft), **given}) for draft in drafts]


def _nested(flat: Mapping[str, object]) -> dict[str, object]:
    told: dict[str, object] = {}
    for field, value in flat.items():
        group, _, rest = field.partition(".")
        inner = told.setdefault(group, {}) if group in _GROUPS and rest else None
        if isinstance(inner, dict):
            inner[rest] = value
        else:
            told[field] = value
    return told
