"""A claim: one row that somebody hands in, and what is wrong with a draft of it, field by field."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, model_validator

from db.registry import tasks
from db.registry.metrics import METRICS, Metric
from db.submissions import claim_values as values
from db.submissions.claim_values import PartsError

MOST_FACTS = 60
"""Entries of ``metrics`` and of ``training`` at most."""

_MOST_PARAMS = 10**15
_TOLD = 8  # unknown fields that are named


def _text(most: int, *, lines: bool = False) -> BeforeValidator:
    return BeforeValidator(lambda value: values.text(value, most, lines=lines))


def _needed(value: object, most: int) -> str:
    told = values.text(value, most)
    if not told:
        raise ValueError("must not be empty")
    return told


def _task(value: object) -> str:
    told = _needed(value, 60)
    if told not in tasks.task_ids():
        close = difflib.get_close_matches(told, tasks.task_ids(), n=3)
        there = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(tasks.task_ids())}"
        raise ValueError(f"there is no task {values.shown(told)}; {there}")
    return told


def _metrics(value: object) -> dict[str, float]:
    found: dict[str, float] = {}
    wrong: dict[str, str] = {}
    for name, given in _entries(value).items():
        metric = METRICS.get(name)
        try:
            if metric is None:
                raise ValueError(_no_metric(name))
            if not values.is_missing(given):
                found[name] = _figure(metric, given)
        except ValueError as error:
            wrong[name] = str(error)
    if wrong:
        raise PartsError(wrong)
    return found


def _no_metric(name: str) -> str:
    close = difflib.get_close_matches(name, METRICS, n=1)
    return "there is no such metric" + (f"; did you mean {close[0]}?" if close else "")


def _figure(metric: Metric, given: object) -> float:
    if metric.unit == "percent":
        return values.share(given)
    if metric.unit == "s":
        return values.seconds(given)
    if metric.unit == "count":
        return float(values.whole(given, 0, _MOST_PARAMS))
    found = values.number(given)
    if abs(found) > 1e18 or (found < 0 and metric.unit not in {"points", "plain"}):
        raise ValueError("is outside of what this metric can be")
    return found


def _training(value: object) -> dict[str, str | int | float | bool]:
    found: dict[str, str | int | float | bool] = {}
    wrong: dict[str, str] = {}
    for name, given in _entries(value).items():
        try:
            if not values.is_missing(given):
                found[name] = _fact(given)
        except ValueError as error:
            wrong[name] = str(error)
    if wrong:
        raise PartsError(wrong)
    return found


def _fact(given: object) -> str | int | float | bool:
    if isinstance(given, bool):
        return given
    if not isinstance(given, str):
        plain = values.number(given)
        return int(plain) if plain.is_integer() and abs(plain) < 2**53 else plain
    told = values.text(given, 200)
    try:
        plain = values.number(told)
    except ValueError:
        return told
    # A text that a number would not be printed as, such as 007 or 1e-3, stays as it was written.
    number = int(plain) if plain.is_integer() and abs(plain) < 2**53 else plain
    return number if str(number) == told else told


def _entries(value: object) -> dict[str, object]:
    """An object's entries, their names cleaned.

    Raises:
        ValueError: It is no object, has too many entries, or a name is none.
    """
    if not isinstance(value, Mapping):
        raise ValueError(f"must be an object of names and values, and {values.kind(value)} was given")  # noqa: TRY004
    if len(value) > MOST_FACTS:
        raise ValueError(f"has {len(value):,} entries; {MOST_FACTS} is the most")
    found: dict[str, object] = {}
    for name, given in value.items():
        try:
            told = _needed(name, 60)
        except ValueError as error:
            raise ValueError(f"the name of an entry {error}") from None
        if told in found:
            raise ValueError(f"has {values.shown(told)} twice")
        found[told] = given
    return found


Source = Literal["typed", "safetensors", "config"]


def _source(value: object) -> str:
    if value not in get_args(Source):
        raise ValueError(f"must be one of {', '.join(get_args(Source))}")
    return str(value)


class Claim(BaseModel):
    """One row that somebody hands in.

    Attributes:
        task: A task of ``db.registry.tasks``.
        model: Its name, 1 to 120 characters.
        family: Such as BERT.
        architecture: Such as bilstm.
        link: Where the model is described; kept as text, never fetched.
        params: Parameters.
        params_source: Whether they were typed, or counted from a file.
        language: Of the model.
        licence: Of the model.
        dataset: What it was trained on.
        teacher: What it was distilled from.
        seed: Of the training.
        train_seconds: Seconds of training.
        device: Where it was trained or timed.
        metrics: Figures by the names of ``METRICS``; shares as fractions of 1. The task's own is among them.
        training: Further facts of the training.
        checkpoint: Where the weights are; never fetched.
        contact: Private: for moderators alone.
        notes: Anything else.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    task: Annotated[str, BeforeValidator(_task)]
    model: Annotated[str, BeforeValidator(lambda value: _needed(value, 120))]
    family: Annotated[str, _text(60)] = ""
    architecture: Annotated[str, _text(60)] = ""
    link: Annotated[str, BeforeValidator(values.url)] = ""
    params: Annotated[
        int | None,
        BeforeValidator(lambda value: value if value is None else values.whole(value, 1, _MOST_PARAMS, scaled=True)),
    ] = None
    params_source: Annotated[
        Source | None, BeforeValidator(lambda value: value if value is None else _source(value))
    ] = None
    language: Annotated[str, _text(30)] = ""
    licence: Annotated[str, _text(60)] = ""
    dataset: Annotated[str, _text(200)] = ""
    teacher: Annotated[str, _text(120)] = ""
    seed: Annotated[
        int | None, BeforeValidator(lambda value: value if value is None else values.whole(value, -(2**63), 2**63 - 1))
    ] = None
    train_seconds: Annotated[
        float | None, BeforeValidator(lambda value: value if value is None else values.seconds(value))
    ] = None
    device: Annotated[str, _text(120)] = ""
    metrics: Annotated[dict[str, float], BeforeValidator(_metrics)]
    training: Annotated[dict[str, str | int | float | bool], BeforeValidator(_training)] = {}
    checkpoint: Annotated[str, BeforeValidator(values.url)] = ""
    contact: Annotated[str, _text(200)] = ""
    notes: Annotated[str, _text(4000, lines=True)] = ""

    @model_validator(mode="after")
    def _has_the_figure(self) -> Self:
        told = _without_own(self.task, self.metrics)
        if told:
            raise ValueError(told)
        return self


