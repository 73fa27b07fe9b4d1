"""Task files: validation, and what knows a task that is nothing but a file."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from db.base.errors import TaskFileError
from db.bootstrap.create import task_rows
from db.registry import metrics, tasks
from db.registry.metrics import METRICS

TOPICS = """
id = "topics"
version = 1
position = 75
area = "sentiment"
name = "Topics"
language = "en"
question = "What is this text about?"
scoring = "Accuracy on two texts."
metric = "accuracy"
direction = "max"
dataset = "topics"
split = "test"
split_size = 2
labels = ["sport", "trade"]

[korean]
name = "주제"
question = "이 글은 무엇에 대한 것인가?"
scoring = "글 두 개에 대한 정확도."

[data]
kind = "classification"
texts = ["body"]
licence = "CC0-1.0"
corpus = "topics"

[data.files]
train = ["train.jsonl"]
test = ["test.jsonl"]
"""

USE = """
import json, sys
from pathlib import Path
from typer.testing import CliRunner
from dashboard.ui import task_names, task_picker
from db.bootstrap import create
from db.runs import bundles, detail, examples
from db.storage.store import Store
from engine.cli.app import app
from engine.data import corpora

task_names.current_language = lambda: "ko"
store = Store(Path(sys.argv[1]))
bundles.shipped = list  # 18 s of importing them
create.initialise(store)
gold = examples.read("topics", examples.file_of("topics"))
print(json.dumps({
    "boards": detail.boards(store)["task_id"].tolist(),
    "listed": CliRunner().invoke(app, ["list", "tasks"], env={"COLUMNS": "200"}).output,
    "labels": corpora.load("topics", None).test.labels.tolist(),
    "gold": {name: example.gold for name, example in gold.items()},
    "korean": task_names.task({"task_id": "topics"}).name,
    "area": task_picker.AREAS["sentiment"],
}))
"""


def test_a_task_is_one_file(tmp_path: Path) -> None:
    """The boards, the command line, the data loader and the Korean page know a task by its file alone."""
    (tmp_path / "topics.toml").write_text(TOPICS, "utf-8")
    corpus = tmp_path / "corpora" / "topics"
    corpus.mkdir(parents=True)
    for split in ("train", "test"):
        rows = [
            {"id": f"{split}{n}", "body": f"{split} text {n}", "label": name}
            for n, name in ((0, "sport"), (1, "trade"))
        ]
        (corpus / f"{split}.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", USE, str(tmp_path / "board.duckdb")],
        env={**os.environ, "FEATHERBOARD_TASKS": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout.splitlines()[-1])
    assert seen["boards"].index("topics") == seen["boards"].index("klue-nli") + 1
    assert "topics" in seen["listed"]
    assert seen["labels"] == [0, 1]
    assert seen["gold"] == {"test0": "0", "test1": "1"}
    assert seen["korean"] == "주제"
    assert "topics" in seen["area"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("split_size = 2", "split_sise = 2", r"topics\.toml: split_sise: Extra inputs"),
        ("licence =", "license =", r"topics\.toml: data\.classification\.license: Extra inputs"),
        ('texts = ["body"]\n', "", r"topics\.toml: data\.classification\.texts: Field required"),
        ("[korean]", '[korean]\nlabels = ["하나"]', r"topics\.toml: .*korean\.labels: 1 names for 2 labels"),
        ("version = 1", 'version = "first"', r"topics\.toml: version: "),
        ('"accuracy"', '"acuracy"', r"topics\.toml: .*acuracy"),
        (', "trade"', "", r"topics\.toml: .*at least two"),
        ('id = "topics"', 'id = "topic"', r"topics\.toml: id: 'topic'"),
        ("version = 1", "version =", r"topics\.toml: cannot be read"),
    ],
)
def test_a_wrong_file_is_refused_with_its_name_and_key(tmp_path: Path, old: str, new: str, message: str) -> None:
    """A misspelt, missing or impossible key, a wrong name and a file that is not TOML are each named."""
    (tmp_path / "topics.toml").write_text(TOPICS.replace(old, new), "utf-8")
    with pytest.raises(TaskFileError, match=message):
        tasks.load([tmp_path])


def test_a_task_may_bring_a_metric_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any named number, with its unit and direction; one that is known must be the same."""
    monkeypatch.setattr(metrics, "METRICS", own := dict(METRICS))
    described = '\n[[metrics]]\nname = "bleu_ko"\nlabel = "BLEU"\nunit = "points"\n'
    (tmp_path / "topics.toml").write_text(TOPICS.replace('"accuracy"', '"bleu_ko"') + described, "utf-8")
    (task,) = tasks.load([tmp_path])
    assert (task.metric, own["bleu_ko"].unit, own["bleu_ko"].direction) == ("bleu_ko", "points", "max")
    other = described.replace("bleu_ko", "log_loss").replace("points", "percent")
    (tmp_path / "topics.toml").write_text(TOPICS + other, "utf-8")
    with pytest.raises(TaskFileError, match="metrics: log_loss is known in plain, of which min is best"):
        tasks.load([tmp_path])


def test_a_task_cannot_be_described_twice(tmp_path: Path) -> None:
    """A file of the user's own does not replace a task of the package."""
    (tmp_path / "nsmc.toml").write_text(TOPICS.replace('"topics"', '"nsmc"', 1), "utf-8")
    with pytest.raises(TaskFileError, match="the name of another task"):
        tasks.load([Path(tasks.__file__).with_suffix(""), tmp_path])


def test_the_store_keeps_the_registry() -> None:
    """Rows of the tasks table are numbered in the order of the boards."""
    rows = task_rows().rows
    assert rows["task_id"].tolist() == tasks.task_ids()
    assert rows["position"].tolist() == list(range(len(tasks.TASKS)))
