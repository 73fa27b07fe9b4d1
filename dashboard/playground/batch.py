"""The tab of many questions: a file, answered by several models, scored where it holds the answers, and downloaded."""

import hashlib
import json
from typing import TYPE_CHECKING, Any

import streamlit as st

from dashboard.playground import engine_bridge, models, settings, state
from dashboard.ui import export, task_names
from dashboard.ui.i18n import N_, _
from dashboard.ui.markdown import plain, table
from db.base.errors import FeatherboardError
from db.registry import formats, tasks

if TYPE_CHECKING:
    from dashboard.playground.engine_bridge import ModelRef
    from dashboard.playground.settings import Settings
    from engine.inference.batch import Batch, Question

LANGUAGES = {"en": N_("English"), "ko": N_("Korean")}
_FILE, _RESULT, _CANCELLED = "pg_file", "pg_batch", "pg_cancelled"
_CORPORA = {"en": "qa_en", "ko": "qa_ko"}
_MAX_CONTEXT_CHARS = 300
"""Characters of a text in the table."""


def draw() -> None:
    """Draw the tab."""
    models.choose_fetched()
    question = state.current("qa")
    left, right = st.columns([5, 7], gap="large")
    with left:
        _draw_upload()
        chosen = models.choose("qa")
        options = settings.draw()
        models.draw_other("qa")
    with right:
        questions = _questions()
        if questions is not None and chosen:
            _draw_answers(questions, chosen, options)
        elif questions is None and _FILE not in st.session_state:
            st.info(_("Upload a file, or try the test questions of the mini corpus."), icon=":material/upload_file:")
        if not chosen:
            models.draw_none_chosen()
    state.write("qa", question, [ref.key for ref in chosen], {state.TAB: "batch", **options.as_link()})


def _draw_upload() -> None:
    upload = st.file_uploader(
        _("Questions: CSV, JSON lines or Parquet with the columns question and context, or SQuAD JSON"),
        type=["csv", "json", "jsonl", "parquet"],
        key="pg_upload",
    )
    if upload is not None:
        st.session_state[_FILE] = (upload.name, upload.getvalue())
    limits = _(
        "Answers are scored where the file has a column answer, or answers in SQuAD's form. At most {most} "
        "questions; for more, `featherboard ask --input FILE --output FILE`."
    )
    st.caption(limits.format(most=f"{engine_bridge.inference('batch').MAX_QUESTIONS:,}"))
    with st.container(horizontal=True):
        for language, corpus in _CORPORA.items():
            st.button(
                f"{_('Use the mini corpus')}: {_(LANGUAGES[language])}",
                key=f"pg_corpus_{language}",
                on_click=_use_corpus,
                args=(corpus,),
                icon=":material/dataset:",
            )


def _use_corpus(corpus: str) -> None:
    content = (tasks.corpus_folder(corpus) / "test.json").read_bytes()
    st.session_state[_FILE] = (f"{corpus}.json", content)


def _questions() -> "list[Question] | None":
    """Return the questions of the file; draw the error where it cannot be read."""
    if _FILE not in st.session_state:
        return None
    name, content = st.session_state[_FILE]
    try:
        questions: list[Question] = engine_bridge.inference("batch").read(name, content)
    except FeatherboardError as error:
        st.error(plain(error), icon=":material/error:")
        return None
    known = sum(bool(question.answers) for question in questions)
    summary = _("{name}: {n} questions, {known} with known answers.")
    st.markdown(summary.format(name=plain(name), n=f"{len(questions):,}", known=f"{known:,}"))
    return questions


def _draw_answers(questions: "list[Question]", chosen: "list[ModelRef]", options: "Settings") -> None:
    name, content = st.session_state[_FILE]
    inputs = (hashlib.sha256(content).hexdigest(), [ref.key for ref in chosen], options.precision, options.threshold)
    if st.button(_("Answer all"), icon=":material/play_arrow:", key="pg_run"):
        title = _("Answering")
        bar, cancel = st.progress(0.0, title), st.empty()
        # A click draws the page again, which ends this run at its next progress.
        cancel.button(_("Cancel"), key="pg_cancel", icon=":material/stop_circle:", on_click=_cancelled)
        batch, predictor = engine_bridge.inference("batch"), engine_bridge.predictor()
        try:
            loaded = [predictor.load(ref.key, options.precision) for ref in chosen]
            result = batch.answer(
                predictor.executor,
                loaded,
                questions,
                threshold=options.threshold,
                progress=lambda share: bar.progress(share, title),
            )
        except FeatherboardError as error:
            st.error(plain(error), icon=":material/error:")
            return
        finally:
            bar.empty()
            cancel.empty()
        columns = {model.ref.key: batch.column(model, loaded) for model in loaded}
        st.session_state[_RESULT] = (inputs, name, result, columns)
    if st.session_state.pop(_CANCELLED, False):
        st.info(_("Cancelled. The answers of this run were not kept."), icon=":material/stop_circle:")
    if _RESULT in st.session_state:
        answered, answered_name, result, columns = st.session_state[_RESULT]
        if answered != inputs:
            changed = _("File, models or settings have changed since these answers: answer again.")
            st.warning(changed, icon=":material/history:")
        _draw_result(answered_name, result, columns)


def _cancelled() -> None:
    st.session_state[_CANCELLED] = True


def _draw_result(name: str, result: "Batch", columns: dict[str, str]) -> None:
    if result.scores:
        rows = [
            {
                _("Model"): plain(columns[key]),
                **{task_names.metric(score.name).label: _score(score) for score in scores},
            }
            for key, scores in result.scores.items()
        ]
        table(rows, _("Scores over the questions whose answers are known"))
    warning = _("{name}: {n} questions are in a language that the model was not trained on; their answers are guesses.")
    for key, count in result.guessed.items():
        if count:
            st.warning(warning.format(name=plain(columns[key]), n=count), icon=":material/translate:")
    answers = [column for column in result.rows if column not in {"id", "question", "context"}]
    context = result.rows["context"].str.slice(0, _MAX_CONTEXT_CHARS)
    shown = result.rows.assign(context=context)[["id", "question", *answers, "context"]]
    shares = {
        column: st.column_config.NumberColumn(format="percent")
        for column in shown
        if str(column).endswith((" probability", " no answer"))
    }
    st.dataframe(shown, hide_index=True, height=380, column_config=shares)
    stem = name.rpartition(".")[0] or name
    json_type = "application/json"
    files: list[tuple[str, Any, str, str]] = [
        ("CSV", lambda: export.csv(result.rows), f"{stem}-answers.csv", "text/csv"),
        ("JSON", lambda: export.as_json(result.rows), f"{stem}-answers.json", json_type),
    ]
    for key, column in columns.items():
        label = plain(_("{name}: answers for the official scorer").format(name=column))
        files.append((label, _official(result, column), f"{stem}-{key[:20]}.json".replace("/", "-"), json_type))
    with st.container(horizontal=True):
        for number, (label, content, file, mime) in enumerate(files):
            st.download_button(
                label, content, file, mime, key=f"pg_save_{number}", icon=":material/download:", on_click="ignore"
            )


def _score(score: Any) -> str:
    value, low, high = (
        formats.value(task_names.metric(score.name), number) for number in (score.value, score.low, score.high)
    )
    return _("{value} ({low} to {high})").format(value=value, low=low, high=high)


def _official(result: "Batch", column: str) -> bytes:
    """Return ``{id: answer}``, as the official scorers read it."""
    answers = dict(zip(result.rows["id"], result.rows[column], strict=True))
    return json.dumps(answers, ensure_ascii=False, indent=1).encode()
