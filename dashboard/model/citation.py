"""How to cite the board and its models: BibTeX, and an address that shows scores as they were on a day."""

import re
from datetime import UTC, date, datetime, time

from dashboard.model.content import lead
from dashboard.ui.labels import APP
from db.leaderboard.models import Model

_LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_LATEX |= {sign: f"\\{sign}" for sign in "{}$&%#_"}


def end_of(day: str | None) -> datetime | None:
    """Return the last moment of a day in ISO form; None where the text is none, or of the future."""
    try:
        parsed = date.fromisoformat(day or "")
    except ValueError:
        return None
    return datetime.combine(parsed, time.max) if parsed <= datetime.now(UTC).date() else None


def bibtex(shown: Model, address: str, day: date) -> str:
    """Return a BibTeX entry of a model's scores on a day."""
    key = re.sub(r"[^a-z0-9]+", "-", shown.name.lower()).strip("-") or "model"
    return "\n".join(
        [
            f"@misc{{featherboard-{key}-{day:%Y-%m-%d},",
            f"  title        = {{{{{_escaped(shown.name)}}}: scores on {APP}}},",
            f"  howpublished = {{\\url{{{address}}}}},",
            f"  year         = {{{day:%Y}}},",
            f"  note         = {{{_escaped(lead(shown))} As of {day:%Y-%m-%d}}}",
            "}",
        ]
    )


def of_board(address: str, version: str, day: date) -> str:
    """Return a BibTeX entry of the whole board."""
    return "\n".join(
        [
            f"@misc{{featherboard-{day:%Y-%m-%d},",
            f"  title        = {{{{{APP}}}: small language models, compared by quality and cost}},",
            f"  howpublished = {{\\url{{{address}}}}},",
            f"  year         = {{{day:%Y}}},",
            f"  note         = {{Version {_escaped(version)}. Accessed {day:%Y-%m-%d}}}",
            "}",
        ]
    )


def _escaped(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in " ".join(text.split()))
