"""Views that somebody keeps by name."""

import pytest

from db.base.errors import NotFoundError
from db.leaderboard import saved_views
from db.leaderboard.saved_views import SavedView, ViewError
from db.storage.store import Store

PAGE = "leaderboard"


def test_what_is_kept_is_there_until_it_is_deleted(board: Store) -> None:
    """By name, each page its own; the same name stands for what was kept last."""
    saved_views.save(board, PAGE, "  작은 모델 🙂 ", "task=nsmc&bytes=..1000000")
    saved_views.save(board, PAGE, "Best", "a=1")
    saved_views.save(board, "compare", "Best", "a=2")
    assert saved_views.save(board, PAGE, "Best", "a=3") == SavedView("Best", "a=3")
    small = SavedView("작은 모델 🙂", "task=nsmc&bytes=..1000000")
    assert saved_views.saved(board, PAGE) == [SavedView("Best", "a=3"), small]
    saved_views.delete(board, PAGE, "Best")
    assert [view.name for view in saved_views.saved(board, PAGE)] == ["작은 모델 🙂"]
    assert saved_views.saved(board, "compare") == [SavedView("Best", "a=2")]


def test_one_name_in_two_normal_forms_is_one(board: Store) -> None:
    """Hangul typed on a Mac is the same name."""
    saved_views.save(board, PAGE, "\u1100\u1161", "a=1")
    saved_views.save(board, PAGE, "가", "a=2")
    assert saved_views.saved(board, PAGE) == [SavedView("가", "a=2")]


@pytest.mark.parametrize(
    ("name", "query", "message"),
    [
        ("", "a", "needs a name"),
        (" \t\n", "a", "needs a name"),
        ("x" * 81, "a", "81 characters"),
        ("two\nlines", "a", "line breaks"),
        ("null\x00", "a", "control characters"),
        ("fine", "q=" + "x" * 4000, "more filters"),
    ],
)
def test_what_cannot_be_kept_is_told_and_nothing_is(board: Store, name: str, query: str, message: str) -> None:
    """In words for people."""
    with pytest.raises(ViewError, match=message):
        saved_views.save(board, PAGE, name, query)
    assert saved_views.saved(board, PAGE) == []


def test_a_name_is_data(board: Store) -> None:
    """Quotes, markup and SQL are characters."""
    names = ["'; DROP TABLE views; --", "<b>x</b>", "**bold** $x$", "x" * 80]
    for name in names:
        saved_views.save(board, PAGE, name, "a")
    assert sorted(view.name for view in saved_views.saved(board, PAGE)) == sorted(names)


def test_a_view_that_is_gone_cannot_be_deleted_again(board: Store) -> None:
    """Somebody else was faster: that is told."""
    with pytest.raises(NotFoundError, match="no view 'gone'"):
        saved_views.delete(board, PAGE, "gone")
