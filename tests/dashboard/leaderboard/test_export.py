"""What the leaderboard shows, as a file."""

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest

from dashboard.leaderboard import columns as table
from dashboard.leaderboard import export
from db.leaderboard.board import Board, board
from db.registry.metrics import known
from db.runs.writer import MetricValue, ModelFacts, RunWriter
from db.storage.store import Store
from tests.factories.runs import add_run, facts, in_one_write

TASK, ACCURACY = "reviews-ko-mini", known("accuracy")
EVIL = [
    "=cmd|' /C calc'!A0",
    "+1",
    "-1",
    "@SUM(A1)",
    "\tx",
    "\rx",
    "＝1",
    "a|b",
    "\\textbf{x} 50% & _#$^~",
    "**b** `c` <i>",
]


@pytest.fixture(scope="module")
def evil(shared_board: Store) -> Store:
    """A board whose names are formulas and markup, to be read only; one run has no figure at all."""
    with in_one_write(shared_board) as store:
        for index, name in enumerate(EVIL):
            model = ModelFacts(f"m{index}", name, "KoBiLSTM", "bilstm", {}, 1000 + index, "ko")
            add_run(store, accuracy=0.9 - index / 100, name=name, model=model, recipe_hash=f"r{index}")
        bare = ModelFacts("bare", "Bare", "F", "bilstm", {}, None)
        RunWriter.start(store, bare, facts("Bare", model_id="bare")).finish(
            [MetricValue("accuracy", float("nan"))], train_seconds=1.0
        )
    return shared_board


def _whole(store: Store) -> tuple[Board, np.ndarray, list[table.Column]]:
    ranked = board(store, TASK)
    offered = table.columns(ranked, ACCURACY)
    return ranked, np.arange(len(ranked.rows)), table.chosen(offered, ("name", "verified"), ())


def _made(store: Store, kind: str) -> bytes:
    table, rows, columns = _whole(store)
    return export.files(table, rows, columns, ACCURACY)[kind][2]()


def test_no_cell_of_a_csv_runs_as_a_formula(evil: Store) -> None:
    """A text that begins like one is quoted; numbers stay numbers, negative ones too."""
    rows = list(csv.DictReader(io.StringIO(_made(evil, "CSV").decode("utf-8-sig"))))
    named = {row["model"] for row in rows}
    assert {f"'{name}" for name in EVIL[:7]} <= named
    assert "a|b" in named
    for row in rows:
        assert not row["model"].startswith(("=", "+", "-", "@", "\t", "\r"))
    assert export.csv(pd.DataFrame({"=x": [-1.5], "t": ["-1.5"]})).decode("utf-8-sig") == "'=x,t\r\n-1.5,'-1.5\r\n"
    assert float(rows[0]["accuracy"]) == pytest.approx(0.9)
    assert rows[0]["rank"] == "1"


def test_parquet_and_json_carry_the_stored_values(evil: Store) -> None:
    """Fractions, bytes and ids as they are stored; what is missing is missing."""
    typed = pd.read_parquet(io.BytesIO(_made(evil, "Parquet")))
    exported = json.loads(_made(evil, "JSON"))
    assert typed["model"].tolist()[: len(EVIL)] == [row["model"] for row in exported][: len(EVIL)] == EVIL
    assert typed["accuracy"].tolist()[0] == exported[0]["accuracy"] == pytest.approx(0.9)
    assert exported[-1]["model"] == "Bare"
    assert exported[-1]["accuracy"] is exported[-1]["params"] is exported[-1]["rank"] is None
    assert exported[0]["verified"] is True


def test_markdown_shows_every_character(evil: Store) -> None:
    """A bar, a star or a tag in a name is neither a column nor markup."""
    lines = _made(evil, "Markdown").decode().splitlines()
    assert len({line.replace(r"\|", "").count("|") for line in lines}) == 1
    assert r"a\|b" in "\n".join(lines)
    assert r"\*\*b\*\* \`c\` \<i\>" in "\n".join(lines)
    assert "90.00" in lines[2]
    assert "| – |" in lines[-1]


def test_latex_is_escaped(evil: Store) -> None:
    """What LaTeX reads as a command is a character."""
    latex = _made(evil, "LaTeX").decode()
    assert r"\textbackslash{}textbf\{x\} 50\% \& \_\#\$\textasciicircum{}\textasciitilde{}" in latex
    body = latex.split(r"\midrule")[1].split(r"\bottomrule")[0].strip().splitlines()
    assert {line.replace(r"\&", "").count("&") for line in body} == {latex.splitlines()[2].count("&")}


def test_the_order_and_the_columns_are_those_that_are_shown(evil: Store) -> None:
    """Rows in their order, whatever the board's own is."""
    table, rows, columns = _whole(evil)
    some = [column for column in columns if column.key in {"model", "params"}]
    assert export.values(table, rows[::-1], some)["model"].tolist()[1:] == EVIL[::-1]
    assert list(export.values(table, rows, some)) == ["run_id", "model", "params"]
    assert list(export.seen(table, rows, some, ACCURACY)) == ["Model", "Parameters"]


def test_an_empty_selection_is_a_file_with_headers(evil: Store) -> None:
    """No row is no error."""
    table, _, columns = _whole(evil)
    for _, _, made in export.files(table, np.array([], dtype=int), columns, ACCURACY).values():
        assert made()


@pytest.mark.parametrize("before", [" ", "\u00a0", "\u3000", "\u200b", "\ufeff", "\u2060 ", "\x00", "\u202e", "\u0301"])
def test_a_formula_behind_what_is_not_seen_is_inert(before: str) -> None:
    """Spaces, signs without width and marks before a formula do not hide it; before other words they stay alone."""
    lines = export.csv(pd.DataFrame({"name": [f"{before}=1+1", f"{before}word"]})).decode("utf-8-sig").split("\r\n")
    assert lines[1].strip('"') == f"'{before}=1+1"
    assert lines[2].strip('"') == f"{before}word"
