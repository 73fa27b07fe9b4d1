"""What the tests of networks that name hidden words share: a tiny BERT, a little text, recipes that take a second."""

import json
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, pre_tokenizers, processors
from tokenizers.models import WordPiece
from transformers import BertConfig, BertForMaskedLM, BertModel, PreTrainedTokenizerFast

from engine.recipes import loader
from engine.recipes.loader import Recipe
from tests.factories.recipes import TRAIN, laid_over, parsed

SPECIALS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = [
    *SPECIALS,
    "the",
    "a",
    "red",
    "blue",
    "old",
    "new",
    "cat",
    "dog",
    "bird",
    "sits",
    "runs",
    "sings",
    "on",
    "under",
    "near",
    "house",
    "tree",
    "river",
    "and",
    "but",
    "yes",
    "no",
    "one",
    "two",
    "three",
]
NAMES = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"}


def tiny_tokenizer() -> PreTrainedTokenizerFast:
    """A tokenizer of whole words, as BERT's puts them into pairs."""
    inner = Tokenizer(WordPiece({word: index for index, word in enumerate(WORDS)}, unk_token=SPECIALS[1]))
    inner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    inner.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return PreTrainedTokenizerFast(tokenizer_object=inner, **NAMES)


def tiny_config(**changes: Any) -> BertConfig:
    """Four layers of width 12."""
    settings = {
        "vocab_size": len(WORDS),
        "hidden_size": 12,
        "num_hidden_layers": 4,
        "num_attention_heads": 2,
        "intermediate_size": 20,
        "max_position_embeddings": 40,
        "type_vocab_size": 2,
        **changes,
    }
    return BertConfig(**settings)


def tiny_bert(folder: Path, *, head: bool = True, **changes: Any) -> Path:
    """A tiny BERT with its tokenizer in a folder, as transformers saves them, far from its first weights."""
    torch.manual_seed(3)
    model = (BertForMaskedLM if head else BertModel)(tiny_config(**changes))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.2)
    model.save_pretrained(folder)
    tiny_tokenizer().save_pretrained(folder)
    return folder


def sentences(count: int, offset: int = 0) -> list[str]:
    """Texts of 8 to 31 words."""
    words = WORDS[len(SPECIALS) :]
    return [
        " ".join(words[(7 * i + 3 * k + k * k % 5 + offset) % len(words)] for k in range(8 + (5 * i) % 24))
        for i in range(count)
    ]


def write_text(folder: Path, count: int = 40) -> Path:
    """A folder with texts in a .jsonl file, two of each document."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [{"title": f"d{i // 2}", "text": text} for i, text in enumerate(sentences(count))]
    (folder / "text.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return folder


def content(name: str = "pupil", *, source: str, kind: str = "student", **sections: Any) -> dict[str, Any]:
    """The parsed TOML of a recipe on tiny text."""
    own = {"model": {"kind": kind, "source": source}, "text": {"block": 16, "held": 0.2}, "train": dict(TRAIN)}
    return laid_over(parsed(name, "english-text", "english-text-mini", "en", **own), sections)


def make_recipe(name: str = "pupil", *, source: str, kind: str = "student", **sections: Any) -> Recipe:
    """The recipe of ``content``."""
    return loader.validate(content(name, source=source, kind=kind, **sections), name)
