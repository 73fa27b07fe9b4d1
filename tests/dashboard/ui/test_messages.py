"""Every problem and flag of a submission has a sentence for the command line and in each language of the pages."""

import re
import string
from typing import Any

import pytest

from dashboard.ui import i18n, messages
from db.base.errors import FeatherboardError
from db.base.problems import Code, Flag, Message, Problem, RefusedError
from db.runs.detail import run_detail
from db.storage.store import Store
from engine.inference import models

_PARAMS: dict[str, Any] = {
    **dict.fromkeys(("length", "limit", "count", "position", "more", "row", "size"), 1234),
    **dict.fromkeys(("low", "high"), 0.5),
    "state": "waiting",
    "problem": Problem(Code.NOT_WHOLE, field="seed"),
}
"""What fills sentences, where it is not a text."""


def _fields(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def _message(code: Code) -> Message:
    return Message(code, {name: _PARAMS.get(name, "{x} text") for name in _fields(code.english) | {"file"}})


@pytest.mark.parametrize(
    ("raised", "shown"),
    [
        (
            "There is no database at /home/someone/data/b.duckdb. Make one.",
            "There is no database at b.duckdb. Make one.",
        ),
        ("'/srv/a b' and (/srv/models/x): no", "'a b' and (x): no"),
        (
            "https://example.org/a/b and 3/4 and runs/1/card.json",
            "https://example.org/a/b and 3/4 and runs/1/card.json",
        ),
    ],
)
def test_an_error_keeps_the_folders_of_the_server_to_itself(raised: str, shown: str) -> None:
    """Of an absolute path the last name is shown; addresses, fractions and relative paths are no such paths."""
    assert messages.error_text(FeatherboardError(raised)) == shown


@pytest.mark.parametrize("language", i18n.LANGUAGES)
@pytest.mark.parametrize("code", list(Code))
def test_every_code_has_a_wording(code: Code, language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pages need no more parameters than the command line, and a Korean visitor reads no English."""
    monkeypatch.setattr(i18n, "current_language", lambda: language)
    assert str(_message(code)).strip()
    sentence = messages.sentence(_message(code))
    assert sentence.strip()
    template = messages.WORDINGS[code]
    if language != i18n.DEFAULT and template.strip("{}abcdefghijklmnopqrstuvwxyz(), "):
        assert i18n._(template) != template


def test_a_problem_names_its_row_and_field() -> None:
    """Row and field come first; a flag is a sentence of its own."""
    assert str(Problem(Code.NOT_WHOLE, field="seed", draft=2)) == "row 2, seed: must be a whole number"
    assert str(Problem(Code.TOO_LONG, {"length": 5000, "limit": 60}, "model")) == (
        "model: has 5,000 characters; at most 60 are allowed"
    )
    assert str(Flag(Code.SAME_AS_RUN, {"run": "abc"})) == "Its predictions are exactly those of run abc."


def test_an_error_without_a_code_is_shown_as_it_was_raised() -> None:
    """One with a code is worded for the page."""
    assert messages.error_text(ValueError("plain")) == "plain"
    assert messages.error_text(RefusedError(Code.ALREADY_WAITING, submission="abc")).startswith("You have already sent")


def test_a_run_or_a_model_that_is_not_here_is_named_in_korean(board: Store) -> None:
    """The address of a page may name either; the command line keeps its English words."""
    for read, key in ((run_detail, "deadbeef"), (run_detail, "dead"), (models.named, "bar")):
        with pytest.raises(FeatherboardError, match=f"'{key}'") as refused:
            read(board, key)
        with i18n.speaking("ko"):
            shown = messages.error_text(refused.value)
        assert f"“{key}”" in shown
        assert re.search("[가-힣]", shown)
