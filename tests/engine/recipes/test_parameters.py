"""Parameters of the shipped recipes and of the listed models: by arithmetic, in the built network, on the board."""

import pytest
import torch
from transformers import (
    BertConfig,
    BertForQuestionAnswering,
    BertModel,
    DistilBertConfig,
    DistilBertForSequenceClassification,
    DistilBertModel,
    ElectraConfig,
    ElectraModel,
)

from db.bootstrap import reported
from db.registry import parameter_counts
from engine.networks import architectures
from engine.recipes import loader
from engine.recipes import schema as config

SIZES = {"base": 391170, "small": 146434, "mini": 52418, "32x8": 34882, "tiny": 27394, "large": 1175554}


@pytest.mark.parametrize("family", ["kobilstm", "distilkobilstm"])
@pytest.mark.parametrize(("size", "expected"), SIZES.items())
def test_shipped_sizes_have_the_known_parameters(family: str, size: str, expected: int) -> None:
    """The six sizes count what their documents' architecture gives, in the built model and by arithmetic."""
    model = loader.load(f"{family}-{size}").model
    assert architectures.count_parameters(architectures.build(model)) == expected
    assert parameter_counts.bilstm(model.model_dump(exclude={"kind", "dropout"})) == expected


def _transformer(architecture: str, config: dict[str, int]) -> torch.nn.Module:
    """The transformers model that a configuration of models.toml stands for."""
    sizes = {"vocab_size": config["vocab_size"], "max_position_embeddings": config["max_positions"]}
    if config.get("token_types"):
        sizes |= {
            "hidden_size": config["hidden_size"],
            "num_hidden_layers": config["num_layers"],
            "num_attention_heads": config["num_heads"],
            "intermediate_size": config["intermediate_size"],
            "type_vocab_size": config["token_types"],
        }
        if architecture == "electra":
            embedding_size = config.get("embedding_size", config["hidden_size"])
            return ElectraModel(ElectraConfig(**sizes, embedding_size=embedding_size))
        bert = BertConfig(**sizes)
        if config.get("outputs"):
            assert config["outputs"] == 2
            return BertForQuestionAnswering(bert)
        return BertModel(bert, add_pooling_layer=bool(config.get("pooler")))
    distil = DistilBertConfig(
        **sizes,
        dim=config["hidden_size"],
        n_layers=config["num_layers"],
        n_heads=config["num_heads"],
        hidden_dim=config["intermediate_size"],
        num_labels=config.get("outputs", 2),
    )
    return DistilBertForSequenceClassification(distil) if config.get("pre_classifier") else DistilBertModel(distil)


BERTS = [model for model in reported.models() if model.architecture in ("bert", "electra")]


SHIPPED = [model for model in reported.models() if model.id in loader.names()]


@pytest.mark.parametrize("listed", BERTS, ids=lambda model: model.id)
def test_bert_arithmetic_is_that_of_transformers(listed: reported.ReportedModel) -> None:
    """The count of each listed BERT is that of the transformers model with its configuration."""
    with torch.device("meta"):
        model = _transformer(listed.architecture, listed.config)
    assert parameter_counts.bert(listed.config) == architectures.count_parameters(model)


def test_bert_base_and_distilbert_count_what_is_known() -> None:
    """BERT-base and DistilBERT have their well-known numbers of parameters."""
    by_id = {model.id: model.config for model in reported.models()}
    assert parameter_counts.bert(by_id["bert-base"]) == 109482240
    assert parameter_counts.bert(by_id["distilbert"]) == 66362880


@pytest.mark.parametrize("listed", SHIPPED, ids=lambda model: model.id)
def test_a_recipe_is_the_model_of_its_name_on_the_board(listed: reported.ReportedModel) -> None:
    """A shipped recipe builds the architecture that the reported results list under the same id."""
    recipe = loader.load(listed.id)
    if isinstance(recipe.model, config.PretrainedConfig):  # its sizes are its source's
        assert listed.architecture in ("bert", "electra")
    else:
        assert recipe.listed_config() == listed.config
