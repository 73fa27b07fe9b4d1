"""Predictions from tables of any format, and from the SQuAD scripts."""

import math

import pytest

from db.base.errors import SubmissionError
from db.importers import read
from tests.factories.importer_files import as_json, content, parquet, read_example


def test_predictions_of_a_csv() -> None:
    """Ids and labels are texts, and columns that are no prediction (the gold label among them) are listed."""
    answers = read_example("predictions.csv")
    assert answers.kind == "predictions"
    assert answers.drafts == ()
    assert answers.predictions is not None
    assert answers.predictions.to_dict("list") == {
        "example_id": ["9001", "9002", "9003"],
        "predicted": ["1", "0", "0"],
        "score": [0.98, 0.91, 0.55],
    }
    assert answers.unknown == ("document", "label")


def test_a_tab_separated_file_may_hold_bare_quotation_marks() -> None:
    """Data sets come as TSV in which a quotation mark is a letter."""
    answers = read_example("predictions.tsv").predictions
    assert answers is not None
    assert list(answers["example_id"]) == ["9001", "9002", "9003"]


def test_json_lines() -> None:
    """A key that holds a list is listed, not dropped silently."""
    answers = read_example("predictions.jsonl")
    assert answers.predictions is not None
    assert list(answers.predictions["predicted"]) == ["entailment", "neutral"]
    assert answers.unknown == ("logits",)


def test_parquet_and_csv_of_the_same_rows_give_the_same() -> None:
    """Numbers and texts, and the row numbers that pandas adds, end up alike; 12.0 is the label 12."""
    table = {"id": [1, 2, 3], "pred": [1.0, 0.0, 1.0]}
    from_parquet = read("p.parquet", parquet(table)).predictions
    from_csv = read("p.csv", b"id,pred\n1,1\n2,0\n3,1\n").predictions
    from_json = read("p.json", as_json([{"id": 1, "pred": 1}, {"id": 2, "pred": 0}, {"id": 3, "pred": 1}])).predictions
    assert from_parquet is not None
    assert from_csv is not None
    assert from_json is not None
    assert from_parquet.equals(from_csv)
    assert from_parquet.equals(from_json)


def test_columns_are_mapped_by_a_person() -> None:
    """Names that suggest nothing can be mapped; so can other ones than those that are suggested."""
    imported = read(
        "p.csv", b"frage,antwort,id\nq1,Paris,9\nq2,Rom,8\n", {"frage": "example_id", "antwort": "predicted"}
    )
    assert imported.predictions is not None
    assert list(imported.predictions["example_id"]) == ["q1", "q2"]
    assert imported.unknown == ("id",)


def test_row_numbers_of_pandas_serve_as_ids() -> None:
    """A column without a name is the index that pandas writes."""
    imported = read("p.csv", b",prediction\n0,1\n1,0\n").predictions
    assert imported is not None
    assert list(imported["example_id"]) == ["0", "1"]


def test_double_ids_and_silent_rows_stay() -> None:
    """They are counted where they are verified; an unanswered example is not a missing row."""
    imported = read("p.csv", b"id,predicted,score\n1,a,0.5\n1,b,\n2,,nan\n")
    assert imported.predictions is not None
    assert list(imported.predictions["example_id"]) == ["1", "1", "2"]
    assert list(imported.predictions["predicted"]) == ["a", "b", ""]
    assert imported.predictions["score"].isna().tolist() == [False, True, True]
    assert imported.notes == ("1 of 3 rows have no prediction; each counts as an empty answer.",)


def test_scores_that_are_no_probabilities_are_left_out() -> None:
    """Logits do not say how sure a model is; the note names the column."""
    imported = read("p.csv", b"id,predicted,score\n1,a,3.2\n2,b,-1\n")
    assert imported.predictions is not None
    assert imported.predictions["score"].isna().all()
    assert imported.notes == ('The column "score" holds no probabilities from 0 to 1 and was left out.',)


