"""The recipes of MultiNLI: what they have in common, what each changes, and old ones that must stay what they were."""

from typing import Any

import pytest

from engine.recipes import loader

DESCRIPTIVE = {"name", "label", "family", "summary"}
STUDENTS = {
    "minilm-l3-mnli": "afa60297ee4af607bee26220d2e3cc455049c837fc798818c5bd7052cddd728d",
    "minilm-l3-no-kl-mnli": "53a235b6b998737b83b8c561bb6506a26a77b60cad25d0086ffe89a575a0092d",
    "minilm-l3-no-mlm-mnli": "bef588b8b0e2b7ecc1aa7ca38d820d852ca71393463b9120e28efa3e23af6141",
    "minilm-l3-no-cosine-mnli": "b5c52b1c74a0471c919982e869933555fc4cfd7d1efadae8ad1a5cb8e2234c2b",
    "minilm-l3-random-mnli": "9de7c178d45ebf22ed49bd65d69d2c4e28c29a0a994e93ff5b3b5c752dccee40",
}


def _facts(name: str) -> dict[str, Any]:
    return loader.load(name).model_dump(exclude=DESCRIPTIVE)


@pytest.mark.parametrize("name", STUDENTS)
def test_the_students_of_the_ablation_stay_what_they_were(name: str) -> None:
    """Their measured runs are found by this digest: whatever becomes of the teacher's recipe must not change it."""
    assert loader.load(name, ["train.held_out=seed"]).digest() == STUDENTS[name]


def test_what_learned_from_korean_pairs_reads_them() -> None:
    """Its verdicts on them are no guesses, and those on English ones are none either."""
    assert loader.load("e5-nli").script_language == "ko"
    assert loader.load("e5-nli", ["data.add=[]"]).script_language == "en"
    assert loader.load("minilm-mnli").script_language == "en"


def test_the_settings_of_the_students_are_their_teachers() -> None:
    """The recipe that they extend: 6,000 pairs, all weights, texts as they are."""
    student, whole = _facts("minilm-l3-mnli"), _facts("minilm-mnli-6k")
    assert student == {
        **whole,
        "model": {**whole["model"], "source": "distilled:minilm-l3"},
        "train": {**whole["train"], "lr": 5e-4},
    }
    assert whole["data"] == {"add": (), "examples": 6000, "strip_stops": False, "hide": None}
    assert whole["adapter"] is None


def test_pretrained_and_scratch_differ_in_their_weights_alone() -> None:
    """The comparison that the document asks for: architecture, data and format of numbers are the same."""
    for tuned, scratch in (("minilm-mnli-full", "minilm-mnli-scratch"), ("distilbert-mnli", "transformer-mnli")):
        facts, other = _facts(tuned), _facts(scratch)
        assert other["model"] == {**facts["model"], "init": "random"}
        assert {key: facts[key] for key in facts if key not in {"model", "train"}} == {
            key: other[key] for key in other if key not in {"model", "train"}
        }
        assert {key for key in facts["train"] if facts["train"][key] != other["train"][key]} <= {
            "lr",
            "epochs",
            "warmup",
        }


def test_the_blind_twin_differs_in_its_blindness_alone() -> None:
    """Same adapter, same training, no premise."""
    whole, blind = _facts("minilm-mnli"), _facts("hypothesis-only")
    assert blind == {**whole, "data": {**whole["data"], "hide": "premise"}}


@pytest.mark.parametrize(
    "name",
    [
        "minilm-mnli",
        "minilm-mnli-full",
        "minilm-mnli-scratch",
        "hypothesis-only",
        "bilstm-mnli",
        "distilbilstm-mnli",
        "distilbert-mnli",
        "transformer-mnli",
    ],
)
def test_all_of_them_learn_from_all_rows(name: str) -> None:
    """Without full stops at ends, since most rows of the file lost theirs, and towards three classes."""
    recipe = loader.load(name)
    assert recipe.data.strip_stops
    assert recipe.data.examples is None
    assert (recipe.task, recipe.mini_task, recipe.num_labels) == ("mnli", "nli-en-mini", 3)
    assert loader.load(name, ["data.examples=1000"]).digest() != recipe.digest()
