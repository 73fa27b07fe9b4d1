"""Settings of answers: precision, no-answer threshold, number of candidates."""

from dataclasses import dataclass

import streamlit as st

from dashboard.ui import url_state
from dashboard.ui.i18n import _
from dashboard.ui.labels import HELP

FLOAT32 = "float32"
PRECISIONS = (FLOAT32, "bfloat16", "int8")
MAX_CANDIDATES = 10
_CANDIDATES = 3


@dataclass(frozen=True)
class Settings:
    """The chosen settings; above the threshold for "no answer" none is given, and without one always."""

    precision: str = FLOAT32
    threshold: float | None = None
    candidates: int = _CANDIDATES

    def as_link(self) -> dict[str, str | None]:
        """Values for the address; None for what the plain address means."""
        return {
            "precision": None if self.precision == FLOAT32 else self.precision,
            "threshold": None if self.threshold is None else f"{self.threshold:.2f}",
            "best": None if self.candidates == _CANDIDATES else str(self.candidates),
        }


def draw() -> Settings:
    """Draw the settings of questions in an expander, and return them."""
    _follow_precision()
    url_state.follow("threshold", _share, 1.0)
    url_state.follow("best", _count, _CANDIDATES)
    settings = _current()
    threshold = _("off") if settings.threshold is None else f"{settings.threshold:.0%}"
    with st.expander(
        _("Settings: {precision}, no-answer threshold: {threshold}, candidates: {best}").format(
            precision=settings.precision, threshold=threshold, best=settings.candidates
        ),
        icon=":material/tune:",
    ):
        _precision_control()
        st.slider(
            _("No-answer threshold"),
            0.0,
            1.0,
            step=0.05,
            key="threshold",
            help=_(
                "At 1 the model always answers. SQuAD 1.1 and KorQuAD 1.0 have an answer to every question, so a "
                "model trained on them alone knows little about unanswerable ones."
            ),
        )
        st.slider(_("Candidates shown"), 1, MAX_CANDIDATES, key="best")
    return _current()


def _current() -> Settings:
    state = st.session_state
    threshold = None if state["threshold"] >= 1 else float(state["threshold"])
    return Settings(state["precision"], threshold, state["best"])


def draw_precision() -> str:
    """Draw the precision alone, for models without further settings, and return it."""
    _follow_precision()
    return _precision_control()


def _follow_precision() -> None:
    url_state.follow("precision", url_state.one_of(PRECISIONS), FLOAT32)


def _precision_control() -> str:
    name, explanation = _("Precision"), _(HELP["precision"])
    return str(st.segmented_control(name, list(PRECISIONS), key="precision", required=True, help=explanation))


def _share(link: str) -> float | None:
    try:
        share = float(link)
    except ValueError:
        return None
    return round(share * 20) / 20 if 0 <= share <= 1 else None


def _count(link: str) -> int | None:
    return int(link) if link.isdecimal() and 1 <= int(link[:3]) <= MAX_CANDIDATES else None
