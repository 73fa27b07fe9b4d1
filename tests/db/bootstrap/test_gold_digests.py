"""Digests of the gold labels of fixed splits."""

import shutil
from pathlib import Path

import pandas as pd
import pytest

from db.bootstrap import gold_digests
from db.registry import tasks
from db.runs import examples, gold_labels
from db.statistics.qa_scoring import RULES, pack, withheld
from tests import paths

ENGLISH = tasks.by_id("qa-en-mini")
_DATA = paths.SHARED / "data"


@pytest.mark.parametrize("task", [task.task_id for task in tasks.TASKS if task.mini and task.split_size])
def test_digests_of_the_shipped_corpora_are_those_of_their_files(task: str) -> None:
    """Size and digest."""
    assert gold_digests.compute(tasks.by_id(task)).agrees


@pytest.mark.skipif(not _DATA.is_dir(), reason="the real data sets are not beside the checkout")
@pytest.mark.parametrize(
    "task", ["nsmc", "mnli", "klue-nli", "ynat", "squad", "squad-deck", "korquad", "korquad-articles"]
)
def test_digests_of_official_splits_are_those_of_their_files(monkeypatch: pytest.MonkeyPatch, task: str) -> None:
    """The command can be run again and gives the same."""
    monkeypatch.setenv(examples.VARIABLE, str(_DATA))
    assert gold_digests.compute(tasks.by_id(task)).agrees


def test_digest_depends_on_ids_and_sets_of_normalised_answers() -> None:
    """Not on order, case, repetition or on whether texts are withheld; on everything else."""
    digest = gold_labels.digest(ENGLISH, {"a": pack(["The box", "red"]), "b": pack(["x"])})
    hidden = pack(withheld(RULES["en"], answer) for answer in ("red", "box."))
    assert gold_labels.digest(ENGLISH, {"b": pack(["X", "x"]), "a": hidden}) == digest
    for other in ({"a": pack(["box"]), "b": pack(["x"])}, {"a": pack(["x"]), "b": pack(["box", "red"])}, {"a": hidden}):
        assert gold_labels.digest(ENGLISH, other) != digest


def test_the_rule_of_the_deck_depends_on_the_first_answer() -> None:
    """It reads no other, so a permuted list is another split."""
    deck = tasks.by_id("squad-deck")
    assert gold_labels.digest(deck, {"a": pack(["x", "y"])}) != gold_labels.digest(deck, {"a": pack(["y", "x"])})


def test_a_task_without_digest_and_data_is_not_checkable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is verified then, whatever a bundle says."""
    monkeypatch.delenv(examples.VARIABLE, raising=False)
    imdb = tasks.by_id("imdb")
    rows = pd.DataFrame({"example_id": [str(n) for n in range(25_000)], "gold": "1"})
    assert gold_labels.known_digest(imdb) is None
    assert not gold_labels.are_those(imdb, rows)
    assert gold_digests.compute(imdb).digest is None


def test_a_digest_is_written_below_the_size(tmp_path: Path) -> None:
    """The file stays a task file, and says the same afterwards."""
    file = Path(tasks.__file__).with_suffix("") / "qa-en-mini.toml"
    shutil.copy(file, tmp_path)
    (tmp_path / file.name).write_text(file.read_text("utf-8").replace("gold_digest", "# gold_digest"), "utf-8")
    gold_digests.write(gold_digests.compute(ENGLISH), tmp_path)
    (written,) = tasks.load([tmp_path])
    assert written.gold_digest == ENGLISH.gold_digest
