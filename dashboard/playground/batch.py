"""The tab of many questions: a file, answered by several models, scored where it tells the answers, and given back."""

import hashlib
import json
from typing import TYPE_CHECKING, Any

import streamlit as st

from dashboard.playground import engine_bridge, models, settings, state
from dashboard.ui import export, task_names
from dashboard.ui.i18n import N_, _
from dashboard.ui.markdown import plain
from db.base.errors import FeatherboardError
from db.registry import formats, tasks

TRY_FILE_LANGUAGE = {"en": N_("English"), "ko": N_("Korean")}

if TYPE_CHECKING:
    from dashboard.playground.engine_bridge import ModelRef
    from dashboard.playground.settings import Settings
    from engine.inference.batch import Batch, Question

_FILE, _DONE = "pg_file", "pg_batch"
_CORPORA = {"en": "qa_en", "ko": "qa_ko"}
_PREVIEW = 300
"""Characters of a text in the table."""


def draw() -> None:
    """Draw the tab."""
    models.later()
    asked = state.settle("qa")
    left, right = st.columns([5, 7], gap="large")
    with left:
        _bring()
        chosen = models.choose("qa")
        wished = settings.choose()
        models.add("qa")
    with right:
        questions = _questions()
        if questions is not None and chosen:
            _answer(questions, chosen, wished)
        elif questions is None and _FILE not in st.session_state:
            st.info(
                _("Bring a file, or look at how one goes: the test questions of the mini corpus."),
                icon=":material/upload_file:",
            )
        if not chosen:
            st.info(_("Choose at least one model."), icon=":material/model_training:")
    state.write("qa", asked, [one.key for one in chosen], {state.TAB: "batch", **wished.told()})


def _bring() -> None:
    brought = st.file_uploader(
        _("Questions: CSV, JSON lines or Parquet with the columns question and context, or SQuAD JSON"),
        type=["csv", "json", "jsonl", "parquet"],
        key="pg_upload",
    )
    if brought is not None:
        st.session_state[_FILE] = (brought.name, brought.getvalue())
    st.caption(
        _(
            "With a column answer, or answers as SQuAD has them, the answers are scored. At most {most} "
            "questions; for more, `featherboard ask --input FILE --output FILE`."
        ).format(most=f"{engine_bridge.batch().MAX_QUESTIONS:,}")
    )
    with st.container(horizontal=True, gap="small"):
        for language, corpus in _CORPORA.items():
            st.button(
                f"{_('Take the mini corpus')}: {_(TRY_FILE_LANGUAGE[language])}",
                key=f"pg_corpus_{language}",
                on_click=_take,
                args=(corpus,),
                icon=":material/dataset:",
            )


def _take(corpus: str) -> None:
    content = (tasks.corpus_folder(corpus) / "test.json").read_bytes()
    st.session_state[_FILE] = (f"{corpus}.json", content)


def _questions() -> "list[Question] | None":
    """The questions of the file; what is wrong with it is told."""
    if _FILE not in st.session_state:
        return None
    name, content = st.session_state[_FILE]
    try:
        found: list[Question] = engine_bridge.batch().read(name, content)
    except FeatherboardError as error:
        st.error(plain(error), icon=":material/error:")
        return None
    known = sum(bool(one.answers) for one in found)
    st.markdown(
        _("{name}: {n} questions, {known} with known answers.").format(
            name=plain(name), n=f"{len(found):,}", known=f"{known:,}"
        )
    )
    return found


def _answer(questions: "list[Question]", chosen: "list[ModelRef]", wished: "Settings") -> None:
    name, content = st.session_state[_FILE]
    facts = (hashlib.sha256(content).hexdigest(), tuple(one.key for one in chosen), wished.precision, wished.threshold)
    if st.button(_("Answer all"), icon=":material/play_arrow:", key="pg_run"):
        bar = st.progress(0.0, _("Answering"))
        try:
            predictor = engine_bridge.predictor()
            held = [predictor.load(one.key, wished.precision) for one in chosen]
            found = engine_bridge.batch().answer(
                predictor.executor,
                held,
                questions,
                threshold=wished.threshold,
                progress=lambda share: bar.progress(share, _("Answering")),
            )
        except FeatherboardError as error:
            st.error(plain(error), icon=":material/error:")
            return
        finally:
            bar.empty()
        columns = {one.ref.key: engine_bridge.batch().column(one, held) for one in held}
        st.session_state[_DONE] = (facts, name, found, columns)
    if _DONE in st.session_state:
        done, called, found, columns = st.session_state[_DONE]
        if done != facts:
            st.warning(
                _("File, models or settings have changed since these answers: answer again."), icon=":material/history:"
            )
        _show(called, found, columns)


def _show(name: str, found: "Batch", columns: dict[str, str]) -> None:
    if found.scores:
        rows = [
            {_("Model"): plain(columns[key]), **{task_names.metric(one.name).label: _score(one) for one in figures}}
            for key, figures in found.scores.items()
        ]
        st.table(rows, border="horizontal", hide_index=True, alt=_("Scores over the questions whose answers are known"))
    for key, count in found.guessed.items():
        if count:
            st.warning(
                _(
                    "{name}: {n} questions are in another language than the model learned; their answers are guesses."
                ).format(name=plain(columns[key]), n=count),
                icon=":material/translate:",
            )
    first = [
        "question",
        *(one for one in found.rows if one not in {"id", "question", "context"}),
    ]  # answers before texts
    shown = found.rows.assign(context=found.rows["context"].str.slice(0, _PREVIEW))[["id", *first, "context"]]
    shares = {
        column: st.column_config.NumberColumn(format="percent")
        for column in shown
        if str(column).endswith((" probability", " no answer"))
    }
    st.dataframe(shown, hide_index=True, width="stretch", height=380, column_config=shares)
    stem = name.rpartition(".")[0] or name
    with st.container(horizontal=True, gap="small"):
        st.download_button(
            "CSV",
            lambda: export.csv(found.rows),
            f"{stem}-answers.csv",
            "text/csv",
            icon=":material/download:",
            on_click="ignore",
        )
        st.download_button(
            "JSON",
            lambda: export.as_json(found.rows),
            f"{stem}-answers.json",
            "application/json",
            icon=":material/download:",
            on_click="ignore",
        )
        for key, column in columns.items():
            st.download_button(
                plain(_("{name}: answers for the official scorer").format(name=column)),
                _official(found, column),
                f"{stem}-{key[:20]}.json".replace("/", "-"),
                "application/json",
                key=f"pg_save_{key}",
                icon=":material/download:",
                on_click="ignore",
            )


def _score(one: Any) -> str:
    metric = task_names.metric(one.name)
    return _("{value} ({low} to {high})").format(
        value=formats.value(metric, one.value), low=formats.value(metric, one.low), high=formats.value(metric, one.high)
    )


def _official(found: "Batch", column: str) -> bytes:
    """``{id: answer}``, as the official scorers read it."""
    said = dict(zip(found.rows["id"], found.rows[column], strict=True))
    return json.dumps(said, ensure_ascii=False, indent=1).encode()