def _without_own(task: str, metrics: Mapping[str, object]) -> str | None:
    own = tasks.by_id(task).metric
    return None if own in metrics else f"{task} is ranked by {own} ({METRICS[own].label}), which is missing"


@dataclass(frozen=True)
class FieldError:
    """What is wrong with one field, in words; ``field`` may name a part of it, such as ``metrics.accuracy``."""

    field: str
    message: str

    def __str__(self) -> str:
        """Both in one line."""
        return f"{self.field}: {self.message}"


def check(draft: Mapping[str, object]) -> Claim | tuple[FieldError, ...]:
    """The claim of a draft, or everything that is wrong with it.

    Args:
        draft: Values by the fields of ``Claim``, of whatever type: it comes from outside. None, blank texts and lone
            dashes say that a value is not known.
    """
    if not isinstance(draft, Mapping):
        return (FieldError("draft", f"must be an object of fields and values, and {values.kind(draft)} was given"),)
    errors = _unknown(draft)
    known: dict[str, Any] = {
        name: draft[name] for name in Claim.model_fields if name in draft and not values.is_missing(draft[name])
    }
    try:
        claim = Claim.model_validate(known)
    except ValidationError as error:
        errors += [told for one in error.errors(include_url=False, include_input=False) for told in _told(one)]
        errors += _unranked(known, {told.field.partition(".")[0] for told in errors})
        return tuple(errors)
    return tuple(errors) if errors else claim


def _unknown(draft: Mapping[Any, object]) -> list[FieldError]:
    names = [name for name in draft if name not in Claim.model_fields]
    told = [
        FieldError(
            values.shown(name) if isinstance(name, str) else "draft",
            "is no field of a submission"
            if isinstance(name, str)
            else f"has a field whose name is {values.kind(name)}",
        )
        for name in names[:_TOLD]
    ]
    more = len(names) - _TOLD
    return [*told, FieldError("draft", f"has {more:,} further unknown fields")] if more > 0 else told


def _told(error: Any) -> list[FieldError]:
    """What pydantic found, in our words."""
    field = str(error["loc"][0]) if error["loc"] else "metrics"
    cause = error.get("ctx", {}).get("error")
    if isinstance(cause, PartsError):
        return [FieldError(f"{field}.{values.visible(name)}", told) for name, told in cause.parts.items()]
    if error["type"] == "missing":
        return [FieldError(field, "is needed")]
    return [FieldError(field, str(cause) if cause else str(error["msg"]))]


def _unranked(known: Mapping[str, Any], wrong: set[str]) -> list[FieldError]:
    """The figure that is missing, told beside what is wrong elsewhere."""
    if {"task", "metrics"} & wrong or not {"task", "metrics"} <= known.keys():
        return []
    told = _without_own(_task(known["task"]), _metrics(known["metrics"]))
    return [FieldError("metrics", told)] if told else []


def decimals(draft: Mapping[str, object]) -> dict[str, int]:
    """To how many decimals each figure of a draft is written, in its stored unit."""
    given = draft.get("metrics")
    return (
        {str(name).strip(): values.decimals(value) for name, value in given.items()}
        if isinstance(given, Mapping)
        else {}
    )
