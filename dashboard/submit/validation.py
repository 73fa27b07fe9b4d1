"""The rows that would be submitted, and what is wrong with each, field by field."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pandas as pd

from dashboard.submit import files, form_state, verdict
from dashboard.submit.form_state import COMMON, FACTS, FORM, FormState
from dashboard.ui import task_names
from dashboard.ui.i18n import _, translated
from dashboard.ui.labels import CLAIM_FIELDS
from dashboard.ui.messages import WORDINGS, sentence
from db.base.problems import Code, Problem
from db.registry import tasks
from db.submissions import Gathered
from db.submissions import claim as claims
from db.submissions.claim import Claim


@dataclass(frozen=True)
class Row:
    """One row.

    Attributes:
        number: Its position in the file, from 1.
        draft: As it would be submitted.
        claim: What it claims; None where something is wrong.
        wrong: What is wrong, by field of the page.
        problems: The same as data, by field of the claim.
    """

    number: int
    draft: Mapping[str, object]
    claim: Claim | None
    wrong: dict[str, str]
    problems: tuple[Problem, ...] = ()


def single(predictions: pd.DataFrame | None, brought: tuple[str, ...]) -> Row:
    """Check the row of the form; a score that was not typed is that of the predictions in the files ``brought``."""
    form = FormState(FORM)
    fields = form.flat()
    params = form.values.get("params", "")
    if params:
        fields["params_source"] = files.source_of(params) or "typed"
    draft = verdict.with_score(form_state.nested({}, fields), predictions, brought)
    return _row(1, draft, form.values.get(FACTS, ""))


def several(gathered: Gathered) -> list[Row]:
    """Check the rows of a file, with what was corrected in them and what was typed for all of them."""
    shared = FormState(FORM).flat(COMMON)
    rows = []
    for number, draft in enumerate(gathered.drafts, start=1):
        own = FormState(f"row{number}")
        own.sync()
        base = form_state.nested({}, own.flat()) if own.values else draft
        rows.append(_row(number, form_state.nested(base, shared), own.values.get(FACTS, "")))
    return rows


def _row(number: int, draft: Mapping[str, object], lines: str) -> Row:
    claim = claims.check(draft)
    invalid = form_state.facts(lines)[1]
    wrong = {}
    if invalid:
        shown = "; ".join(line[:60] for line in invalid[:5])
        wrong[FACTS] = _("Not in the form name = value, or there already: {lines}.").format(lines=shown)
    if not isinstance(claim, Claim):
        return Row(number, draft, None, by_field(claim, draft.get("task")) | wrong, claim)
    return Row(number, draft, None if wrong else claim, wrong)


def task_metric(task: object) -> str | None:
    """Return the metric that a task ranks by; None without a task."""
    return tasks.by_id(task).metric if isinstance(task, str) and task in tasks.task_ids() else None


def by_field(problems: Iterable[Problem], task: object) -> dict[str, str]:
    """Word problems by the fields of the page that they are shown beside.

    The metric that is missing may be the task's own.
    """
    sentences: dict[str, list[str]] = {}
    for problem in problems:
        field, text = problem.field, sentence(problem)
        if field == "metrics" and task_metric(task):
            field, text = f"metrics.{task_metric(task)}", _(WORDINGS[Code.REQUIRED])
        elif field == "params_source":
            field = "params"
        elif field.partition(".")[0] == "training":
            text = f"{field.partition('.')[2]}: {text}" if "." in field else text
            field = FACTS
        sentences.setdefault(field, []).append(text)
    order = list(CLAIM_FIELDS)
    groups = {field: field.partition(".")[0] for field in sentences}
    return {
        field: " ".join(sentences[field])
        for field in sorted(sentences, key=lambda field: order.index(groups[field]) if groups[field] in order else 99)
    }


def label(field: str) -> str:
    """Name a field."""
    group, _unused, part = field.partition(".")
    if part:
        return task_names.metric(part).label if group == "metrics" else part
    return translated(CLAIM_FIELDS).get(field, field)
