"""Span models computed by ONNX Runtime: the same answers, an export that is kept, and errors for people."""

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
def places(kind: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A tiny encoder and a cache with its export."""
    source, cache = tmp_path_factory.mktemp(kind), tmp_path_factory.mktemp(f"{kind}-cache")
    write_source(source, kind)
    onnx_runtime.use(toy_answerer(source), "onnx", cache)
    return source, cache


def test_logits_and_answers_are_those_of_torch(places: tuple[Path, Path]) -> None:
    """With padding and without, one window and many."""
    theirs, ours = toy_answerer(places[0]), onnx_runtime.use(toy_answerer(places[0]), "onnx", places[1])
    some = toy_questions(20)
    windows = theirs.read(some).windows
    for index in (np.arange(1), np.arange(7), np.arange(len(windows))):
        ids, types, lengths = batch(windows, index)
        with torch.inference_mode():
            expected, found = theirs.model(ids, types, lengths), ours.model(ids, types, lengths)
        inside = torch.arange(ids.shape[1]) < lengths[:, None]
        torch.testing.assert_close(found[inside], expected[inside], rtol=1e-4, atol=1e-5)
    assert [one.best[0].text for one in ours.answer(some)] == [one.best[0].text for one in theirs.answer(some)]
    assert ours.params == theirs.params > 0


def test_an_export_is_kept_and_belongs_to_its_weights(
    places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same weights are not exported again, and others never get what was exported before."""
    kept = list((places[1] / "onnx").iterdir())
    assert len(kept) == 1
    made: list[Path] = []
    monkeypatch.setattr(
        onnx_runtime, "_export", lambda network, file: made.append(file) or file.write_bytes(kept[0].read_bytes())
    )
    onnx_runtime.use(toy_answerer(places[0]), "onnx", places[1])
    assert not made
    other = toy_answerer(places[0])
    with torch.no_grad():
        other.model.inner.qa_outputs.bias += 1e-3
    onnx_runtime.use(other, "onnx", places[1])
    assert len(made) == 1
    assert made[0] != kept[0]
    made[0].unlink()


def test_an_export_that_is_stopped_leaves_nothing(
    places: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(torch.onnx, "export", broken)
    with pytest.raises(KeyboardInterrupt):
        onnx_runtime.use(toy_answerer(places[0]), "onnx", tmp_path)
    assert list((tmp_path / "onnx").iterdir()) == []


def test_a_missing_package_is_told_with_its_installation(
    places: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(onnx_runtime, "_NEEDED", ("onnx", "no_such_package_at_all"))
    with pytest.raises(PrecisionError, match=r"needs no_such_package_at_all\. Run: pip install -e '\.\[engine,onnx\]'"):
        onnx_runtime.use(toy_answerer(places[0]), "onnx", tmp_path)


def test_an_unknown_runtime_is_told_and_torch_is_no_change(places: tuple[Path, Path], tmp_path: Path) -> None:
    one = toy_answerer(places[0])
    assert onnx_runtime.use(one, "torch", tmp_path) is one
    with pytest.raises(PrecisionError, match="no runtime 'tpu'; there are torch, onnx"):
        onnx_runtime.use(one, "tpu", tmp_path)


def test_the_command_wants_one_of_the_two() -> None:
    """A number format is torch's own; the other runtime computes in float32."""
    said = CliRunner().invoke(
        app, ["ask", "--context", "x", "--question", "y", "--runtime", "onnx", "--precision", "int8"]
    )
    assert said.exit_code == 2
    assert "computes in float32" in said.output.replace("\n", " ")
