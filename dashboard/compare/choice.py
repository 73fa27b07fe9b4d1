"""Which runs and means over seeds are compared: from the address, or chosen here; the address always names them."""

from typing import Any

import pandas as pd
import streamlit as st

from dashboard.compare import data as comparison_data
from dashboard.compare import names as comparison
from dashboard.ui import cache, formatting, task_names, url_state
from dashboard.ui.i18n import N_, _
from dashboard.ui.markdown import plain
from db.analysis.comparison import MAX_RUNS, MIN_RUNS, RunSelection
from db.leaderboard import seed_groups
from db.leaderboard.seed_groups import MEAN

COMPARE_FEW = N_("Fewer than two runs of this board keep their predictions.")
COMPARE_FEW_HOW = N_("Metrics and settings can be compared, single examples cannot. A training keeps its predictions:")

_OFFERED = 300
_BEST = 3
_LOOKED_FOR = 30  # an address may hold thousands of ids
_LENGTH = 12
"""Characters of an id in the address: enough to name one run, short enough to be read."""


def requested_ids() -> tuple[str, ...]:
    """The ids of the address, each once; a link of the older kind, to the examples of two runs, is rewritten."""
    params = st.query_params
    older = [params[name] for name in ("first", "second") if params.get(name)]
    if older and "runs" not in params:
        params["runs"] = ",".join(older)
        params["view"] = "examples"
    for name in ("first", "second"):
        params.pop(name, None)
    ids = (run_id.strip() for run_id in params.get("runs", "").split(","))
    return tuple(dict.fromkeys(run_id for run_id in ids if run_id))[:_LOOKED_FOR]


def runs() -> RunSelection:
    """The runs of the address; what cannot be found, or is too much, is told.

    Returns:
        Two to six runs of one task. Where the address does not name that many, the page ends with the means to choose.
    """
    ids = requested_ids()
    if not ids:
        st.title(_("Choose two to six models or runs."))
        _choose(None)
        st.stop()
    asked_for = comparison_data.chosen(ids)
    selection = asked_for if len(asked_for) <= MAX_RUNS else comparison_data.chosen(asked_for.ids()[:MAX_RUNS])
    fitting = len(selection) >= MIN_RUNS and len(selection.tasks) == 1
    if not fitting:
        st.title(_("Choose two to six models or runs."))
    if asked_for.unknown:
        names = ", ".join(f"“{plain(name[:40])}”" for name in asked_for.unknown)
        st.warning(
            _("No single run of this database begins with {ids}. It may belong to another database.").format(ids=names),
            icon=":material/search_off:",
        )
    if len(asked_for) > MAX_RUNS:
        left = ", ".join(plain(name) for name in comparison.names(asked_for.runs)[MAX_RUNS:])
        st.warning(
            _("Six runs at most can be compared. Left out: {names}.").format(names=left),
            icon=":material/playlist_remove:",
        )
    if len(selection.tasks) > 1:
        _of_several_tasks(selection)
    if not fitting:
        _choose(selection)
        st.stop()
    return selection


def _of_several_tasks(selection: RunSelection) -> None:
    called = comparison.lettered(comparison.names(selection.runs))
    tasks = [
        task_names.name(task, name)
        for task, name in zip(selection.runs["task_id"], selection.runs["task"], strict=True)
    ]
    listed = "; ".join(f"{plain(name)}: {plain(task)}" for name, task in zip(called, tasks, strict=True))
    st.error(
        _("These runs belong to different tasks, so their metrics cannot be compared. {runs}.").format(runs=listed),
        icon=":material/report:",
    )
    st.write(_("Choose runs of one task, or keep those of one:"))
    for task in selection.tasks:
        rows = selection.runs[selection.runs["task_id"] == task]
        if len(rows) >= MIN_RUNS:
            name = tasks[list(selection.runs["task_id"]).index(task)]
            st.button(
                plain(_("Keep the {count} runs of {task}").format(count=len(rows), task=name)),
                key=f"keep-{task}",
                icon=":material/filter_alt:",
                on_click=_write,
                args=(tuple(rows["run_id"]),),
            )


def _choose(selection: RunSelection | None) -> None:
    """A board, and runs of it."""
    boards = cache.boards()
    boards = boards[boards["runs"] >= MIN_RUNS]
    st.write(
        _(
            "Runs of one board side by side: their metrics, settings, curves and, where predictions "
            "are stored, which answers are right."
        )
    )
    names = {str(row["task_id"]): task_names.task(row).name for row in boards.to_dict("records")}
    if not names:
        _few()
        return
    task = selection.tasks[0] if selection is not None and len(selection) else st.session_state.get("task")
    plain_board = task if task in names else next(iter(names))
    url_state.follow("board", url_state.one_of(names), plain_board)
    ids = () if selection is None else tuple(selection.ids())
    listed = [] if selection is None else [name for name in selection.tasks if name in names]
    if len(listed) == 1 and st.session_state.get("board of runs") != ids:
        st.session_state["board"] = listed[0]
    st.session_state["board of runs"] = ids
    # Compared here and not in a callback: with the next click the browser may send an old value of a list that is no
    # longer drawn, which would take the comparison away.
    board = st.selectbox(_("Board"), list(names), format_func=names.__getitem__, key="board", width=420)
    url_state.keep("board", None if board == plain_board else str(board))
    if listed and board not in listed:
        _write(())
        st.rerun()
    chosen = () if selection is None or len(selection.tasks) > 1 else selection.ids()
    offered = _pick(str(board), chosen)
    if len(chosen) == 1:
        st.caption(_("One more run makes a comparison."))
    best, label = comparison_data.best_models(str(board), _BEST), _("Compare the best {count} models")
    if len(best) < MIN_RUNS:  # several runs of one model are compared where there is no other
        best, label = tuple(offered.loc[offered["answered"], "run_id"].head(_BEST)), _("Compare the best {count} runs")
    if len(best) < MIN_RUNS:
        _few()
    elif not chosen:
        st.button(label.format(count=len(best)), icon=":material/trophy:", on_click=_write, args=(best,))


