"""Right answers that predictions are held against: of a shipped corpus, a file, or a verified run."""

from pathlib import Path

import pandas as pd
import pytest

from db.registry import tasks
from db.registry.tasks import Task
from db.runs import examples, gold_labels
from db.statistics import qa_scoring as rules
from db.storage.changes import Change
from db.storage.store import Store
from db.submissions import gold_answers
from db.submissions.gold_answers import GoldLabelsError
from tests import paths
from tests.factories.rows import change, run_row

_DATA = paths.SHARED / "data"


@pytest.mark.parametrize("task", ["reviews-ko-mini", "nli-en-mini", "qa-en-mini", "qa-ko-mini"])
def test_the_shipped_corpora_have_the_right_answers(board: Store, task: str) -> None:
    gold = gold_answers.load(board, tasks.by_id(task))
    assert len(gold.answers) == tasks.by_id(task).split_size
    assert gold.run_id is None
    assert "the shipped corpus" in str(gold.source)


def _wide(task_id: str, size: int, gold: list[str]) -> list[Change]:
    """A verified run of a big task that keeps the gold labels of its whole split."""
    task = tasks.by_id(task_id)
    rows = pd.DataFrame(
        {
            "run_id": "wide-0001",
            "example_id": [f"e{n}" for n in range(size)],
            "gold": [gold[n % len(gold)] for n in range(size)],
            "predicted": "1",
        }
    )
    run = run_row("wide-0001", task_id=task_id, dataset=task.dataset, split=task.split, verified=True)
    return [change("runs", run), Change("predictions", rows, "replace")]


def test_a_verified_run_has_the_gold_labels_too(board: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of its whole split, with the digest of the task, and texts rather than what stands for them."""

    def known(task: Task, gold: list[str], size: int) -> None:
        labels = {f"e{n}": gold[n % len(gold)] for n in range(size)}
        monkeypatch.setattr(gold_labels, "known_digest", lambda requested: gold_labels.digest(requested, labels))

    labels, nli, squad = ["0", "1", "2"], tasks.by_id("mnli"), tasks.by_id("squad")
    with pytest.raises(GoldLabelsError, match="no file of mnli in FEATHERBOARD_DATA, and no verified run of mnli"):
        gold_answers.load(board, nli)
    board.write(_wide("mnli", 9_815, labels))
    with pytest.raises(GoldLabelsError):  # a badge alone is nobody's word
        gold_answers.load(board, nli)
    known(nli, labels, 9_815)
    result = gold_answers.load(board, nli)
    assert (len(result.answers), result.run_id) == (9_815, "wide-0001")
    assert "run wide-0001" in str(result.source)
    board.write([change("runs", {"run_id": "wide-0001", "verified": False}, mode="update")])
    with pytest.raises(GoldLabelsError):
        gold_answers.load(board, nli)
    known(squad, [rules.pack(["a"])], 10_570)
    board.write(_wide("squad", 10_570, [rules.pack([rules.withheld(rules.SQUAD, "a")])]))
    with pytest.raises(GoldLabelsError):
        gold_answers.load(board, squad)
    board.write(_wide("squad", 10_570, [rules.pack(["a"])]))
    assert gold_answers.load(board, tasks.by_id("squad-deck")).run_id == "wide-0001"


def test_a_file_that_is_not_the_whole_split_is_told(
    board: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(examples.VARIABLE, str(tmp_path))
    (tmp_path / "ratings_test.txt").write_text("id\tdocument\tlabel\n7\tx\t1\n", "utf-8")
    with pytest.raises(GoldLabelsError, match=r"ratings_test\.txt has 1 of the 50,000 examples"):
        gold_answers.load(board, tasks.by_id("nsmc"))
    (tmp_path / "ratings_test.txt").write_text("no table", "utf-8")
    with pytest.raises(GoldLabelsError, match="cannot be read"):
        gold_answers.load(board, tasks.by_id("nsmc"))
    with pytest.raises(GoldLabelsError, match="no single split"):
        gold_answers.load(board, tasks.by_id("glue"))


@pytest.mark.skipif(not _DATA.is_dir(), reason="the real data sets are not beside the checkout")
@pytest.mark.parametrize("task", ["nsmc", "mnli", "klue-nli", "squad", "squad-deck", "korquad", "korquad-articles"])
def test_the_real_splits_are_whole(board: Store, monkeypatch: pytest.MonkeyPatch, task: str) -> None:
    """Their files hold exactly the examples that figures are of."""
    monkeypatch.setenv(examples.VARIABLE, str(_DATA))
    assert len(gold_answers.load(board, tasks.by_id(task)).answers) == tasks.by_id(task).split_size
