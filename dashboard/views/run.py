"""One run: what it is, where it comes from, how it was made, how it went, what came out."""

import json
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import charts, data, failures, text
from dashboard.components import guarded, ink, plain
from db import formats
from db.metrics import known
from db.queries import RunDetail
from db.tasks import TASKS

_LABELS = {
    "train_loss": "Training loss",
    "train_accuracy": "Training accuracy",
    "validation_loss": "Validation loss",
    "validation_accuracy": "Validation accuracy",
    "train_start_accuracy": "Start accuracy, training",
    "train_end_accuracy": "End accuracy, training",
    "learning_rate": "Learning rate",
    "pretrain_loss": "Pretraining loss",
    "kl_loss": "Soft labels (KL)",
    "mlm_loss": "Hidden words (MLM)",
    "next_loss": "Following texts",
    "masked_accuracy": "Hidden words named, training",
    "next_accuracy": "Following texts recognised, training",
    "tokens_per_s": "Tokens read per second",
    "cosine_loss": "Hidden states (cosine)",
}
# One figure each: what is counted in another unit, or on another scale, would flatten the rest.
_FIGURES = (
    ("Loss", ("train_loss", "validation_loss"), False),
    (
        "Accuracy",
        (
            "train_accuracy",
            "validation_accuracy",
            "train_start_accuracy",
            "train_end_accuracy",
            "masked_accuracy",
            "next_accuracy",
        ),
        True,
    ),
    ("Learning rate", ("learning_rate",), False),
    ("Pretraining loss", ("pretrain_loss",), False),
    ("Parts of the loss", ("kl_loss", "mlm_loss", "cosine_loss", "next_loss"), False),
    ("Tokens per second", ("tokens_per_s",), False),
)
_SECONDS_BETWEEN_LOOKS = 5


def _choose() -> None:
    st.title(text.NO_RUN)
    st.write(text.NO_RUN_HOW)
    newest = data.newest(10)
    for row in newest[newest["source"] != "reported"].itertuples():
        st.page_link("views/run.py", label=f"{plain(row.name)}, {plain(row.task_id)}, {row.created_at:%Y-%m-%d %H:%M}",
                     query_params={"run": row.run_id}, icon=":material/science:")  # fmt: skip
    st.page_link("views/leaderboard.py", label="To the leaderboard", icon=":material/leaderboard:")


def _head(detail: RunDetail) -> None:
    run, model, task = detail.run, detail.model, detail.task
    st.page_link("views/leaderboard.py", label=plain(task.get("name", run["task_id"])), icon=":material/arrow_back:",
                 query_params={"task": run["task_id"]})  # fmt: skip
    st.title(plain(run["name"]))
    with st.container(horizontal=True):
        st.badge(text.SOURCES[run["source"]], color="gray", help=text.SOURCE_HELP[run["source"]])
        if run["verified"]:
            st.badge("Verified", icon=":material/check:", color="green", help=text.HELP["verified"])
        if run["status"] != "finished":
            st.badge(text.STATUS[run["status"]], color="yellow" if run["status"] != "running" else "blue")
        if task.get("mini"):
            st.badge(text.MINI_LABEL, color="yellow", help=text.MINI_NOTE)
        if model:
            st.badge(plain(model["family"]), color="gray")
    if run["status"] == "running":
        st.info(text.LIVE_RUN, icon=":material/sync:")
    elif run["status"] in {"interrupted", "failed"} and run["source"] == "measured":
        st.warning(text.STOPPED_RUN, icon=":material/pause_circle:")
        folder = "" if task.get("mini") else " --data DIR"
        st.code(f"featherboard train --resume {run['run_id'][:12]}{folder}", language="bash")
    if run["caveat"]:
        st.warning(plain(run["caveat"]), icon=":material/report:")


def _figures(detail: RunDetail) -> None:
    """The primary score and the costs, in one row."""
    values = detail.metrics.set_index("name")
    primary = known(str(detail.task.get("metric", "accuracy")))
    run, model = detail.run, detail.model

    def stored(name: str) -> float | None:
        return float(values["value"][name]) if name in values.index else None

    interval = "no interval"
    if primary.name in values.index and pd.notna(values["low"][primary.name]):
        row = values.loc[primary.name]
        interval = f"{formats.value(primary, row['low'])} to {formats.value(primary, row['high'])}"
    params = model.get("params")
    tiles = [
        (primary.label, formats.value(primary, stored(primary.name)), interval, primary.help),
        ("Parameters", f"{params:,}" if params else formats.DASH, _printed(model), text.HELP["params"]),
        ("Size on disk", formats.size(stored("checkpoint_bytes")), None, text.HELP["size"]),
        ("Latency, median", formats.value(known("latency_ms_p50"), stored("latency_ms_p50")), _timing(stored),
         text.HELP["latency"]),
        ("Train time", formats.duration(run["train_seconds"]), None, text.HELP["train"]),
    ]  # fmt: skip
    with st.container(horizontal=True):
        for label, value, below, explanation in tiles:
            st.metric(label, value, below, delta_color="off", delta_arrow="off", help=explanation, width=210)


