"""Recipes of students and pretrainings: sections, what the digest sees, wrong values, and the shipped ones."""

from typing import Any

import pytest
import torch
from transformers import BertForQuestionAnswering

from db.registry import tasks
from engine.base.errors import RecipeError
from engine.families.masked_lm import bert
from engine.networks import architectures
from engine.recipes import loader, schema
from engine.recipes.schema import BertConfig, SpanConfig
from tests.factories.command_line import one_line
from tests.factories.masked_lm import content, make_recipe
from tests.factories.recipes import content as classifier

OTHER: dict[str, dict[str, Any]] = {
    "text": {
        "files": ["x*.txt"],
        "columns": ["body"],
        "document": "page",
        "rows": 4,
        "packed": True,
        "whole_words": True,
        "recurring_spans": True,
        "cloze_questions": True,
        "hidden_words": False,
        "next_sentence": True,
        "held": 0.3,
        "scored": 9,
        "block": 30,
        "tokens": 1000,
        "mask_rate": 0.2,
        "mask_token": 0.7,
        "mask_random": 0.2,
    },
    "triple": {"kl": 1.0, "mlm": 3.0, "cosine": 2.0, "temperature": 3.0, "kl_tokens": "masked", "teacher_seed": 1},
}
"""Every key of both sections, with a value that is not its default."""

DESCRIPTIVE = {"name", "label", "summary"}


def test_those_are_all_keys() -> None:
    """The lists above hold every key."""
    assert set(OTHER["text"]) == set(schema.TextConfig.model_fields)
    assert set(OTHER["triple"]) == set(schema.TripleConfig.model_fields)


@pytest.mark.parametrize(("section", "key"), [(name, key) for name, keys in OTHER.items() for key in keys])
def test_the_digest_sees_every_key(section: str, key: str) -> None:
    """A student that reads or learns otherwise in any one key is another one."""
    base, changed = content(source="x"), content(source="x")
    changed[section] = {**changed.get(section, {}), key: OTHER[section][key]}
    assert loader.validate(changed, "x").digest() != loader.validate(base, "x").digest()


def test_the_sections_are_there_without_being_written() -> None:
    """A student has both with their defaults, and so has a head its text; a classifier has neither."""
    bare = content(source="x")
    del bare["text"]
    student = loader.validate(bare, "x")
    assert (student.text, student.triple) == (schema.TextConfig(), schema.TripleConfig())
    head = make_recipe(source="x", kind="masked-lm")
    assert head.text is not None
    assert head.triple is None
    plain = loader.validate(classifier(), "x")
    assert (plain.text, plain.triple) == (None, None)
    assert "triple" not in plain.to_json()
    again = loader.validate(student.model_dump(mode="json", exclude_none=True), "again")
    assert again == student
    assert again.digest() == student.digest()


def test_the_ablation_leaves_out_one_part_at_a_time() -> None:
    """The weights are 5, 2 and 1, softened by 2; the four others share everything else with the whole loss."""
    assert schema.TripleConfig().model_dump(include={"kl", "mlm", "cosine", "temperature"}) == {
        "kl": 5.0,
        "mlm": 2.0,
        "cosine": 1.0,
        "temperature": 2.0,
    }
    whole = loader.load("minilm-l3").model_dump(exclude=DESCRIPTIVE)
    for part, key in (("no-kl", "kl"), ("no-mlm", "mlm"), ("no-cosine", "cosine")):
        other = loader.load(f"minilm-l3-{part}").model_dump(exclude=DESCRIPTIVE)
        assert other == {**whole, "triple": {**whole["triple"], key: 0.0}}
    random = loader.load("minilm-l3-random").model_dump(exclude=DESCRIPTIVE)
    assert random == {**whole, "model": {**whole["model"], "init": "random"}}


@pytest.mark.parametrize("task", ["mnli", "squad"])
@pytest.mark.parametrize("part", ["no-kl", "no-mlm", "no-cosine", "random"])
def test_the_ablation_is_fine_tuned_in_one_way(task: str, part: str) -> None:
    """The five students of a task differ in where they start and in nothing else."""
    whole = loader.load(f"minilm-l3-{task}").model_dump(exclude=DESCRIPTIVE)
    other = loader.load(f"minilm-l3-{part}-{task}").model_dump(exclude=DESCRIPTIVE)
    assert other == {**whole, "model": {**whole["model"], "source": f"distilled:minilm-l3-{part}"}}


