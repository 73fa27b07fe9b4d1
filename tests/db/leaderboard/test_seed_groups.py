"""Means over seeds beside single runs in a comparison: what they are made of, and what their tests allow for."""

import json
from typing import Any

import numpy as np
import pytest

from db.analysis import comparison, differences, paired_tests
from db.analysis.comparison import ComparisonError
from db.leaderboard import seed_groups
from db.leaderboard.board import board as read_board
from db.runs.writer import MetricValue, ModelFacts
from db.statistics import significance
from db.statistics.ranking import Estimates, PairedRows, pair_tests
from db.storage.store import Store
from tests.factories.runs import add_run, add_runs, in_one_write

TASK = "reviews-ko-mini"


def add_seeds(store: Store, name: str, scores: tuple[float, ...], **columns: Any) -> list[str]:
    """Runs of one recipe that differ in their seed alone; the latency of a later seed is higher."""
    model = ModelFacts(name, name, "BiLSTM", "bilstm", {}, 27_394, "ko")
    with in_one_write(store) as gathering:
        return [
            add_run(
                gathering,
                MetricValue("latency_ms_p50", 1.0 + seed),
                MetricValue("macro_f1", score),
                *([MetricValue("mcc", 0.5)] if seed == 0 else []),
                accuracy=score,
                name=name,
                model=model,
                seed=seed,
                recipe_hash=name,
                recipe_json=json.dumps({"train": {"epochs": 3, "patience": seed}}),
                **columns,
            )
            for seed, score in enumerate(scores)
        ]


def test_a_mean_has_the_score_of_the_board_and_the_facts_of_its_middle_seed(board: Store) -> None:
    runs = add_seeds(board, "Lark", (0.70, 0.74, 0.75))
    alone = add_run(board, accuracy=0.6)
    chosen = comparison.choose(board, [f"mean-{runs[0][:12]}", alone])
    row = read_board(board, TASK, every_run=False).rows.set_index("model").loc["Lark"]
    assert chosen.ids() == (f"mean-{runs[1]}", alone)
    assert chosen.representatives() == (runs[1], alone)
    assert set(chosen.members[0]) == set(runs)
    mean = chosen.runs.iloc[0]
    for name in ("score", "low", "high", "spread", "seeds"):
        assert mean[name] == pytest.approx(row[name]), name
    values = chosen.metrics[chosen.metrics["run_id"] == f"mean-{runs[1]}"].set_index("name")
    assert values.at["macro_f1", "value"] == pytest.approx(0.73)
    assert values.at["latency_ms_p50", "value"] == 2.0
    assert np.isnan(values.at["mcc", "value"]), "a quality that one seed has is no mean"
    assert values["some"].to_dict() == {"accuracy": 0, "latency_ms_p50": 0, "macro_f1": 0, "mcc": 1} | {
        name: 0 for name in values.index if name != "mcc"
    }
    assert np.isnan(values.at["macro_f1", "low"])


def test_the_mean_of_one_seed_is_that_run(board: Store) -> None:
    run = add_run(board, accuracy=0.6)
    chosen = comparison.choose(board, [f"mean-{run}", "mean-nobody-there"])
    assert chosen.ids() == (run,)
    assert chosen.unknown == ("mean-nobody-there",)
    assert not chosen.has_means


def test_a_run_is_not_tested_against_the_mean_over_its_own_seeds(board: Store) -> None:
    """It shares its answers and its seed with the mean; beside other models the tests go on without it."""
    runs = add_seeds(board, "Lark", (0.70, 0.74, 0.75))
    other = add_run(board, accuracy=0.6, name="Heron", recipe_hash="Heron")
    alone = comparison.choose(board, [runs[0], f"mean-{runs[0]}"])
    assert (alone.inside_means, alone.answering) == ((0,), (1,))
    with_other = comparison.choose(board, [runs[0], f"mean-{runs[0]}", other])
    assert (with_other.inside_means, with_other.answering) == ((0,), (1, 2))
    assert comparison.choose(board, [runs[0], other]).inside_means == ()


