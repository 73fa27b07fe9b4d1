"""Models of the hub, without one: what is asked of the library, and what is told of its failures."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import huggingface_hub
import pytest

from engine.inference import hub, models
from engine.inference.schemas import PlaygroundError
from tests.factories.models import span_folder


def _files(**sizes: int) -> list[SimpleNamespace]:
    return [
        SimpleNamespace(rfilename=name.replace("__", ".").replace("_SUB_", "/"), size=size)
        for name, size in sizes.items()
    ]


def _hub_of(monkeypatch: pytest.MonkeyPatch, files: list[SimpleNamespace]) -> None:
    class Api:
        def model_info(self, name: str, **options: Any) -> SimpleNamespace:
            assert options["files_metadata"]
            return SimpleNamespace(siblings=files, sha="c0ffee")

    monkeypatch.setattr(huggingface_hub, "HfApi", Api)


def test_a_plan_tells_what_would_be_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither pickles nor code nor folders of other formats."""
    _hub_of(
        monkeypatch,
        _files(
            model__safetensors=1000,
            config__json=10,
            pytorch_model__bin=1000,
            modeling__py=5,
            onnx_SUB_model__safetensors=700,
            vocab__txt=20,
        ),
    )
    plan = hub.plan("owner/name")
    assert [name for name, _ in plan.files] == ["model.safetensors", "config.json", "vocab.txt"]
    assert (plan.bytes, plan.revision) == (1030, "c0ffee")


def test_models_without_safetensors_or_of_giants_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    _hub_of(monkeypatch, _files(pytorch_model__bin=1000, config__json=1))
    with pytest.raises(PlaygroundError, match="no weights in safetensors"):
        hub.plan("owner/name")
    _hub_of(monkeypatch, _files(model__safetensors=5 * 1024**3))
    with pytest.raises(PlaygroundError, match=r"5\.0 GB"):
        hub.plan("owner/name")


def test_fetching_moves_on_over_all_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    plan = hub.Plan("owner/name", "c0ffee", (("config.json", 10), ("model.safetensors", 90)))
    fetched: list[tuple[str, str]] = []

    def download(name: str, file: str, *, revision: str, tqdm_class: Any) -> str:
        fetched.append((file, revision))
        bar = tqdm_class(total=dict(plan.files)[file], desc=file)
        for _ in range(2):
            bar.update(dict(plan.files)[file] // 2)
        bar.close()
        return str(tmp_path / file)

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", download)
    shares: list[float] = []
    assert hub.fetch(plan, shares.append) == tmp_path
    assert fetched == [("config.json", "c0ffee"), ("model.safetensors", "c0ffee")]
    assert shares == pytest.approx([0.05, 0.1, 0.1, 0.55, 1.0, 1.0])


def test_a_hub_that_cannot_be_reached_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library is offline in the tests."""
    with pytest.raises(PlaygroundError, match="The hub did not give owner/name") as caught:
        hub.plan("owner/name")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["", "name", "a/b/c", "../x", "a/..", "a b/c", "https://x/y", "a/" + "b" * 200])
def test_what_is_no_name_is_told(name: str) -> None:
    with pytest.raises(PlaygroundError, match="no name of a model"):
        hub.plan(name)


def test_what_was_fetched_before_is_found_without_a_network(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, store: Any
) -> None:
    assert hub.cached("owner/name") is None
    with pytest.raises(PlaygroundError, match="not on this machine"):
        models.named(store, "hub:owner/name")
    folder = span_folder(tmp_path / "snapshot")

    def download(name: str, *, allow_patterns: list[str], local_files_only: bool) -> str:
        assert local_files_only
        return str(folder)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    choice = models.named(store, "hub:owner/name")
    assert (choice.name, choice.origin, choice.reads) == ("owner/name", "hub", "qa")
