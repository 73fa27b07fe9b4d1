"""The first step: files, what was read of them, and what their columns mean."""

import streamlit as st

from dashboard.submit import files, validation
from dashboard.submit.files import Brought
from dashboard.submit.form_state import PREFIX
from dashboard.ui import task_names
from dashboard.ui.i18n import N_, NP_, _, ngettext, translated
from dashboard.ui.markdown import plain
from db import importers
from db.importers.column_mapping import CLAIM, PREDICTIONS
from db.registry import formats
from db.registry.metrics import METRICS
from db.submissions import Gathered

SUBMIT_FORMAT = {
    "hugging face": (
        N_("Hugging Face"),
        N_(
            "all_results.json, trainer_state.json (becomes curves), eval_predictions.json, "
            "eval_nbest_predictions.json, a model card or its model-index"
        ),
    ),
    "trackers": (
        N_("Trackers"),
        N_("results of lm-evaluation-harness (JSON), a run of MLflow (JSON or CSV), a history of W&B (CSV)"),
    ),
    "tables": (
        N_("Tables"),
        N_(
            "your results, one row a run, or predictions, one row an example: CSV, TSV, JSON, JSON "
            "Lines, Parquet; you say what each column means"
        ),
    ),
    "weights": (
        N_("Parameters"),
        N_("a safetensors file, config.json or card.json: counted, the weights are not loaded"),
    ),
    "bundle": (NP_("submit format", "Featherboard"), N_("a bundle that another board exported (.zip)")),
}
SUBMIT_KINDS = {
    "all_results": N_("figures of a Trainer"),
    "trainer_state": N_("log of a Trainer"),
    "squad_predictions": N_("answers to SQuAD questions"),
    "squad_nbest": N_("answers to SQuAD questions, best first"),
    "model_index": N_("model card"),
    "lm_eval": N_("results of lm-evaluation-harness"),
    "mlflow": N_("run of MLflow"),
    "wandb": N_("history of W&B"),
    "predictions": N_("predictions"),
    "table": N_("table"),
    "bundle": N_("bundle of a board"),
    "safetensors": N_("safetensors"),
    "config": N_("configuration of a model"),
}
SUBMIT_MEANS_AS = {
    "": N_("Not used"),
    "example_id": N_("Prediction: id of the example"),
    "predicted": N_("Prediction: the answer"),
    "score": N_("Prediction: its probability"),
}

_MOST_COLUMNS = 80
_MOST_NAMES = 40


def draw(brought: list[Brought], gathered: Gathered, trouble: str) -> None:
    """Draw the step.

    Args:
        brought: Of ``files.brought``.
        gathered: What they say together.
        trouble: Why they cannot be taken together; empty where they can.
    """
    st.file_uploader(
        _("Files of the run"),
        accept_multiple_files=True,
        key=files.key("files"),
        on_change=files.changed,
        max_upload_size=importers.LIMIT_BYTES // 2**20,
    )
    if not brought:
        st.caption(_("One or several; they fill the form below. Without a file, begin with the facts."))
        with st.expander(_("What can be read"), icon=":material/description:"):
            for what, how in translated(SUBMIT_FORMAT).values():
                st.markdown(f"**{what}** {how}")
            st.caption(_("50 MB a file. Pickles (.bin, .pt, .pkl) are never opened: reading one can run code."))
        return
    for one in brought:
        if one.place == "files":
            _file(one)
    if trouble:
        st.warning(f"{_('These files do not go together.')} {plain(trouble)}", icon=":material/error:")
    elif len(gathered.drafts) > 1:
        st.markdown(
            _("**{n} rows.** They are checked together below; what they share is said once.").format(
                n=f"{len(gathered.drafts):,}"
            )
        )


