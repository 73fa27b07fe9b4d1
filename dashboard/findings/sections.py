"""What stands below the table: what distillation, pretraining and more examples bring, and which part matters."""

import streamlit as st

from dashboard.charts import contrasts
from dashboard.charts import data_scaling as scaling_chart
from dashboard.findings import ablation, data_scaling, matched_pairs
from dashboard.ui import cache, i18n, theme
from dashboard.ui.i18n import N_, _
from dashboard.ui.labels import HELP
from dashboard.ui.markdown import plain
from db.analysis.ablation import Ablation
from db.analysis.data_scaling import Learning
from db.analysis.matched_pairs import PRETRAINING, Twins
from db.registry.metrics import Metric

TWINS = {"distillation": N_("What distillation brings"), "pretraining": N_("What pretraining brings")}
TWINS_HOW = {
    "distillation": N_(
        "Each line is one shape, trained on the same data from the labels alone (plain) and with a "
        "teacher (distilled): mean over the seeds that both have, with the 95% interval of that "
        "mean. The paired test looks at the same examples, so it can tell two models apart whose "
        "intervals overlap."
    ),
    "pretraining": N_(
        "Each line is one shape, fine-tuned on the same data from random weights (from scratch) and "
        "from weights that had read other text before (pretrained): mean over the seeds that both "
        "have, with the 95% interval of that mean. The paired test looks at the same examples, so "
        "it can tell two models apart whose intervals overlap."
    ),
}

_CHART = {"displayModeBar": False}


def leads(pairs: dict[str, list[Twins]], growing: Learning, parts: Ablation | None, metric: Metric) -> list[str]:
    """One line of Markdown for each section that has something to say, with a link to it."""
    pretrained = data_scaling.verdict(growing, metric)
    told = [
        _lead(_(TWINS[name]), matched_pairs.lead(found, metric), _("Figure and tests"), name)
        for name, found in pairs.items()
        if found and not (pretrained and name == PRETRAINING.name)  # which tells the same of all sizes
    ]
    if parts and parts.measured:
        told.append(_lead(_("Measured here"), ablation.verdict(parts), _("Figure and seeds"), "parts"))
    if pretrained:
        told.append(_lead(_(TWINS[PRETRAINING.name]), pretrained, _("Figure and sizes"), "examples"))
    return told


def _lead(title: str, sentence: str, link: str, anchor: str) -> str:
    return f"**{title}:** {plain(sentence)} [{link}](#{anchor})"


def draw_twins(name: str, found: list[Twins], metric: Metric, task_id: str) -> None:
    """Plain against distilled, or from scratch against pretrained; nothing where there are no twins."""
    if not found:
        return
    st.subheader(_(TWINS[name]), anchor=name, help=_(HELP["paired"]))
    st.caption(_(TWINS_HOW[name]))
    points = matched_pairs.points(found, metric)
    left, right = st.columns([5, 6], gap="large")
    figure = cache.once(
        lambda: contrasts.twins(points, metric, theme.family_colours(points["family"].tolist())),
        "twins",
        name,
        task_id,
        i18n.current_language(),
    )
    told = _("{title}: {metric} of both kinds at {n} sizes").format(
        metric=metric.label, title=_(TWINS[name]), n=len(found)
    )
    left.plotly_chart(figure, key=f"twins-{name}", config=_CHART, alt=told)
    with right:
        st.table(matched_pairs.table(found, metric).map(plain), border="horizontal", hide_index=True)
        st.caption(plain(" ".join(matched_pairs.remarks(found))))
        for one, label in zip(found, matched_pairs.labels(found), strict=True):
            pair = one.pairs[0]
            if pair.p is not None:
                st.page_link(
                    "views/compare.py",
                    label=plain(f"{_('Who answers what right')}: {label}"),
                    query_params={"runs": f"{pair.plain},{pair.treated}"},
                    icon=":material/compare_arrows:",
                )


def draw_ablation(found: Ablation) -> None:
    """Printed against measured differences; the commands where something is missing."""
    st.subheader(_("What each part of the distillation brings"), anchor="parts")
    st.caption(
        _(
            "A student of three layers is distilled from MiniLM in five ways: by the whole triple loss, "
            "without one of its parts, and from random weights. Each is fine-tuned on MultiNLI and on "
            "SQuAD; its score is the mean of accuracy and F1. Shown is the difference from the whole "
            "loss at the same seed, its mean with the standard deviation between seeds. The printed "
            "differences are those of DistilBERT on the average of nine GLUE tasks: compare their "
            "order, not their size."
        )
    )
    marks = ablation.points(found)
    left, right = st.columns([6, 5], gap="large")
    if not marks.empty:
        colours = theme.family_colours(marks["family"].tolist())
        figure = cache.once(lambda: contrasts.ablation(marks, colours), "ablation", i18n.current_language())
        left.plotly_chart(
            figure,
            key="ablation",
            config=_CHART,
            alt=_("Printed and measured differences when a part of the distillation is left out"),
        )
    with right:
        st.table(ablation.table(found).map(plain), border="horizontal", hide_index=True)
        st.caption(plain(ablation.whole(found)))
    if len(found.measured) < len(found.differences):
        st.write(
            _(
                "Nothing was measured here yet: the figure shows the printed differences alone. These "
                "commands measure ours, on a folder DIR with English text, MultiNLI and SQuAD:"
            )
            if not found.measured
            else _("Not every part was measured yet. These commands do what is missing and skip what is there:")
        )
        st.code(ablation.commands(), language="bash")


def draw_learning(found: Learning, metric: Metric, colours: dict[str, str], task_id: str) -> None:
    """Scores over the size of the training set; nothing on a board without such runs."""
    if not found.lines:
        return
    st.subheader(_("What more training examples bring"), anchor="examples", help=_(HELP["interval"]))
    st.caption(
        _(
            "Each line is one recipe on parts of one training split, drawn by the same seed, with the "
            "same number of passes over it; the bars are 95% intervals on the test split, and ± is half "
            "their width. Every size is a data set of its own in the table above. Dotted levels are "
            "scores whose training size nobody told."
        )
    )
    figure = cache.once(
        lambda: scaling_chart.learning(data_scaling.points(found, metric), data_scaling.levels(found), metric, colours),
        "learning",
        task_id,
        i18n.current_language(),
    )
    left, right = st.columns([6, 5], gap="large")
    told = _("{metric} of {n} models over the number of training examples").format(
        metric=metric.label, n=len(found.lines)
    )
    left.plotly_chart(figure, key="learning", config=_CHART, alt=told)
    with right:
        st.table(data_scaling.table(found, metric).map(plain), border="horizontal", hide_index=True)
        if data_scaling.missing(found):
            st.write(
                _(
                    "Only one size was measured so far, so nothing is told of growth yet. These commands "
                    "measure the others, on a folder DIR with MultiNLI:"
                )
                if len(found.sizes) == 1
                else _(
                    "Not every line has two sizes yet. These commands do what is missing and skip what a sweep "
                    "has done:"
                )
            )
            st.code(data_scaling.commands(), language="bash")
