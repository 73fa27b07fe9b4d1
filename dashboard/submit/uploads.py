"""The first step: files, what was read of them, and what their columns mean."""

from collections import Counter

import streamlit as st

from dashboard.submit import files, validation
from dashboard.submit.files import Brought
from dashboard.submit.form_state import PREFIX
from dashboard.ui import task_names
from dashboard.ui.i18n import N_, NP_, _, ngettext, translated
from dashboard.ui.markdown import plain
from db import importers
from db.importers import ImportedFile
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
        N_(
            "results of lm-evaluation-harness (JSON), runs of MLflow (JSON, CSV, mlflow.db), W&B summary, settings "
            "and history (wandb-summary.json, config.yaml, CSV)"
        ),
    ),
    "tables": (
        N_("Tables"),
        N_(
            "your results, one row a run, or predictions, one row an example: CSV, TSV, JSON, JSON "
            "Lines, Parquet, XLSX; you say what each column means"
        ),
    ),
    "weights": (
        N_("Parameters"),
        N_("a safetensors file, config.json or card.json: counted, the weights are not read into memory"),
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
    "benchmark": N_("results of a benchmark"),
    "mlflow": N_("run of MLflow"),
    "wandb": N_("run of W&B"),
    "predictions": N_("predictions"),
    "table": N_("table"),
    "bundle": N_("bundle of a board"),
    "safetensors": N_("safetensors"),
    "onnx": N_("ONNX model"),
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
    """Draw the step."""
    st.file_uploader(
        _("Files of the run"),
        accept_multiple_files=True,
        key=files.key("files"),
        on_change=files.changed,
        max_upload_size=importers.LIMIT_BYTES // 2**20,
    )
    if not brought:
        st.caption(_("One or several; they fill the form below. Without a file, begin with the details."))
        with st.expander(_("What can be read"), icon=":material/description:"):
            for what, how in translated(SUBMIT_FORMAT).values():
                st.markdown(f"**{what}** {how}")
            st.caption(_("50 MB a file. Pickles (.bin, .pt, .pkl) are never opened: reading one can run code."))
        return
    for file in brought:
        if file.uploader == "files":
            _file(file)
    if trouble:
        st.warning(f"{_('These files do not go together.')} {plain(trouble)}", icon=":material/error:")
    elif len(gathered.drafts) > 1:
        st.markdown(
            _("**{n} rows.** They are checked together below; what they share is said once.").format(
                n=f"{len(gathered.drafts):,}"
            )
        )
    if gathered.left_out:
        tasks = (
            f"{plain(task)} ({ngettext('{n} row', '{n} rows', rows)})"
            for task, rows in Counter(gathered.left_out).most_common(_MOST_NAMES)
        )
        st.caption(_("Left out, because there is no board for their task: {tasks}").format(tasks=", ".join(tasks)))


def _summary(name: str, imported: ImportedFile) -> str:
    """What was read of a file, in one line of Markdown."""
    parts = [translated(SUBMIT_KINDS).get(imported.kind, imported.kind)]
    if imported.drafts:
        parts.append(ngettext("{n} row", "{n} rows", len(imported.drafts)))
    if imported.predictions is not None:
        parts.append(ngettext("{n} prediction", "{n} predictions", len(imported.predictions)))
    if imported.curves is not None:
        parts.append(ngettext("{n} point of curves", "{n} points of curves", len(imported.curves)))
    if imported.params is not None:
        parts.append(
            _("{n} parameters ({short}) counted").format(n=f"{imported.params:,}", short=formats.short(imported.params))
        )
    return f"**{plain(name)}**: {', '.join(parts)}"


def _draw_read(file: Brought) -> None:
    """Draw what was read of a file, its notes, and what was seen in it and not used; or why it was not read."""
    imported = file.imported
    if imported is None and file.columns and file.unmapped:
        st.warning(
            _(
                "{name}: say what its columns mean: at least the model or a figure of a run, or the id and "
                "the answer of predictions."
            ).format(name=plain(file.name)),
            icon=":material/table_chart:",
        )
        return
    if imported is None:
        st.warning(
            f"{_('{name} was not read.').format(name=plain(file.name))} {plain(file.error)}", icon=":material/error:"
        )
        return
    st.markdown(f":material/check: {_summary(file.name, imported)}")
    for note in imported.notes:
        st.caption(plain(note))
    if imported.unknown:
        names = ", ".join(imported.unknown[:_MOST_NAMES])
        more = len(imported.unknown) - _MOST_NAMES
        st.caption(_("Seen and not used: {names}").format(names=plain(names) + (f" +{more}" if more > 0 else "")))


def _file(file: Brought) -> None:
    with st.container(border=True, gap="xsmall"):
        _draw_read(file)
        if file.columns:
            mapped = file.imported is not None and not file.imported.unknown
            with st.expander(_("What the columns mean"), expanded=not mapped, icon=":material/table_chart:"):
                _columns(file)


def _columns(file: Brought) -> None:
    """Mapping by example: each column with values from it, and what it means."""
    st.caption(_("Each column with values from your file. What is set to “Not used” is left out."))
    guessed = importers.guess(file.columns)
    for index, (column, examples) in enumerate(file.columns[:_MOST_COLUMNS]):
        key = files.map_key(file.file_id, index)
        own = f"training.{column[:60]}"
        offered = ["", *CLAIM, *(f"metrics.{name}" for name in METRICS), *PREDICTIONS, own]
        proposed = guessed.get(column, "")
        if key not in st.session_state:
            st.session_state[key] = proposed if proposed in offered else ""
        left, right = st.columns([3, 2], vertical_alignment="center")
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
    if len(file.columns) > _MOST_COLUMNS:
        st.caption(
            _("{n} more columns are taken as their names suggest.").format(n=f"{len(file.columns) - _MOST_COLUMNS:,}")
        )


def _meaning(field: str) -> str:
    """What a column may mean, in words."""
    group, _unused, rest = field.partition(".")
    if group == "metrics":
        return _("Figure: {name}").format(name=task_names.metric(rest).label)
    if group == "training":
        return _("Hyperparameter")
    return translated(SUBMIT_MEANS_AS).get(field) or validation.label(field)


def small(uploader: str, label: str, brought: list[Brought]) -> None:
    """A place for one file beside the field that it fills."""
    st.file_uploader(
        label, key=files.key(uploader), on_change=files.changed, max_upload_size=importers.LIMIT_BYTES // 2**20
    )
    for file in brought:
        if file.uploader == uploader:
            _draw_read(file)
            if file.columns and uploader == "answers":
                with st.expander(
                    _("What the columns mean"),
                    expanded=file.imported is None or file.imported.predictions is None,
                    key=f"{PREFIX}open_{file.file_id}",
                ):
                    _columns(file)
