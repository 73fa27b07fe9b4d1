"""What is wrong with a field, in the visitor's language: the sentences of ``db.submissions.claim`` by what they say."""

import re
from collections.abc import Iterable, Mapping

from dashboard.submit import form_state
from dashboard.submit.form_state import FACTS
from dashboard.ui import task_names
from dashboard.ui.i18n import N_, _, translated
from db.registry import tasks
from db.submissions.claim import FieldError

SUBMIT_NOT_TOGETHER = {
    "differ": N_("{one} and {other} say different things of {field}: {values}. Take one of them away."),
    "rows": N_(
        "{one} holds several rows, and nobody can know which of them {other} belongs to. Hand them in one by one."
    ),
    "twice": N_("{one} and {other} both hold {what}; one run has them once."),
}
SUBMIT_FIELDS = {
    "task": N_("Task"),
    "model": N_("Model"),
    "family": N_("Family"),
    "architecture": N_("Architecture"),
    "link": N_("Link"),
    "params": N_("Parameters"),
    "language": N_("Language"),
    "licence": N_("Licence"),
    "dataset": N_("Trained on"),
    "teacher": N_("Teacher"),
    "seed": N_("Seed"),
    "train_seconds": N_("Training time"),
    "device": N_("Device"),
    "checkpoint": N_("Checkpoint"),
    "contact": N_("Contact (private)"),
    "notes": N_("Notes"),
    "facts": N_("Further facts of the training"),
    "metrics": N_("Figures"),
    "predictions": N_("Predictions"),
    "curves": N_("Curves"),
    "drafts": N_("Rows"),
    "draft": N_("Row"),
}
SUBMIT_WRONG = {
    "needed": N_("This is needed."),
    "finite": N_("A number is needed, and {given} is none."),
    "infinite": N_("A finite number is needed; NaN and Infinity are no figures."),
    "number": N_("A number is needed."),
    "whole": N_("A whole number is needed."),
    "between": N_("It must lie between {low} and {high}."),
    "percent": N_("A share of 1 is needed: write {percent}% with its percent sign, or {share}."),
    "share": N_("A share is needed: between 0 and 1, or in percent with its sign."),
    "duration": N_("A duration is needed, such as 00:49:15, 2 h 49 min, or seconds."),
    "long": N_("A duration from 0 s to ten years is needed."),
    "address": N_("An address that begins with https:// or http:// is needed, without a name or password in it."),
    "length": N_("It has {n} characters; {most} is the most."),
    "hidden": N_("It holds a character that cannot be shown ({sign}, at place {place})."),
    "text": N_("Text is needed."),
    "entries": N_("There are {n} entries; {most} is the most."),
    "entry": N_("The name of an entry is wrong: {told}."),
    "twice": N_("{name} is there twice."),
    "task": N_("There is no task {given}; choose one."),
    "metric": N_("There is no such figure here; empty it, or add another one."),
    "outside": N_("This is outside of what the figure can be."),
    "object": N_("Names with values are needed."),
    "field": N_("There is no such field."),
    "one of": N_("One of these is needed: {names}."),
    "own": N_("The figure that the task is ranked by is missing."),
    "same row": N_("It is the same as row {n}."),
    "rows": N_("There are {n} rows; {most} can be submitted at a time."),
}
SUBMIT_FLAGS = {
    "gold": N_("The predictions equal the right answers on every example. A moderator will ask about it."),
    "same": N_("The predictions are exactly those of run {run}. A moderator will ask about it."),
    "several": N_("The predictions are exactly those of run {run} and of {n} more. A moderator will ask about it."),
}

_SAYS = {
    "needed": r"is needed|must not be empty",
    "finite": r"must be a finite number, and (?P<given>.+) is none",
    "infinite": r"must be a finite number.*",
    "number": r"must be a number, .+",
    "whole": r"must be a whole number",
    "between": r"must lie between (?P<low>.+) and (?P<high>.+)",
    "percent": r"is a share of 1: (?P<percent>.+)% is written (?P<share>.+) or .+",
    "share": r"is a share of 1 and must lie between 0 and 1",
    "duration": r"must be a duration such as .+, and .+",
    "long": r"must be a duration of no less than 0 s and no more than ten years",
    "address": r"must be an address that begins with .+",
    "length": r"has (?P<n>[\d,]+) characters; (?P<most>[\d,]+) is the most",
    "hidden": r"holds a character that cannot be shown, (?P<sign>U\+[0-9A-F]+), at place (?P<place>\d+)",
    "text": r"must be text, and .+",
    "entries": r"has (?P<n>[\d,]+) entries; (?P<most>\d+) is the most",
    "entry": r"the name of an entry (?P<told>.+)",
    "twice": r"has (?P<name>.+) twice",
    "task": r"there is no task (?P<given>[^;]+); .+",
    "metric": r"there is no such metric.*",
    "outside": r"is outside of what this metric can be",
    "object": r"must be an object of names and values, .+",
    "field": r"is no field of a submission|has a field whose name is .+|has [\d,]+ further unknown fields",
    "one of": r"must be one of (?P<names>.+)",
    "own": r"\S+ is ranked by (?P<metric>\S+) \(.+\), which is missing",
    "same row": r"is the same as row (?P<n>\d+)",
    "rows": r"there are (?P<n>[\d,]+) rows; 1 to (?P<most>\d+) are taken at a time",
}
"""What ``db.submissions.claim.check`` and ``db.submissions.submit`` say, by the keys of ``SUBMIT_WRONG``."""

