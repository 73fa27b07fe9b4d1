"""Examples on which runs differ: filters, a table by pages, and one example whole."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from dashboard.compare import examples as comparison_examples
from dashboard.compare import names as comparison
from dashboard.ui import cache, url_state
from dashboard.ui.i18n import N_, NP_, _
from dashboard.ui.labels import COMPARE_WITHHELD
from dashboard.ui.markdown import plain, table
from db.analysis.comparison import LETTERS, Comparison
from db.registry import formats
from db.registry.tasks import TASKS
from db.runs import examples
from db.runs.examples import Example
from db.statistics.qa_scoring import is_withheld

COMPARE_GROUPS = {
    "only_first": (N_("Only {first} right"), [0], [1]),
    "only_second": (N_("Only {second} right"), [1], [0]),
    "neither": (N_("Both wrong"), [], [0, 1]),
    "both": (N_("Both right"), [0, 1], []),
}
"""What an example can be to two runs: who is right, who is wrong; the telling ones first."""

COMPARE_WANT = {"any": NP_("compare want", "any"), "right": N_("right"), "wrong": N_("wrong")}
COMPARE_SAYS = {"right": NP_("compare says", "right"), "wrong": N_("wrong")}
COMPARE_PARTS = {
    "document": N_("Text"),
    "premise": N_("Premise"),
    "hypothesis": N_("Hypothesis"),
    "question": N_("Question"),
    "context": N_("Paragraph"),
}

_PAGE = 50


def draw(compared: Comparison) -> None:
    """Draw the filters, the table and the chosen example."""
    letters = [LETTERS[index] for index in compared.places]
    right, wrong = _of_two(compared) if len(letters) == 2 else _of_more(compared)
    picked = np.flatnonzero(compared.select(right, wrong))
    total = len(compared.common)
    st.caption(
        _("{count} of {n} common examples ({share}).").format(
            count=f"{len(picked):,}", n=f"{total:,}", share=f"{len(picked) / total:.1%}"
        )
    )
    if not len(picked):
        st.write(_("There is no such example."))
        return
    if compared.common.withheld:
        st.caption(_(COMPARE_WITHHELD))
    task_id = str(compared.chosen.runs["task_id"].iloc[0])
    texts, file = cache.texts(task_id)
    classes = next((task.labels for task in TASKS if task.task_id == task_id), ())
    page = _page(picked)
    stored = zip(compared.common.ids[page], compared.common.gold[page], strict=True)
    fitting = {
        name: texts[name]
        for name, gold in stored
        if name in texts and texts[name].agrees(str(gold), compared.chosen.texts)
    }
    index = _table(compared, page, letters, classes, fitting)
    _whole(compared, index, classes, fitting)
    if file is None:
        _how_to_get_texts(task_id)
    elif str(compared.common.ids[index]) not in fitting:
        st.caption(
            _("{file} does not hold this example, or holds another one under its id; its text is not shown.").format(
                file=plain(file.name)
            )
        )


def _of_two(compared: Comparison) -> tuple[list[int], list[int]]:
    called = comparison.names(compared.chosen.runs.iloc[list(compared.places)])
    labels = {
        group: plain(f"{_(words).format(first=called[0], second=called[1])}: {compared.count(right, wrong):,}")
        for group, (words, right, wrong) in COMPARE_GROUPS.items()
    }
    chosen = url_state.choice("group", _("Which examples"), labels, pills=True, label_visibility="collapsed")
    return COMPARE_GROUPS[chosen][1:]


def _of_more(compared: Comparison) -> tuple[list[int], list[int]]:
    """One switch a run, in one address key: ``right=A&wrong=B`` cannot ask that a run is both."""
    st.caption(_("Choose for each run whether it must be right or wrong on an example."))
    called = comparison.lettered(comparison.names(compared.chosen.runs))
    sides: dict[str, list[int]] = {"any": [], "right": [], "wrong": []}
    initial = _initial_sides(compared)
    with st.container(horizontal=True):
        for column, index in enumerate(compared.places):
            key = f"want-{LETTERS[index]}"
            if key not in st.session_state:
                st.session_state[key] = initial[column]
            chosen = st.segmented_control(
                plain(called[index]),
                list(COMPARE_WANT),
                key=key,
                required=True,
                width=300,
                format_func=lambda code: _(COMPARE_WANT[code]),
            )
            sides[str(chosen)].append(column)
    plainly = sides["right"] == [0] and sides["wrong"] == [len(compared.places) - 1]
    for side in ("right", "wrong"):
        letters = ",".join(LETTERS[compared.places[column]] for column in sides[side])
        url_state.keep(side, None if plainly else letters or "-")
    return sides["right"], sides["wrong"]


def _initial_sides(compared: Comparison) -> list[str]:
    """What the address wants of each run; where it says nothing, A right and the last one wrong.

    A new link sets the switches anew.
    """
    address = {side: st.query_params.get(side) for side in ("right", "wrong")}
    if address["right"] is None and address["wrong"] is None:
        return ["right", *["any"] * (len(compared.places) - 2), "wrong"]
    if any(address[side] != st.session_state.get(f"{side} link") for side in address):
        for letter in LETTERS:
            st.session_state.pop(f"want-{letter}", None)
    sides = {side: set((letters or "").split(",")) for side, letters in address.items()}
    letters = [LETTERS[index] for index in compared.places]
    return [
        "right" if letter in sides["right"] else "wrong" if letter in sides["wrong"] else "any" for letter in letters
    ]


def _page(picked: NDArray[np.intp]) -> NDArray[np.intp]:
    pages = -(-len(picked) // _PAGE)
    if pages == 1:
        return picked
    number = st.session_state.get("page", 1)
    if not 1 <= number <= pages:
        st.session_state["page"] = 1
    chosen = st.pagination(pages, key="page", bind="query-params")
    return picked[(chosen - 1) * _PAGE : chosen * _PAGE]


def _table(
    compared: Comparison,
    page: NDArray[np.intp],
    letters: Sequence[str],
    classes: Sequence[str],
    texts: Mapping[str, Example],
) -> int:
    """Draw the page's rows; the position of the chosen one, the first where none is chosen."""
    rows = comparison_examples.rows(compared.common, page, letters, classes, texts)
    fingerprint = f"{hash((tuple(page), tuple(compared.chosen.ids()))):x}"
    state: Any = st.dataframe(
        rows,
        hide_index=True,
        key=f"examples-{fingerprint}",
        on_select="rerun",
        selection_mode="single-row",
        alt=_("Examples and what every run answers"),
        height="content" if len(rows) <= 10 else 400,
        column_config={_("Text"): st.column_config.TextColumn(width="large")},
    )
    st.caption(_("Select a row to see the example whole."))
    selected = list(state["selection"]["rows"]) if state else []
    example_id = st.query_params.get("example")
    if selected and selected[0] < len(page):
        index = int(page[selected[0]])
        st.query_params["example"] = str(compared.common.ids[index])
        return index
    matches = np.flatnonzero(compared.common.ids[page] == example_id) if example_id else np.array([], dtype=int)
    if not len(matches):
        st.query_params.pop("example", None)
    return int(page[matches[0] if len(matches) else 0])


