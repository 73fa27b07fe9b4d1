"""Findings below a board: what distillation, pretraining, more data and each part of a distillation contribute."""

from collections.abc import Sequence

import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.charts import contrasts
from dashboard.findings import ablation, data_scaling, distillation_settings, matched_pairs
from dashboard.ui import cache, i18n
from dashboard.ui.i18n import N_, _
from dashboard.ui.labels import HELP
from dashboard.ui.markdown import chart, ink, page_link, plain, table
from db.analysis.findings.ablation import Ablation, Study
from db.analysis.findings.data_scaling import DataScaling
from db.analysis.findings.distillation_settings import LABELS, Grid
from db.analysis.findings.matched_pairs import CONTRASTS, PRETRAINING, MatchedPair
from db.registry.metrics import Metric

PAIR_TITLES = {"distillation": N_("Effect of distillation"), "pretraining": N_("Effect of pretraining")}
PAIR_CAPTIONS = {
    "distillation": N_(
        "Each line is one shape, trained on the same labelled data from the labels alone (baseline) and "
        "with a teacher (distilled): mean over the seeds that both have, with the 95% interval of "
        "that mean. The paired test looks at the same examples, so it can find a difference where "
        "intervals overlap."
    ),
    "pretraining": N_(
        "Each line is one shape, fine-tuned on the same data from random weights (from scratch) and "
        "from weights that had read other text before (pretrained): mean over the seeds that both "
        "have, with the 95% interval of that mean. The paired test looks at the same examples, so "
        "it can find a difference where intervals overlap."
    ),
}

SETTINGS_TITLE = N_("Settings of the distillation")
GROWTH_TITLE = N_("Effect of more pretraining text")


def draw(task_id: str, metric: Metric, colours: dict[str, str], summary: DeltaGenerator) -> None:
    """Draw the sections of a board, and one line for each in ``summary`` with a link to it."""
    pairs = {contrast.name: cache.matched_pairs_of(task_id, contrast) for contrast in CONTRASTS}
    scaling, growth = cache.data_scaling_of(task_id, data_scaling.STUDIED), cache.pretraining_scaling_of(task_id)
    ablations = [(study, cache.ablation_of(study)) for study in ablation.STUDIES if task_id == study.printed_task]
    measured = [(study, parts) for study, parts in ablations if parts.measured]
    grids = cache.distillation_grids_of(task_id)
    pretrained = data_scaling.verdict(scaling, metric)
    leads = [
        (_(PAIR_TITLES[name]), matched_pairs.lead(matched, metric), _("Figure and tests"), name)
        for name, matched in pairs.items()
        if matched and not (pretrained and name == PRETRAINING.name)  # the curves report the same for all sizes
    ]
    clear = [(study, parts) for study, parts in measured if any(part.clear for part in parts.measured)]
    leads += [
        (ablation.title(study), ablation.verdict(parts), _("Figure and seeds"), "parts")
        for study, parts in clear or measured[:1]
    ]
    settings = distillation_settings.lead(grids[0], metric) if grids else ""
    leads += [
        (_(PAIR_TITLES[PRETRAINING.name]), pretrained, _("Figure and sizes"), "examples"),
        (_(GROWTH_TITLE), data_scaling.growth(growth, metric), _("Figure and amounts"), "tokens"),
        (_(SETTINGS_TITLE), settings, _("Figure and tests"), "settings"),
    ]
    for title, sentence, link, anchor in leads:
        if sentence:
            summary.markdown(f"**{title}:** {plain(sentence)} [{link}](#{anchor})")
    for name, matched in pairs.items():
        if matched:
            draw_pairs(name, matched, metric, task_id)
    if grids:
        draw_settings(grids, metric, task_id)
    if growth.lines:
        draw_growth(growth, metric, colours)
    if scaling.lines:
        draw_scaling(scaling, metric, colours, task_id)
    if ablations:
        draw_ablations(measured or [(study, parts) for study, parts in ablations if study is ablation.ENGLISH])


def draw_pairs(name: str, pairs: list[MatchedPair], metric: Metric, task_id: str) -> None:
    """Draw plain against distilled models, or models from scratch against pretrained ones."""
    st.subheader(_(PAIR_TITLES[name]), anchor=name, help=_(HELP["paired"]))
    st.caption(_(PAIR_CAPTIONS[name]))
    facts = "twins", name, task_id, i18n.current_language()

    def draw_figure() -> go.Figure:
        points = matched_pairs.points(pairs, metric)
        return contrasts.matched_pairs(points, metric, cache.family_colours())

    left, right = st.columns([5, 6], gap="large")
    figure = cache.figure(draw_figure, *facts)
    alt = _("{title}: {metric} of both kinds at {n} sizes").format(
        metric=metric.label, title=_(PAIR_TITLES[name]), n=len(pairs)
    )
    with left:
        chart(figure, f"twins-{name}", alt)
    with right:
        table(cache.once(lambda: matched_pairs.table(pairs, metric).map(plain), "table", *facts))
        st.caption(plain(" ".join(matched_pairs.remarks(pairs))))
        for matched, label in zip(pairs, matched_pairs.labels(pairs), strict=True):
            pair = matched.pairs[0]
            if pair.p is not None:
                link = plain(f"{_('Who answers what right')}: {label}")
                page_link("compare", link, runs=f"{pair.plain},{pair.treated}")


