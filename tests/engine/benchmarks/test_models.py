"""Names of models: what they refer to, and what is refused."""

import pytest
import torch
from transformers import BertConfig, BertForQuestionAnswering

from engine.base.errors import BenchError, CheckpointError
from engine.benchmarks import models
from engine.benchmarks.models import ARCHITECTURES, positions


def test_a_pickle_is_named_and_never_read(tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    torch.save({}, tmp_path / "pytorch_model.bin")
    with pytest.raises(CheckpointError, match=r"pytorch_model\.bin may hold a pickle, which is never read"):
        models.resolve(str(tmp_path), tmp_path / "db")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, r"neither a card\.json nor a config\.json"),
        ({"config.json": "{", "model.safetensors": ""}, r"config\.json cannot be read"),
        ({"config.json": "[]", "model.safetensors": ""}, "not a JSON object"),
        ({"config.json": "{}"}, "there are no weights"),
    ],
)
def test_a_folder_without_a_model_is_refused(tmp_path, files, message):
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    with pytest.raises(CheckpointError, match=message):
        models.resolve(str(tmp_path), tmp_path / "db")


def test_a_hub_id_that_cannot_be_downloaded_names_the_ways_without_a_network(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(BenchError, match="time its architecture: arch:bert-base"):
        models.resolve("nobody/no-such-model", tmp_path / "db")


def test_names_mean_shipped_checkpoints_runs_and_folders(tmp_path):
    database = tmp_path / "featherboard.duckdb"
    assert models.resolve("distilkobilstm-tiny", database).kind == "checkpoint"
    run_folder = tmp_path / "runs" / "0123456789abcdef" / "checkpoint"
    run_folder.mkdir(parents=True)
    (run_folder / "card.json").write_text("{}")
    assert models.resolve("01234567", database).folder == run_folder
    folder = tmp_path / "model"
    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
    config = BertConfig(vocab_size=50, max_position_embeddings=40, **sizes)
    BertForQuestionAnswering(config).save_pretrained(folder)
    subject = models.resolve(str(folder), database)
    assert (subject.kind, subject.positions) == ("transformer", 40)


def test_positions_behind_the_padding_token_are_not_counted():
    facts = {"max_position_embeddings": 514, "pad_token_id": 1}
    assert positions("roberta", facts) == 512
    assert positions("bert", facts) == 514
    assert positions("bilstm", {}) is None


def test_the_parameters_of_named_architectures_are_those_of_the_published_models(tmp_path):
    """Counted on models without weights: question-answering heads, so no pooler."""
    from accelerate import init_empty_weights
    from transformers import AutoConfig, AutoModelForQuestionAnswering

    published = {
        "bert-base": (109_482_240, 768),
        "minilm-l6": (22_713_216, 384),
        "bert-mini": (11_170_560, 256),
        "bert-tiny": (4_385_920, 128),
    }
    expected = {name: whole - (width + 1) * width + 2 * (width + 1) for name, (whole, width) in published.items()}
    expected |= {"distilbert": 66_362_880 + 2 * 769, "koelectra-small": 14_056_706}
    counted = {}
    for name, architecture in ARCHITECTURES.items():
        with init_empty_weights():
            model = AutoModelForQuestionAnswering.from_config(
                AutoConfig.for_model(architecture.model_type, **architecture.config)
            )
        counted[name] = sum(weight.numel() for weight in model.parameters())
    assert counted == expected
