"""The runs around a run and its wrong answers, from the store to its page."""

import json

import pandas as pd
import pytest

from db.analysis import hardest_examples, related_runs
from db.base.clock import utc_now
from db.base.errors import NotFoundError
from db.runs import examples
from db.runs.writer import MetricValue, RunWriter
from db.statistics import qa_scoring
from db.storage.store import Store
from tests.dashboard.page_driver import headings, words_of
from tests.dashboard.run.test_page import MODEL, links_of, open_run, school
from tests.factories.runs import add_run, facts


def test_a_run_stands_between_its_neighbours(board: Store, monkeypatch) -> None:
    """The next better and the next worse run are a click away; the ends of the board have one neighbour."""
    runs = [add_run(board, accuracy=score, name=f"Run {score}", recipe_hash=f"{score}") for score in (0.5, 0.6, 0.7)]
    related = related_runs.of_run(board, runs[1])
    assert (related.rank, related.runs) == (2, 3)
    assert (related.above["run_id"], related.below["run_id"]) == (runs[2], runs[0])
    assert related_runs.of_run(board, runs[2]).above is None
    assert related_runs.of_run(board, runs[0][:12]).below is None
    app = open_run(board, monkeypatch, runs[1])
    assert "Run 2 of 3" in words_of(app), "runs are counted, which the board merges into fewer rows"
    links = links_of(app)
    assert runs[2] in links["Run 0.7"]
    assert runs[0] in links["Run 0.5"]


def test_a_run_without_a_score_has_no_rank(board: Store) -> None:
    """A training in progress is on the board, below and apart from the ranked rows."""
    scored = add_run(board, accuracy=0.5)
    running = RunWriter.start(board, MODEL, facts())
    assert related_runs.of_run(board, running.run_id).rank == 0
    assert (related_runs.of_run(board, scored).rank, related_runs.of_run(board, scored).runs) == (1, 1)


def test_on_a_board_where_less_is_better_the_best_is_the_least(board: Store) -> None:
    """Printed seconds: the fastest row comes first."""
    rows = board.query(
        "SELECT r.run_id FROM metrics x JOIN runs r USING (run_id) WHERE r.task_id = 'inference-time' "
        "AND x.name = 'inference_s' ORDER BY x.value"
    )
    assert related_runs.of_run(board, rows["run_id"][0]).rank == 1


def test_teacher_and_students_are_linked(board: Store, monkeypatch) -> None:
    """The recipe names the teacher's seed, so that very run is linked; a model's students show their best run."""
    teachers, students, alone = school(board)
    related = related_runs.of_run(board, students[0])
    assert related.teachers["run_id"].tolist() == [teachers[1]]
    taught = related_runs.of_run(board, teachers[0]).students
    assert taught[["model", "runs", "run_id"]].to_numpy().tolist() == [["Small", 3, students[1]]]
    app = open_run(board, monkeypatch, students[0])
    assert "Teacher" in headings(app)
    assert teachers[1] in links_of(app)["Big [B], measured, seed 1: 80.00%"]
    assert students[1] in links_of(open_run(board, monkeypatch, teachers[0]))["Small: 70.00%, best of 3 runs"]
    assert "Nobody" in words_of(open_run(board, monkeypatch, alone))


def test_without_a_named_seed_every_run_of_the_teacher_is_shown(board: Store) -> None:
    """A printed row names its teacher's model alone."""
    teachers, _, _ = school(board)
    run_id = add_run(board, accuracy=0.3, name="Other", recipe_hash="o", teacher="Big [B]")
    assert related_runs.of_run(board, run_id).teachers["run_id"].tolist() == teachers


def test_a_run_is_compared_with_the_best_of_another_model(board: Store, monkeypatch) -> None:
    """Not with its own seeds, and with one that kept its predictions."""
    teachers, students, _ = school(board)
    related = related_runs.of_run(board, students[0])
    assert related.rival["run_id"] == teachers[0]
    links = links_of(open_run(board, monkeypatch, students[0]))
    assert f"runs={students[0]}%2C{teachers[0]}" in links["Compare with Big [B]"].replace(",", "%2C")


def test_an_unknown_run_has_no_relations(board: Store) -> None:
    """The error is for people."""
    for ask in (related_runs.of_run, hardest_examples.of_run):
        with pytest.raises(NotFoundError, match="no run"):
            ask(board, "0123456789abcdef")


def _predicted(board: Store, rows: list[tuple[str, str | None, str | None, float | None]], **columns: str) -> str:
    writer = RunWriter.start(board, MODEL, facts(**columns))
    frame = pd.DataFrame(rows, columns=["example_id", "gold", "predicted", "score"])
    writer.finish([MetricValue("accuracy", 0.5, len(rows), 0.4, 0.6)], train_seconds=1.0, predictions=frame)
    return writer.run_id


