"""A claim: one row that somebody submits, and the check of a draft of it, field by field."""

import difflib
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, Self, TypeVar, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, model_validator

from db.base.problems import Code, GroupProblemError, Message, Problem, ValueProblemError
from db.importers import values
from db.importers.safe_json import quoted, shown
from db.registry import tasks
from db.registry.metrics import BOUNDED, METRICS

T = TypeVar("T")

MAX_ENTRIES = 60
"""Entries of ``metrics`` and of ``training`` at most."""

GROUPS = ("metrics", "training")
"""Fields that hold named values; their parts are called ``metrics.accuracy`` and so on."""

MAX_PARAMS = 10**15
_MAX_UNKNOWN = 8  # unknown fields that are named

Source = Literal["typed", "safetensors", "config"]
Fact = str | int | float | bool


def _text(limit: int, *, lines: bool = False) -> BeforeValidator:
    return BeforeValidator(lambda value: values.text(value, limit, lines=lines))


def _optional(read: Callable[[object], object]) -> BeforeValidator:
    return BeforeValidator(lambda value: None if value is None else read(value))


def _task(value: object) -> str:
    name = values.required_text(value, 60)
    task = tasks.by_name(name)
    if task is None:
        close = difflib.get_close_matches(name, tasks.task_ids(), n=3)
        hint = f"did you mean {' or '.join(close)}?" if close else f"the tasks are {', '.join(tasks.task_ids())}"
        raise ValueProblemError(Code.UNKNOWN_TASK, value=quoted(name, 40), hint=hint)
    return task.task_id


def _entries(value: object, read: Callable[[str, object], T]) -> dict[str, T]:
    """Read each entry of an object that is not blank.

    Raises:
        ValueProblemError: It is not an object, has too many entries, or a name cannot be used.
        GroupProblemError: Values cannot be used.
    """
    if not isinstance(value, Mapping):
        raise ValueProblemError(Code.NOT_OBJECT, kind=values.kind(value))
    if len(value) > MAX_ENTRIES:
        raise ValueProblemError(Code.TOO_MANY_ENTRIES, count=len(value), limit=MAX_ENTRIES)
    result: dict[str, T] = {}
    names: set[str] = set()
    problems: dict[str, Message] = {}
    for key, entry in value.items():
        try:
            name = values.required_text(key, 60)
        except ValueProblemError:
            raise ValueProblemError(Code.ENTRY_NAME, limit=60) from None
        if name in names:
            raise ValueProblemError(Code.ENTRY_TWICE, name=quoted(name, 40))
        names.add(name)
        try:
            if name not in METRICS and read is metric_value:
                read(name, entry)
            elif not values.is_blank(entry):
                result[name] = read(name, entry)
        except ValueProblemError as error:
            problems[name] = error.message
    if problems:
        raise GroupProblemError(problems)
    return result


def metric_value(name: str, value: object) -> float:
    """Read a value of a metric, in the metric's stored unit.

    Raises:
        ValueProblemError: There is no such metric, or it cannot have this value.
    """
    metric = METRICS.get(name)
    if metric is None:
        close = difflib.get_close_matches(name, METRICS, n=1)
        raise ValueProblemError(Code.UNKNOWN_METRIC, hint=f"; did you mean {close[0]}?" if close else "")
    if metric.unit == "percent":
        return values.share(value)
    if metric.unit == "s":
        return values.seconds(value)
    if metric.unit == "count":
        return float(values.integer(value, 0, MAX_PARAMS))
    if metric.name in BOUNDED:
        return values.correlation(value)
    result = values.measured(value, metric.unit)
    if abs(result) > 1e18 or (result < 0 and metric.unit not in {"points", "plain"}):
        raise ValueProblemError(Code.METRIC_RANGE)
    return result


def _fact(_: str, value: object) -> Fact:
    """Read a setting of the training; a text that spells a number becomes it, unless it would be printed otherwise."""
    if isinstance(value, bool):
        return value
    body = values.text(value, 200) if isinstance(value, str) else None
    try:
        real = values.finite(value if body is None else body)
    except ValueProblemError:
        if body is None:
            raise
        return body
    number = int(real) if real.is_integer() and abs(real) < 2**53 else real
    return number if body is None or str(number) == body else body


def _source(value: object) -> str:
    if value not in get_args(Source):
        raise ValueProblemError(Code.UNKNOWN_CHOICE, choices=", ".join(get_args(Source)))
    return str(value)


