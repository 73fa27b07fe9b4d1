"""How models answer: number format, when they rather say nothing, how many candidates are shown."""

from dataclasses import dataclass

import streamlit as st

from dashboard.ui import url_state as links
from dashboard.ui.i18n import _
from dashboard.ui.labels import HELP

PLAIN = "float32"
PRECISIONS = (PLAIN, "bfloat16", "int8")
MOST_BEST = 10
_BEST = 3


@dataclass(frozen=True)
class Settings:
    """What was chosen.

    Attributes:
        precision: A number format.
        threshold: Probability of "no answer" above which nothing is answered; None always answers.
        best: Candidates that are shown.
    """

    precision: str = PLAIN
    threshold: float | None = None
    best: int = _BEST

    def told(self) -> dict[str, str | None]:
        """For the address; None for what the plain address means."""
        return {
            "precision": None if self.precision == PLAIN else self.precision,
            "threshold": None if self.threshold is None else f"{self.threshold:.2f}",
            "best": None if self.best == _BEST else str(self.best),
        }


def choose() -> Settings:
    """The settings of questions, in one line that opens."""
    links.follow("precision", links.one_of(PRECISIONS), PLAIN)
    links.follow("threshold", _share, 1.0)
    links.follow("best", _number, _BEST)
    now = Settings(st.session_state["precision"], _limit(st.session_state["threshold"]), st.session_state["best"])
    with st.expander(
        _("Settings: {precision}, say nothing above: {threshold}, candidates: {best}").format(
            precision=now.precision, threshold=_told(now.threshold), best=now.best
        ),
        icon=":material/tune:",
    ):
        st.segmented_control(
            _("Number format"), list(PRECISIONS), key="precision", required=True, help=_(HELP["precision"])
        )
        st.slider(
            _("Say nothing where “no answer” is likelier than"),
            0.0,
            1.0,
            step=0.05,
            key="threshold",
            help=_(
                "At 1 the model always answers. A model that only learned from questions with an answer, as "
                "all of SQuAD 1.1 and KorQuAD 1.0 have one, knows little about when to say nothing."
            ),
        )
        st.slider(_("Candidates that are shown"), 1, MOST_BEST, key="best")
    return Settings(st.session_state["precision"], _limit(st.session_state["threshold"]), st.session_state["best"])


def precision() -> str:
    """The number format alone, for models that have no other setting."""
    links.follow("precision", links.one_of(PRECISIONS), PLAIN)
    return str(
        st.segmented_control(
            _("Number format"), list(PRECISIONS), key="precision", required=True, help=_(HELP["precision"])
        )
    )


def _limit(share: float) -> float | None:
    return None if share >= 1 else float(share)


def _told(threshold: float | None) -> str:
    return _("never") if threshold is None else f"{threshold:.0%}"


def _share(link: str) -> float | None:
    try:
        found = float(link)
    except ValueError:
        return None
    return round(found * 20) / 20 if 0 <= found <= 1 else None


def _number(link: str) -> int | None:
    return int(link) if link.isdecimal() and 1 <= int(link[:3]) <= MOST_BEST else None
