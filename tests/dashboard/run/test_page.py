"""The page of one run: states, names from outside, configuration, neighbours, teacher and students, wrong answers."""

import json
from datetime import timedelta

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from dashboard.run import configuration, progress
from dashboard.ui import formatting
from db.base.clock import utc_now
from db.registry import formats
from db.registry.disk_sizes import SHIPPED_BYTES
from db.runs import detail, examples
from db.runs.writer import Artifact, MetricValue, ModelFacts, RunWriter
from db.storage.changes import Change
from db.storage.store import Store
from tests.dashboard.page_driver import headings, open_page, words_of
from tests.dashboard.translation import worded
from tests.factories.runs import add_run, add_runs, facts

EVIL = "<b>x</b> **bold** [y](http://z) $a$ :red[c] `d` | 한국어 عربى \N{SLIGHTLY SMILING FACE} \n# head "
MODEL = ModelFacts("m", "M", "F", "bilstm", {"hidden_dim": 16}, 10)


def open_run(board: Store, monkeypatch: pytest.MonkeyPatch, run_id: str, **query: str) -> AppTest:
    return open_page("run", board, monkeypatch, run=run_id, **query)


def links_of(app: AppTest) -> dict[str, str]:
    return {link.proto.label.replace("\\", ""): link.proto.query_string for link in app.get("page_link")}


def _live(board: Store, recipe: dict, points: int, *, per_epoch: int = 10) -> str:
    writer = RunWriter.start(board, MODEL, facts(recipe_json=json.dumps(recipe)))
    for step in range(1, points + 1):
        writer.point("train_loss", step, 1 / step, epoch=step / per_epoch, wall_time=step * 6.0)
    writer.beat(force=True)
    return writer.run_id


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_long_name_of_anything_is_cut_and_whole_on_demand(board: Store, monkeypatch, lang: str) -> None:
    """Ten thousand characters of markup, formulas and three scripts: the title is short and plain."""
    name = (EVIL * 150)[:10_000]
    app = open_run(board, monkeypatch, add_run(board, accuracy=0.6, name=name), lang=lang)
    title = app.title[0].value
    assert len(title.replace("\\", "").replace("\u2060", "")) <= 72  # the unseen sign keeps addresses from linking
    assert title.endswith("…")
    for special in ("<b>", "**bold**", "[y](", "$a$", ":red[", "`d`"):
        assert special not in title
    assert name.strip() in [code.value.strip() for code in app.code]


def test_a_short_name_has_no_button_for_the_whole(board: Store, monkeypatch) -> None:
    """Nothing is offered that is seen already."""
    app = open_run(board, monkeypatch, add_run(board, accuracy=0.6, name="Short"))
    assert "Short" not in [code.value for code in app.code]


@pytest.mark.parametrize(("task", "shown"), [("imdb", True), ("reviews-ko-mini", False)])
def test_a_task_without_gold_labels_is_not_checkable(board: Store, monkeypatch, task: str, shown: bool) -> None:
    """Neither a digest nor the data are here: the page says why there is no badge."""
    monkeypatch.delenv(examples.VARIABLE, raising=False)
    writer = RunWriter.start(board, MODEL, facts(task_id=task))
    writer.finish([MetricValue("accuracy", 0.9)], train_seconds=1.0)
    app = open_run(board, monkeypatch, writer.run_id)
    assert any("Not checkable here" in text.value for text in app.markdown) == shown


def test_two_runs_of_one_name_are_two_pages(board: Store, monkeypatch) -> None:
    """Each shows its own score, and each leads to the other."""
    first, second = add_runs(board, 0.6, 0.7)
    for run_id, score, other in ((first, "60.00%", second), (second, "70.00%", first)):
        app = open_run(board, monkeypatch, run_id)
        assert app.metric[0].value == score
        assert any(other in query for query in links_of(app).values())


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_a_run_without_metrics_says_so(board: Store, monkeypatch, lang: str) -> None:
    """A diverged run has no figure: dashes in the tiles, one sentence, a card that says it too."""
    writer = RunWriter.start(board, MODEL, facts())
    writer.finish([MetricValue("accuracy", float("nan"))], train_seconds=1.0)
    app = open_run(board, monkeypatch, writer.run_id, lang=lang)
    assert worded(lang, "No figure was recorded for this run.") in words_of(app)
    assert worded(
        lang, "The training diverged: a loss or a figure stopped being a number. What was a number is kept."
    ) in [warning.value for warning in app.warning]
    assert [tile.value for tile in app.metric][:1] == ["–"]


def test_a_run_with_one_metric_opens(board: Store, monkeypatch) -> None:
    """A figure that nobody described is shown under its own name."""
    writer = RunWriter.start(board, MODEL, facts())
    writer.finish([MetricValue("strange_figure", 0.5)], train_seconds=None)
    app = open_run(board, monkeypatch, writer.run_id)
    table = next(shown.value for shown in app.dataframe if "Metric" in shown.value)
    assert table.to_numpy().tolist() == [["strange figure", "0.5", "–", "–"]]


