"""A task made from a table of labelled texts."""

from pathlib import Path

import pandas as pd
import pytest

from db.base.errors import DataError, FeatherboardError
from db.bootstrap import new_task
from db.bootstrap.new_task import Columns
from db.registry import tasks


def frame(rows: int = 100, **columns: object) -> pd.DataFrame:
    """Make labelled texts, every second one of each class."""
    texts = [f"text number {number}" for number in range(rows)]
    labels = ["bad" if number % 2 else "good" for number in range(rows)]
    return pd.DataFrame({"text": texts, "label": labels, **columns})


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"text": "x", "label": "ab"}, Columns(("text",), "label")),
        ({"id": "unique", "review": "x", "sentiment": "ab"}, Columns(("review",), "sentiment", "id")),
        ({"premise": "x", "hypothesis": "x", "label": "ab"}, Columns(("premise", "hypothesis"), "label")),
        ({"문장": "x", "라벨": "ab"}, Columns(("문장",), "라벨")),
        ({"Words": "x", "Kind": "ab"}, Columns(("Words",), "Kind")),
    ],
)
def test_columns_are_guessed(columns: dict[str, str], expected: Columns) -> None:
    """By their names where known, else by what they hold."""
    values = {"x": [f"some words {n}" for n in range(20)], "ab": ["a", "b"] * 10, "unique": [str(n) for n in range(20)]}
    assert new_task.guess(pd.DataFrame({name: values[kind] for name, kind in columns.items()})) == expected


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pd.DataFrame({"text": ["a", "b", "c", "d"]}), "label"),
        (pd.DataFrame({"label": [0, 1, 0, 1], "n": [1, 2, 3, 4]}), "text"),
    ],
)
def test_a_table_without_label_or_text_is_refused(table: pd.DataFrame, message: str) -> None:
    """The message names what is missing and the columns that there are."""
    with pytest.raises(DataError, match=f"No column can be the {message}"):
        new_task.guess(table)


@pytest.mark.parametrize(
    ("file", "name"), [("My_reviews 2.csv", "my-reviews-2"), ("리뷰.csv", "my-task"), ("영화_films.csv", "films")]
)
def test_a_file_gives_a_name_that_can_be_used(file: str, name: str) -> None:
    assert new_task.short_name(Path(file)) == name


@pytest.mark.parametrize(("text", "language"), [("좋은 영화 good", "ko"), ("a film from 서울", "en"), ("12", "en")])
def test_the_language_is_guessed_from_the_letters(text: str, language: str) -> None:
    columns = Columns(("text",), "label")
    assert new_task.guess_language(frame().assign(text=text), columns) == language


def test_a_fifth_is_held_out_by_the_text(tmp_path: Path) -> None:
    """The same texts whatever their order, and no text in both splits."""
    table = pd.concat([frame(500), frame(500)])  # every text twice
    columns = Columns(("text",), "label")
    task = new_task.create(tmp_path, "twice", columns, table.reset_index(drop=True))
    train, test = (pd.read_parquet(tmp_path / "corpora" / "twice" / f"{part}.parquet") for part in ("train", "test"))
    assert not set(train["text"]) & set(test["text"])
    assert len(train) + len(test) == 1000
    assert 0.15 < len(test) / 1000 < 0.25
    assert (task.split, task.split_size) == ("held-out 20%", len(test))
    new_task.create(tmp_path, "shuffled", columns, table.sample(frac=1, random_state=0).reset_index(drop=True))
    again = pd.read_parquet(tmp_path / "corpora" / "shuffled" / "test.parquet")
    assert set(again["text"]) == set(test["text"])


def test_the_file_is_a_task_file(tmp_path: Path) -> None:
    """What is written is read back as the same task; rows without text or label are left out."""
    table = pd.concat([frame(), pd.DataFrame({"text": ["", "no label"], "label": ["good", None]})], ignore_index=True)
    task = new_task.create(
        tmp_path, "my-reviews", Columns(("text",), "label"), table, frame(20), name='My "reviews"', language="ko"
    )
    assert tasks.read(tmp_path / "my-reviews.toml") == task
    assert task.gold_digest
    assert task.labels == ("bad", "good")
    assert task.split_size == 20
    assert len(pd.read_parquet(tmp_path / "corpora" / "my-reviews" / "train.parquet")) == 100


def test_numbers_as_labels_are_ordered_as_numbers(tmp_path: Path) -> None:
    """Ratings 1 to 10, with one missing, which makes the column floats."""
    ratings = [float(1 + number % 10) for number in range(100)]
    table = pd.DataFrame({"text": [f"t{number}" for number in range(101)], "label": [*ratings, None]})
    task = new_task.create(tmp_path, "ratings", Columns(("text",), "label"), table)
    assert task.labels == tuple(map(str, range(1, 11)))


@pytest.mark.parametrize(
    ("task_id", "table", "message"),
    [
        ("nsmc", frame(), "already"),
        ("My Task", frame(), "cannot name a task"),
        ("../x", frame(), "cannot name a task"),
        ("many", frame(500, label=[str(n) for n in range(500)]), "different values"),
        ("few", frame(1), "too few"),
        ("other", frame().rename(columns={"label": "kind"}), "no column 'label'"),
    ],
)
def test_what_makes_no_task_is_refused(tmp_path: Path, task_id: str, table: pd.DataFrame, message: str) -> None:
    """Nothing is written."""
    with pytest.raises(FeatherboardError, match=message):
        new_task.create(tmp_path / "tasks", task_id, Columns(("text",), "label"), table)
    assert not (tmp_path / "tasks").exists()
