"""Two runs on the same examples: who answers what right, and is it more than chance."""

import pandas as pd
import streamlit as st

from dashboard import comparison, data, text
from dashboard.components import guarded, plain
from db import formats
from db.answers import is_withheld
from db.compare import GROUPS, Compared
from db.metrics import known
from db.tasks import TASKS, by_id, task_ids

_MOST = 2000  # rows that are drawn; Streamlit would print a string below this line on the page


def _choose() -> None:
    """A board and two of its runs."""
    st.title(text.COMPARE_CHOOSE)
    runs = data.comparable()
    often = runs["task_id"].value_counts()
    boards = [task for task in task_ids() if often.get(task, 0) > 1]
    if not boards:
        st.write(text.COMPARE_FEW)
        st.caption(text.COMPARE_FEW_HOW)
        st.code("featherboard train kobilstm-tiny\nfeatherboard train kobilstm-mini", language="bash")
        return
    st.write(text.COMPARE_CHOOSE_HOW)
    task = st.selectbox("Board", boards, format_func=lambda one: by_id(one).name, key="compare_board", width=420)
    rows = runs[runs["task_id"] == task].set_index("run_id")
    metric = known(by_id(task).metric)

    def named(run_id: str) -> str:
        row = rows.loc[run_id]
        seed = "" if pd.isna(row["seed"]) else f", seed {int(row['seed'])}"
        return f"{row['name']}{seed}: {formats.value(metric, row['score'])}"

    with st.container(horizontal=True, vertical_alignment="bottom"):
        first = st.selectbox("First run", rows.index, format_func=named, key=f"first-{task}", width=420)
        others = [run_id for run_id in rows.index if run_id != first]
        second = st.selectbox("Second run", others, format_func=named, key=f"second-{task}", width=420)
        if st.button(text.COMPARE, icon=":material/compare_arrows:"):
            st.query_params.update(first=str(first), second=str(second))
            st.rerun()


def _head(found: Compared) -> None:
    task = by_id(str(found.first["task_id"]))
    first, second = comparison.names(found)
    st.page_link("views/leaderboard.py", label=plain(task.name), icon=":material/arrow_back:",
                 query_params={"task": task.task_id})  # fmt: skip
    st.title(plain(f"{first} against {second}"))
    if not found.same_data:
        st.error(text.COMPARE_OTHER_DATA, icon=":material/report:")
    st.markdown(plain(comparison.lead(found)))
    with st.container(horizontal=True):
        for (name, score), facts in zip(comparison.scores(found), (found.first, found.second), strict=True):
            st.page_link("views/run.py", label=plain(f"{name}: {score}"), query_params={"run": facts["run_id"]},
                         icon=":material/science:", width="content")  # fmt: skip


def _examples(found: Compared) -> None:
    first, second = comparison.names(found)
    labels = {group: text.COMPARE_GROUPS[group].format(first=first, second=second) for group in GROUPS}
    group = st.pills(
        text.TWINS_EXAMPLES, GROUPS, key="group", required=True, default=GROUPS[0],
        format_func=lambda one: plain(f"{labels[one]}: {found.count(one):,}"),
    )  # fmt: skip
    classes = next((task.labels for task in TASKS if task.task_id == found.first["task_id"]), ())
    rows = comparison.table(found, str(group), classes)
    if rows.empty:
        st.caption("There is no such example.")
        return
    if found.texts and any(is_withheld(str(value)) for value in found.examples["first"].head(1)):
        st.caption(text.COMPARE_WITHHELD)
    st.dataframe(rows.head(_MOST), hide_index=True, key=f"examples-{group}", alt=labels[str(group)])
    if len(rows) > _MOST:
        st.caption(f"The first {_MOST:,} of {len(rows):,}.")


def page() -> None:
    """Draw the page."""
    first, second = (st.query_params.get(name, "") for name in ("first", "second"))
    if not first or not second:
        with guarded():
            _choose()
        return
    with guarded():
        found = data.compared(first, second)
    _head(found)
    _examples(found)


page()
