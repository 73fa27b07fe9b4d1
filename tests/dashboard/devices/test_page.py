"""What the devices page says and shows, driven without a browser."""

import re
import shutil
from importlib import resources
from pathlib import Path

import pandas as pd
import pytest
import typer

from dashboard.devices import chart as device_charts
from dashboard.devices import comparison
from dashboard.ui import i18n, theme
from db.runs import timings
from db.runs.timings import Machine
from db.storage.store import Store
from engine.cli.app import app as command_line
from tests.dashboard.page_driver import open_page, plainly, words_of
from tests.dashboard.translation import korean
from tests.db.runs.test_timings import PI, add, timing
from tests.factories.rows import change

GUIDES = {"en": "raspberry-pi-5.md", "ko": "raspberry-pi-5.ko.md"}


@pytest.fixture(scope="module")
def template(shared_board) -> Store:
    add(shared_board, "a" * 32, timing(ms=200.0), timing(tokens=32, ms=20.0), timing(threads=4, ms=100.0))
    add(shared_board, "b" * 32, timing(threads=4, ms=50.0), model_id="distilbert")
    add(shared_board, "c" * 32, timing("int8", threads=4, ms=20.0), model_id="distilbert", caveat="It was [busy](x).")
    return shared_board


@pytest.fixture
def benched(template, tmp_path) -> Store:
    return Store(Path(shutil.copyfile(template.path, tmp_path / "board.duckdb")))


def compared(board: Store) -> pd.DataFrame:
    return comparison.compared(timings.measured(board), timings.reported(board))


def test_reported_machines_stand_beside_measured_ones_as_ratios_to_bert_base(benched):
    """Measured ones are compared at 384 tokens and the most threads."""
    every = compared(benched)
    assert set(every.loc[every["source"] == "measured", "condition"]) == {"384 tokens, 4 threads"}
    rows = every.set_index(["machine", "model_id", "precision"])["times"]
    assert rows["Raspberry Pi 5", "distilbert", "float32"] == pytest.approx(2.032, abs=0.001)
    assert rows["CPU, batch size 1", "distilbert", "float32"] == pytest.approx(1.629, abs=0.001)
    assert rows["CPU, batch size 1", "elmo", "float32"] < 1
    assert rows[PI.name, "bert-base", "float32"] == 1
    assert rows[PI.name, "distilbert", "float32"] == 2
    assert rows[PI.name, "distilbert", "int8"] == 5


def test_a_machine_without_384_tokens_is_compared_at_its_longest(board):
    add(board, "a" * 32, timing(tokens=32), timing(tokens=128, ms=300.0))
    (row,) = compared(board)[lambda rows: rows["source"] == "measured"].to_dict("records")
    assert (row["condition"], row["seconds"]) == ("128 tokens, 1 thread", 0.3)


def test_without_bert_base_there_is_no_ratio_and_no_guess(board):
    add(board, "b" * 32, timing(ms=50.0), model_id="distilbert")
    rows = compared(board)
    assert rows.loc[rows["source"] == "measured", "times"].isna().all()
    assert len(rows[rows["source"] == "measured"]) == 1


def test_a_bench_in_batches_alone_is_no_comparison_and_no_error(board):
    add(board, "a" * 32, timing(batch=8))
    assert (compared(board)["source"] == "reported").all()


def test_two_machines_of_one_name_are_not_mixed(board):
    add(board, "a" * 32, timing(ms=100.0))
    add(
        board,
        "b" * 32,
        timing(ms=10.0),
        machine=Machine(PI.name, "another", "x86_64", 4, None, None, {}),
        model_id="distilbert",
    )
    rows = compared(board)
    assert rows.loc[rows["model_id"].eq("distilbert") & rows["source"].eq("measured"), "times"].isna().all()


def test_the_answer_names_both_documents_and_the_fastest_measured_model(benched):
    (students, speedup), (fastest, best) = comparison.sentences(compared(benched))
    assert students == "DistilBERT against BERT-base"
    assert speedup == (
        "2.03 times as fast on a Raspberry Pi 5 (reported), 2.00 times as fast on a Raspberry Pi 5, 8 GB (measured) "
        "and 1.63 times as fast on a CPU, batch size 1 (reported)."
    )
    assert fastest == "Fastest measured"
    assert best.endswith("20 ms for 384 tokens, 4 threads: 5 times as fast as BERT-base in float32.")


def test_without_anything_there_is_nothing_to_say(tmp_path):
    empty = Store(tmp_path / "empty.duckdb")
    empty.migrate()
    rows = compared(empty)
    assert rows.empty
    assert comparison.sentences(rows) == []
    assert not device_charts.speed(rows, {}, ink="#000000").data


@pytest.mark.parametrize(
    ("seconds", "label"),
    [(0.0241, "24.1 ms"), (1.2507, "1.25 s"), (668.0, "668 s"), (13220.3, "13,220 s"), (float("nan"), "–")],
)
def test_times_are_told_in_the_unit_that_fits(seconds, label):
    assert comparison.time(seconds) == label


def test_reported_marks_are_hollow_and_measured_ones_filled(benched):
    rows = compared(benched)
    figure = device_charts.speed(
        rows, theme.family_colours(("a board", family) for family in rows["family"]), ink="#000000"
    )
    marks = {trace.customdata[0]: trace.marker.symbol for trace in figure.data if trace.mode == "markers"}
    assert len(marks) == len(rows)
    assert {marks[run] for run in rows.loc[rows["source"] == "reported", "run_id"]} == {"circle-open"}
    assert {marks[run] for run in rows.loc[rows["source"] == "measured", "run_id"]} == {"circle"}