def _seeds(detail: RunDetail) -> None:
    """The other seeds of the recipe, each a click away, with what they say together."""
    seeds = detail.seeds
    if seeds is None:
        return
    metric = known(str(detail.task.get("metric", "accuracy")))
    st.subheader(text.SEEDS, help=text.HELP["seeds"])
    told = seeds.summary
    if told is None:
        st.caption(text.SEEDS_ALONE)
    else:
        st.markdown(plain(f"{formats.over_seeds(metric, told.mean, told.spread, told.n)}, "
                          f"from {formats.value(metric, told.least)} to {formats.value(metric, told.most)}. "
                          f"{text.SEEDS_MEAN}"))  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center"):
        for row in seeds.runs.itertuples():
            state = formats.value(metric, row.score) if row.status == "finished" else text.STATUS[row.status].lower()
            middle = f" {text.SEEDS_MEDIAN}" if row.run_id == seeds.middle else ""
            if row.run_id == detail.run["run_id"]:
                st.markdown(plain(f"Seed {row.seed}: {state}, this run{middle}"), width="content")
            else:
                st.page_link("views/run.py", label=plain(f"Seed {row.seed}: {state}{middle}"),
                             query_params={"run": row.run_id}, icon=":material/science:", width="content")  # fmt: skip


def _printed(model: dict[str, Any]) -> str | None:
    reported = model.get("params_reported")
    return f"printed as {formats.short(reported)}" if reported else None


def _timing(stored: Any) -> str | None:
    threads, load = stored("latency_threads"), stored("latency_load")
    return None if threads is None or load is None else f"CPU, {threads:.0f} thread(s), load {load:.1f}"


def _curves(detail: RunDetail) -> None:
    st.subheader("Curves")
    if detail.curves.empty:
        st.caption(text.NO_CURVES_REPORTED if detail.run["source"] == "reported" else text.NO_CURVES)
        return
    series = list(dict.fromkeys(detail.curves["series"]))
    # An ensemble names the member before the curve: "bilstm-8k/1 train_loss".
    kinds = {name: name.rpartition(" ")[2] for name in series}
    labels = {name: f"{name.rpartition(' ')[0]} {_LABELS.get(kind, kind)}".strip() for name, kind in kinds.items()}
    groups = []
    for title, wanted, percent in _FIGURES:
        names = [name for kind in wanted for name in series if kinds[name] == kind]
        if names:
            groups.append((names, title, percent))
    across = 2 if len(groups) == 4 else max(1, len(groups))
    for start in range(0, len(groups), across):
        columns = st.columns(across)
        for column, (names, title, percent) in zip(columns, groups[start : start + across], strict=False):
            figure = charts.curves(detail.curves, names, labels, title=title, percent=percent)
            told = f"{title} of {detail.run['name'][:60]} over epochs"
            column.plotly_chart(figure, key=f"curve-{title}", config={"displayModeBar": False}, alt=told)


def _metrics(detail: RunDetail) -> None:
    st.subheader("Metrics")
    if detail.metrics.empty:
        st.caption(text.NO_METRICS)
        return
    rows = []
    for row in detail.metrics.itertuples():
        metric = known(row.name)
        interval = "" if pd.isna(row.low) else f"{formats.value(metric, row.low)} to {formats.value(metric, row.high)}"
        examples = "" if pd.isna(row.n) else f"{int(row.n):,}"
        rows.append(
            (metric.label, formats.value(metric, row.value), interval or formats.DASH, examples or formats.DASH)
        )
    st.dataframe(
        pd.DataFrame(rows, columns=["Metric", "Value", "95% interval", "Examples"]), hide_index=True, key="metrics",
        column_config={"Value": st.column_config.TextColumn(alignment="right"),
                       "Examples": st.column_config.TextColumn(alignment="right")},
    )  # fmt: skip


def _failures(detail: RunDetail) -> None:
    parts = data.parts(str(detail.run["run_id"]))
    if parts.empty:
        return
    st.subheader(text.FAILURES, help=text.HELP["failures"])
    told = failures.lead(parts)
    if told:
        st.markdown(plain(told))
    facets = list(dict.fromkeys(parts["facet"]))
    for tab, facet in zip(st.tabs([plain(facet.capitalize()) for facet in facets]), facets, strict=True):
        rows = failures.table(parts, facet)
        right = {name: st.column_config.TextColumn(alignment="right") for name in rows.columns[1:]}
        tab.dataframe(rows, hide_index=True, key=f"part-{facet}", column_config=right)