class Claim(BaseModel):
    """One row that somebody submits.

    Attributes:
        task: A task of ``db.registry.tasks``.
        model: Its name, 1 to 120 characters.
        family: Such as BERT.
        architecture: Such as bilstm.
        link: Where the model is described; stored as text, never fetched.
        params: Number of parameters.
        params_source: Whether they were typed, or counted from a file.
        language: Of the model.
        licence: Of the model.
        dataset: What it was trained on.
        teacher: What it was distilled from.
        seed: Of the training.
        train_seconds: Seconds of training.
        device: Where it was trained or timed.
        metrics: By the names of ``METRICS``; shares as fractions of 1. The task's own is among them.
        training: Settings of the training.
        checkpoint: Where the weights are; never fetched.
        contact: Private: for moderators only.
        notes: Anything else.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    task: Annotated[str, BeforeValidator(_task)]
    model: Annotated[str, BeforeValidator(lambda value: values.required_text(value, 120))]
    family: Annotated[str, _text(60)] = ""
    architecture: Annotated[str, _text(60)] = ""
    link: Annotated[str, BeforeValidator(values.url)] = ""
    params: Annotated[int | None, _optional(lambda value: values.integer(value, 1, MAX_PARAMS, scaled=True))] = None
    params_source: Annotated[Source | None, _optional(_source)] = None
    language: Annotated[str, _text(30)] = ""
    licence: Annotated[str, _text(60)] = ""
    dataset: Annotated[str, _text(200)] = ""
    teacher: Annotated[str, _text(120)] = ""
    seed: Annotated[int | None, _optional(lambda value: values.integer(value, -(2**63), 2**63 - 1))] = None
    train_seconds: Annotated[float | None, _optional(values.seconds)] = None
    device: Annotated[str, _text(120)] = ""
    metrics: Annotated[dict[str, float], BeforeValidator(lambda value: _entries(value, metric_value))]
    training: Annotated[dict[str, Fact], BeforeValidator(lambda value: _entries(value, _fact))] = {}
    checkpoint: Annotated[str, BeforeValidator(values.url)] = ""
    contact: Annotated[str, _text(200)] = ""
    notes: Annotated[str, _text(4000, lines=True)] = ""

    @model_validator(mode="after")
    def _has_task_metric(self) -> Self:
        missing = _missing_metric(self.task, self.metrics)
        if missing:
            raise ValueProblemError(missing.code, **missing.params)
        return self


def is_field(name: str) -> bool:
    """Whether a name is that of a field, or of a part of ``metrics`` or ``training``."""
    group, _, part = name.partition(".")
    return group in Claim.model_fields and bool(part) == (group in GROUPS)


def _missing_metric(task: str, metrics: Mapping[str, object]) -> Message | None:
    metric = tasks.by_id(task).metric
    if metric in metrics:
        return None
    return Message(Code.METRIC_MISSING, {"task": task, "metric": metric, "label": METRICS[metric].label})


def check(draft: Mapping[str, object]) -> Claim | tuple[Problem, ...]:
    """Turn a draft into a claim, or list everything that is wrong with it.

    Args:
        draft: Values of any type by the fields of ``Claim``; untrusted. None, blank texts and lone dashes mean that a
            value is not known.
    """
    if not isinstance(draft, Mapping):
        return (Problem(Code.NOT_OBJECT, {"kind": values.kind(draft)}),)
    problems = _unknown_fields(draft)
    known: dict[str, Any] = {
        name: draft[name] for name in Claim.model_fields if name in draft and not values.is_blank(draft[name])
    }
    try:
        claim = Claim.model_validate(known)
    except ValidationError as error:
        problems += [
            problem for part in error.errors(include_url=False, include_input=False) for problem in _problems(part)
        ]
        wrong = {problem.field.partition(".")[0] for problem in problems}
        if not {"task", "metrics"} & wrong and {"task", "metrics"} <= known.keys():
            # Pydantic looks for the task's metric only where all else is right.
            missing = _missing_metric(_task(known["task"]), _entries(known["metrics"], metric_value))
            problems += [Problem(missing.code, missing.params, "metrics")] if missing else []
        return tuple(problems)
    return tuple(problems) if problems else claim


def _unknown_fields(draft: Mapping[Any, object]) -> list[Problem]:
    names = [name for name in draft if name not in Claim.model_fields]
    shown_names = [name for name in names if isinstance(name, str)][:_MAX_UNKNOWN]
    problems = [Problem(Code.UNKNOWN_FIELD, field=quoted(name, 40)) for name in shown_names]
    more = len(names) - len(shown_names)
    return [*problems, Problem(Code.UNKNOWN_FIELDS, {"count": more})] if more > 0 else problems


def _problems(error: Any) -> list[Problem]:
    """Turn an error of pydantic into problems with codes."""
    field = str(error["loc"][0]) if error["loc"] else "metrics"
    cause = error.get("ctx", {}).get("error")
    if isinstance(cause, GroupProblemError):
        return [Problem(part.code, part.params, f"{field}.{shown(name, 60)}") for name, part in cause.entries.items()]
    if isinstance(cause, ValueProblemError):
        return [Problem(cause.message.code, cause.message.params, field)]
    return [Problem(Code.REQUIRED, field=field)]  # the only check that pydantic makes itself


def decimals(draft: Mapping[str, object]) -> dict[str, int]:
    """Count the decimals that each metric of a draft is written with, in its stored unit."""
    metrics = draft.get("metrics")
    if not isinstance(metrics, Mapping):
        return {}
    return {str(name).strip(): values.decimals(value) for name, value in metrics.items()}


def flat(draft: Mapping[str, object]) -> dict[str, object]:
    """Flatten a draft: parts of metrics and training get names such as ``metrics.accuracy``."""
    result: dict[str, object] = {}
    for field, value in draft.items():
        if field in GROUPS and isinstance(value, Mapping):
            result |= {f"{field}.{key}": part for key, part in value.items()}
        else:
            result[field] = value
    return result


def nested(fields: Mapping[str, object]) -> dict[str, object]:
    """Undo ``flat``."""
    result: dict[str, object] = {}
    for field, value in fields.items():
        group, _, part = field.partition(".")
        inner = result.setdefault(group, {}) if group in GROUPS and part else None
        if isinstance(inner, dict):
            inner[part] = value
        else:
            result[field] = value
    return result
