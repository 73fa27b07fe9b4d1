"""Several rows of one file: all of them with what is wrong, and one of them at a time to be corrected."""

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from dashboard.submit import form, form_state, validation
from dashboard.submit.fields import Drawer
from dashboard.submit.form_state import FORM, PREFIX, FormState
from dashboard.submit.validation import Row
from dashboard.ui.i18n import _
from dashboard.ui.markdown import plain
from db.submissions import Gathered

_OUT = f"{PREFIX}out"
_ROW = f"{PREFIX}row"
_HEIGHT = 420
_MOST_COLUMNS = 20
_LONGEST = 200


def included(rows: Sequence[Row]) -> list[Row]:
    """The rows that are not left out."""
    out = set(st.session_state.get(_OUT) or [])
    return [row for row in rows if row.number not in out]


def draw(rows: Sequence[Row], gathered: Gathered) -> None:
    """Draw the step."""
    FormState(FORM).touch("task")
    shared = {field: message for row in rows for field, message in row.wrong.items() if field in form_state.COMMON}
    form.common(Drawer(FormState(FORM), shared))
    taken = included(rows)
    wrong = [row for row in taken if row.wrong]
    st.subheader(_("The rows"), anchor=False)
    if wrong:
        warning = _("{n} of {all} rows need fixing.").format(n=f"{len(wrong):,}", all=f"{len(taken):,}")
        st.warning(warning, icon=":material/error:")
    else:
        st.markdown(f":material/check: {_('All {n} rows can be submitted.').format(n=f'{len(taken):,}')}")
    st.dataframe(_table(rows), hide_index=True, height=min(_HEIGHT, 36 * (len(rows) + 1) + 3), placeholder="–")
    names = {row.number: _name(row) for row in rows}
    left, right = st.columns(2, gap="medium")
    with left:
        st.selectbox(
            _("Correct a row"),
            list(names),
            index=None,
            key=_ROW,
            format_func=lambda number: names[number],
            placeholder=_("None"),
            persist_state="page",
        )
    with right:
        st.multiselect(
            _("Leave rows out"),
            list(names),
            key=_OUT,
            format_func=lambda number: names[number],
            placeholder=_("None"),
            persist_state="page",
        )
    chosen = st.session_state.get(_ROW)
    if chosen is not None and chosen <= len(rows):
        _correct(rows[chosen - 1], gathered.drafts[chosen - 1])


def _name(row: Row) -> str:
    model = " ".join(str(row.draft.get("model") or _("(no name)")).split())
    return f"{row.number}: {model[:60]}" + (" !" if row.wrong else "")


def _correct(row: Row, draft: Mapping[str, object]) -> None:
    own = FormState(f"row{row.number}")
    if not own.values:
        own.fill(form_state.flattened(draft))
    with st.container(border=True):
        st.markdown(f"**{_('Row {n}').format(n=row.number)}**")
        if row.wrong:
            problems = " ".join(f"{validation.label(field)}: {message}" for field, message in row.wrong.items())
            st.caption(plain(problems))
        form.draw_run(Drawer(own, row.wrong), [], row=True)


def _cells(draft: Mapping[str, object]) -> dict[str, str]:
    """A draft by columns; facts of the training have one each."""
    fields = form_state.flattened(draft)
    facts = form_state.facts(fields.pop(form_state.FACTS, ""))[0]
    return fields | {f"training.{name}": value for name, value in facts.items()}


def _table(rows: Sequence[Row]) -> pd.DataFrame:
    """All rows as text: what is wrong first, then what the file says."""
    cells = [_cells(row.draft) for row in rows]
    every = list(dict.fromkeys(field for row_cells in cells for field in row_cells))
    first = ["model", *(field for field in every if field.startswith("metrics."))]
    rest = [field for field in every if field not in form_state.COMMON]
    shown = [field for field in dict.fromkeys([*first, *rest]) if field in every][:_MOST_COLUMNS]
    columns: dict[str, list[object]] = {_("Row"): [row.number for row in rows]}
    columns[_("Fix these first")] = [
        " ".join(f"{validation.label(field)}: {message}" for field, message in row.wrong.items()) or None
        for row in rows
    ]
    for field in shown:
        columns[validation.label(field)] = [
            " ".join(row_cells.get(field, "").split())[:_LONGEST] or None for row_cells in cells
        ]
    if all(cell is None for cell in columns[_("Fix these first")]):
        del columns[_("Fix these first")]
    return pd.DataFrame(columns)
