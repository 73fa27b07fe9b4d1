"""The question of a visitor, in the session and in the address: a link opens the same texts, models and settings."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.playground import engine_bridge, rendering
from dashboard.ui import task_names, url_state
from dashboard.ui.i18n import N_, NP_, _, pgettext
from dashboard.ui.labels import CLASSES
from dashboard.ui.messages import error_text
from db.base.errors import FeatherboardError

if TYPE_CHECKING:
    from dashboard.playground.engine_bridge import TaskType

TABS = {
    "qa": N_("Questions"),
    "sentiment": N_("Sentiment"),
    "nli": N_("Natural language inference"),
    "text": N_("Text classification"),
    "blind": N_("Blind test"),
    "batch": NP_("try tabs", "Batch"),
    "lab": N_("Speed lab"),
}
FROM_CORPUS = N_(
    "From the mini corpus, written for Featherboard; no shipped model was trained on it. Correct: {answer}"
)
MISSING = {
    "qa": N_("Write a question and a text, or load an example."),
    "sentiment": N_("Write a review, or load an example."),
    "nli": N_("Write a premise and a hypothesis, or load an example."),
    "text": N_("Write a text, or load an example."),
}
TAB, MODELS, SAMPLE = "tab", "models", "ex"
TEXTS: "dict[TaskType, int]" = {"qa": 2, "sentiment": 1, "nli": 2, "text": 1}
"""Number of texts: question and context; a review; premise and hypothesis; a text."""

MAX_MODELS = 4
MAX_LINK_CHARS = 1000
"""Characters of a text in a link; the link of a longer text opens with its field empty."""


@dataclass(frozen=True)
class Question:
    """The texts that were submitted last.

    Attributes:
        texts: In the order of their fields.
        sample: The key of the example they are; None where the visitor wrote or changed them.
    """

    texts: tuple[str, ...]
    sample: str | None = None

    @property
    def empty(self) -> bool:
        """Whether a text is missing."""
        return not all(text.strip() for text in self.texts)


def label_name(label: str) -> str:
    """What a visitor sees of a label."""
    return _(CLASSES[label]).capitalize() if label in CLASSES else task_names.label(label)


def key(task: str, name: str) -> str:
    """Return the session's name of a widget or a value of a tab."""
    return f"pg_{task}_{name}"


def is_new_link(task: "TaskType") -> bool:
    """Whether the address differs from what this tab wrote itself, and holds more than the name of a tab."""
    link = _link()
    return link != st.session_state.get(key(task, "link")) and not set(link) <= {TAB}


def _link() -> dict[str, str]:
    return {name: value for name, value in st.query_params.items() if name != "lang"}


def current(task: "TaskType") -> Question:
    """Return the question: of a new link, else of the session, else the first example.

    Called before any widget is drawn.
    """
    link = _link()
    question = st.session_state.get(key(task, "asked"))
    if isinstance(question, Question) and not is_new_link(task):
        return question
    question = _from_link(task, link)
    st.session_state[key(task, "asked")] = question
    _fill(task, question.texts)
    chosen = [model for model in link.get(MODELS, "").split(",") if model]
    if chosen or key(task, "models") not in st.session_state:
        st.session_state[key(task, "models")] = _available(task, chosen)
    return question


def _available(task: "TaskType", keys: Sequence[str]) -> list[str]:
    """Return the models of a link that exist; the default ones where none does."""
    available = []
    for model in dict.fromkeys(keys):
        try:
            if engine_bridge.named(model).reads == task:
                available.append(model)
        except FeatherboardError as error:
            st.session_state[key(task, "unknown")] = error_text(error)
    return available[:MAX_MODELS] or engine_bridge.defaults(task)


def _from_link(task: "TaskType", link: Mapping[str, str]) -> Question:
    numbers = range(1, TEXTS[task] + 1)
    # Links of earlier versions hold the id of a long text under "k1" or "k2"; those texts are no longer stored.
    if any(f"{kind}{number}" in link for kind in "tk" for number in numbers):
        return Question(tuple(link.get(f"t{number}", "") for number in numbers))
    sample = engine_bridge.sample(task, link.get(SAMPLE)) or engine_bridge.samples(task)[0]
    return Question(sample.texts, sample.key)


