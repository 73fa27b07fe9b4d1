"""Parameters counted from shapes and from architectures."""

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from db.base.errors import SubmissionError
from db.importers import read
from db.importers.formats import architectures, safetensors
from tests import paths
from tests.factories import importer_files as samples
from tests.factories.importer_files import as_json, content, read_example

PRETRAINED = paths.REPO / "engine" / "pretrained"


def test_parameters_of_a_safetensors_file() -> None:
    """The product of each shape, whether the weights follow or not; positions that are only counted are none."""
    tensors = {"a": ("F32", (3, 4)), "b": ("BF16", (5,)), "scalar": ("F32", ()), "bert.position_ids": ("I64", (1, 512))}
    for weights in (True, False):
        imported = read("model.safetensors", samples.safetensors(tensors, weights=weights))
        assert (imported.kind, imported.params) == ("safetensors", 18)
        assert imported.drafts == ({"params": 18, "params_source": "safetensors"},)
        assert imported.notes == (
            "1 tensor(s) that only count positions or batches are no parameters: bert.position_ids, say.",
        )


def test_the_header_alone_of_a_large_file(tmp_path: Path) -> None:
    """A model of any size is counted from its first bytes."""
    body = samples.safetensors({"a": ("F32", (1000, 1000))})
    (tmp_path / "model.safetensors").write_bytes(body)
    head = safetensors.head(tmp_path / "model.safetensors")
    assert len(head) < 200
    assert read("model.safetensors", head).params == 1_000_000


@pytest.mark.parametrize("name", ["distilkobilstm-base", "distilkobilstm-tiny"])
def test_the_shipped_checkpoints(name: str) -> None:
    """Weights and card give the same number."""
    weights = read("model.safetensors", (PRETRAINED / name / "model.safetensors").read_bytes())
    card = read("card.json", (PRETRAINED / name / "card.json").read_bytes())
    assert weights.params == card.params == {"distilkobilstm-base": 391_170, "distilkobilstm-tiny": 27_394}[name]


def test_an_adapter_or_a_part_is_no_whole_model() -> None:
    """Their parameters are not those of the model, so nothing is claimed."""
    lora = read("model.safetensors", samples.safetensors({"query.lora_A.weight": ("F32", (8, 384))}))
    assert (lora.params, lora.drafts) == (None, ())
    assert "an adapter" in lora.notes[0]
    part = read("model-00002-of-00003.safetensors", samples.safetensors({"a": ("F32", (8,))}))
    assert part.notes == ("The file is part 2 of 3 of a model; parameters were not counted.",)
    whole = read("model-00001-of-00001.safetensors", samples.safetensors({"a": ("I8", (8,))}))
    assert whole.params == 8
    assert "quantised" in whole.notes[0]


def _entry(**changed: Any) -> dict[str, Any]:
    return {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24], **changed}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (samples.safetensors({"a": ("F32", (2,))}, length=2**40), "bytes 0 to 7: a header of 1,099,511,627,776 bytes"),
        (samples.safetensors({"a": ("F32", (2,))}, length=9000), "header: the header has 9,000 bytes and"),
        (samples.safetensors({}), "header: no tensor in it"),
        (samples.safetensors({"a": _entry(dtype="PICKLE")}), "header: a: a tensor without a known dtype"),
        (samples.safetensors({"a": _entry(shape=[-2, 3])}), "header: a: shape: it must be a list of sizes"),
        (samples.safetensors({"a": _entry(shape=[2.0, 3])}), "header: a: shape: it must be a list of sizes"),
        (samples.safetensors({"a": _entry(shape=[True])}), "header: a: shape: it must be a list of sizes"),
        (samples.safetensors({"a": _entry(data_offsets=[24, 0])}), "header: a: data_offsets: it must be two places"),
        (samples.safetensors({"a": _entry(shape=[2, 4])}), "header: a: its shape and its bytes do not agree"),
        (samples.safetensors({"a": 3}), "header: a: a tensor without a known dtype"),
        (samples.safetensors({"a": _entry(shape=[2**60], data_offsets=[0, 2**62])}), "header: more than"),
        (struct.pack("<Q", 12) + b'{"a":1,"a":2}', "header: header: "),
    ],
    ids=lambda value: str(value)[-24:],
)
def test_damaged_headers(body: bytes, message: str) -> None:
    """The place is the tensor's name."""
    with pytest.raises(SubmissionError) as caught:
        read("model.safetensors", body)
    assert message.split(": ", 1)[0] in str(caught.value)
    assert message.removeprefix("header: header: ") in str(caught.value)


