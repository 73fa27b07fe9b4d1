"""Rows of a file: what its cells leave open, what is wrong with them, and one row at a time to be corrected."""

import zlib
from collections.abc import Mapping, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from dashboard.submit import form, form_state, validation
from dashboard.submit.fields import Drawer
from dashboard.submit.form_state import FORM, PREFIX, FormState
from dashboard.submit.validation import Row
from dashboard.ui import formatting, task_names
from dashboard.ui.i18n import _, ngettext
from dashboard.ui.markdown import plain
from dashboard.ui.messages import sentence
from db import submissions
from db.importers import metric_names
from db.importers.tables import Cell
from db.submissions import Gathered, Question
from db.submissions.claim import flat

_OUT = f"{PREFIX}out"
_ROW = f"{PREFIX}row"
_ANSWER = f"{PREFIX}answer"
_HEIGHT = 420
_MOST_COLUMNS = 20
_LONGEST = 200
_NAMED = 5
"""Cells and values that a question names; the rest is counted."""


def answered(gathered: Gathered, questions: Sequence[Question]) -> Gathered:
    """Put the answers that were chosen on the page into the drafts."""
    chosen = ((question, st.session_state.get(_answer_key(question))) for question in questions)
    return submissions.answered(gathered, [(question, index) for question, index in chosen if index is not None])


def _answer_key(question: Question) -> str:
    return f"{_ANSWER}_{zlib.crc32(repr(question).encode())}"


def draw_cells(rows: Sequence[Row], gathered: Gathered, questions: Sequence[Question]) -> None:
    """Draw the questions that a file leaves open, and a table of all cells that cannot be used."""
    for question in questions:
        st.radio(
            plain(_worded(question)),
            range(len(question.readings)),
            index=None,
            key=_answer_key(question),
            format_func=partial(_choice_label, question),
            on_change=_correct_open_rows,
            args=(question,),
        )
    bad = _bad_cells(rows, gathered)
    if not bad:
        return
    count = ngettext("{n} cell cannot be used.", "{n} cells cannot be used.", len(bad))
    st.warning(
        f"{count} {_('Correct the file and add it again, or correct the values below.')}", icon=":material/error:"
    )
    names = (_("File"), _("Row"), _("Column"), _("Value"), _("What is wrong"))
    lines = [
        (cell.file, _location(cell), cell.column, " ".join(str(value).split())[:_LONGEST], message)
        for cell, value, message in bad
    ]
    st.dataframe(pd.DataFrame(lines, columns=names), hide_index=True, height=min(_HEIGHT, 36 * (len(lines) + 1) + 3))


def blocked(rows: Sequence[Row], gathered: Gathered) -> bool:
    """Whether values of files are open or cannot be used, so that nothing can be submitted yet."""
    values = ((field, value) for row in rows for field, value in flat(row.draft).items())
    return any(metric_names.choices(field, value) for field, value in values) or bool(_bad_cells(rows, gathered))


def _worded(question: Question) -> str:
    """Word a question with its file, its rows and its column."""
    values = formatting.listed([value.rstrip("%? ") for value in question.values[:_NAMED]])
    more = len(question.values) - _NAMED
    values += f" +{more:,}" if more > 0 else ""
    if not question.cells:
        return _("{field}: how should {values} be read?").format(field=validation.label(question.field), values=values)
    rows = ", ".join(map(_location, question.cells[:_NAMED])) + (f" +{more:,}" if more > 0 else "")
    return _("{file}, column “{column}”, {rows}: how should {values} be read?").format(
        file=question.cells[0].file, column=question.cells[0].column, rows=rows, values=values
    )


def _choice_label(question: Question, index: int) -> str:
    """Word an answer: the values as they would be taken."""
    shown = [_as_taken(question.field, value) for value in question.readings[index][:_NAMED]]
    return plain(formatting.listed(shown) + (" …" if len(question.values) > _NAMED else ""))


def _as_taken(field: str, value: str) -> str:
    name = field.removeprefix("metrics.")
    if not metric_names.is_share(name):
        return value
    number = float(value.rstrip("%"))
    share = number / 100 if value.endswith("%") else number
    return formatting.value(task_names.metric(name), share)


def _correct_open_rows(question: Question) -> None:
    """Put an answer into the forms of rows that are being corrected; for callbacks."""
    index = st.session_state.get(_answer_key(question))
    for number, value in zip(question.rows, question.readings[index or 0], strict=True):
        own = FormState(f"row{number}")
        if own.values and index is not None:
            own.put(question.field, value)


def _bad_cells(rows: Sequence[Row], gathered: Gathered) -> list[tuple[Cell, object, str]]:
    """Cells with their values and what is wrong, except those that a question asks about or that were corrected."""
    result = []
    for row in rows:
        now, before = flat(row.draft), flat(gathered.drafts[row.number - 1])
        for problem in row.problems:
            cell, value = gathered.located(row.number, problem.field), now.get(problem.field)
            unchanged = value is not None and str(value) == str(before.get(problem.field))
            if cell and unchanged and not metric_names.choices(problem.field, value):
                result.append((cell, value, sentence(problem)))
    return result


def _location(cell: Cell) -> str:
    return (_("line {n}") if cell.unit == "line" else _("row {n}")).format(n=f"{cell.row:,}")


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
