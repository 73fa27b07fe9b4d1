"""What stands below the table: what distillation, pretraining and more examples bring, and which part matters."""

import streamlit as st

from dashboard import ablation, contrast_charts, data, language, learning, learning_charts, look, text, twins
from dashboard.components import plain
from db.ablation import Ablation
from db.learning import Learning
from db.metrics import Metric
from db.twins import PRETRAINING, Twins

_CHART = {"displayModeBar": False}


def leads(pairs: dict[str, list[Twins]], growing: Learning, parts: Ablation | None, metric: Metric) -> list[str]:
    """One line of Markdown for each section that has something to say, with a link to it."""
    pretrained = learning.verdict(growing, metric)
    told = [
        _lead(text.TWINS[name], twins.lead(found, metric), text.TWINS_LINK, name)
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
    points = twins.points(found, metric)
    left, right = st.columns([5, 6], gap="large")
    figure = data.once(
        lambda: contrast_charts.twins(points, metric, look.family_colours(points["family"].tolist())),
        "twins",
        name,
        task_id,
        language.current(),
    )
    told = text.TWINS_ALT.format(metric=metric.label, title=text.TWINS[name], n=len(found))
    left.plotly_chart(figure, key=f"twins-{name}", config=_CHART, alt=told)
    with right:
        st.table(twins.table(found, metric).map(plain), border="horizontal", hide_index=True)
        st.caption(plain(" ".join(twins.remarks(found))))
        for one, label in zip(found, twins.labels(found), strict=True):
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
        colours = look.family_colours(marks["family"].tolist())
        figure = data.once(lambda: contrast_charts.ablation(marks, colours), "ablation", language.current())
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
    figure = data.once(
        lambda: learning_charts.learning(learning.points(found, metric), learning.levels(found), metric, colours),
        "learning",
        task_id,
        language.current(),
    )
    left, right = st.columns([6, 5], gap="large")
    told = text.LEARNING_ALT.format(metric=metric.label, n=len(found.lines))
    left.plotly_chart(figure, key="learning", config=_CHART, alt=told)
    with right:
        st.table(learning.table(found, metric).map(plain), border="horizontal", hide_index=True)
        if learning.missing(found):
            st.write(text.LEARNING_ONE_SIZE if len(found.sizes) == 1 else text.LEARNING_PARTLY)
            st.code(learning.commands(), language="bash")
