"""What the tests of pretraining share: a little Korean text, the recipe of a tiny BERT and one that starts from it."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from db.base.paths import checkpoint_folder
from db.storage.store import Store
from engine.checkpoints import checkpoint
from engine.families.masked_lm import network
from engine.families.masked_lm import vocabulary as vocabularies
from engine.families.masked_lm.blocks import Vocabulary
from engine.families.masked_lm.corpus import Document
from engine.recipes import loader
from engine.recipes.loader import Recipe
from engine.recipes.schema import VocabularyConfig
from engine.training import run
from engine.training.job import Job
from tests.factories.recipes import TRAIN, laid_over, parsed

NOUNS = ("고양이", "강아지", "나무", "바다", "학교", "도서관", "기차", "산길", "시장", "편지")
PARTICLES = ("는", "가", "를", "에서", "와", "도", "에게")
VERBS = ("달린다", "웃는다", "읽었다", "본다", "걸어간다", "쓴다", "기다렸다")


def sentences(count: int, offset: int = 0) -> list[str]:
    """Lines of two or three sentences, 9 words or more each, none of them twice."""
    made = []
    for i in range(offset, offset + count):
        words = []
        for k in range(3 + i % 3):
            words += [
                NOUNS[(i + 3 * k) % len(NOUNS)] + PARTICLES[(i + k) % len(PARTICLES)],
                NOUNS[(2 * i + k + 1) % len(NOUNS)] + PARTICLES[(3 * i + k) % len(PARTICLES)],
                VERBS[(i + 2 * k) % len(VERBS)] + ".",
            ]
        made.append(f"{i}번째 날에 " + " ".join(words))
    return made


def documents(count: int, texts: int = 3) -> list[Document]:
    """Documents of some lines each."""
    lines = sentences(count * texts)
    return [Document(f"d{i}", tuple(lines[i * texts : (i + 1) * texts])) for i in range(count)]


def write_text(folder: Path, count: int = 16) -> Path:
    """A folder with documents of three lines in a .jsonl file."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [{"title": document.name, "text": text} for document in documents(count) for text in document.texts]
    lines = (json.dumps(row, ensure_ascii=False) for row in rows)
    (folder / "text.jsonl").write_text("\n".join(lines), "utf-8")
    return folder


def tiny_vocabulary(folder: Path, kind: str = "unigram") -> Vocabulary:
    """A vocabulary of the documents' own."""
    learned = vocabularies.learn([text for document in documents(30) for text in document.texts], 200, _settings(kind))
    vocabularies.write(learned, folder)
    return network.vocabulary(str(folder), "tiny", 200)


def _settings(kind: str) -> VocabularyConfig:
    return VocabularyConfig.model_validate({"kind": kind})


def content(name: str = "reader", **sections: Any) -> dict[str, Any]:
    """The parsed TOML of a tiny pretraining; a section that is given is laid over its own."""
    own = {
        "model": {
            "kind": "bert",
            "vocab_size": 200,
            "hidden_size": 12,
            "num_layers": 2,
            "num_heads": 2,
            "intermediate_size": 16,
            "max_positions": 48,
        },
        "text": {"block": 32, "held": 0.2, "whole_words": True},
        "train": dict(TRAIN),
    }
    return laid_over(parsed(name, "korean-text", "korean-text-mini", "ko", **own), sections)


def reader(name: str = "reader", **sections: Any) -> Recipe:
    """The recipe of ``content``."""
    return loader.validate(content(name, **sections), name)


def asking(source: str, name: str = "asks", **sections: Any) -> dict[str, Any]:
    """The parsed TOML of a tiny fine-tuning on the shipped Korean questions."""
    own = {
        "model": {"kind": "span", "source": source},
        "qa": {"max_length": 48, "stride": 8, "question_length": 16, "questions": 16},
        "train": {**TRAIN, "epochs": 1, "batch_size": 16},
    }
    return laid_over(parsed(name, "korquad", "qa-ko-mini", "ko", **own), sections)


def run_checkpoint(board: Store, run_id: str) -> Path:
    """The checkpoint of a run."""
    return checkpoint_folder(board.path, run_id)


def weights(board: Store, run_id: str) -> dict[str, torch.Tensor]:
    """Its tensors."""
    return load_file(run_checkpoint(board, run_id) / checkpoint.WEIGHTS)


def trained(board: Store, recipe: Recipe, folder: str | None, **more: Any) -> str:
    """Train a recipe; the run's id."""
    return run.train(Job(recipe, folder, board, **more))


def started(board: Store) -> list[str]:
    """Names of the recipes that have a run, oldest first."""
    rows = board.query("SELECT recipe FROM runs WHERE source = 'measured' ORDER BY created_at")
    return [str(name) for name in rows["recipe"]]


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory: pytest.TempPathFactory) -> Vocabulary:
    """A tiny one of Korean pieces."""
    return tiny_vocabulary(tmp_path_factory.mktemp("vocabulary"))


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """Tiny Korean text for --data."""
    return str(write_text(tmp_path / "text"))