def test_the_surest_wrong_answers_come_first(board: Store, monkeypatch) -> None:
    """By falling probability, right answers and those without a probability left out, labels by their names."""
    rows = [
        ("a", "0", "1", 0.7),
        ("b", "1", "1", 0.99),
        ("c", "1", "0", 0.9),
        ("d", "0", "1", None),
        ("e", "1", None, 0.8),
        ("f", "0", "1", 0.9),
    ]
    run_id = _predicted(board, rows)
    assert hardest_examples.of_run(board, run_id).examples["example_id"].tolist() == ["c", "f", "e", "a"]
    assert len(hardest_examples.of_run(board, run_id, limit=2).examples) == 2
    app = open_run(board, monkeypatch, run_id)
    table = next(shown.value for shown in app.dataframe if "Probability" in shown.value)
    assert table.iloc[0].tolist() == ["c", "positive", "negative", "90.00%"]
    assert table.iloc[2].tolist() == ["e", "positive", "–", "80.00%"]


def test_a_wrong_answer_stands_beside_its_text_where_that_is_at_hand(board: Store, monkeypatch) -> None:
    """The shipped mini corpus is; an id with another gold answer belongs to another edition and has a dash."""
    file = examples.file_of("reviews-ko-mini")
    assert file
    known = examples.read("reviews-ko-mini", file)
    first, second = list(known)[:2]
    other = {"0": "1", "1": "0"}
    golds = [known[first].gold, other[known[second].gold]]
    run_id = _predicted(board, [(first, golds[0], other[golds[0]], 0.9), (second, golds[1], other[golds[1]], 0.8)])
    app = open_run(board, monkeypatch, run_id)
    table = next(shown.value for shown in app.dataframe if "Probability" in shown.value)
    assert table["Text"].tolist() == [known[first].parts["document"], "–"]


def test_texts_are_wrong_by_the_rules_of_their_language(board: Store, monkeypatch) -> None:
    """An article more is right; several golds are shown; an unreadable gold is left out."""
    rows = [
        ("a", qa_scoring.pack(["the cat"]), "Cat", 0.9),
        ("b", qa_scoring.pack(["red", "blue"]), "green", 0.8),
        ("c", "no list", "x", 0.99),
    ]
    run_id = _predicted(board, rows, task_id="qa-en-mini")
    hardest = hardest_examples.of_run(board, run_id)
    assert hardest.texts
    assert hardest.examples["example_id"].tolist() == ["b"]
    app = open_run(board, monkeypatch, run_id)
    table = next(shown.value for shown in app.dataframe if "Probability" in shown.value)
    assert table.iloc[0].tolist() == ["b", "red / blue", "green", "80.00%"]


def test_withheld_answers_are_not_shown(board: Store, monkeypatch) -> None:
    """What only stands for a data set's text is no answer to read."""
    withheld = qa_scoring.withheld(qa_scoring.SQUAD, "green")
    run_id = _predicted(board, [("b", qa_scoring.pack([withheld[:-1] + "0"]), withheld, 0.8)], task_id="qa-en-mini")
    app = open_run(board, monkeypatch, run_id)
    assert (
        "The answers of a run that came with Featherboard are not shown: their text belongs to the "
        "data set. Which are right is kept; the command on the run's page makes them again."
    ) in words_of(app)
    assert not any("Probability" in shown.value for shown in app.dataframe)


def test_a_run_says_how_it_came_and_on_which_processor(board: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the name of the push token, and from which installation; the kind of processor is a fact of its own."""
    libraries = json.dumps({"python": "3.11", "processor": "AuthenticAMD AVX2"})
    run_id = add_run(board, accuracy=0.6, libraries=libraries)
    with board.transaction() as con:
        values = [run_id, "pushed", "a1b2c3" * 11, "pi-kitchen", utc_now()]
        con.execute("INSERT INTO provenance VALUES (?, ?, ?, ?, ?)", values)
    app = open_run(board, monkeypatch, run_id)
    rows = {label: value for table in app.table for label, value in table.value.itertuples(index=False, name=None)}
    rows = {label.replace("\N{NO-BREAK SPACE}", " "): str(value).replace("\\", "") for label, value in rows.items()}
    assert "by the push token pi-kitchen, from installation a1b2c3a1b2c3" in rows["How it came here"]
    assert rows["Kind of processor"] == "AuthenticAMD AVX2"
    assert rows["Libraries"] == "python 3.11"