@pytest.mark.parametrize(
    ("name", "body", "message"),
    [
        ("p.csv", b"prediction,text\n1,a\n", "no column is mapped to example_id; choose one of prediction, text"),
        ("p.csv", b"id,predicted,score\n1,a,high\n", 'line 2, column "score": "high" is no finite number'),
        ("p.csv", b"id,predicted,score\n1,a,1e999\n", 'line 2, column "score": "1e999" is no finite number'),
        ("p.csv", b"id,predicted\n" + b"x" * 201 + b",a\n", 'line 2, column "id": an example id of more than 200'),
        ("p.json", as_json([{"id": "1", "predicted": True}]), 'row 1, column "predicted": true or false'),
        ("p.csv", b"id,predicted\n", "the table has names of columns and no rows"),
        (
            "p.parquet",
            parquet({"id": ["1"], "predicted": ["a\ud800".encode("utf-8", "surrogatepass")]}),
            "no column is known as a model",
        ),
        (
            "p.parquet",
            parquet({"id": ["1"], "predicted": ["a"], "score": [math.inf]}),
            "row 1, column 'score': an infinite number",
        ),
        ("p.parquet", parquet({"id": ["1"], "predicted": ["a"]})[:-30], "no Parquet file that can be read"),
    ],
)
def test_predictions_that_do_not_fit(name: str, body: bytes, message: str) -> None:
    """The message names the row and the column."""
    with pytest.raises(SubmissionError) as caught:
        read(name, body)
    assert str(caught.value).startswith(f"{name}: {message}")


def test_answers_of_the_squad_scripts() -> None:
    """Texts by the ids of questions; the look of the ids suggests the task, and empty answers are counted."""
    answers = read_example("eval_predictions.json")
    assert answers.kind == "squad_predictions"
    assert answers.drafts == ({"task": "squad"},)
    assert answers.predictions is not None
    assert list(answers.predictions["predicted"]) == ["a copper statue", "the Main Building", "", "1858, “Lourdes”"]
    assert answers.predictions["score"].isna().all()
    assert answers.notes[1] == "1 of 4 questions have an empty answer."


def test_korean_ids_suggest_the_korean_task() -> None:
    """Ids of KorQuAD are three numbers; other ids suggest nothing."""
    assert read("p.json", as_json({"6566495-0-0": "답", "6566495-0-1": "답"})).drafts == ({"task": "korquad"},)
    assert read("p.json", as_json({"q1": "answer"})).drafts == ()


def test_the_likeliest_of_several_answers_is_taken() -> None:
    """With its probability as the score, whatever the order."""
    answers = read_example("eval_nbest_predictions.json")
    assert answers.kind == "squad_nbest"
    assert answers.predictions is not None
    assert list(answers.predictions["score"]) == [0.81] * 4
    assert answers.unknown == ("end_logit", "start_logit")
    mixed = {
        "q1": [{"text": "a", "probability": 0.2}, {"text": "b", "probability": 0.7}],
        "q2": [],
        "q3": [{"text": "c"}],
    }
    answers = read("eval_nbest_predictions.json", as_json(mixed))
    assert answers.predictions is not None
    assert list(answers.predictions["predicted"]) == ["b", "", "c"]
    assert answers.predictions["score"].isna().tolist() == [False, True, True]
    assert "1 of 3 questions have no answer" in answers.notes[1]


def test_an_answer_without_a_text_is_refused() -> None:
    """The place is the question's id and the answer's number."""
    body = as_json({"q1": [{"text": "a", "probability": 0.2}, {"probability": 0.1}]})
    with pytest.raises(SubmissionError, match=r'nbest.json: q1\[1\]: each answer must be an object with a "text"'):
        read("nbest.json", body)


def test_a_fixture_is_told_by_its_content_first() -> None:
    """Under a wrong name each is still what it is."""
    for name in ("eval_nbest_predictions.json", "trainer_state.json", "lm_eval_results.json", "config.json"):
        assert read("download.json", content(name)).kind == read_example(name).kind
        assert read("download", content(name)).kind == read_example(name).kind


def test_all_cells_that_do_not_fit_are_named() -> None:
    """In one message, each with its line and column."""
    with pytest.raises(SubmissionError) as caught:
        read("p.csv", b"id,predicted,score\n,0,0.5\nb,1,high\nc,1,0.5\n,0,0.1\n")
    message = str(caught.value)
    for location in ('line 2, column "id"', 'line 5, column "id"', 'line 3, column "score"'):
        assert location in message