def test_a_configuration_of_transformers() -> None:
    """BERT-base with a head for three classes, and the name of its class."""
    answers = read_example("config.json")
    assert (answers.kind, answers.params) == ("config", 109_484_547)
    assert answers.drafts == (
        {
            "architecture": "BertForSequenceClassification",
            "training": {"base model": "google-bert/bert-base-uncased"},
            "params": 109_484_547,
            "params_source": "config",
        },
    )


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"model_type": "llama"}, 'model_type is "llama", and counted are bert, distilbert, electra'),
        ({"architectures": ["BertForSomething"]}, 'the class "BertForSomething" is not one that is counted'),
        ({"is_decoder": True}, "it is a decoder"),
        ({"vocab_size": None}, None),
    ],
)
def test_what_cannot_be_counted_is_none_with_a_note(changed: dict[str, Any], message: str | None) -> None:
    """Never 0 and never a guess."""
    config = json.loads(content("config.json")) | changed
    if message is None:
        del config["vocab_size"]
        message = "it names no vocab_size"
    imported = read("config.json", as_json(config))
    assert imported.params is None
    assert "params" not in imported.drafts[0]
    assert imported.notes[0].startswith(f"Parameters were not counted: {message}")


def test_a_path_of_somebodys_machine_is_not_the_models_name() -> None:
    """Configurations that were saved from a folder hold its path."""
    for path in ("/home/someone/model", "./out", "C:\\models\\x"):
        config = json.loads(content("config.json")) | {"_name_or_path": path}
        assert path not in repr(read("config.json", as_json(config)).drafts)


@pytest.mark.parametrize(
    ("model", "params"),
    [
        ({"kind": "cnn", "vocab_size": 10, "embedding_dim": 4, "filters": 3, "widths": [1, 2]}, 40 + 15 + 27 + 14),
        ({"kind": "cnn", "vocab_size": 10, "embedding_dim": 4, "filters": 3}, 40 + 15 + 27 + 39 + 51 + 26),
        ({"kind": "bilstm", "vocab_size": 10, "embedding_dim": 4, "hidden_dim": 3, "num_labels": 3}, 40 + 216 + 21),
    ],
)
def test_a_card_of_ours_is_counted_by_its_architecture(model: dict[str, Any], params: int) -> None:
    """The word of the card on its own size is not taken."""
    card = {"recipe": {"name": "x", "model": model}, "about": {"params": 1}}
    assert read("card.json", as_json(card)).params == params


def test_a_card_of_an_adapter_says_that_it_was_not_counted() -> None:
    """Most of such a model lies in another checkpoint."""
    imported = read("card.json", (PRETRAINED / "minilm-squad" / "card.json").read_bytes())
    assert imported.params is None
    assert "lies partly in another checkpoint" in imported.notes[0]
    assert imported.drafts[0]["model"] == "MiniLM-L6, adapter"


SMALL = {
    "vocab_size": 50,
    "hidden_size": 12,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 20,
    "max_position_embeddings": 30,
    "type_vocab_size": 2,
}
HEADS = (
    "Model",
    "ForSequenceClassification",
    "ForQuestionAnswering",
    "ForMaskedLM",
    "ForTokenClassification",
    "ForMultipleChoice",
)


@pytest.mark.parametrize("kind", architectures._PREFIXES)
def test_counts_are_those_of_the_library(kind: str) -> None:
    """Each class that is counted has as many parameters as the transformers library builds."""
    transformers = pytest.importorskip("transformers")
    torch = pytest.importorskip("torch")
    prefix = architectures._PREFIXES[kind]
    narrow = {"embedding_size": 8} if kind == "electra" else {}
    config = transformers.AutoConfig.for_model(kind, **SMALL, num_labels=3, **narrow)
    if kind == "distilbert":
        config = transformers.DistilBertConfig(
            vocab_size=50, dim=12, n_layers=2, n_heads=2, hidden_dim=20, max_position_embeddings=30, num_labels=3
        )
    for head in (*HEADS, *(["ForPreTraining"] if kind in ("bert", "electra") else [])):
        if head == "ForQuestionAnswering":
            config.num_labels = 2
        with torch.device("meta"):
            model = getattr(transformers, prefix + head)(config)
        config.num_labels = 3
        imported = read(
            "config.json", as_json({**config.to_dict(), "model_type": kind, "architectures": [prefix + head]})
        )
        assert imported.params == sum(parameter.numel() for parameter in model.parameters()), head
