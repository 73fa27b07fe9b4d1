"""What stands beside each other: settings, curves, texts of examples, figures of a table, marks in a paragraph."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dashboard.compare import curves, names, tables
from dashboard.compare import examples as comparison_examples
from db.analysis import comparison as compare
from db.analysis import differences, paired_tests
from db.analysis.comparison import LETTERS
from db.analysis.paired_answers import PairedAnswers
from db.runs import curves as run_curves
from db.runs import examples
from db.runs.examples import Example, ExamplesError
from db.runs.writer import MetricValue, RunWriter
from db.statistics import qa_scoring
from db.storage.store import Store
from tests.factories.runs import add_run, add_runs


def test_settings_are_flattened_and_what_differs_is_known(board: Store) -> None:
    """A nested key is told by its path, a list as JSON, a missing one as none; facts and models are there too."""
    recipes = [{"train": {"lr": 0.1, "grid": [1, 2]}, "deep": {"a": {"b": 1}}}, {"train": {"lr": 0.2}, "deep": {}}]
    runs = [
        add_run(board, accuracy=0.6, seed=seed, recipe_json=json.dumps(settings))
        for seed, settings in enumerate(recipes)
    ]
    facts = differences.facts(compare.choose(board, runs)).set_index(["group", "key"])
    assert facts.loc[("recipe", "train.lr"), [0, 1]].tolist() == ["0.1", "0.2"]
    assert facts.loc[("recipe", "train.grid"), 0] == "[1, 2]"
    assert pd.isna(facts.loc[("recipe", "train.grid"), 1])
    assert facts.loc[("recipe", "deep.a.b"), "differs"]
    assert facts.loc[("run", "seed"), "differs"]
    assert not facts.loc[("model", "params"), "differs"]
    assert facts.loc[("model", "params"), 0] == "27,394"
    assert list(dict.fromkeys(group for group, _ in facts.index)) == ["run", "model", "recipe"]


def test_settings_that_lie_too_deep_or_are_no_object_are_no_error(board: Store) -> None:
    deep = '{"a":' * 400 + "1" + "}" * 400
    runs = [add_run(board, accuracy=0.6, recipe_json=recipe_json) for recipe_json in ("[1, 2]", deep)]
    facts = differences.facts(compare.choose(board, runs))
    assert facts[facts["group"] == "recipe"]["key"].str.len().tolist() == [799]


def test_three_hundred_settings_can_be_searched(board: Store) -> None:
    recipes = [{f"key_{i}": i * (1 + seed * (i % 2)) for i in range(300)} for seed in (0, 1)]
    runs = [add_run(board, accuracy=0.6, recipe_json=json.dumps(recipe)) for recipe in recipes]
    facts = differences.facts(compare.choose(board, runs))
    some, whole = (tables.settings(facts, everything=every) for every in (False, True))
    assert len(some) < 170
    assert len(whole) >= 300
    matching = tables.settings(facts, everything=True, search="KEY_299")
    assert matching[["A", "B"]].to_numpy().tolist() == [["299", "598"]]
    assert tables.settings(facts, everything=True, search="nowhere").empty


def test_only_the_chosen_curves_are_read_and_long_ones_are_thinned(board: Store) -> None:
    """At most a thousand points a line, with its first, its last and its extremes; the mean belongs to the stretch."""
    run_id = add_run(board, accuracy=0.6)
    writer = RunWriter(board, run_id)
    values = np.sin(np.arange(5000) / 50)
    values[3210] = 40.0
    for step, value in enumerate(values):
        writer.point("long", step, float(value), epoch=step / 1000, wall_time=float(step))
    writer.beat(force=True)
    other = add_run(board, accuracy=0.7)
    lines = run_curves.lines(board, [run_id, other], ["long", "validation_loss"])
    assert set(lines["series"]) == {"long", "validation_loss"}
    long = lines[lines["series"] == "long"]
    assert len(long) <= run_curves.MAX_POINTS
    assert {0, 3210, 4999} <= set(long["step"])
    assert long["value"].max() == 40.0
    assert long["mean"].max() < 6
    short = lines[lines["series"] == "validation_loss"]
    assert short["mean"].tolist() == short["value"].tolist()
    assert sorted(set(short["run_id"])) == sorted([run_id, other])
    series = run_curves.series(board, [run_id, other])
    assert series.set_index("series")["runs"].to_dict()["long"] == 1


def test_smoothing_keeps_the_raw_line_beneath() -> None:
    points = pd.DataFrame(
        {
            "run_id": "r",
            "step": range(60),
            "epoch": np.nan,
            "wall_time": 1.0,
            "value": np.arange(60.0),
            "mean": np.arange(60.0),
        }
    )
    raw = curves.overlay(points, ["r"], ["<b>R"], across="step", axis="Step")
    figure = curves.overlay(points, ["r"], ["<b>R"], across="step", axis="Step", smoothing=0.9)
    assert len(raw.data) == 1
    assert [trace.opacity for trace in figure.data] == [0.4, 1.0]
    assert list(figure.data[0].y) == list(range(60))
    assert "&lt;b&gt;R" in figure.data[1].hovertemplate
    empty = curves.overlay(points, ["r"], ["R"], across="epoch", axis="Epoch")
    assert not empty.data
    logarithmic = curves.overlay(points, ["r"], ["R"], across="step", axis="Step", log=True)
    assert logarithmic.layout.yaxis.type == "log"
    assert len(logarithmic.data[0].y) == 59


def test_every_run_has_a_mark_of_its_own() -> None:
    """A letter, a colour and a dash, six times; nothing of it comes from outside."""
    for palette in (names.COLOURS, names.DASHES, [names.mark(index) for index in range(6)]):
        assert len(set(palette)) == len(LETTERS) == 6


def test_figures_tell_differences_and_mark_the_better_one_as_far_as_it_is_seen(board: Store) -> None:
    """The difference is that from A; equal figures have no best, missing ones a dash."""
    runs = [
        add_run(board, MetricValue("latency_ms_p50", 2.0), accuracy=0.6),
        add_run(board, MetricValue("latency_ms_p50", 0.5), accuracy=0.7),
        add_run(board, accuracy=0.6),
    ]
    figures = tables.figures(compare.choose(board, runs)).set_index("Figure")
    best = [tables.BEST in cell for cell in figures.iloc[0]]
    assert best == [False, True, False]
    assert figures.index[0] == "Accuracy"
    assert "+10.00\N{NO-BREAK SPACE}points" in figures.iloc[0, 1].replace("\\", "")
    assert "\N{MINUS SIGN}" not in figures.iloc[0, 2]
    latency = figures.loc["Latency, median"]
    assert "× 0.25" in latency.iloc[1].replace("\\", "").replace("\N{NO-BREAK SPACE}", " ")
    assert latency.iloc[2] == ":gray[–]"
    assert not any(tables.BEST in cell for cell in figures.loc["Parameters"])


def test_the_matrix_holds_every_pair_once(board: Store) -> None:
    runs = add_runs(board, 0.6, 0.75, 0.61, seed=0)
    verdict = paired_tests.verdict(compare.compare(board, runs).common, "right")
    shown = tables.matrix(verdict, list("ABC"))
    assert shown.shape == (2, 3)
    assert "+15.00" in shown.iloc[0, 1].replace("\\", "")
    assert "significant" in shown.iloc[0, 1]
    assert "not significant" in shown.iloc[1, 1]
    assert shown.iloc[0, 2] == ""


@pytest.mark.parametrize("task_id", ["reviews-ko-mini", "nli-en-mini", "qa-en-mini", "qa-ko-mini"])
def test_the_texts_of_the_shipped_corpora_are_at_hand(task_id: str) -> None:
    file = examples.file_of(task_id)
    assert file is not None
    texts = examples.read(task_id, file)
    assert len(texts) in {80, 200, 300}
    example = next(iter(texts.values()))
    assert all(example.parts.values())
    assert example.gold is not None
    assert example.agrees(example.gold, "en" if "qa" in task_id else None)


def test_finding_them_imports_nothing_of_the_engine() -> None:
    """The board reads the corpora where torch is missing."""
    code = (
        "import sys; from db.runs import examples as e; assert e.file_of('qa-en-mini') and 'engine' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_folder_in_the_official_formats_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable names it; NSMC's file may hold lone quotation marks, MultiNLI's words for labels."""
    monkeypatch.setenv(examples.VARIABLE, str(tmp_path))
    assert examples.file_of("nsmc") is None
    (tmp_path / "nsmc").mkdir()
    file = tmp_path / "nsmc" / "ratings_test.txt"
    file.write_text('id\tdocument\tlabel\n7\t"재미\t1\n8\t\t0\n', "utf-8")
    assert examples.file_of("nsmc") == file
    texts = examples.read("nsmc", file)
    assert texts["7"].parts == {"document": '"재미'}
    assert (texts["8"].parts["document"], texts["8"].gold) == ("", "0")
    mnli = tmp_path / "multinli_1.0_dev_matched.jsonl"
    mnli.write_text('{"gold_label": "neutral", "sentence1": "A", "sentence2": "B", "pairID": "9e"}\n', "utf-8")
    assert examples.read("mnli", mnli)["9e"] == Example({"premise": "A", "hypothesis": "B"}, "1")
    assert not examples.read("mnli", mnli)["9e"].agrees("2", None)
    squad = tmp_path / "validation.parquet"
    told_answers = {"text": ["x"], "answer_start": [2]}
    pd.DataFrame({"id": ["q"], "question": ["?"], "context": ["a x"], "answers": [told_answers]}).to_parquet(squad)
    assert examples.file_of("squad") == squad
    assert examples.read("squad", squad)["q"].agrees(
        qa_scoring.pack([qa_scoring.withheld(qa_scoring.SQUAD, "x")]), "en"
    )


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b'{"data": 3}', b"[]"])
def test_a_file_that_cannot_be_read_is_told(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "dev-v1.1.json"
    file.write_bytes(content)
    with pytest.raises(ExamplesError, match="cannot be read"):
        examples.read("squad", file)


def test_answers_are_marked_where_they_stand_and_outside_text_stays_text() -> None:
    """Overlapping answers are parted; Markdown and HTML of a paragraph, and directives in it, are shown as they are."""
    context = "A <b>*7*</b> :red[x] in 1973, and 1973 again"
    example = Example(
        {"question": "?", "context": context}, qa_scoring.pack(["1973"]), {"1973": context.rindex("1973")}
    )
    marked = comparison_examples.marked(
        example, {0: "1973", 1: "1973 again", 2: "withheld-0123abcd", 3: "nowhere"}, "ABCD"
    )
    assert ":green-background[1973 **AB**]" in marked
    assert ":gray-background[ again **B**]" in marked
    assert marked.count("background") == 2
    for raw in ("<b>", "*7*", ":red[", "[x]"):
        assert raw not in marked.replace("-background[", "")
    spans = comparison_examples.spans(example, {3: "nowhere"})
    assert spans == [(context.rindex("1973"), context.rindex("1973") + 4, comparison_examples.GOLD)]


def test_rows_of_examples_say_who_is_right() -> None:
    common = PairedAnswers(
        np.array(["e1", "e2"], dtype=object),
        np.array(["1", "0"], dtype=object),
        pd.DataFrame({0: ["1", None], 1: ["0", "0"]}).astype("category"),
        np.zeros((2, 2), dtype=np.float32),
        np.array([[True, False], [False, True]]),
    )
    texts = {"e1": Example({"document": "word " * 60})}
    rows = comparison_examples.rows(common, np.array([0, 1]), "AB", ("negative", "positive"), texts)
    assert rows["A"].tolist() == ["✓ positive", "✗ –"]
    assert rows["B"].tolist() == ["✗ negative", "✓ negative"]
    assert rows["Text"].tolist()[1] == "–"
    assert rows["Text"].tolist()[0].endswith("…")
    assert comparison_examples.gold(qa_scoring.pack(["서울", "서울시"]), ()) == "서울 / 서울시"