def draw_settings(grids: Sequence[Grid], metric: Metric, task_id: str) -> None:
    """Draw the scores of each student over the settings of its distillation, and how far each setting moves them."""
    st.subheader(_(SETTINGS_TITLE), anchor="settings")
    st.caption(
        _(
            "Each figure is one student with one teacher: the score by kind and temperature of the loss (rows) and by "
            "the weight of the true labels beside the teacher (columns); with weight 1 there is no teacher. The "
            "difference is that of the best and the worst value of a setting, on average over the others. The test "
            "asks whether any value of it differs (Friedman, of two values the paired t-test), corrected by Holm."
        )
    )
    for number, grid in enumerate(grids):
        st.markdown(f"**{plain(distillation_settings.title(grid))}**")
        left, right = st.columns([6, 5], gap="large")
        figure = contrasts.settings(
            distillation_settings.cells(grid, metric), metric, across=_(distillation_settings.NAMES[LABELS]), ink=ink()
        )
        alt = _("{metric} of {model} by the settings of its distillation").format(metric=metric.label, model=grid.model)
        with left:
            chart(figure, f"settings-{number}", alt)
        with right:
            table(distillation_settings.table(grid, metric).map(plain))
            st.caption(plain(distillation_settings.remark(grid)))


def draw_ablations(ablations: Sequence[tuple[Study, Ablation]]) -> None:
    """Draw printed against measured differences of each study; the commands where something is missing."""
    st.subheader(_("Effect of each part of distillation"), anchor="parts")
    st.caption(
        _(
            "A student of three layers is distilled in five ways: by the whole triple loss, without one of its "
            "parts, and from random weights. Each is scored on text that it has not read, or fine-tuned on the same "
            "tasks, whose mean is its score. Shown is the difference from the whole loss at the same seed, its mean "
            "with the standard deviation between seeds; the paired t-test over the seeds is corrected by Holm for all "
            "parts. "
            "The printed differences are those of DistilBERT on the average of nine GLUE tasks: compare their order, "
            "not their size."
        )
    )
    for study, parts in ablations:
        st.markdown(f"**{plain(ablation.title(study))}**")
        draw_ablation(study, parts)


def draw_ablation(study: Study, parts: Ablation) -> None:
    """Draw one study."""
    marks, key = ablation.points(parts, study.family), "-".join(["ablation", study.baseline, *study.tasks])
    left, right = st.columns([6, 5], gap="large")
    if not marks.empty:
        colours, language = cache.family_colours(), i18n.current_language()
        figure = cache.figure(lambda: contrasts.ablation(marks, colours), "ablation", key, language)
        alt = _("Printed and measured differences when a part of the distillation is left out")
        with left:
            chart(figure, key, alt)
    with right:
        table(ablation.table(parts).map(plain))
        st.caption(plain(ablation.whole(parts)))
    if len(parts.measured) < len(parts.differences):
        st.write(
            _(
                "Nothing was measured here yet: the figure shows the printed differences alone. These "
                "commands measure ours, on a folder DIR with the data of these tasks and text in their language:"
            )
            if not parts.measured
            else _("Not every part was measured yet. These commands do what is missing and skip what is there:")
        )
        st.code(ablation.commands(study), language="bash")


def draw_growth(growth: DataScaling, metric: Metric, colours: dict[str, str]) -> None:
    """Draw scores over the tokens that the first weights had read."""
    st.subheader(_(GROWTH_TITLE), anchor="tokens", help=_(HELP["interval"]))
    st.caption(
        _(
            "Each line is one fine-tuning with the same settings and data, from random weights (0 tokens) and from "
            "weights that had read more and more text here; the bars are 95% intervals on the test split, over the "
            "seeds where there are several, and ± is half their width."
        )
    )
    marks = data_scaling.points(growth, metric, pretraining=True)
    left, right = st.columns([6, 5], gap="large")
    with left:
        alt = _("{metric} over the number of pretraining tokens").format(metric=metric.label)
        chart(contrasts.learning(marks, [], metric, colours, pretraining=True), "growth", alt)
    with right:
        table(data_scaling.table(growth, metric).map(plain))


def draw_scaling(scaling: DataScaling, metric: Metric, colours: dict[str, str], task_id: str) -> None:
    """Draw scores over the size of the training set; the commands where sizes are missing."""
    st.subheader(_("Effect of more training examples"), anchor="examples", help=_(HELP["interval"]))
    st.caption(
        _(
            "Each line is one recipe on parts of one training split, drawn by the same seed, with the "
            "same number of passes over it; the bars are 95% intervals on the test split, and ± is half "
            "their width. Every size is a data set of its own in the table above. Dotted levels are "
            "scores whose training size is not reported."
        )
    )
    facts = "learning", task_id, i18n.current_language()
    figure = cache.figure(
        lambda: contrasts.learning(data_scaling.points(scaling, metric), data_scaling.levels(scaling), metric, colours),
        *facts,
    )
    left, right = st.columns([6, 5], gap="large")
    alt = _("{metric} of {n} models over the number of training examples").format(
        metric=metric.label, n=len(scaling.lines)
    )
    with left:
        chart(figure, "learning", alt)
    with right:
        table(cache.once(lambda: data_scaling.table(scaling, metric).map(plain), "table", *facts))
        if data_scaling.missing(scaling):
            st.write(
                _(
                    "Only one size was measured so far, so growth is not known yet. These commands measure "
                    "the others, on a folder DIR with MultiNLI:"
                )
                if len(scaling.sizes) == 1
                else _(
                    "Not every line has two sizes yet. These commands do what is missing and skip what a sweep "
                    "has done:"
                )
            )
            st.code(data_scaling.commands(), language="bash")