def _whole(compared: Comparison, index: int, classes: Sequence[str], texts: Mapping[str, Example]) -> None:
    """One example: its text with the answers marked, and what every run says."""
    common = compared.common
    name = str(common.ids[index])
    st.markdown(f"**{plain(_('Example'))} {plain(name)}**")
    example = texts.get(name)
    letters = [LETTERS[run] for run in compared.places]
    left, right = st.columns([3, 2], gap="large") if example else (None, st.container())
    if example and left:
        with left:
            _text(example, compared, index, letters)
    with right:
        rows = [(_("Gold label"), comparison_examples.gold(str(common.gold[index]), classes))]
        for run, (letter, answer) in enumerate(zip(letters, common.answers.iloc[index], strict=True)):
            ok = "right" if common.right[index, run] else "wrong"
            sure = common.confidence[index, run]
            text = comparison_examples.answer(answer, classes)
            if not np.isnan(sure):
                text = _("{answer}, probability {sure}").format(answer=text, sure=f"{sure:.2f}")
            sign = comparison_examples.TICK if ok == "right" else comparison_examples.CROSS
            rows.append((letter, f"{sign} {text} ({_(COMPARE_SAYS[ok])})"))
        table(pd.DataFrame(rows).map(plain), heads=False)


def _text(example: Example, compared: Comparison, index: int, letters: Sequence[str]) -> None:
    for part, words in example.parts.items():
        st.caption(_(COMPARE_PARTS[part]))
        if part == "context":
            answers = {
                run: str(answer) for run, answer in enumerate(compared.common.answers.iloc[index]) if pd.notna(answer)
            }
            st.markdown(comparison_examples.marked(example, answers, letters))
            shown = [answer for answer in answers.values() if answer and not is_withheld(answer)]
            if shown:
                st.caption(
                    _(
                        "Green: a gold answer. Grey: another answer. The letters say which runs give it. "
                        "Predictions keep no places: an answer is marked where a gold answer of the same words "
                        "stands, else where it stands first."
                    )
                )
        else:
            st.markdown(plain(words) or formats.DASH)


def _how_to_get_texts(task_id: str) -> None:
    if task_id not in examples.readable():
        st.caption(_("The board cannot read texts of this task; examples are listed by their ids."))
        return
    st.caption(
        _(
            "The texts of this task are not available, so examples are listed by their ids. Start the "
            "board with {variable} naming the folder of the data sets in their official formats to "
            "show them:"
        ).format(variable=examples.VARIABLE)
    )
    st.code(f"{examples.VARIABLE}=DIR featherboard serve", language="bash")
