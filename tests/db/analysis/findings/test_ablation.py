"""The ablation of the distillation from what is on the board: differences by seed, beside the printed ones."""

import json
import math
from typing import Any

import pytest

from dashboard.findings.ablation import ENGLISH, verdict
from db.analysis.findings import ablation
from db.analysis.findings.ablation import Ablation, Difference
from db.registry import tasks
from db.runs.writer import MetricValue, ModelFacts
from db.storage.store import Store
from tests.factories.runs import add_run, in_one_write

PRINTED = {"minilm-l3-no-kl": -2.96, "minilm-l3-no-cosine": -1.46, "minilm-l3-no-mlm": -0.31, "minilm-l3-random": -3.69}


def add(board: Store, student: str, task: str, seed: int, percent: float, lr: float = 1e-4, **columns: Any) -> str:
    """A fine-tuned student on one of the tasks; returns its run's id."""
    name = f"{student}-{task}"
    recipe = {"name": name, "seed": seed, "model": {"kind": "span", "source": f"distilled:{student}"}}
    recipe["train"] = {"lr": lr}
    columns = {"recipe": name, "recipe_json": json.dumps(recipe), "task_id": task, "seed": seed, **columns}
    model = ModelFacts(name, name, "DistilMiniLM", "span", {}, 17_000_000, "en")
    if tasks.by_id(task).metric == "accuracy":
        return add_run(board, accuracy=percent / 100, name=name, model=model, **columns)
    return add_run(board, MetricValue("f1", percent / 100, 200), accuracy=0.5, name=name, model=model, **columns)


def fill(board: Store, losses: dict[str, float], seeds: int = 3) -> None:
    """The whole ablation; each student loses the same on both tasks, a little more at each seed."""
    with in_one_write(board) as store:
        for seed in range(seeds):
            for student, lost in {ENGLISH.baseline: 0.0, **losses}.items():
                for task, score in (("mnli", 70.0), ("squad", 60.0)):
                    own = 0.0 if student == ENGLISH.baseline else 0.5 * seed
                    add(store, student, task, seed, score + 2 * seed - lost - own)


def _by_part(result: Ablation) -> dict[str, Difference]:
    return {difference.part.recipe: difference for difference in result.differences}


def test_the_printed_differences_stand_without_any_run(board: Store) -> None:
    """All four parts with the document's figures, and nothing measured."""
    result = ablation.find(board, ENGLISH)
    assert {name: difference.printed for name, difference in _by_part(result).items()} == PRINTED
    assert result.measured == ()
    assert result.baseline == {}
    assert verdict(result) == ""
    assert all(
        math.isnan(difference.mean) and math.isnan(difference.spread) and not difference.clear
        for difference in result.differences
    )


def test_a_difference_is_between_the_mean_scores_of_one_seed(board: Store) -> None:
    """Half accuracy and half F1, seed by seed; seeds that lift both students cancel out."""
    fill(board, {"minilm-l3-no-kl": 3.0, "minilm-l3-random": 20.0})
    result = ablation.find(board, ENGLISH)
    assert result.baseline == pytest.approx({0: 65.0, 1: 67.0, 2: 69.0})
    kl = _by_part(result)["minilm-l3-no-kl"]
    assert kl.by_seed == pytest.approx({0: -3.0, 1: -3.5, 2: -4.0})
    assert (kl.mean, kl.spread) == pytest.approx((-3.5, 0.5))
    assert kl.clear
    assert [difference.part.recipe for difference in result.measured] == ["minilm-l3-no-kl", "minilm-l3-random"]


def test_a_seed_counts_when_both_tasks_and_both_students_have_it(board: Store) -> None:
    """Half of a seed is no seed."""
    for seed in (0, 1):
        add(board, ENGLISH.baseline, "mnli", seed, 70)
    add(board, ENGLISH.baseline, "squad", 0, 60)
    for seed, task in ((0, "mnli"), (1, "mnli"), (1, "squad")):
        add(board, "minilm-l3-no-mlm", task, seed, 50)
    assert ablation.find(board, ENGLISH).measured == ()
    add(board, "minilm-l3-no-mlm", "squad", 0, 50)
    assert _by_part(ablation.find(board, ENGLISH))["minilm-l3-no-mlm"].by_seed == pytest.approx({0: -15.0})


