"""Plain variants and their distilled twins."""

import json
from dataclasses import replace
from typing import Any

import pytest

from dashboard.findings.matched_pairs import verdict
from db.analysis.findings import matched_pairs
from db.analysis.findings.matched_pairs import DISTILLATION, PRETRAINING, MatchedPair, SeedPair, find, with_tests
from db.analysis.paired_answers import count_pairs
from db.base.clock import utc_now
from db.runs.seeds import Summary
from db.runs.writer import MetricValue, ModelFacts
from db.statistics.significance import mcnemar
from db.storage.store import Store
from tests.factories.runs import add_run, add_twin, in_one_write

TASK = "reviews-ko-mini"


def _pairs(store: Store, *scores: tuple[float, float], size: int = 16, **columns: Any) -> None:
    with in_one_write(store) as gathered:
        for seed, (plain, distilled) in enumerate(scores):
            add_twin(gathered, accuracy=plain, distilled=False, size=size, seed=seed, **columns)
            add_twin(gathered, accuracy=distilled, distilled=True, size=size, seed=seed, **columns)


def test_twins_share_shape_data_and_seed(empty: Store) -> None:
    """Each size is one pair, the smallest first, with the means over the seeds that both have and their difference."""
    _pairs(empty, (0.70, 0.80), size=32)
    _pairs(empty, (0.60, 0.70), (0.62, 0.70))
    add_twin(empty, accuracy=0.99, distilled=True, seed=9)
    small, large = find(empty, TASK)
    assert (small.plain, small.treated, small.params) == ("KoBiLSTM-16", "DistilKoBiLSTM-16", 16_000)
    assert [pair.seed for pair in small.pairs] == [0, 1]
    assert small.plain_summary.mean == pytest.approx(0.61)
    assert small.treated_summary.mean == pytest.approx(0.70)
    assert small.gain == pytest.approx(0.09)
    assert (large.params, len(large.pairs), large.teacher) == (32_000, 1, "KoBiLSTM-Large")


@pytest.mark.parametrize(
    "apart",
    [{"dataset_hash": "other"}, {"seed": 5}, {"size": 17}, {"split": "other"}, {"teacher": None}, {"task_id": "nsmc"}],
    ids=str,
)
def test_runs_that_are_no_twins(empty: Store, apart: dict[str, Any]) -> None:
    """Other data, another seed, shape, split or task, or no teacher: there is nothing to compare."""
    add_twin(empty, accuracy=0.6, distilled=False)
    add_twin(empty, accuracy=0.7, distilled=True, **apart)
    assert find(empty, TASK) == []


def test_a_board_without_measured_runs_has_no_twins(board: Store) -> None:
    """Printed rows have no twins, also where a teacher is named."""
    assert find(board, "nsmc") == []
    assert find(board, "nothing") == []


def test_the_plain_recipe_with_the_same_settings_is_the_partner(empty: Store) -> None:
    """Of two plain recipes the one that differs in the distillation alone counts; where none does, it is told."""
    same, longer = (json.dumps({"train": {"epochs": epochs}, "name": "x"}) for epochs in (3, 30))
    distilled = json.dumps({"train": {"epochs": 3}, "name": "y", "distill": {"temperature": 2}})
    add_twin(empty, accuracy=0.65, distilled=False, recipe_json=longer, recipe_hash="a")
    add_twin(empty, accuracy=0.70, distilled=True, recipe_json=distilled)
    (pair,) = find(empty, TASK)
    assert (pair.plain_summary.mean, pair.differs) == (0.65, ("train.epochs",))
    add_twin(empty, accuracy=0.60, distilled=False, recipe_json=same, recipe_hash="b")
    (pair,) = find(empty, TASK)
    assert (pair.plain_summary.mean, pair.differs) == (0.60, ())


