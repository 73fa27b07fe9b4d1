"""What an importer gives back, the same for every format."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from db.importers import spelling
from db.importers.safe_json import shown
from db.importers.tables import Cell

_MOST_UNKNOWN = 200


@dataclass(frozen=True)
class ImportedFile:
    """What a file says.

    Attributes:
        kind: ``all_results``, ``trainer_state``, ``squad_predictions``, ``squad_nbest``, ``model_index``, ``lm_eval``,
            ``benchmark``, ``mlflow``, ``wandb``, ``predictions``, ``table``, ``bundle``, ``safetensors``, ``onnx`` or
            ``config``.
        drafts: Each a claim as far as the file goes, by the claim's field names, with the file's own values.
        predictions: Columns ``example_id, predicted, score``; a score that is not there is NaN.
        curves: Columns ``series, step, epoch, value``.
        params: Counted from shapes or from an architecture, never from somebody's word.
        unknown: Columns or keys that were seen and not used.
        notes: What a person should know, one sentence each.
        origins: Of a table, for each draft: the cell of each field.
    """

    kind: str
    drafts: tuple[dict[str, object], ...] = ()
    predictions: pd.DataFrame | None = None
    curves: pd.DataFrame | None = None
    params: int | None = None
    unknown: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    origins: tuple[dict[str, Cell], ...] = ()


def public(file: ImportedFile) -> ImportedFile:
    """Take paths on somebody's machine out of the drafts: a model keeps the last part, other values are left out."""
    drafts, removed = [], []
    for draft in file.drafts:
        made, names = _public(draft)
        drafts.append(made)
        removed += names
    if not removed:
        return file
    names_ = ", ".join(dict.fromkeys(removed))
    note = f"{names_}: a path on somebody's machine is not published; of a model's name its last part was kept."
    return replace(file, drafts=tuple(drafts), notes=(*file.notes, note))


def _public(draft: dict[str, object]) -> tuple[dict[str, object], list[str]]:
    made: dict[str, object] = {}
    removed: list[str] = []
    for field, value in draft.items():
        if isinstance(value, dict):
            inner, names = _public(value)
            if inner or not value:
                made[field] = inner
            removed += names
        elif not isinstance(value, str) or not spelling.is_local_path(value):
            made[field] = value
        else:
            removed.append(shown(field, 60))
            name = re.split(r"[\\/]", value.strip().rstrip("\\/"))[-1].strip(".~")
            if field == "model" and name:
                made[field] = name
    return made, removed


def listed(names: Iterable[str]) -> tuple[str, ...]:
    """Names of what was not used, each once, in their order, fit for reading."""
    shortened = list(dict.fromkeys(shown(name, 120) for name in names))
    if len(shortened) > _MOST_UNKNOWN:
        shortened = [*shortened[:_MOST_UNKNOWN], f"and {len(shortened) - _MOST_UNKNOWN:,} more"]
    return tuple(shortened)


def predictions_frame(ids: Sequence[str], predicted: Sequence[str], scores: Sequence[float]) -> pd.DataFrame:
    """Predictions as ``ImportedFile`` has them."""
    return pd.DataFrame(
        {
            "example_id": pd.Series(ids, dtype="str"),
            "predicted": pd.Series(predicted, dtype="str"),
            "score": pd.Series(scores, dtype="float64"),
        }
    )


def curves_frame(points: Sequence[tuple[str, int, float, float]]) -> tuple[pd.DataFrame | None, list[str]]:
    """Make a frame of points (series, step, epoch, value), the last of each step, and notes."""
    if not points:
        return None, []
    frame = pd.DataFrame(points, columns=["series", "step", "epoch", "value"])
    frame = frame.astype({"series": "str", "step": "int64", "epoch": "float64", "value": "float64"})
    unique = frame.drop_duplicates(["series", "step"], keep="last")
    unique = unique.sort_values(["series", "step"], kind="stable", ignore_index=True)
    twice = len(frame) - len(unique)
    notes = [f"{twice:,} point(s) of the curves stood twice at their step; the later ones were kept."] if twice else []
    return unique, notes