def test_the_primary_figure_comes_first_and_costs_last(board: Store, monkeypatch) -> None:
    """As a reader looks for them, not by the alphabet."""
    more = [MetricValue("batch64_ms_p50", 3.0), MetricValue("macro_f1", 0.5, 200, 0.4, 0.6), MetricValue("zeta", 1.0)]
    app = open_run(board, monkeypatch, add_run(board, *more, accuracy=0.6))
    table = next(shown.value for shown in app.dataframe if "Metric" in shown.value)
    assert table["Metric"].tolist() == ["Accuracy", "Macro-F1", "Batch of 64, median", "zeta"]


def test_a_size_that_is_the_package_s_says_so(board: Store, monkeypatch) -> None:
    """The files of the training are larger than those that ship and answer."""
    hashed, size = next(iter(SHIPPED_BYTES.items()))
    trained = MetricValue("checkpoint_bytes", 5e9)
    runs = [add_run(board, trained, accuracy=0.6, **more) for more in ({"recipe_hash": hashed}, {})]
    tiles = [tile for run in runs for tile in open_run(board, monkeypatch, run).metric if tile.label == "Size on disk"]
    assert [(tile.value, tile.delta) for tile in tiles] == [(formats.size(size), "as shipped"), ("5 GB", "")]


@pytest.mark.parametrize(
    ("patience", "message"), [(0, "Epoch 2 of 4, about 2 min left"), (3, "Epoch 2 of 4, about 2 min left at most")]
)
def test_a_live_run_says_how_long_it_still_takes(board: Store, monkeypatch, patience: int, message: str) -> None:
    """Two of four epochs took two minutes, so two are left; patience may end it sooner."""
    run_id = _live(board, {"train": {"epochs": 4, "patience": patience}}, 20)
    app = open_run(board, monkeypatch, run_id)
    (bar,) = app.get("progress")
    assert bar.proto.text.startswith(message)
    assert bar.proto.value == 50


@pytest.mark.parametrize(
    ("recipe", "points"),
    [({}, 20), ({"train": {"epochs": "many"}}, 20), ({"train": {"epochs": 4}}, 0), ({"train": []}, 20)],
)
def test_what_cannot_be_told_is_not_told(board: Store, monkeypatch, recipe: dict, points: int) -> None:
    """No epochs in the recipe or no curve yet: no bar, and no guess."""
    app = open_run(board, monkeypatch, _live(board, recipe, points))
    assert not app.get("progress")
    assert "Running now. This page follows it every few seconds." in words_of(app)


def test_time_left_follows_the_last_points() -> None:
    """A machine that became slower takes longer than its first epochs say; times that stand still tell nothing."""
    steps = np.arange(1, 41)
    times = np.where(steps <= 20, steps, 20 + (steps - 20) * 10.0)
    points = pd.DataFrame(
        {"series": "train_loss", "step": steps, "epoch": steps / 20, "value": 1.0, "wall_time": times}
    )
    recipe = {"train": {"epochs": 4}}
    estimate = progress.of(points, recipe)
    assert estimate is not None
    assert estimate.seconds_left == pytest.approx(400, rel=0.01)
    assert estimate.share == 0.5
    still = progress.of(points.assign(wall_time=5.0), recipe)
    assert still is not None
    assert still.seconds_left is None
    done = progress.of(points, {"train": {"epochs": 2}})
    assert done is not None
    assert (done.share, done.seconds_left) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(3, "10 s"), (44, "40 s"), (58, "1 min"), (700, "12 min"), (3590, "1 h 00 min"), (9_100, "2 h 30 min")],
)
def test_a_rough_time_is_as_exact_as_it_is_known(seconds: float, text: str) -> None:
    """Nobody knows the seconds of an hour."""
    assert formatting.about(seconds) == text


def test_a_dead_run_says_when_it_was_last_seen_and_how_to_go_on(board: Store, monkeypatch) -> None:
    """Its heartbeat stopped: interrupted, with the time and the command; no progress bar."""
    run_id = _live(board, {"train": {"epochs": 4}}, 20)
    late = utc_now() - timedelta(hours=1)
    board.write([Change("runs", pd.DataFrame([{"run_id": run_id, "heartbeat": late}]), "update")])
    app = open_run(board, monkeypatch, run_id)
    assert f"{late:%Y-%m-%d %H:%M}" in app.warning[0].value
    assert f"featherboard train --resume {run_id[:12]}" in " ".join(code.value for code in app.code)
    assert not app.get("progress")


@pytest.fixture
def wide(board: Store) -> str:
    """A run of 300 parameters in seven sections."""
    recipe = {f"section{index}": {f"key_{index}_{number}": number for number in range(50)} for index in range(5)}
    recipe |= {"train": {f"rate_{number}": 0.1 * number for number in range(50)}, "seed": 3, "name": "told elsewhere"}
    return add_run(board, accuracy=0.6, recipe_json=json.dumps(recipe))