def _few() -> None:
    st.caption(f"{_(COMPARE_FEW)} {_(COMPARE_FEW_HOW)}")
    st.code("featherboard train kobilstm-tiny\nfeatherboard train kobilstm-mini", language="bash")


def _pick(task_id: str, chosen: tuple[str, ...]) -> pd.DataFrame:
    """The list of runs to choose from; what is chosen goes into the address."""
    search = ""
    rows, total = comparison_data.comparable(task_id, search, _OFFERED)
    if total > _OFFERED:
        search = st.text_input(_("Search by name"), key="compare_find", icon=":material/search:", width=420)
        if search:
            rows, total = comparison_data.comparable(task_id, search, _OFFERED)
        if total > _OFFERED:
            st.caption(
                _("The best {shown} of {all} runs can be chosen here; search for others.").format(
                    shown=f"{_OFFERED:,}", all=f"{total:,}"
                )
            )
    means = seed_groups.of_board(cache.leaderboard(task_id, every_run=False))
    listed = [row for row in means.assign(name=means["model"]).to_dict("records") if _fits(row, search)]
    offered: dict[str, Any] = {row["run_id"]: row for row in [*listed, *rows.to_dict("records")]}
    if chosen:
        for row in comparison_data.chosen(chosen).runs.to_dict("records"):
            offered.setdefault(row["run_id"], row)
    metric = task_names.metric(str(cache.boards().set_index("task_id")["metric"].get(task_id, "accuracy")))
    key = _key(chosen)
    st.session_state[key] = list(chosen)
    st.multiselect(
        _("Models and runs, the first one is A"),
        list(offered),
        key=key,
        max_selections=MAX_RUNS,
        select_all=False,
        format_func=lambda run_id: comparison.offered(offered[run_id], metric),
        help=_("Six at most, in the order in which you choose them. Type to search."),
        placeholder=_("Name of a model or run"),
        on_change=_chosen,
        args=(key,),
        width=640,
    )
    return rows


def _fits(row: dict[str, Any], search: str) -> bool:
    return all(word in f"{row['model']} {row['dataset']}".lower() for word in search.lower().split())


def _key(chosen: tuple[str, ...]) -> str:
    """Return the key of the list of runs: a new one where the runs were chosen by a link or a button.

    In a closed popover the browser never learns a value that was set here; it would send its old one with the next
    click anywhere on the page, which counts as a change and takes the comparison away.
    """
    if st.session_state.get("compare_known") != chosen:
        st.session_state["compare_known"] = chosen
        st.session_state["compare_version"] = st.session_state.get("compare_version", 0) + 1
    return _current_key()


def _current_key() -> str:
    return f"compare_runs {st.session_state['compare_version']}"


def _chosen(key: str) -> None:
    if key != _current_key():
        return  # of a list that is no longer drawn: a click while the next page is being drawn sends it once more
    ids = tuple(st.session_state[key])
    st.session_state["compare_known"] = ids
    _write(ids)


def _write(ids: tuple[str, ...]) -> None:
    """Name runs in the address by the beginnings of their ids, whole where another run begins the same."""
    short = [run_id[: _LENGTH + (len(MEAN) if run_id.startswith(MEAN) else 0)] for run_id in ids]
    unknown = set(comparison_data.chosen(tuple(short)).unknown) if ids else set()
    written = [whole if short_id in unknown else short_id for whole, short_id in zip(ids, short, strict=True)]
    if not written:
        st.query_params.pop("runs", None)
    elif "board" in st.query_params:  # replaced by what says it too, at once: each change is a step of the way back
        url_state.write_all({"runs": [",".join(written)]})
    else:
        st.query_params["runs"] = ",".join(written)


def chips(selection: RunSelection) -> None:
    """Every run with its mark, its name as a link to its page, and its score; and the means to change them."""
    metric = task_names.metric(str(selection.runs["metric"].iloc[0]))
    with st.container(horizontal=True):
        for index, (name, row) in enumerate(
            zip(comparison.names(selection.runs), selection.runs.to_dict("records"), strict=True)
        ):
            with st.container(width=360, gap=None):
                with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
                    st.html(comparison.mark(index), width="content")
                    run_id = row["run_id"].removeprefix(MEAN)
                    st.page_link("views/run.py", label=plain(name), query_params={"run": run_id})
                with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
                    st.caption(plain(_score(row, metric)), width="content")
                    st.page_link("views/model.py", label=_("Model"), query_params={"name": str(row["model"])})
        with st.popover(_("Add or remove runs"), icon=":material/edit:"):
            _pick(selection.tasks[0], selection.ids())


def _score(row: dict[str, Any], metric: Any) -> str:
    value = formatting.value(metric, row["score"])
    if row["seeds"] > 1:
        value = f"{value} {comparison.spread(metric, row['spread'])}"
    if pd.isna(row["low"]) or pd.isna(row["high"]):
        return value
    return f"{value} {comparison.between(formatting.value(metric, row['low']), formatting.value(metric, row['high']))}"
