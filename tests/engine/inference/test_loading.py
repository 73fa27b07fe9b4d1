"""Models from elsewhere: what is read of them, and what is refused."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file
from transformers import BertForQuestionAnswering, BertForSequenceClassification

from engine.base.errors import ModelError, PrecisionError
from engine.families.span_qa.answerer import Answerer
from engine.families.span_qa.windows import Window
from engine.inference import loading
from engine.inference.schemas import PlaygroundError
from tests.factories.models import chosen, pair_folder, span_folder, write_model


def test_a_span_model_of_a_folder_computes_as_transformers_does(tmp_path: Path) -> None:
    folder = span_folder(tmp_path / "spans")
    loaded = loading.load(chosen(folder))
    assert loaded.recipe.language == "en"
    assert loaded.recipe.qa.max_length == 64
    inner = BertForQuestionAnswering.from_pretrained(folder).eval()
    ids = torch.arange(5, 15)[None]
    with torch.inference_mode():
        theirs = inner(input_ids=ids, token_type_ids=torch.zeros_like(ids))
        ours = loaded.model.compute(ids.numpy(), np.zeros((1, 10), dtype=np.int64), np.array([10]))
    assert np.allclose(ours[..., 0], theirs.start_logits, atol=1e-5)
    assert np.allclose(ours[..., 1], theirs.end_logits, atol=1e-5)


def test_a_model_has_answered_once_when_it_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first time that a visitor is shown is not that of a first call."""
    calls: list[int] = []
    logits = Answerer.logits

    def counted(answerer: Answerer, windows: list[Window]) -> list[NDArray[np.float32]]:
        calls.append(len(windows))
        return logits(answerer, windows)

    monkeypatch.setattr(Answerer, "logits", counted)
    loading.load(chosen(span_folder(tmp_path / "spans")))
    assert calls == [1]


@pytest.mark.parametrize(
    ("labels", "order"),
    [
        (("entailment", "neutral", "contradiction"), [0, 1, 2]),
        (("CONTRADICTION", "Neutral", "entailment"), [2, 1, 0]),
        (("LABEL_0", "LABEL_1", "LABEL_2"), [0, 1, 2]),
        (("neutral", "entailment", "other"), [0, 1, 2]),
    ],
)
def test_classes_are_ordered_by_their_names(tmp_path: Path, labels: tuple[str, ...], order: list[int]) -> None:
    """Names that say nothing leave them as they are."""
    folder = pair_folder(tmp_path / "pairs", labels)
    loaded = loading.load(chosen(folder))
    inner = BertForSequenceClassification.from_pretrained(folder).eval()
    encoded = loaded.tokenizer.encode("the box is red", "the cup")
    with torch.inference_mode():
        theirs = inner(input_ids=torch.tensor([encoded.ids]), token_type_ids=torch.tensor([encoded.type_ids])).logits
    ours = loaded.prepare([("the box is red", "the cup")]).logits()
    assert np.allclose(ours[0], theirs[0][order], atol=1e-5)


def test_a_classifier_of_two_classes_tells_sentiment(tmp_path: Path) -> None:
    folder = write_model(
        tmp_path / "two", BertForSequenceClassification, id2label={0: "POS", 1: "NEG"}, label2id={"POS": 0, "NEG": 1}
    )
    loaded = loading.load(chosen(folder))
    assert loaded.model.order.tolist() == [1, 0]


def test_a_pickle_is_never_read(tmp_path: Path) -> None:
    folder = span_folder(tmp_path / "spans")
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    with pytest.raises(ModelError, match="no readable model in safetensors"):
        loading.load(chosen(folder))


def test_weights_without_a_head_are_refused(tmp_path: Path) -> None:
    """Transformers would make up a head at random and answer with it."""
    folder = span_folder(tmp_path / "spans")
    weights = load_file(folder / "model.safetensors")
    save_file(
        {name: tensor for name, tensor in weights.items() if "qa_outputs" not in name},
        folder / "model.safetensors",
        metadata={"format": "pt"},
    )
    with pytest.raises(ModelError, match="qa_outputs"):
        loading.load(chosen(folder))


def test_a_folder_without_a_tokenizer_is_told(tmp_path: Path) -> None:
    folder = span_folder(tmp_path / "spans")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).unlink(missing_ok=True)
    with pytest.raises((PlaygroundError, ModelError), match="tokenizer"):
        loading.load(chosen(folder))


def test_a_broken_tokenizer_is_told(tmp_path: Path) -> None:
    folder = span_folder(tmp_path / "spans")
    (folder / "tokenizer.json").write_text("{}", "utf-8")
    with pytest.raises(PlaygroundError, match=r"tokenizer\.json"):
        loading.load(chosen(folder))


def test_code_of_a_model_is_not_run(tmp_path: Path) -> None:
    folder = span_folder(tmp_path / "spans")
    config = json.loads((folder / "config.json").read_text("utf-8"))
    config["auto_map"] = {"AutoConfig": "evil.Config", "AutoModelForQuestionAnswering": "evil.Model"}
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    (folder / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n", "utf-8")
    loading.load(chosen(folder))
    assert not (tmp_path / "ran").exists()


def test_an_unknown_number_format_is_told(tmp_path: Path) -> None:
    with pytest.raises(PrecisionError, match="no precision"):
        loading.load(chosen(span_folder(tmp_path / "spans")), "float8")


def test_a_checkpoint_of_ours_may_lie_in_any_folder(tmp_path: Path) -> None:
    from engine.checkpoints.shipped import shipped_folder

    shutil.copytree(shipped_folder("distilkobilstm-tiny"), tmp_path / "mine")
    result = chosen(tmp_path / "mine")
    assert (result.reads, result.name) == ("sentiment", "DistilKoBiLSTM-Tiny")
    assert loading.load(result).params == 27_394


def test_a_first_answer_waits_for_no_library_that_it_does_without() -> None:
    """Each of them takes a second or more to import."""
    code = """
import sys
from pathlib import Path
from db.storage.store import Store
from engine.inference.predictor import Predictor
Predictor(Store(Path("no.duckdb"))).warm("sentiment")
print([name for name in ("peft", "sklearn", "datasets") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=600)
    assert done.stdout.strip() == "[]"
