"""Question answering: a tiny model on disk, and a toy task over texts of a few words."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer, decoders, normalizers, pre_tokenizers, processors
from tokenizers.models import WordPiece
from transformers import (
    BertConfig,
    BertModel,
    DistilBertConfig,
    DistilBertModel,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaModel,
)

from engine.checkpoints import adapters
from engine.families.span_qa import checkpoint, model
from engine.families.span_qa.answerer import Answerer
from engine.families.span_qa.questions import Gold, Question
from engine.recipes import loader
from engine.recipes.loader import Recipe
from engine.recipes.schema import QAConfig
from tests.factories.recipes import TRAIN, laid_over, parsed

NOUNS = ("box", "cup", "dog", "hat", "key", "map", "pen", "sea", "sun", "tree")
QUALITIES = ("red", "blue", "green", "old", "new", "big", "small", "wet", "dry", "warm")
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
NAMES = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"}
# Letters of Hangul one by one, as an English BERT knows them: a syllable is several tokens.
JAMO = ("ᄀ", "ᄉ", "##ᄀ", "##ᄋ", "##ᅡ", "##ᅥ", "##ᅮ", "##ᆨ", "##ᆯ")
WORDS = (
    *SPECIAL,
    "the",
    "is",
    "how",
    "what",
    "of",
    "and",
    *NOUNS,
    *QUALITIES,
    *LETTERS,
    *(f"##{letter}" for letter in LETTERS),
    *".,?!'-",
    *JAMO,
)
WINDOWS = {"max_length": 40, "stride": 6, "question_length": 12, "answer_length": 5}


def toy_tokenizer() -> Tokenizer:
    """A WordPiece tokenizer as BERT's uncased one: words of the toy task whole, everything else in letters."""
    tokenizer = Tokenizer(WordPiece({word: index for index, word in enumerate(WORDS)}, unk_token=SPECIAL[1]))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.decoder = decoders.WordPiece()
    return tokenizer


def _network(kind: str, positions: int) -> Any:
    if kind == "distilbert":
        return DistilBertModel(
            DistilBertConfig(
                vocab_size=len(WORDS), dim=16, hidden_dim=32, n_layers=1, n_heads=2, max_position_embeddings=positions
            )
        )
    shape = {
        "vocab_size": len(WORDS),
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 32,
        "max_position_embeddings": positions,
    }
    if kind == "roberta":
        return RobertaModel(RobertaConfig(**shape, pad_token_id=0, type_vocab_size=1))
    return BertModel(BertConfig(**shape))


def write_source(folder: Path, kind: str = "bert", positions: int = 64, seed: int = 0) -> Path:
    """A tiny encoder with its tokenizer, as transformers saves them; without a head, like a pretrained one."""
    torch.manual_seed(seed)
    _network(kind, positions).save_pretrained(folder)
    PreTrainedTokenizerFast(tokenizer_object=toy_tokenizer(), **NAMES).save_pretrained(folder)
    return folder


def content(source: Path | str, name: str = "toy-span", **sections: Any) -> dict[str, Any]:
    """The parsed TOML of a tiny span recipe; sections are merged over the default ones."""
    own = {"model": {"kind": "span", "source": str(source)}, "qa": dict(WINDOWS), "train": {**TRAIN, "lr": 0.005}}
    return laid_over(parsed(name, "qa-en-mini", "qa-en-mini", "en", family="Toy", **own), sections)


def span_recipe(source: Path | str, name: str = "toy-span", **sections: Any) -> Recipe:
    """A tiny span recipe."""
    return loader.validate(content(source, name, **sections), name)


def started(recipe: Recipe, seed: int = 0) -> model.SpanModel:
    """The model that a recipe's training starts from, with its adapters; its head is random."""
    torch.manual_seed(seed)
    network = model.from_source(recipe.model, recipe.model.source, recipe.qa)
    if recipe.adapter:
        adapters.inject(network.inner, recipe.adapter, checkpoint.HEADS)
    return network.eval()


def toy_answerer(source: Path, seed: int = 0, **sections: Any) -> Answerer:
    """An untrained model whose answers are nonsense but always the same."""
    recipe = span_recipe(source, **sections)
    return Answerer(recipe, "0" * 64, started(recipe, seed), toy_tokenizer())


def settings(**changes: Any) -> QAConfig:
    """Small windows."""
    return QAConfig(**{**WINDOWS, **changes})


def make_question(
    context: str, question: str = "how?", answer: str | None = None, start: int | None = None
) -> Question:
    """One question; its answer starts where it occurs first in the text."""
    golds = () if answer is None else (Gold(answer, context.index(answer) if start is None else start),)
    return Question("q", question, context, golds)


def toy_questions(count: int, seed: int = 0, prefix: str = "t") -> list[Question]:
    """Two questions a text: how one of its things is."""
    generator = np.random.default_rng(seed)
    questions: list[Question] = []
    while len(questions) < count:
        nouns = [str(word) for word in generator.choice(NOUNS, 3, replace=False)]
        qualities = [str(word) for word in generator.choice(QUALITIES, 3, replace=False)]
        context = " ".join(f"The {noun} is {quality}." for noun, quality in zip(nouns, qualities, strict=True))
        for index in generator.permutation(3)[:2]:
            start = context.index(f"{nouns[index]} is ") + len(nouns[index]) + 4
            answer = (Gold(qualities[index], start),)
            questions.append(Question(f"{prefix}-{len(questions)}", f"How is the {nouns[index]}?", context, answer))
    return questions[:count]


def as_squad(questions: list[Question]) -> dict[str, Any]:
    """Questions as SQuAD has them, one article a text."""
    texts = dict.fromkeys(question.context for question in questions)
    articles = []
    for text in texts:
        entries = [
            {
                "id": question.id,
                "question": question.question,
                "answers": [{"text": gold.text, "answer_start": gold.start} for gold in question.answers],
            }
            for question in questions
            if question.context == text
        ]
        articles.append({"title": text[:10], "paragraphs": [{"context": text, "qas": entries}]})
    return {"version": "toy", "data": articles}


def write_squad(folder: Path, train: int = 30, test: int = 80) -> Path:
    """A folder with the toy task as train.json and test.json, the form of the mini corpora; 80 is their test split."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, count, seed in (("train", train, 0), ("test", test, 1)):
        squad = as_squad(toy_questions(count, seed, name))
        (folder / f"{name}.json").write_text(json.dumps(squad, ensure_ascii=False), "utf-8")
    return folder
