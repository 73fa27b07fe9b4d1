"""Span models computed by ONNX Runtime: the same answers, a cached export, and errors."""

from pathlib import Path

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from engine.base.errors import PrecisionError
from engine.cli.app import app
from engine.families.span_qa import onnx_runtime
from engine.families.span_qa.model import batch
from tests.factories.span_qa import toy_answerer, toy_questions, write_source


@pytest.fixture(scope="module", params=["bert", "distilbert"])
def kind(request: pytest.FixtureRequest) -> str:
    pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")
    pytest.importorskip("onnxscript", reason="the extra onnx is not installed")
    return str(request.param)


@pytest.fixture(scope="module")
def folders(kind: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A tiny encoder and a cache with its export."""
    source, cache = tmp_path_factory.mktemp(kind), tmp_path_factory.mktemp(f"{kind}-cache")
    write_source(source, kind)
    onnx_runtime.use(toy_answerer(source), "onnx", cache)
    return source, cache


def test_logits_and_answers_are_those_of_torch(folders: tuple[Path, Path]) -> None:
    """With padding and without, one window and many."""
    by_torch, by_onnx = toy_answerer(folders[0]), onnx_runtime.use(toy_answerer(folders[0]), "onnx", folders[1])
    questions = toy_questions(20)
    windows = by_torch.read(questions).windows
    for index in (np.arange(1), np.arange(7), np.arange(len(windows))):
        ids, types, lengths = batch(windows, index)
        with torch.inference_mode():
            expected, logits = by_torch.model(ids, types, lengths), by_onnx.model(ids, types, lengths)
        inside = torch.arange(ids.shape[1]) < lengths[:, None]
        torch.testing.assert_close(logits[inside], expected[inside], rtol=1e-4, atol=1e-5)
    assert [answer.best[0].text for answer in by_onnx.answer(questions)] == [
        answer.best[0].text for answer in by_torch.answer(questions)
    ]
    assert by_onnx.params == by_torch.params > 0


def test_an_export_is_kept_and_belongs_to_its_weights(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same weights are not exported again, and others never get what was exported before."""
    exports = list((folders[1] / "onnx").iterdir())
    assert len(exports) == 1
    written: list[Path] = []
    monkeypatch.setattr(
        onnx_runtime, "export", lambda network, file: written.append(file) or file.write_bytes(exports[0].read_bytes())
    )
    onnx_runtime.use(toy_answerer(folders[0]), "onnx", folders[1])
    assert not written
    other = toy_answerer(folders[0])
    with torch.no_grad():
        other.model.inner.qa_outputs.bias += 1e-3
    onnx_runtime.use(other, "onnx", folders[1])
    assert len(written) == 1
    assert written[0] != exports[0]
    written[0].unlink()


def test_an_export_that_is_stopped_leaves_nothing(
    folders: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(torch.onnx, "export", broken)
    with pytest.raises(KeyboardInterrupt):
        onnx_runtime.use(toy_answerer(folders[0]), "onnx", tmp_path)
    assert list((tmp_path / "onnx").iterdir()) == []


def test_a_missing_package_is_named_with_its_installation(
    folders: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(onnx_runtime, "_PACKAGES", ("onnx", "no_such_package_at_all"))
    with pytest.raises(PrecisionError, match=r"needs no_such_package_at_all\. Run: pip install -e '\.\[engine,onnx\]'"):
        onnx_runtime.use(toy_answerer(folders[0]), "onnx", tmp_path)


def test_an_unknown_runtime_is_refused_and_torch_changes_nothing(folders: tuple[Path, Path], tmp_path: Path) -> None:
    answerer = toy_answerer(folders[0])
    assert onnx_runtime.use(answerer, "torch", tmp_path) is answerer
    with pytest.raises(PrecisionError, match="no runtime 'tpu'; there are torch, onnx"):
        onnx_runtime.use(answerer, "tpu", tmp_path)


def test_the_command_refuses_a_number_format_with_onnx() -> None:
    """A number format is torch's own; the other runtime computes in float32."""
    done = CliRunner().invoke(
        app, ["ask", "--context", "x", "--question", "y", "--runtime", "onnx", "--precision", "int8"]
    )
    assert done.exit_code == 2
    assert "computes in float32" in done.output.replace("\n", " ")