def _facts(pairs: list[tuple[str, object]]) -> None:
    rows = [(plain(name), plain(value)) for name, value in pairs if value is not None and value != ""]
    st.table(pd.DataFrame(rows), border="horizontal", hide_index=True, hide_header=True)


def _origin(detail: RunDetail) -> None:
    run = detail.run
    st.subheader("Where it comes from")
    _facts([
        ("Citation", run["citation"]), ("Trained on", run["dataset"]), ("Scored on", run["split"]),
        ("Teacher", run["teacher"]), ("Device", run["device"]), ("Code", run["code_version"]),
        ("Data hash", (run["dataset_hash"] or "")[:16]), ("Libraries", _joined(run["libraries"])),
        ("Started", f"{run['created_at']:%Y-%m-%d %H:%M} UTC" if run["source"] != "reported" else None),
        ("Run id", run["run_id"]),
    ])  # fmt: skip
    if run["notes"]:
        st.caption(plain(run["notes"]))
    if run["command"]:
        st.caption("Reproduce it with")
        st.code(run["command"], language="bash")


def _joined(libraries: str | None) -> str | None:
    if not libraries:
        return None
    versions = json.loads(libraries)
    return ", ".join(f"{name} {version}" for name, version in versions.items()) if isinstance(versions, dict) else None


def _configuration(detail: RunDetail) -> None:
    st.subheader("Configuration")
    pairs: list[tuple[str, object]] = [
        ("Model", detail.model.get("name")),
        ("Architecture", detail.model.get("architecture")),
    ]
    pairs += sorted(_flat(detail.model.get("config", {}), "model."))
    told = {"name", "label", "family", "summary", "language", "task", "mini_task", *(name for name, _ in pairs)}
    pairs += [pair for pair in sorted(_flat(detail.recipe)) if pair[0] not in told]
    _facts(pairs)


def _flat(values: dict[str, Any], prefix: str = "") -> list[tuple[str, object]]:
    rows: list[tuple[str, object]] = []
    for key, value in values.items():
        rows += _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else [(prefix + key, value)]
    return rows


def _labels(task_id: str) -> tuple[str, ...]:
    return next((task.labels for task in TASKS if task.task_id == task_id), ())


def _rest(detail: RunDetail) -> None:
    if not detail.confusion.empty:
        st.subheader("Confusion")
        names = {str(place): label for place, label in enumerate(_labels(str(detail.run["task_id"])))}
        with st.container(width=420):
            figure = charts.confusion(detail.confusion, names, ink=ink())
            st.plotly_chart(figure, key="confusion", config={"displayModeBar": False},
                            alt="Gold labels against predicted labels")  # fmt: skip
    if not detail.siblings.empty:
        st.subheader("Other runs of this variant")
        metric = known(str(detail.task.get("metric", "accuracy")))
        for row in detail.siblings.head(12).itertuples():
            seed = "" if pd.isna(row.seed) else f", seed {int(row.seed)}"
            label = f"{row.name}, {text.SOURCES[row.source].lower()}{seed}: {formats.value(metric, row.score)}"
            st.page_link("views/run.py", label=plain(label), query_params={"run": row.run_id})
    if not detail.artifacts.empty:
        st.subheader("Artifacts")
        files = detail.artifacts.assign(bytes=[formats.size(count) for count in detail.artifacts["bytes"]])
        st.dataframe(files, hide_index=True, key="artifacts")


def _draw(run_id: str) -> str:
    """Draw the run and return its status."""
    with guarded():
        detail = data.run(run_id)
    _head(detail)
    _figures(detail)
    _seeds(detail)
    _curves(detail)
    left, right = st.columns(2, gap="large")
    with left:
        _metrics(detail)
        _failures(detail)
        _rest(detail)
    with right:
        _origin(detail)
        _configuration(detail)
    return str(detail.run["status"])


@st.fragment(run_every=_SECONDS_BETWEEN_LOOKS)
def _follow(run_id: str) -> None:
    if _draw(run_id) != "running":
        st.rerun()


def page() -> None:
    """Draw the page; a run in progress is followed by itself."""
    run_id = st.query_params.get("run", "")
    if not run_id:
        with guarded():
            _choose()
        return
    with guarded():
        status = data.run(run_id).run["status"]
    if status == "running":
        _follow(run_id)
    else:
        _draw(run_id)


page()
