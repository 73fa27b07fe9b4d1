"""What stands below the table: what distillation, pretraining and more examples bring, and which part matters."""

import streamlit as st

from dashboard.charts import contrasts
from dashboard.charts import data_scaling as scaling_chart
from dashboard.findings import ablation, data_scaling, matched_pairs
from dashboard.ui import cache, language, text, theme
from dashboard.ui.markdown import plain
from db.analysis.ablation import Ablation
from db.analysis.data_scaling import Learning
from db.analysis.matched_pairs import PRETRAINING, Twins
from db.registry.metrics import Metric

_CHART = {"displayModeBar": False}


def leads(pairs: dict[str, list[Twins]], growing: Learning, parts: Ablation | None, metric: Metric) -> list[str]:
    """One line of Markdown for each section that has something to say, with a link to it."""
    pretrained = data_scaling.verdict(growing, metric)
    told = [
        _lead(text.TWINS[name], matched_pairs.lead(found, metric), text.TWINS_LINK, name)
        for name, found in pairs.items()
        if found and not (pretrained and name == PRETRAINING.name)  # which tells the same of all sizes
    ]
    if parts and parts.measured:
        told.append(_lead(text.ABLATION_MEASURED, ablation.verdict(parts), text.ABLATION_LINK, "parts"))
    if pretrained:
        told.append(_lead(text.TWINS[PRETRAINING.name], pretrained, text.LEARNING_LINK, "examples"))
    return told


def _lead(title: str, sentence: str, link: str, anchor: str) -> str:
    return f"**{title}:** {plain(sentence)} [{link}](#{anchor})"


def draw_twins(name: str, found: list[Twins], metric: Metric, task_id: str) -> None:
    """Plain against distilled, or from scratch against pretrained; nothing where there are no twins."""
    if not found:
        return
    st.subheader(text.TWINS[name], anchor=name, help=text.HELP["paired"])
    st.caption(text.TWINS_HOW[name])
    points = matched_pairs.points(found, metric)
    left, right = st.columns([5, 6], gap="large")
    figure = cache.once(
        lambda: contrasts.twins(points, metric, theme.family_colours(points["family"].tolist())),
        "twins",
        name,
        task_id,
        language.current(),
    )
    told = text.TWINS_ALT.format(metric=metric.label, title=text.TWINS[name], n=len(found))
    left.plotly_chart(figure, key=f"twins-{name}", config=_CHART, alt=told)
    with right:
        st.table(matched_pairs.table(found, metric).map(plain), border="horizontal", hide_index=True)
        st.caption(plain(" ".join(matched_pairs.remarks(found))))
        for one, label in zip(found, matched_pairs.labels(found), strict=True):
            pair = one.pairs[0]
            if pair.p is not None:
                st.page_link(
                    "views/compare.py",
                    label=plain(f"{text.TWINS_EXAMPLES}: {label}"),
                    query_params={"runs": f"{pair.plain},{pair.treated}"},
                    icon=":material/compare_arrows:",
                )


def draw_ablation(found: Ablation) -> None:
    """Printed against measured differences; the commands where something is missing."""
    st.subheader(text.ABLATION, anchor="parts")
    st.caption(text.ABLATION_HOW)
    marks = ablation.points(found)
    left, right = st.columns([6, 5], gap="large")
    if not marks.empty:
        colours = theme.family_colours(marks["family"].tolist())
        figure = cache.once(lambda: contrasts.ablation(marks, colours), "ablation", language.current())
        left.plotly_chart(figure, key="ablation", config=_CHART, alt=text.ABLATION_ALT)
    with right:
        st.table(ablation.table(found).map(plain), border="horizontal", hide_index=True)
        st.caption(plain(ablation.whole(found)))
    if len(found.measured) < len(found.differences):
        st.write(text.ABLATION_EMPTY if not found.measured else text.ABLATION_PARTLY)
        st.code(ablation.commands(), language="bash")


def draw_learning(found: Learning, metric: Metric, colours: dict[str, str], task_id: str) -> None:
    """Scores over the size of the training set; nothing on a board without such runs."""
    if not found.lines:
        return
    st.subheader(text.LEARNING, anchor="examples", help=text.HELP["interval"])
    st.caption(text.LEARNING_HOW)
    figure = cache.once(
        lambda: scaling_chart.learning(data_scaling.points(found, metric), data_scaling.levels(found), metric, colours),
        "learning",
        task_id,
        language.current(),
    )
    left, right = st.columns([6, 5], gap="large")
    told = text.LEARNING_ALT.format(metric=metric.label, n=len(found.lines))
    left.plotly_chart(figure, key="learning", config=_CHART, alt=told)
    with right:
        st.table(data_scaling.table(found, metric).map(plain), border="horizontal", hide_index=True)
        if data_scaling.missing(found):
            st.write(text.LEARNING_ONE_SIZE if len(found.sizes) == 1 else text.LEARNING_PARTLY)
            st.code(data_scaling.commands(), language="bash")
