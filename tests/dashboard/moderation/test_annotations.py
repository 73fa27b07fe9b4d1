"""Tags and notes of runs on the pages: everybody sees them, moderators alone change them."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from db import submissions
from db.runs import detail
from db.storage.store import Store
from tests.dashboard.page_driver import open_page, plainly, words_of
from tests.dashboard.run.test_page import open_run
from tests.dashboard.table_driver import open_menu, payload
from tests.dashboard.translation import worded
from tests.factories.drafts import MINI, TOKEN
from tests.factories.runs import add_run

NOTE = "Loss is odd at epoch 2.\n**손실** <b>이상</b>"


def _fields(app: AppTest) -> tuple[Any, Any]:
    """The fields of tags and note, in the menu that is open."""
    (tags,) = [field for field in app.multiselect if field.key.startswith("annotation tags")]
    (note,) = app.text_area
    return tags, note


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_visitor_sees_tags_and_note_and_cannot_change_them(board: Store, monkeypatch, lang: str) -> None:
    run_id = add_run(board, accuracy=0.8)
    submissions.annotate(board, run_id, add=["outlier"], note=NOTE)
    when = detail.run_detail(board, run_id).run["moderator_note_at"]
    app = open_run(board, monkeypatch, run_id, lang=lang)
    (note,) = [element.value.replace("\\", "") for element in app.info]
    head = worded(lang, "Note of a moderator, {when}").format(when=f"{when:%Y-%m-%d}")
    assert note == f"**{head}**  \nLoss is odd at epoch 2.  \n**손실** <b>이상</b>"
    assert "outlier" in words_of(app)
    app.session_state["annotations"] = True
    app.session_state["moderator token"] = TOKEN[:-1]
    app.run()
    assert not app.text_area


def test_a_moderator_changes_them_on_the_page_of_the_run(board: Store, monkeypatch) -> None:
    """What cannot be stored is said and stays written; what can is there at once, and the history below."""
    run_id = add_run(board, accuracy=0.8)
    submissions.annotate(board, run_id, add=["outlier"])
    app = open_run(board, monkeypatch, run_id)
    app.session_state["moderator token"] = TOKEN
    open_menu(app, "annotations")
    tags, note = _fields(app)
    tags.set_value(["-1"])
    note.set_value(NOTE)
    app.button(key="annotate").click().run()
    assert "cannot be used" in app.error[0].value
    assert _fields(app)[1].value == NOTE
    assert detail.run_detail(board, run_id).run["tags"] == ["outlier"]
    _fields(app)[0].set_value(["Needs-Rerun"])
    app.button(key="annotate").click().run()
    assert not app.exception
    run = detail.run_detail(board, run_id).run
    assert (run["tags"], run["moderator_note"]) == (["needs-rerun"], NOTE)
    assert _fields(app)[0].value == ["needs-rerun"]
    assert "Tags removed: outlier" in plainly(app)


def test_the_leaderboard_shows_tags_and_is_filtered_by_them(board: Store, monkeypatch) -> None:
    """Below the names; the filter is in the address, and a link with it opens the same rows."""
    tagged = add_run(board, accuracy=0.8)
    add_run(board, accuracy=0.7, name="Other", recipe_hash="other", dataset="other")
    submissions.annotate(board, tagged, add=["course-2026", "outlier"])
    app = open_page("leaderboard", board, monkeypatch, task=MINI)
    assert [row["tags"] for row in payload(app)["rows"]] == [["course-2026", "outlier"], []]
    open_menu(app, "filters").multiselect(key="tags").set_value(["outlier"]).run()
    assert [row["id"] for row in payload(app)["rows"]] == [tagged]
    assert app.query_params["tag"] == "outlier"
    app = open_page("leaderboard", board, monkeypatch, task=MINI, tag="course-2026")
    assert [row["id"] for row in payload(app)["rows"]] == [tagged]
    assert "course-2026" in [button.label.replace("\\", "") for button in app.button]