def test_the_newest_run_of_a_seed_counts(board: Store) -> None:
    """A seed that was trained twice is one seed."""
    fill(board, {"minilm-l3-no-kl": 3.0}, seeds=1)
    add(board, "minilm-l3-no-kl", "mnli", 0, 60)
    assert _by_part(ablation.find(board, ENGLISH))["minilm-l3-no-kl"].by_seed == pytest.approx({0: (60 - 70 - 3) / 2})


def test_runs_with_other_settings_or_data_are_not_mixed_in(board: Store) -> None:
    """A student that was fine-tuned otherwise, on other data or on a mini board is not compared with the rest."""
    fill(board, {"minilm-l3-no-kl": 3.0}, seeds=2)
    before = ablation.find(board, ENGLISH)
    add(board, "minilm-l3-no-kl", "mnli", 0, 10, lr=1.0)
    add(board, ENGLISH.baseline, "squad", 0, 10, dataset_hash="other")
    add(board, ENGLISH.baseline, "mnli", 0, 10, task_id="nli-en-mini")
    add(board, "minilm-l3-no-cosine", "mnli", 0, 10, lr=1.0)
    assert ablation.find(board, ENGLISH) == before


def test_a_key_of_a_later_version_does_not_part_runs(board: Store) -> None:
    """Runs from before and after a new key, which has a default, are compared with each other."""
    recipe = {
        "name": "x",
        "seed": 0,
        "model": {"kind": "span", "source": "x", "novelty": 1},
        "train": {"lr": 1e-4},
        "later": {"key": 1},
    }
    fill(board, {}, seeds=1)
    for task in ("mnli", "squad"):
        add(board, "minilm-l3-random", task, 0, 50, recipe_json=json.dumps(recipe))
    assert _by_part(ablation.find(board, ENGLISH))["minilm-l3-random"].by_seed == pytest.approx({0: -15.0})


def test_the_sentence_agrees_with_print(board: Store) -> None:
    """The same part matters most here and there, and what the seeds do not settle is named."""
    fill(board, {"minilm-l3-no-kl": 3.0, "minilm-l3-random": 20.0, "minilm-l3-no-mlm": -0.4})
    assert verdict(ablation.find(board, ENGLISH)) == (
        "Most is lost without the teacher's weights at the start: −20.50 ± 0.50 points over 3 seeds, p = 0.00059 by "
        "the paired t-test; the paper finds the same, −3.69. Also significant: the soft labels (KL) (−3.50 ± 0.50, "
        "p = 0.013). Not significant with these seeds: masked "
        "language modelling (MLM)."
    )


def test_the_sentence_disagrees_with_print(board: Store) -> None:
    """Another part matters most here."""
    fill(board, {"minilm-l3-no-cosine": 9.0, "minilm-l3-random": 2.0}, seeds=1)
    assert verdict(ablation.find(board, ENGLISH)) == (
        "One seed cannot tell the effect of any part from chance; the largest difference measured is −9.00 points, "
        "without the hidden states (cosine); in the paper most is lost without the teacher's weights at the start, "
        "−3.69."
    )


def test_seeds_that_agree_in_sign_are_no_proof() -> None:
    """A mean above its spread over three seeds is not enough: the paired t-test decides, for all parts together."""
    losses = ({0: -2.18, 1: -0.5, 2: -4.28}, {0: -8.39, 1: -2.31, 2: -9.89})
    parts = [Difference(part, None, dict(by_seed)) for part, by_seed in zip(ENGLISH.parts, losses, strict=False)]
    result = Ablation(tuple(ablation.corrected(parts)), {0: 60.0, 1: 60.0, 2: 60.0})
    assert [difference.p for difference in result.differences] == pytest.approx([0.195, 0.195], abs=0.01)
    assert verdict(result) == (
        "3 seeds cannot tell the effect of any part from chance; the largest difference measured is −6.86 ± 4.01 "
        "points, without the hidden states (cosine)."
    )
