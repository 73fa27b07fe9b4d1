"""Where a run fails: the parts of its split, from the engine to the page."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dashboard.run import slices as failures
from dashboard.ui.markdown import plain
from db.runs import bundles, detail
from db.runs.writer import MetricValue, ModelFacts, RunWriter, Slice
from db.storage.store import Store
from engine.families.span_qa.evaluation import FEWEST, question_word
from engine.families.span_qa.evaluation import slices as parts_of
from engine.families.span_qa.questions import Gold, Question
from tests.dashboard.page_driver import headings
from tests.dashboard.run.test_page import open_run
from tests.factories.runs import facts


def _frame(*rows: tuple[str, str, str, float, int, float | None, float | None]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=["facet", "part", "name", "value", "n", "low", "high"])


PARTS = _frame(
    ("question word", "who", "f1", 0.9, 40, 0.85, 0.95),
    ("question word", "why", "f1", 0.4, 20, 0.3, 0.5),
    ("question word", "how", "f1", 0.6, 30, 0.5, 0.7),
    ("text length", "1 to 75 words", "f1", 0.7, 60, 0.6, 0.8),
    ("text length", "over 300 words", "f1", 0.65, 30, 0.55, 0.75),
)


def test_the_lead_names_the_widest_gap_that_is_clear() -> None:
    """Weakest and strongest part of the facet where they lie furthest apart."""
    assert failures.lead(PARTS) == "By question word: 40.00% on “why”, 90.00% on “who”."
    wider = _frame(("length", "a", "f1", 0.1, 9, 0.05, 0.2), ("length", "b", "f1", 0.95, 9, 0.9, 0.99))
    assert failures.lead(pd.concat([PARTS, wider])) == "By length: 10.00% on “a”, 95.00% on “b”."


def test_what_the_data_cannot_tell_apart_is_not_told() -> None:
    """Overlapping intervals, missing ones, and no parts at all give no sentence."""
    assert failures.lead(PARTS[PARTS["facet"] == "text length"]) == ""
    assert failures.lead(PARTS.assign(low=None)) == ""
    assert failures.lead(PARTS.assign(high=np.nan)) == ""
    assert failures.lead(PARTS[:0]) == ""
    assert failures.lead(PARTS[:1]) == ""
    touching = _frame(("a", "x", "f1", 0.4, 9, 0.3, 0.5), ("a", "y", "f1", 0.6, 9, 0.5, 0.7))
    assert failures.lead(touching) == ""


def test_two_figures_of_a_part_are_not_compared_with_each_other() -> None:
    """An exact match below an F1 is no weakness of the part."""
    mixed = _frame(("a", "x", "f1", 0.9, 9, 0.8, 0.95), ("a", "x", "em", 0.2, 9, 0.1, 0.3))
    assert failures.lead(mixed) == ""
    assert failures.table(mixed, "a").to_dict("list") == {
        "A": ["x"],
        "F1": ["90.00%"],
        "95% interval": ["80.00% to 95.00%"],
        "Examples": ["9"],
    }


def test_the_table_begins_with_the_weakest_part() -> None:
    """One row a part, figures and intervals as text, a dash where there is none."""
    shown = failures.table(PARTS.assign(n=[1234, 20, 30, 60, 30]), "question word")
    assert shown.columns.tolist() == ["Question word", "F1", "95% interval", "Examples"]
    assert shown["Question word"].tolist() == ["why", "how", "who"]
    assert shown["F1"].tolist() == ["40.00%", "60.00%", "90.00%"]
    assert shown["95% interval"].tolist()[0] == "30.00% to 50.00%"
    assert shown["Examples"].tolist() == ["20", "30", "1,234"]
    assert failures.table(PARTS.assign(low=np.nan), "text length")["95% interval"].tolist() == ["–", "–"]


@pytest.mark.parametrize(
    ("question", "language", "word"),
    [
        ("Who was it?", "en", "who"),
        ("To what was it due?", "en", "what"),
        ("HOW MANY dogs?", "en", "how many"),
        ("In how much time?", "en", "how much"),
        ("How is it?", "en", "how"),
        ("Name the dog.", "en", "other"),
        ("What happened when he left?", "en", "what"),
        ("Somewhat, and where?", "en", "where"),
        ("", "en", "other"),
        ("누구인가?", "ko", "누구"),
        ("수도는 어디인가요?", "ko", "어디"),
        ("몇 년에?", "ko", "몇"),
        ("이름은?", "ko", "other"),
        ("임진왜란은 언제 일어났는가?", "ko", "언제"),
        ("왜 떠났는가?", "ko", "왜"),
        ("그는 왜?", "ko", "왜"),
        ("Who is it?", "ko", "other"),
        ("Who?", "de", "who"),
    ],
)
def test_the_first_question_word_counts(question: str, language: str, word: str) -> None:
    """As a word of its own in English, with endings in Korean, and never inside another word."""
    assert question_word(question, language) == word


def _question(number: int, question: str, answer: str, words: int) -> Question:
    context = " ".join([answer, *["x"] * (words - len(answer.split()))])
    return Question(f"q{number}", question, context, (Gold(answer, 0),))


def test_parts_are_scored_apart() -> None:
    """The mean of each part with its interval and number; a part of fewer than five is left out."""
    questions = [
        *(_question(i, "who?", "red", 75) for i in range(6)),
        *(_question(i + 10, "why?", "red and blue", 76) for i in range(5)),
        *(_question(i + 20, "how?", " ".join(["red"] * 11), 301) for i in range(FEWEST - 1)),
    ]
    overlap = np.array([1, 1, 1, 0, 0, 0, *[0.5] * 5, *[1.0] * 4], dtype=float)
    result = {(part.facet, part.part): part.figure for part in parts_of("en", questions, overlap)}
    assert set(result) == {
        ("question word", "who"),
        ("question word", "why"),
        ("answer length", "1 word"),
        ("answer length", "3 words"),
        ("text length", "1 to 75 words"),
        ("text length", "76 to 100 words"),
    }
    who, why = result["question word", "who"], result["question word", "why"]
    assert (who.name, who.value, who.n) == ("f1", 0.5, 6)
    assert who.low < 0.5 < who.high
    assert (why.value, why.n, why.low, why.high) == (0.5, 5, 0.5, 0.5)


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (1, "1 word"),
        (2, "2 words"),
        (3, "3 words"),
        (4, "4 to 5 words"),
        (5, "4 to 5 words"),
        (6, "6 to 10 words"),
        (10, "6 to 10 words"),
        (11, "over 10 words"),
    ],
)
def test_lengths_are_cut_at_their_steps(words: int, part: str) -> None:
    """Both ends of a step belong to it."""
    questions = [_question(number, "who?", " ".join(["red"] * words), 80) for number in range(FEWEST)]
    assert [part.part for part in parts_of("en", questions, np.ones(FEWEST)) if part.facet == "answer length"] == [part]


def _run(store: Store, parts: list[Slice]) -> str:
    writer = RunWriter.start(store, ModelFacts("m", "M", "F", "span", {}, 10), facts("Toy", task_id="qa-en-mini"))
    gold, predicted = ['["red"]', '["blue", "green"]'] * 40, ["red", "a cup"] * 40
    rows = pd.DataFrame(
        {"example_id": [f"e{i}" for i in range(80)], "gold": gold, "predicted": predicted, "score": 0.5}
    )
    writer.finish([MetricValue("f1", 0.5, 80, 0.4, 0.6)], train_seconds=1.0, predictions=rows, slices=parts)
    return writer.run_id


def _parts() -> list[Slice]:
    return [
        Slice(row.facet, row.part, MetricValue(row.name, row.value, row.n, row.low, row.high))
        for row in PARTS.itertuples(index=False)
    ]


def test_parts_are_kept_with_their_run(board: Store, tmp_path: Path) -> None:
    """By facet and falling size, of one run alone; they travel with it, and coming twice changes nothing."""
    run_id, other = _run(board, _parts()), _run(board, [])
    slices = detail.slices(board, run_id)
    assert slices[["facet", "part", "value", "n"]].values.tolist() == [
        ["question word", "who", 0.9, 40],
        ["question word", "how", 0.6, 30],
        ["question word", "why", 0.4, 20],
        ["text length", "1 to 75 words", 0.7, 60],
        ["text length", "over 300 words", 0.65, 30],
    ]
    assert detail.slices(board, other).empty
    bundles.export_runs(board, tmp_path / "runs.zip", [run_id])
    copy = Store(tmp_path / "there.duckdb")
    copy.path.write_bytes(board.path.read_bytes())
    with copy.transaction() as con:
        for table in ("slices", "predictions", "metrics", "runs"):
            con.execute(f"DELETE FROM {table} WHERE run_id = ?", [run_id])
    for _ in range(2):
        bundles.import_runs(copy, tmp_path / "runs.zip")
        pd.testing.assert_frame_equal(detail.slices(copy, run_id), slices)


def test_a_runs_page_says_where_it_fails(board: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence, a tab for each facet, and a table with the weakest part first; no confusion of answers."""
    app = open_run(board, monkeypatch, _run(board, _parts()))
    assert "Error breakdown" in headings(app)
    assert plain(failures.lead(PARTS)) in [element.value for element in app.markdown]
    assert [tab.label for tab in app.tabs] == ["Question word", "Text length"]
    tables = [shown.value for shown in app.dataframe if "Question word" in shown.value]
    assert tables[0]["Question word"].tolist() == ["why", "how", "who"]
    assert "Confusion matrix" not in headings(app)


def test_a_run_without_parts_has_no_such_section(board: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is said about what is not known."""
    app = open_run(board, monkeypatch, _run(board, []))
    assert "Error breakdown" not in headings(app)


def test_parts_of_somebody_else_are_shown_as_text(board: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bundle may call its parts anything: none of it is read as Markdown, and an unknown figure has no unit."""
    name = ":red[x] [y](http://z) **b** $a$ `c`"
    figures = [MetricValue("strange", value, 9, value - 0.05, value + 0.05) for value in (0.2, 0.8)]
    parts = [Slice(name, f"{name} {index}", figure) for index, figure in enumerate(figures)]
    app = open_run(board, monkeypatch, _run(board, parts))
    shown = [*(tab.label for tab in app.tabs), *(element.value for element in app.markdown)]
    for special in (":red[", "[y](", "**b**", "$a$", "`c`"):
        assert not any(special.lower() in text.lower() for text in shown)
    assert app.tabs[0].label