def test_settings_that_differ_between_seeds_are_shown_by_seed(board: Store) -> None:
    runs = add_seeds(board, "Lark", (0.70, 0.74, 0.75))
    other = add_seeds(board, "Heron", (0.6, 0.61))
    facts = differences.facts(comparison.choose(board, [f"mean-{runs[0]}", f"mean-{other[0]}"])).set_index("key")
    assert facts.at["train.patience", 0] == ("0", "1", "2")
    assert facts.at["train.patience", "differs"]
    assert facts.at["train.epochs", 0] == facts.at["train.epochs", 1] == "3"
    assert not facts.at["train.epochs", "differs"]


def test_the_best_models_are_means_and_each_model_once(board: Store) -> None:
    lark, heron = add_seeds(board, "Lark", (0.70, 0.74, 0.75)), add_run(board, accuracy=0.9, name="Heron")
    add_run(board, accuracy=0.5, name="Crow", model=ModelFacts("c", "Crow", "BiLSTM", "bilstm", {}, 1, "ko"))
    shown = read_board(board, TASK, every_run=False)
    assert seed_groups.best_models(board, shown, 2) == (heron, f"mean-{lark[1]}")
    assert seed_groups.of_board(shown)["run_id"].tolist() == [f"mean-{lark[1]}"]


def test_a_test_of_means_allows_for_other_seeds(board: Store) -> None:
    """Seeds that scatter widely leave open what each seed alone decides."""
    steady = [add_seeds(board, name, scores) for name, scores in (("A", (0.60,) * 3), ("B", (0.75,) * 3))]
    wide = [add_seeds(board, name, scores) for name, scores in (("C", (0.45, 0.60, 0.75)), ("D", (0.60, 0.75, 0.90)))]
    with board.read() as con:
        sure, open_ = (paired_tests.verdict_of_means(con, pair) for pair in (steady, wide))
    assert sure is not None
    assert open_ is not None
    assert (sure.best, sure.worse) == (1, (0,))
    assert (open_.best, open_.even) == (1, (0,))
    for verdict in (sure, open_):
        assert verdict.pairs[0].difference == pytest.approx(0.15)
        assert verdict.means
    assert open_.pairs[0].low < 0 < open_.pairs[0].high


def test_single_runs_are_tested_as_ever(board: Store) -> None:
    runs = add_runs(board, 0.6, 0.75)
    with board.read() as con:
        verdict = paired_tests.verdict_of_means(con, [[run] for run in runs])
    assert verdict is not None
    assert verdict.pairs[0].p == significance.mcnemar(0, 30)


def test_means_of_other_examples_cannot_be_tested(board: Store) -> None:
    runs = add_seeds(board, "Lark", (0.70, 0.74))
    other = add_run(board, accuracy=0.5, task_id="nli-en-mini", dataset="nli-en-mini")
    with board.read() as con:
        assert paired_tests.verdict_of_means(con, [runs, [other, "nobody"]]) is None


def test_programs_are_told_that_means_have_no_answers(board: Store) -> None:
    runs = add_seeds(board, "Lark", (0.70, 0.74))
    with pytest.raises(ComparisonError, match="name single runs"):
        comparison.compare(board, [f"mean-{runs[0]}", runs[1]])


@pytest.mark.parametrize("seeds", [2.0, 3.0, 5.0])
def test_the_p_value_and_the_interval_agree(seeds: float) -> None:
    """An interval leaves 0 out exactly where p is below 5%, with few seeds too."""
    for difference in np.linspace(0.0, 0.2, 41):
        rows = PairedRows(np.array([0, 1]), np.full((2, 2), 1e-5), None)
        unknown = np.full(2, np.nan)
        estimates = Estimates(
            np.array([0.5, 0.5 + difference]), unknown, unknown, np.array([0.01, np.nan]), np.array([seeds, 1.0])
        )
        ((_, _, _, low, _, p),) = pair_tests(rows, estimates)
        assert (p < significance.LEVEL) == (low > 0), (difference, low, p)
