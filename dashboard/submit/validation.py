"""What stands on the page now: the rows that would be handed in, and what is wrong with each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.submit import files, form_state, problems
from dashboard.submit.form import COMMON
from dashboard.submit.form_state import FACTS, FORM, Sheet
from db.submissions import claim as claims
from db.submissions.claim import Claim

if TYPE_CHECKING:
    from db.submissions import Gathered


@dataclass(frozen=True)
class Row:
    """One row.

    Attributes:
        number: Its place in the file, from 1.
        draft: As it would be handed in.
        claim: What it claims; None where something is wrong.
        wrong: What is wrong, by field.
    """

    number: int
    draft: Mapping[str, object]
    claim: Claim | None
    wrong: dict[str, str]


def single() -> Row:
    """The row of the form."""
    form = Sheet(FORM)
    told = form.flat()
    params = form.values.get("params", "")
    if params:
        told["params_source"] = files.source_of(params) or "typed"
    return _row(1, form_state.nested({}, told), form.values.get(FACTS, ""))


def several(gathered: "Gathered") -> list[Row]:
    """The rows of a file, with what was corrected in them and what was said of all of them."""
    shared = Sheet(FORM).flat(COMMON)
    found = []
    for number, draft in enumerate(gathered.drafts, start=1):
        own = Sheet(f"row{number}")
        own.sync()
        base = form_state.nested({}, own.flat()) if own.values else draft
        found.append(_row(number, form_state.nested(base, shared), own.values.get(FACTS, "")))
    return found


def _row(number: int, draft: Mapping[str, object], lines: str) -> Row:
    found = claims.check(draft)
    wrong = problems.of_facts(lines)
    if not isinstance(found, Claim):
        return Row(number, draft, None, {**problems.by_field(found, draft.get("task")), **wrong})
    return Row(number, draft, None if wrong else found, wrong)