@pytest.mark.parametrize(
    ("sections", "message"),
    [
        ({"triple": {"kl": 0, "mlm": 0, "cosine": 0}}, "at least one of kl, mlm and cosine must be above 0"),
        ({"triple": {"kl": -1}}, "triple.kl = -1"),
        ({"triple": {"kl_tokens": "some"}}, "triple.kl_tokens = 'some'"),
        ({"triple": {"gamma": 1}}, "unknown key triple.gamma; allowed here: kl, mlm, cosine"),
        ({"text": {"mask_token": 0.95}}, "mask_token and mask_random must not exceed 1 together"),
        ({"text": {"block": 4}}, "text.block = 4"),
        ({"text": {"files": []}}, "text.files"),
        ({"text": {"held": 0.9}}, "text.held = 0.9"),
        ({"model": {"layers": [2, 1]}}, "layers must rise, each once"),
        ({"model": {"layers": []}}, "model.layers"),
        ({"model": {"init": "half"}}, "model.init = 'half'"),
    ],
)
def test_a_wrong_value_is_told_in_one_line(sections: dict[str, Any], message: str) -> None:
    """The message names the key, or the keys that do not go together."""
    assert message in one_line(lambda: make_recipe(source="x", **sections), RecipeError)


def test_a_section_of_another_kind_is_refused() -> None:
    """A classifier has no triple loss, and a head none either; the message is short."""
    for own in (classifier(), content(source="x", kind="masked-lm")):
        text = one_line(lambda own=own: loader.validate({**own, "triple": {}}, "x"), RecipeError)
        assert "the section triple belongs to model.kind = 'student'" in text
        assert len(text) < 120


def _spans(name: str) -> tuple[SpanConfig, BertConfig]:
    model = loader.load(name).model
    assert isinstance(model, SpanConfig)
    read = loader.load(model.source.removeprefix("pretrained:")).model
    assert isinstance(read, BertConfig)
    return model, read


@pytest.mark.parametrize(
    ("name", "layers", "heads", "rate", "count"),
    [
        ("korquad-base", 3, 4, 5e-4, 10_662_914),
        ("korquad-pretrained-1", 3, 4, 5e-4, 10_662_914),
        ("korquad-pretrained-2", 6, 4, 1e-4, 13_032_194),
        ("korquad-pretrained-3", 6, 8, 1e-4, 13_032_194),
        ("korquad-8k-base", 3, 4, 5e-4, 10_662_914 - 24_000 * 256),
        ("korquad-8k-pretrained", 3, 4, 5e-4, 10_662_914 - 24_000 * 256),
    ],
)
def test_the_recipes_are_those_of_the_document(name: str, layers: int, heads: int, rate: float, count: int) -> None:
    """Shapes, learning rates and parameters as 002_f123daafd2f5ddb9.txt prints them."""
    model, read = _spans(name)
    small = "8k" in name
    assert (read.num_layers, read.num_heads, read.hidden_size // read.num_heads) == (layers, heads, 256 // heads)
    assert (read.vocab_size, read.max_positions, read.intermediate_size) == (8_007 if small else 32_007, 384, 1024)
    assert (read.layer_norm_eps, model.dropout) == (1e-3, 0.1)
    assert model.init == ("random" if name.endswith("base") else "pretrained")
    assert (loader.load(name).train.lr, loader.load(name).qa.max_length) == (rate, 384)
    with torch.device("meta"):
        assert architectures.count_parameters(BertForQuestionAnswering(bert.shape(read))) == count


def test_the_pretrainings_differ_in_their_shape_alone() -> None:
    """What is compared was pretrained alike, on text that holds no question's paragraph."""
    differing = {"name", "label", "summary", "model"}
    first, *others = (loader.load(name) for name in ("small-bert-lm", "small-bert-6l-lm", "small-bert-6l-8h-lm"))
    assert all(other.model_dump(exclude=differing) == first.model_dump(exclude=differing) for other in others)
    for name in ("small-bert-lm", "small-bert-8k-lm"):
        recipe = loader.load(name)
        assert recipe.text is not None
        assert not any("korquad" in pattern or pattern.endswith("json") for pattern in recipe.text.files)
        assert tasks.by_id(recipe.task).language == recipe.language == "ko"
    for pair in (("korquad-8k-base", "korquad-8k-pretrained"), ("korquad-8k-spans-base", "korquad-8k-spans")):
        bare, read = (loader.load(name).model_dump(exclude=differing) for name in pair)
        assert bare == read


def test_the_objectives_differ_in_what_is_hidden_alone() -> None:
    """Words, spans and both read the same tokens in the same blocks, over the same vocabulary."""
    names = ("small-bert-8k-words", "small-bert-8k-spans", "small-bert-8k-both")
    words, spans, both = (loader.load(name) for name in names)
    differing: dict[str, Any] = {
        "name": True,
        "label": True,
        "summary": True,
        "text": {"hidden_words", "recurring_spans"},
    }
    assert (
        words.model_dump(exclude=differing) == spans.model_dump(exclude=differing) == both.model_dump(exclude=differing)
    )
    hidden = [(recipe.text.hidden_words, recipe.text.recurring_spans) for recipe in (words, spans, both) if recipe.text]
    assert hidden == [(True, False), (False, True), (True, True)]