def test_texts_that_only_the_teacher_labels_are_a_difference(empty: Store) -> None:
    """What the distilled model read besides is reported; the teacher and its loss are the treatment."""
    add_twin(empty, accuracy=0.6, distilled=False, recipe_json=json.dumps({"name": "x", "distill": None}))
    distill = {"teacher": "t", "loss": "kl", "temperature": 2, "unlabelled": True, "add": [], "altered": 0}
    add_twin(empty, accuracy=0.7, distilled=True, recipe_json=json.dumps({"name": "y", "distill": distill}))
    (pair,) = find(empty, TASK)
    assert pair.differs == ("distill.unlabelled",)


def test_the_distilled_recipe_is_chosen_by_validation(empty: Store) -> None:
    """Of two distilled recipes of one variant the one with the better validation score counts, not the better test."""
    add_twin(empty, accuracy=0.6, distilled=False)
    for recipe, score, validation in (("a", 0.9, 0.7), ("b", 0.8, 0.75)):
        add_twin(
            empty, MetricValue("validation_accuracy", validation), accuracy=score, distilled=True, recipe_hash=recipe
        )
    (pair,) = find(empty, TASK)
    assert pair.treated_summary.mean == 0.8


def test_the_validation_accuracy_stands_in_for_a_missing_validation_score(empty: Store) -> None:
    """On a board that another metric ranks, the newest recipe does not count for being the newest."""
    add_twin(empty, MetricValue("f1", 0.6), accuracy=0.6, distilled=False, task_id="squad")
    for recipe, f1, validation in (("a", 0.8, 0.75), ("b", 0.9, 0.7)):
        figures = MetricValue("f1", f1), MetricValue("validation_accuracy", validation)
        add_twin(empty, *figures, accuracy=f1, distilled=True, task_id="squad", recipe_hash=recipe)
    (pair,) = find(empty, "squad")
    assert pair.treated_summary.mean == 0.8


def test_each_seed_is_tested_on_its_common_examples(empty: Store) -> None:
    """The p-value of a seed is the exact McNemar test of its two runs."""
    _pairs(empty, (0.60, 0.75), (0.60, 0.61))
    (match,) = find(empty, TASK)
    assert [pair.p for pair in match.pairs] == [None, None]
    tested = with_tests(empty, match)
    assert [pair.p for pair in tested.pairs] == [mcnemar(0, 30), mcnemar(0, 2)]
    assert tested.settled == 0
    assert verdict(tested) == "Distilled ahead in 2 of 2 seeds, clearly better in 1; p from below 0.0001 to 0.5."


def _pair(*seeds: tuple[float, float | None]) -> MatchedPair:
    """A matched pair of which each seed has a difference and a p-value."""
    nothing = Summary(len(seeds), 0, 0, 0, 0, 0, 0)
    pairs = tuple(SeedPair(seed, "a", "b", 0.5, 0.5 + gain, p) for seed, (gain, p) in enumerate(seeds))
    return MatchedPair(
        DISTILLATION, "a", "b", "A", "B", "T", 1, "accuracy", "ko", True, pairs, nothing, nothing, (), utc_now()
    )