def _fill(task: "TaskType", texts: Sequence[str]) -> None:
    for number, text in enumerate(texts, start=1):
        st.session_state[key(task, f"t{number}")] = text


def submit(task: "TaskType") -> None:
    """Take the question from the fields; for callbacks."""
    take(task, tuple(str(st.session_state.get(key(task, f"t{n}"), "")) for n in range(1, TEXTS[task] + 1)))


def ask_button(task: "TaskType", button: Callable[..., bool] = st.button) -> None:
    """Draw the button that takes the texts of the fields as the question.

    ``button`` is ``st.form_submit_button`` where the fields are a form.
    """
    button(_("Ask"), key=key(task, "ask"), type="primary", icon=":material/search:", on_click=submit, args=(task,))


def draw_edited(task: "TaskType", question: Question) -> None:
    """Say that the answers below belong to the former texts, while a field is edited."""
    fields = [(key(task, f"t{number}"), text) for number, text in enumerate(question.texts, start=1)]
    warning = _("These answers belong to the text before your edit. Ask again.")
    rendering.mount(key(task, "edited"), [rendering.edited(warning, fields)])


def take(task: "TaskType", texts: tuple[str, ...]) -> None:
    """Take texts as the question and put them into the fields; for callbacks."""
    _fill(task, texts)
    same = next((sample.key for sample in engine_bridge.samples(task) if sample.texts == texts), None)
    st.session_state[key(task, "asked")] = Question(texts, same)


def draw_examples(task: "TaskType", limit: int | None = 80) -> None:
    """Draw the menu of examples, ``limit`` characters of each; the one that is chosen becomes the question."""

    def label(code: str) -> str:
        return f"{samples[code].language.upper()}  {samples[code].texts[0][:limit]}"

    samples = {sample.key: sample for sample in engine_bridge.samples(task)}
    st.selectbox(
        pgettext("try sample", "Examples"),
        list(samples),
        key=key(task, "sample"),
        index=None,
        placeholder=_("Load an example"),
        format_func=label,
        on_change=_take_example,
        args=(task,),
    )


def _take_example(task: "TaskType") -> None:
    sample = engine_bridge.sample(task, st.session_state.get(key(task, "sample")))
    if sample is not None:
        take(task, sample.texts)
        st.session_state[key(task, "sample")] = None


def write(task: "TaskType", question: Question, models: Sequence[str], settings: Mapping[str, str | None]) -> None:
    """Write what is shown into the address, once all of it is drawn.

    Of the settings, None stands for the value that the plain address means.
    """
    link: dict[str, str] = {} if task == "qa" else {TAB: task}
    if list(models) != engine_bridge.defaults(task):
        link[MODELS] = ",".join(models)
    if question.sample is None:
        link |= {f"t{n}": _linked(text) for n, text in enumerate(question.texts, start=1) if text}
    elif question.sample != engine_bridge.samples(task)[0].key:
        link[SAMPLE] = question.sample
    link |= {name: value for name, value in settings.items() if value is not None}
    open_tab(link)
    st.session_state[key(task, "link")] = link
    for name, value in settings.items():
        st.session_state[f"{name} link"] = value  # the address holds what the visitor chose; see url_state.follow
    if any(len(text) > MAX_LINK_CHARS for text in question.texts):
        limit = f"{MAX_LINK_CHARS:,}"
        st.caption(
            _("A text of more than {limit} characters is not part of the link to this page.").format(limit=limit)
        )


def _linked(text: str) -> str:
    return text if len(text) <= MAX_LINK_CHARS else ""


def open_tab(link: Mapping[str, str]) -> None:
    """Replace the address, keeping the language."""
    url_state.write_all({name: [value] for name, value in link.items()})
