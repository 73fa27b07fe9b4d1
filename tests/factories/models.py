"""What the playground's tests share: tiny models of the transformers library in folders, and models that never load."""

from pathlib import Path
from typing import Any

import torch
from transformers import BertConfig, BertForQuestionAnswering, BertForSequenceClassification, PreTrainedTokenizerFast

from db.storage.store import Store
from engine.inference import models
from engine.inference.models import ModelRef, TaskType
from engine.inference.predictor import Predictor
from tests.factories.span_qa import NAMES, WORDS, toy_tokenizer

TINY = "distilkobilstm-tiny"
"""A shipped model of 0.2 MB."""


def _config(**more: Any) -> BertConfig:
    return BertConfig(
        vocab_size=len(WORDS),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
        **more,
    )


def write_model(folder: Path, kind: Any, seed: int = 0, **more: Any) -> Path:
    """A tiny model of a class of transformers, as the library saves it."""
    torch.manual_seed(seed)
    kind(_config(**more)).save_pretrained(folder)
    PreTrainedTokenizerFast(tokenizer_object=toy_tokenizer(), **NAMES).save_pretrained(folder)
    return folder


def span_folder(folder: Path, seed: int = 0) -> Path:
    """A model that answers questions, with nonsense."""
    return write_model(folder, BertForQuestionAnswering, seed)


def pair_folder(folder: Path, labels: tuple[str, ...] = ("contradiction", "entailment", "neutral")) -> Path:
    """A model of pairs whose classes stand in an order of its own."""
    return write_model(
        folder,
        BertForSequenceClassification,
        id2label=dict(enumerate(labels)),
        label2id={name: index for index, name in enumerate(labels)},
    )


def chosen(folder: Path, store: Store | None = None) -> ModelRef:
    """A folder as a choice."""
    return models.named(store or Store(folder / "no.duckdb"), f"{models.FOLDER}{folder}")


def made_up(key: str, reads: TaskType = "qa", folder: Path = Path()) -> ModelRef:
    """A choice that nobody loads."""
    return ModelRef(key, key.title(), "folder", folder, reads)


def open_predictor(store: Store) -> Predictor:
    """A playground in which folders can be named."""
    torch.set_num_threads(1)
    return Predictor(store, outside=True)