def test_text_from_outside_is_no_markup_in_the_figure(board):
    evil = Machine("<b>x</b><script>", "c", "a", 1, None, None, {})
    add(board, "a" * 32, timing(), machine=evil)
    figure = device_charts.speed(compared(board), {}, ink="#000000")
    assert any("&lt;b&gt;x" in annotation.text for annotation in figure.layout.annotations)
    assert not any("<script" in annotation.text for annotation in figure.layout.annotations)


def test_the_page_answers_first_then_shows_figure_table_and_timings(benched, monkeypatch):
    app = open_page("devices", benched, monkeypatch)
    assert app.title[0].value == "How fast are the same models on different machines?"
    assert "2.03 times as fast" in plainly(app)
    both, every = (table.value for table in app.dataframe)
    assert both["time"].tolist()[:2] == ["13,220 s", "6,506 s"]
    assert every[["tokens", "threads"]].to_numpy().tolist()[:3] == [[32, 1], [384, 1], [384, 4]]
    assert "batch" not in every
    assert "celsius" not in every, "a column that nobody filled"
    assert "Cortex" in words_of(app)
    assert app.warning[0].value == r"It was \[busy\]\(x\)\."


def test_energy_is_shown_with_how_it_is_known(benched, monkeypatch):
    """The measured figure where there are both; without any there is no column."""
    assert "energy" not in comparison.table(compared(benched))
    values = [("b", "energy_per_1000", 40.0), ("b", "energy_per_1000_estimated", 55.0)]
    values += [("c", "energy_per_1000_estimated", 2150.0)]
    rows = [{"run_id": run * 32, "name": name, "value": value} for run, name, value in values]
    benched.write([change("metrics", *rows)])
    shown = comparison.table(compared(benched)).set_index(["model", "precision"])["energy"]
    assert shown.dropna().to_dict() == {
        ("DistilBERT", "float32"): "40 J, measured",
        ("DistilBERT", "int8"): "2.15 kJ, estimated",
    }
    app = open_page("devices", benched, monkeypatch)
    assert app.dataframe[0].value["energy"].tolist().count("40 J, measured") == 1


def test_cost_is_shown_where_a_price_was_stated(benched):
    assert "cost" not in comparison.table(compared(benched))
    benched.write([change("metrics", {"run_id": "b" * 32, "name": "cost_per_1000", "value": 0.0000143})])
    assert comparison.table(compared(benched))["cost"].dropna().tolist() == ["$0.000014"]


def test_a_machine_can_be_chosen(benched, monkeypatch):
    add(benched, "d" * 32, timing(ms=7.0), machine=Machine("A laptop", "x", "x86_64", 8, 2**34, None, {}))
    app = open_page("devices", benched, monkeypatch)
    app.selectbox(key="machine").set_value("A laptop").run()
    assert not app.exception
    assert app.dataframe[1].value["p50_ms"].tolist() == [7.0]
    assert "16 GiB of memory" in words_of(app)


def test_before_any_bench_the_page_shows_what_is_reported_and_the_command(board, monkeypatch):
    app = open_page("devices", board, monkeypatch)
    assert "No machine has been measured yet." in words_of(app)
    assert "featherboard bench --device-name" in words_of(app)
    assert len(app.dataframe) == 1


def test_the_guide_is_on_the_page_and_its_commands_exist(board, monkeypatch):
    app = open_page("devices", board, monkeypatch)
    (guide,) = app.expander
    assert guide.label == "Raspberry Pi 5: from SD card to a row on the board"
    written = (resources.files("dashboard") / "guides" / "raspberry-pi-5.md").read_text("utf-8")
    assert "featherboard[pi]" in written
    commands = typer.main.get_command(command_line).commands
    known = {option for name in ("bench", "ask") for parameter in commands[name].params for option in parameter.opts}
    used = set(re.findall(r"(?<=\s|`)--[a-z-]+", written)) - {"--address"}
    assert used
    assert used <= known


def test_the_guide_has_the_same_commands_in_every_language():
    """What is typed does not depend on the reader's language."""
    folder = resources.files("dashboard") / "guides"
    written = {code: (folder / name).read_text("utf-8") for code, name in GUIDES.items()}
    assert set(written) == set(i18n.LANGUAGES)
    blocks = {code: re.findall(r"^```sh\n(.*?)^```$", guide, re.M | re.S) for code, guide in written.items()}
    marks = {code: sorted(set(re.findall(r"`([^`\n]+)`", guide))) for code, guide in written.items()}
    assert len(blocks["en"]) > 3
    for code in written:
        assert blocks[code] == blocks["en"]
        assert marks[code] == marks["en"]


def test_the_page_speaks_korean(benched, monkeypatch):
    """Sentences, headers, facts and the guide; what the machines are called stays."""
    app = open_page("devices", benched, monkeypatch, lang="ko")
    assert app.title[0].value == korean("How fast are the same models on different machines?")
    words = plainly(app)
    assert "Raspberry Pi 5에서 2.03배(문서 인용)" in words
    assert "메모리" in words
    assert set(app.dataframe[0].value["source"]) == {"문서 인용", "직접 측정"}
    assert "토큰 384개, 스레드 4개" in app.dataframe[0].value["condition"].tolist()
    assert app.expander[0].label.startswith("Raspberry Pi 5: SD 카드부터")


def test_the_board_of_bench_runs_opens_with_all_of_them(benched, monkeypatch):
    app = open_page("leaderboard", benched, monkeypatch, task="device-speed", every="true")
    assert app.title[0].value.startswith("How long does one question")