@pytest.mark.parametrize(
    ("seeds", "sentence", "settled"),
    [
        ([(0.1, 1e-9), (0.1, 0.00025), (0.1, 0.0001)], "Distilled better in 3 of 3 seeds, p ≤ 0.00025.", 1),
        ([(0.1, 1e-9), (0.1, 1e-7)], "Distilled better in 2 of 2 seeds, p < 0.0001.", 1),
        ([(-0.1, 0.03211), (-0.1, 0.002)], "Baseline better in 2 of 2 seeds, p ≤ 0.033.", -1),
        ([(0.1, 0.0003)], "Distilled better in the one seed, p = 0.0003.", 1),
        ([(0.1, 0.26)], "Not significant with one seed, p = 0.26.", 0),
        ([(0.1, 0.268), (-0.1, 0.9)], "Not significant in any seed: distilled ahead in 1 of 2 seeds, p ≥ 0.26.", 0),
        (
            [(0.1, 0.001), (0.1, 0.2), (-0.1, 0.04)],
            "Distilled ahead in 2 of 3 seeds, clearly better in 1, clearly worse in 1; p from 0.001 to 0.2.",
            0,
        ),
        (
            [(-0.1, 0.001), (0.1, 0.2)],
            "Distilled ahead in 1 of 2 seeds, clearly better in none, clearly worse in 1; p from 0.001 to 0.2.",
            0,
        ),
        (
            [(0.1, None), (0.1, 0.01)],
            "Distilled ahead in 2 of 2 seeds; no test, which takes predictions of both and a score for each example.",
            0,
        ),
        ([(0.0, 1.0)], "Not significant with one seed, p = 1.", 0),
    ],
)
def test_the_paired_tests_are_told_in_one_sentence(
    seeds: list[tuple[float, float | None]], sentence: str, settled: int
) -> None:
    """The sentence says who is better in how many seeds, and its bound on p is true."""
    assert verdict(_pair(*seeds)) == sentence
    assert _pair(*seeds).settled == settled


def test_where_less_is_better_the_lower_score_is_ahead() -> None:
    """A distilled score below the plain one is better where less is better."""
    assert replace(_pair((-0.1, 0.001)), maximise=False).settled == 1


def test_a_metric_that_is_no_share_of_right_answers_is_not_tested(empty: Store) -> None:
    """The test counts right answers; it says nothing of a mean error."""
    _pairs(empty, (0.6, 0.8))
    pair = replace(find(empty, TASK)[0], metric="eval_loss")
    assert matched_pairs.with_tests(empty, pair) == pair


def _started(store: Store, accuracy: float, init: str, *, seed: int = 0, **columns: Any) -> str:
    """A run that began with weights of that kind."""
    model = ModelFacts(f"bert-{init}", f"Bert, {init}", "Bert", "span", {"source": "a place", "init": init}, 1000, "ko")
    recipe = json.dumps({"model": {"kind": "span", "init": init}, "train": {"epochs": 3}})
    row = {"recipe_json": recipe, "recipe_hash": init, "seed": seed, **columns}
    return add_run(store, accuracy=accuracy, name=model.name, model=model, **row)


def test_pretrained_and_from_scratch_are_twins(empty: Store) -> None:
    """They differ in what they started from alone, which is no setting; neither contrast finds the other's twins."""
    for seed in (0, 1):
        _started(empty, 0.60, "random", seed=seed)
        _started(empty, 0.75, "pretrained", seed=seed)
    _started(empty, 0.90, "pretrained", seed=2)
    (matched,) = [with_tests(empty, pair) for pair in find(empty, TASK, PRETRAINING)]
    assert (matched.plain, matched.treated, matched.teacher, matched.differs) == (
        "Bert, random",
        "Bert, pretrained",
        None,
        (),
    )
    assert [pair.seed for pair in matched.pairs] == [0, 1]
    assert verdict(matched) == "Pretrained better in 2 of 2 seeds, p < 0.0001."
    assert find(empty, TASK) == []


def test_one_that_learned_from_a_teacher_too_is_no_twin(empty: Store) -> None:
    """With a teacher it had more than a pretraining."""
    _started(empty, 0.60, "random")
    _started(empty, 0.75, "pretrained", teacher="T")
    assert find(empty, TASK, PRETRAINING) == []


def test_pairs_are_counted_in_their_order(empty: Store) -> None:
    """Each pair has its own counts in the order asked, twice if asked twice, and zeros without common examples."""
    worse, better = (add_twin(empty, accuracy=score, distilled=False) for score in (0.6, 0.75))
    with empty.read() as con:
        rows = count_pairs(con, [(better, worse), (worse, "nobody"), (worse, better), (better, worse)])
    assert [list(counts) for counts in rows] == [[200, 120, 30, 0], [0, 0, 0, 0], [200, 120, 0, 30], [200, 120, 30, 0]]
