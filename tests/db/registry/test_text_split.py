"""A test split that a hash of the text decides, where one file holds all examples."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from db.base.errors import TaskFileError
from db.registry import tasks, text_split
from db.runs import examples, gold_labels
from engine.data import corpora, held_out
from engine.recipes.schema import TrainConfig

TASK = tasks.by_id("ynat")
TEXTS = [f"제목 {i}" for i in range(2000)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Headlines in the form of the official training file, one of them twice in another spelling."""
    texts = [*TEXTS, "제목  1!"]
    labels = [i % 7 for i in range(len(texts) - 1)] + [1]
    pd.DataFrame({"title": texts, "label": labels}).to_parquet(tmp_path / "ynat_train.parquet")
    return tmp_path


def test_the_parts_are_disjoint_and_whole(folder: Path) -> None:
    """Each text is in one part, copies in the same one, and the test part is as large as the task says."""
    corpus = corpora.load("ynat", str(folder))
    train, test = ({text_split.normal(text) for (text,) in part.texts} for part in (corpus.train, corpus.test))
    assert not train & test
    assert len(corpus.train) + len(corpus.test) == len(TEXTS) + 1
    assert len(corpus.test) / len(TEXTS) == pytest.approx(0.1, abs=0.02)


def test_held_out_validation_texts_are_a_part_of_train_of_their_usual_size(folder: Path) -> None:
    """The two hashes are independent: those of validation are none of test, and 5 % of train all the same."""
    corpus = corpora.load("ynat", str(folder))
    _, held = corpora.held_out(corpus.train, TrainConfig(), seed=0)
    assert len(held) / len(corpus.train) == pytest.approx(0.05, abs=0.015)
    both = held_out.mask(TEXTS, 0.05) & np.array([text_split.in_test(text, 0.1) for text in TEXTS])
    assert 0 < both.sum() < 30


def test_the_store_reads_the_same_part_as_the_engine(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids and gold labels agree, so that a run can be verified and its texts are shown beside its answers."""
    monkeypatch.setenv(examples.VARIABLE, str(folder))
    file = gold_labels.file_of(TASK)
    assert file is not None
    test = corpora.load("ynat", str(folder)).test
    expected = dict(zip(test.ids, map(str, test.labels.tolist()), strict=True))
    assert gold_labels.of_file(TASK, file) == expected
    assert {name: example.parts["document"] for name, example in examples.read("ynat", file).items()} == {
        name: text for name, (text,) in zip(test.ids, test.texts, strict=True)
    }


def test_a_row_is_named_by_its_number_in_the_file(folder: Path) -> None:
    """A wrong label is found where a reader looks for it, in whichever part it is."""
    frame = pd.read_parquet(folder / "ynat_train.parquet")
    frame.loc[1500, "label"] = 9
    frame.to_parquet(folder / "ynat_train.parquet")
    with pytest.raises(corpora.DataError, match="the first is row 1501,"):
        corpora.load("ynat", str(folder))


@pytest.mark.parametrize(
    "key", ['test = ["b.parquet"]\n', '\n[data.hub]\nid = "a/b"\ntrain = "train"\ntest = "test"\n']
)
def test_a_task_cannot_name_a_second_test_split(tmp_path: Path, key: str) -> None:
    """Two test splits would contradict each other."""
    source = (Path(tasks.__file__).with_suffix("") / "ynat.toml").read_text("utf-8")
    (tmp_path / "ynat.toml").write_text(source + key, "utf-8")
    with pytest.raises(TaskFileError, match="test_fraction"):
        tasks.load([tmp_path])
