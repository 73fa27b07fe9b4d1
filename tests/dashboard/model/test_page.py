"""The page of a model as a visitor uses it, driven without a browser."""

from db.runs.writer import MetricValue
from db.storage.store import Store
from tests.dashboard.overview.test_page import markup
from tests.dashboard.page_driver import open_page, words_of
from tests.factories.runs import add_twin


def test_a_model_shows_its_scores_peers_teachers_and_runs(board: Store, monkeypatch) -> None:
    """All that the boards say about one model is on its page, linked to runs, boards and teachers."""
    add_twin(board, accuracy=0.70, distilled=False, task_id="nsmc", split="test")
    add_twin(board, accuracy=0.75, distilled=True, task_id="nsmc", split="test", teacher="KoELECTRA-Base-v3")
    app = open_page("model", board, monkeypatch, name="DistilKoBiLSTM-16")
    assert app.title[0].value == "DistilKoBiLSTM\\-16"
    html = markup(app)
    assert "leaderboard?task=nsmc" in html
    assert "model?name=KoELECTRA-Base-v3" in html
    assert "75.00%" in html
    assert "@misc{featherboard-distilkobilstm-16-" in words_of(app)
    assert [button.proto.label for button in app.get("download_button")] == ["Model card"]


def test_a_printed_model_has_a_page_without_a_rank(board: Store, monkeypatch) -> None:
    """Where only a document names a score, the page says so."""
    add_twin(board, accuracy=0.70, distilled=False, task_id="nsmc", split="test")
    app = open_page("model", board, monkeypatch, name="KoELECTRA-Base-v3")
    assert "Printed rows are ranked on request" in markup(app)


def test_an_unknown_model_is_answered_with_names_like_it(board: Store, monkeypatch) -> None:
    """A misspelt link leads on, and so does an empty one."""
    app = open_page("model", board, monkeypatch, name="Koelectra base v3")
    assert app.title[0].value == "No model of this name"
    assert "Did you mean" in words_of(app)
    empty = open_page("model", board, monkeypatch)
    assert empty.title[0].value == "Choose a model"


def test_a_dated_link_says_its_date(board: Store, monkeypatch) -> None:
    """A day of the past shows what was there: nothing, before the database was made; a wrong date is today."""
    app = open_page("model", board, monkeypatch, name="KoELECTRA-Base-v3", at="2020-01-01")
    assert "As of 2020-01-01" in words_of(app)
    open_page("model", board, monkeypatch, name="KoELECTRA-Base-v3", at="yesterday")


def test_a_mini_corpus_does_not_change_what_the_model_costs(board: Store, monkeypatch) -> None:
    """Size and latency are those of the whole data set, where there is such a run."""
    for task, size in (("nsmc", 2_000_000.0), ("reviews-ko-mini", 1_000.0)):
        bytes_ = MetricValue("checkpoint_bytes", size)
        add_twin(board, bytes_, accuracy=0.70, distilled=False, task_id=task, dataset=task, split="test")
    html = markup(open_page("model", board, monkeypatch, name="KoBiLSTM-16"))
    assert "2 MB" in html
    assert "1 MB" not in html