_APART = {
    "differ": r"(?P<one>.+) and (?P<other>.+) say different things of (?P<field>\S+?): (?P<values>.+)\. Hand in one .+",
    "rows": r"(?P<one>.+) holds several rows, so it cannot be known which of them (?P<other>.+) belongs to\. .+",
    "twice": r"(?P<one>.+) and (?P<other>.+) both hold (?P<what>\w+); one run .+",
}
"""Why files do not go together, as ``db.submissions.gather`` says it."""

_ORDER = (
    "task",
    "model",
    "params",
    "family",
    "architecture",
    "link",
    "checkpoint",
    "language",
    "licence",
    "metrics",
    "dataset",
    "teacher",
    "device",
    "train_seconds",
    "seed",
    FACTS,
    "contact",
    "notes",
)
"""Fields as they come on the page."""

_FLAGS = {
    "gold": r"Its predictions equal the right answers on every example\.",
    "same": r"Its predictions are exactly those of run (?P<run>\w+)\.",
    "several": r"Its predictions are exactly those of run (?P<run>\w+) and of (?P<n>\d+) more\.",
}


def sentence(message: str) -> str:
    """A message as a sentence; one that nobody put into words here stays as it is."""
    return _said(message, _SAYS, translated(SUBMIT_WRONG)) or f"{message[:1].upper()}{message[1:]}."


def apart(told: str) -> str:
    """Why files do not go together."""
    return _said(told, _APART, translated(SUBMIT_NOT_TOGETHER)) or told


def flag(told: str) -> str:
    """What a moderator will look at twice."""
    return _said(told, _FLAGS, translated(SUBMIT_FLAGS)) or told


def _said(message: str, says: Mapping[str, str], told: Mapping[str, str]) -> str | None:
    for code, pattern in says.items():
        found = re.fullmatch(pattern, message, re.DOTALL)
        if found:
            return told[code].format(**found.groupdict())
    return None


def own_metric(task: object) -> str | None:
    """The metric that a task ranks by; None without a task."""
    return tasks.by_id(task).metric if isinstance(task, str) and task in tasks.task_ids() else None


def by_field(found: Iterable[FieldError], task: object) -> dict[str, str]:
    """Sentences by the fields that they stand beside.

    Args:
        found: Of ``db.submissions.claim.check``.
        task: Of the draft: its own figure is the one that is missing.
    """
    told: dict[str, list[str]] = {}
    for one in found:
        field, said = one.field, sentence(one.message)
        if field == "metrics" and own_metric(task):
            field, said = f"metrics.{own_metric(task)}", _(SUBMIT_WRONG["needed"])
        elif field == "params_source":
            field = "params"
        elif field == "training" or field.startswith("training."):
            said = f"{field.partition('.')[2]}: {said}" if "." in field else said
            field = FACTS
        told.setdefault(field, []).append(said)
    order = {field: place for place, field in enumerate(_ORDER)}
    return {
        field: " ".join(told[field])
        for field in sorted(told, key=lambda field: order.get(field.partition(".")[0], len(order)))
    }


def of_facts(lines: str) -> dict[str, str]:
    """Lines that are no facts of the training, as a problem of their field."""
    wrong = form_state.facts(lines)[1]
    shown = "; ".join(one[:60] for one in wrong[:5])
    return (
        {FACTS: _("No fact, or one that is there already: {lines}. Write name = value.").format(lines=shown)}
        if wrong
        else {}
    )


def label(field: str) -> str:
    """What a field is called."""
    group, _unused, rest = field.partition(".")
    if rest:
        return task_names.metric(rest).label if group == "metrics" else rest
    return translated(SUBMIT_FIELDS).get(field, field)