def told_of(one: Brought) -> str:
    """What was read of a file, in one line of Markdown."""
    found = one.found
    if found is None:
        return ""
    parts = [translated(SUBMIT_KINDS).get(found.kind, found.kind)]
    if found.drafts:
        parts.append(ngettext("{n} row", "{n} rows", len(found.drafts)))
    if found.predictions is not None:
        parts.append(ngettext("{n} prediction", "{n} predictions", len(found.predictions)))
    if found.curves is not None:
        parts.append(ngettext("{n} point of curves", "{n} points of curves", len(found.curves)))
    if found.params is not None:
        parts.append(
            _("{n} parameters ({short}) counted").format(n=f"{found.params:,}", short=formats.short(found.params))
        )
    return f"**{plain(one.name)}**: {', '.join(parts)}"


def unused(one: Brought) -> None:
    """Notes of a file, and what was seen in it and not used."""
    if one.found is None and one.columns and one.unmapped:
        st.warning(
            _(
                "{name}: say what its columns mean: at least the model or a figure of a run, or the id and "
                "the answer of predictions."
            ).format(name=plain(one.name)),
            icon=":material/table_chart:",
        )
        return
    if one.found is None:
        st.warning(
            f"{_('{name} was not read.').format(name=plain(one.name))} {plain(one.error)}", icon=":material/error:"
        )
        return
    for note in one.found.notes:
        st.caption(plain(note))
    if one.found.unknown:
        names = ", ".join(one.found.unknown[:_MOST_NAMES])
        more = len(one.found.unknown) - _MOST_NAMES
        st.caption(_("Seen and not used: {names}").format(names=plain(names) + (f" +{more}" if more > 0 else "")))


def _file(one: Brought) -> None:
    with st.container(border=True, gap="xsmall"):
        if one.found is not None:
            st.markdown(f":material/check: {told_of(one)}")
        unused(one)
        if one.columns:
            mapped = one.found is not None and not one.found.unknown
            with st.expander(_("What the columns mean"), expanded=not mapped, icon=":material/table_chart:"):
                _columns(one)


def _columns(one: Brought) -> None:
    """Mapping by example: each column with values from it, and what it means."""
    st.caption(_("Each column with values from your file. What is set to “Not used” is left out."))
    guessed = importers.guess(one.columns)
    for place, (column, examples) in enumerate(one.columns[:_MOST_COLUMNS]):
        key = files.map_key(one.file_id, place)
        own = f"training.{column[:60]}"
        offered = ["", *CLAIM, *(f"metrics.{name}" for name in METRICS), *PREDICTIONS, own]
        proposed = guessed.get(column, "")
        if key not in st.session_state:
            st.session_state[key] = proposed if proposed in offered else ""
        left, right = st.columns([3, 2], vertical_alignment="center", gap="small")
        with left:
            st.markdown(f"**{plain(column)}**  \n{plain(' · '.join(examples)) or _('(empty)')}")
        with right:
            st.selectbox(
                _("Meaning of {column}").format(column=plain(column)),
                offered,
                key=key,
                format_func=_meaning,
                label_visibility="collapsed",
                on_change=files.changed,
            )
    if len(one.columns) > _MOST_COLUMNS:
        st.caption(
            _("{n} more columns are taken as their names suggest.").format(n=f"{len(one.columns) - _MOST_COLUMNS:,}")
        )


def _meaning(field: str) -> str:
    """What a column may mean, in words."""
    group, _unused, rest = field.partition(".")
    if group == "metrics":
        return _("Figure: {name}").format(name=task_names.metric(rest).label)
    if group == "training":
        return _("Fact of the training")
    return translated(SUBMIT_MEANS_AS).get(field) or validation.label(field)


def small(place: str, label: str, told: str, brought: list[Brought]) -> None:
    """A place for one file beside the field that it fills.

    Args:
        place: Of ``files.PLACES``.
        label: Of the uploader.
        told: On hover.
        brought: Of ``files.brought``.
    """
    st.file_uploader(
        label, key=files.key(place), on_change=files.changed, help=told, max_upload_size=importers.LIMIT_BYTES // 2**20
    )
    for one in brought:
        if one.place == place:
            if one.found is not None:
                st.markdown(f":material/check: {told_of(one)}")
            unused(one)
            if one.columns and place == "answers":
                with st.expander(
                    _("What the columns mean"),
                    expanded=one.found is None or one.found.predictions is None,
                    key=f"{PREFIX}open_{one.file_id}",
                ):
                    _columns(one)