def test_three_hundred_parameters_are_folded_and_searched(board: Store, monkeypatch, wide: str) -> None:
    """Sections begin folded with their size; a search opens what it finds, and is in the address."""
    app = open_run(board, monkeypatch, wide)
    folded = [fold.label for fold in app.expander]
    assert "Training (50)" in folded
    assert len(folded) == 8
    app.text_input(key="parameter").set_value("section3 key_3_41").run()
    assert not app.exception
    assert not app.expander
    assert app.table[-1].value.iloc[0].tolist() == [r"key\_3\_41", "41"]
    app.text_input(key="parameter").set_value("nothing like this").run()
    assert "No parameter and no value has these letters." in words_of(app)


def test_parameters_stand_once_and_by_section(board: Store) -> None:
    """What the recipe says of the model replaces the checkpoint's copy; names that the head shows are left out."""
    recipe = {
        "name": "n",
        "seed": 7,
        "model": {"kind": "bilstm", "hidden_dim": 99},
        "train": {"lr": 0.1, "on": True},
        "data": {"add": []},
        "text": {"files": ["a", "b"]},
        "odd": None,
        "qa": {"max_answer": 30},
    }
    run_id = add_run(board, accuracy=0.6, recipe_json=json.dumps(recipe))
    sections = configuration.sections(detail.run_detail(board, run_id))
    assert sections[""] == [("odd", ""), ("seed", "7")]
    assert dict(sections["model"])["hidden_dim"] == "99"
    assert dict(sections["model"])["embedding_dim"] == "8"
    assert "qa" not in sections, "it is the setting of another task"
    assert sections["train"] == [("lr", "0.1"), ("on", "true")]
    assert (sections["data"], sections["text"]) == ([("add", "[]")], [("files", "a, b")])


def test_files_have_hashes_that_can_be_checked(board: Store, monkeypatch) -> None:
    """Short in the table, whole in lines that sha256sum reads."""
    writer = RunWriter.start(board, MODEL, facts(dataset_hash="d" * 64))
    whole = "0123456789abcdef" * 4
    writer.finish([], train_seconds=1.0, artifacts=[Artifact("weights", "model.safetensors", 2048, whole)])
    app = open_run(board, monkeypatch, writer.run_id)
    table = next(shown.value for shown in app.dataframe if "File" in shown.value)
    assert table.iloc[0].tolist() == ["weights", "model.safetensors", "2.05 kB", "0123456789ab…"]
    codes = [code.value for code in app.code]
    assert f"{whole}  model.safetensors" in codes
    assert any("d" * 64 in code for code in codes)


def school(board: Store) -> tuple[list[str], list[str], str]:
    """Two seeds of a teacher, three students of its second seed, and one of a teacher that nobody ran."""
    big = ModelFacts("big", "Big [B]", "F", "bilstm", {}, 1000)
    teachers = add_runs(board, 0.9, 0.8, name="Big [B]", model=big, recipe="big", recipe_hash="b")
    small = ModelFacts("small", "Small", "F", "bilstm", {}, 10)
    recipe = json.dumps({"distill": {"teacher": "big", "teacher_seed": 1}})
    columns = {"recipe": "small", "recipe_hash": "s", "teacher": "Big [B]", "recipe_json": recipe}
    students = add_runs(board, 0.6, 0.7, 0.5, name="Small", model=small, **columns)
    alone = add_run(board, accuracy=0.4, name="Alone", recipe_hash="x", teacher="Nobody's")
    return teachers, students, alone


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_every_word_of_the_page_is_in_the_visitors_language(board: Store, monkeypatch, lang: str) -> None:
    """Headings, tiles and badges change with the language; none of the other's is left."""
    _, students, _ = school(board)
    other = "ko" if lang == "en" else "en"
    app = open_run(board, monkeypatch, students[0], lang=lang)
    heads = (
        "Where it comes from",
        "Metrics",
        "Configuration",
        "Sibling seeds",
        "Confusion matrix",
        "Most confident errors",
    )
    assert {worded(lang, head) for head in heads} | {worded(lang, "Teacher")} <= set(headings(app))
    tiles = ("Parameters", "Size on disk", "Latency, median", "Train time")
    assert [tile.label for tile in app.metric][1:] == [worded(lang, tile) for tile in tiles]
    mean = "The leaderboard shows that mean and opens the seed with the median score."
    for text in ("Where it comes from", "Curves", "Reproduce it with", "Confusion matrix", mean):
        assert worded(other, text) not in words_of(app)
    alts = [chart.proto.alt for chart in app.get("plotly_chart")]
    assert alts
    assert all(alts)


def test_a_withdrawn_run_says_so(board: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its link stays good, and tells why the board has it no more."""
    from db import submissions

    draft = {"task": "reviews-ko-mini", "model": "Gone", "metrics": {"accuracy": 0.75}}
    (handed,) = submissions.submit(board, [draft]).submissions
    run_id = submissions.accept(board, handed)
    submissions.withdraw(board, handed, reason="It was scored on another split.")
    app = open_page("run", board, monkeypatch, run=run_id)
    assert any("another split" in element.value for element in app.error)
