"""Predictions on texts of the command line, and the models that can be named."""

import json
from pathlib import Path

import pytest

from db.base.paths import checkpoint_folder, default_database
from db.bootstrap.create import initialise
from db.registry import tasks
from db.storage.store import Store
from engine.base.errors import CheckpointError
from engine.checkpoints import checkpoint, locate, shipped
from engine.families.classification import classifiers
from engine.inference import classification as predict
from tests.engine.cli.predict.conftest import Run, save
from tests.engine.cli.predict.table_files import LABELS, TEXTS
from tests.factories.command_line import CommandLine
from tests.factories.runs import add_run


def test_texts_on_the_command_line_are_answered_in_order(run: Run, model: str) -> None:
    """One line a text, with label, probability and the text, all on standard output."""
    code, out, err = run("--model", model, *TEXTS)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert len(lines) == len(TEXTS)
    labels, shares, _ = predict.classified(classifiers.load(Path(model)), [(text,) for text in TEXTS])
    for line, label, share, text in zip(lines, labels, shares, TEXTS, strict=True):
        assert line.split() == [label, f"{share.max():.1%}", *text.split()]


def test_json_is_one_object_a_line(run: Run, model: str) -> None:
    """--json gives text, label and probability; a text that is empty gets null."""
    code, out, _ = run("--model", model, "--json", "좋은 영화", " ")
    rows = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [row["text"] for row in rows] == ["좋은 영화", " "]
    assert rows[0]["prediction"] in LABELS
    assert 0.5 <= rows[0]["probability"] <= 1
    assert (rows[1]["prediction"], rows[1]["probability"]) == (None, None)


def test_a_text_gets_a_label_of_its_models_task(command_line: CommandLine, tmp_path: Path) -> None:
    """`predict text` takes the labels from the model; one for pairs, and `predict sentiment` with it, are refused."""
    sizes = {"vocab_size": 120, "embedding_dim": 8, "hidden_dim": 8}
    topics = save(tmp_path / "topics", task="topics-ko-mini", model={**sizes, "num_labels": 7})
    code, out, _ = command_line("predict", "text", "--model", topics, "--threads", "1", "--json", *TEXTS)
    assert code == 0
    assert {json.loads(line)["prediction"] for line in out.splitlines()} <= set(tasks.by_id("topics-ko-mini").labels)
    code, _, err = command_line("predict", "sentiment", "--model", topics, "x")
    assert (code, "one with the labels negative, positive is needed" in err) == (1, True)
    pairs = save(tmp_path / "pairs", task="nli-ko-mini", model={**sizes, "num_labels": 3})
    code, _, err = command_line("predict", "text", "--model", pairs, "x")
    assert (code, "one that classifies single texts is needed" in err) == (1, True)


@pytest.mark.parametrize("arguments", [(), ("-",)])
def test_standard_input_is_read_line_by_line(
    run: Run, model: str, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without texts, or with -, each line of standard input is one; more lines than fit one batch keep their order."""
    monkeypatch.setattr("engine.cli.predict.LINES", 3)
    lines = [f"{text} {number}" for number in range(4) for text in ("좋은 영화", "", "책")]
    code, out, _ = run("--model", model, "--json", *arguments, stdin="\r\n".join(lines).encode())
    assert code == 0
    assert [json.loads(line)["text"] for line in out.splitlines()] == lines


def test_standard_input_that_is_not_utf8_is_told(run: Run, model: str) -> None:
    """A line in another encoding ends with one line that names it."""
    code, _, err = run("--model", model, "-", stdin="좋은\n나쁜\n".encode("cp949"))
    assert code == 1
    assert err.startswith("Error: Standard input, line 1: not UTF-8")


def test_no_texts_give_no_answers(model: str) -> None:
    """An empty list is answered with nothing, in the right shape."""
    labels, shares, _ = predict.classified(classifiers.load(Path(model)), [])
    assert (labels, shares.shape) == ([], (0, 2))


@pytest.mark.parametrize(
    "arguments", [("--input", "a.csv"), ("--output", "a.csv"), ("--input", "a.csv", "--output", "b.csv", "text")]
)
def test_a_wrong_use_is_refused(run: Run, model: str, arguments: tuple[str, ...]) -> None:
    """Half a pair of files, or texts and a file, end with 2 and a usage line."""
    code, _, err = run("--model", model, *arguments)
    assert code == 2
    assert "Traceback" not in err


# Which model a name means.


def test_an_unknown_model_is_answered_with_what_was_tried(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message names the shipped checkpoints, the folder and the board."""
    shelf = tmp_path / "shelf"
    save(shelf / "toy-one")
    (shelf / "not-a-checkpoint").mkdir()
    monkeypatch.setattr(shipped, "_root", lambda: shelf)
    for name in ("nothing", "not-a-checkpoint"):
        code, out, err = run("--model", name, "책")
        assert (code, out) == (1, "")
        assert f"There is no model '{name}'" in err
        assert "the shipped checkpoints (toy-one)" in err
        assert "a folder of that name" in err
    assert run("--model", "toy-one", "책")[0] == 0


def test_a_shipped_name_goes_before_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stray folder does not hide a shipped checkpoint; with ./ it is meant."""
    shelf = tmp_path / "shelf"
    save(shelf / "toy-one")
    monkeypatch.setattr(shipped, "_root", lambda: shelf)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "toy-one").mkdir()
    store = Store(tmp_path / "none.duckdb")
    assert locate.find(store, "toy-one").folder == shelf / "toy-one"
    assert locate.find(store, "./toy-one").folder == Path("toy-one")


def test_a_run_of_the_board_answers(run: Run, model: str) -> None:
    """A run whose checkpoint is here is named by its id or its beginning; one from elsewhere is told apart."""
    store = Store(default_database())
    initialise(store)
    run_id = add_run(store, accuracy=0.7)
    code, _, err = run("--model", run_id[:12], "책")
    assert code == 1
    assert f"The checkpoint of run {run_id[:12]} is not on this machine" in err
    folder = checkpoint_folder(store.path, run_id)
    folder.parent.mkdir(parents=True)
    folder.symlink_to(model)
    assert locate.find(store, run_id[:12]).run_id == run_id
    assert run("--model", run_id[:12], "책")[0] == 0


def test_a_model_for_another_task_is_refused(run: Run, tmp_path: Path) -> None:
    """Three classes of inference are not a sentiment."""
    sizes = {"vocab_size": 120, "embedding_dim": 4, "hidden_dim": 4, "num_labels": 3}
    pairs = save(tmp_path / "pairs", task="mnli", mini_task="nli-en-mini", language="en", model=sizes)
    code, _, err = run("--model", pairs, "책")
    assert code == 1
    assert "was made for the task mnli; one with the labels negative, positive is needed" in err


def test_a_damaged_checkpoint_is_told(run: Run, tmp_path: Path) -> None:
    """Weights that were changed are not used."""
    folder = save(tmp_path / "toy")
    (folder / checkpoint.WEIGHTS).write_bytes(b"broken")
    code, _, err = run("--model", folder, "책")
    assert code == 1
    assert "cannot be read" in err or "damaged" in err
    with pytest.raises(CheckpointError):
        classifiers.load(folder)
