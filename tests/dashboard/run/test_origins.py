"""Runs of every origin have a page: measured, reported, with an ensemble, with texts from outside, and none at all."""

import json

import pytest

from db.runs.writer import RunWriter
from tests.dashboard.page_driver import open_page, words_of
from tests.factories.runs import add_run, leaderboard


def test_a_measured_run_shows_everything(board, monkeypatch):
    """Score with interval, parameters, curves, confusion, device and the command that reproduces it."""
    run_id = add_run(board, accuracy=0.6)
    app = open_page("run", board, monkeypatch, run=run_id)
    words = words_of(app)
    assert "featherboard train kobilstm-tiny --seed 0" in words
    tiles = {metric.label: metric.value for metric in app.metric}
    assert tiles["Accuracy"] == "60.00%"
    assert tiles["Parameters"] == "27,394"
    assert tiles["Size on disk"] == "–"
    assert len(app.get("plotly_chart")) == 4


def test_pretraining_and_the_members_of_an_ensemble_have_their_curves(board, monkeypatch):
    """A pretraining's loss has a figure of its own, and a member's curve stands in the figure of its kind."""
    run_id = add_run(board, accuracy=0.6)
    writer = RunWriter(board, run_id)
    writer.point("pretrain_loss", 1, 4.2, epoch=1.0, wall_time=1.0)
    writer.point("bilstm/1 train_loss", 1, 0.7, epoch=1.0, wall_time=1.0)
    writer.beat(force=True)
    app = open_page("run", board, monkeypatch, run=run_id)
    shown = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    names = [[trace.get("name") for trace in chart["data"]] for chart in shown]
    assert any({"Training loss", "bilstm/1 Training loss", "Validation loss"} == set(some) for some in names), names
    assert ["Pretraining loss"] in names


def test_a_reported_run_shows_its_citation_and_its_contradiction(board, monkeypatch):
    """The caveat stands beside the figure; the document is a title with its link, its file a fact further down."""
    rows = leaderboard(board, "nsmc")
    printed = rows[(rows["name"] == "DistilKoBiLSTM-Mini") & rows["citation"].str.startswith("000")]
    run_id = printed["run_id"].iloc[0]
    app = open_page("run", board, monkeypatch, run=run_id)
    assert any("change places" in warning.value for warning in app.warning)
    facts = app.table[0].value.to_numpy().tolist()
    assert facts[0][1].endswith("](https://github.com/gyunggyung/DistilKoBiLSTM)")
    assert ["Cited\N{NO-BREAK SPACE}file", "000\\_06aba4b165819136\\.txt"] in facts


@pytest.mark.parametrize("kind", ["task_id", pytest.param("task_id, model_id", marks=pytest.mark.slow)])
def test_every_reported_run_opens(board, monkeypatch, kind):
    """No printed row breaks the page: one of each task, and in the slow tests one of each model too."""
    ids = board.query(f"SELECT min(run_id) AS run_id FROM runs GROUP BY {kind}")["run_id"]
    assert len(ids)
    for run_id in ids:
        open_page("run", board, monkeypatch, run=run_id)


@pytest.mark.parametrize(
    "name", ["<script>alert(1)</script> **bold** [x](http://y) $a$ :red[x] `c`", "한국어 عربى 🙂 " * 20, "x" * 10_000]
)
def test_text_from_outside_is_shown_as_text(board, monkeypatch, name):
    """A model's name is never read as Markdown, HTML or a formula."""
    run_id = add_run(board, accuracy=0.6, name=name)
    app = open_page("run", board, monkeypatch, run=run_id)
    for special in ("<script>", "**bold**", "[x](", "$a$", ":red[", "`c`"):
        assert special not in app.title[0].value
    open_page("leaderboard", board, monkeypatch, task="reviews-ko-mini")


def test_an_unknown_run_is_told(board, monkeypatch):
    """A link to a run of another database is answered in words."""
    app = open_page("run", board, monkeypatch, run="0123456789abcdef")
    assert app.subheader[0].value == "There is no run or board like this here."
    assert "0123456789abcdef" in words_of(app)


def test_without_a_run_the_page_offers_the_newest(board, monkeypatch):
    """The run page without a run is no dead end."""
    add_run(board, accuracy=0.6)
    app = open_page("run", board, monkeypatch)
    assert app.title[0].value == "Choose a run."
