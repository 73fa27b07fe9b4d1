"""Seeds of one recipe: one row on the board, with the mean and not the best of them."""

from datetime import timedelta
from typing import Any

import numpy as np
import pandas as pd
import pytest

from db.leaderboard.board import board
from db.leaderboard.overview import cells
from db.runs.detail import run_detail
from db.runs.seeds import processor, summarise
from db.runs.writer import MetricValue, metrics_change
from db.statistics.intervals import wilson
from db.storage.changes import Change
from db.storage.store import Store
from tests.factories.rows import T0, change, model_row, run_row
from tests.factories.runs import figures, in_one_write, leaderboard

N = 50_000


def _add(store: Store, run_id: str, score: float | None, *more: MetricValue, seed: int | None = 0, **run: Any) -> None:
    """A measured run of one recipe with Wilson's interval."""
    figures = list(more)
    if score is not None:
        ends = wilson(round(score * N), N)
        figures.append(MetricValue("accuracy", score, N, ends.low, ends.high))
    facts = {"recipe": "tiny", "recipe_hash": "r0", "dataset_hash": "d0", "device": "a CPU, 1 thread(s)", "seed": seed}
    store.write(
        [
            change("models", model_row(run.get("model_id", "tiny"))),
            change("runs", run_row(run_id, **{**facts, **run})),
            metrics_change(run_id, figures),
        ]
    )


def _three(empty: Store, **run: Any) -> None:
    with in_one_write(empty) as store:
        for seed, score in enumerate((0.870, 0.880, 0.872)):
            _add(store, f"seed-{seed}", score, MetricValue("latency_ms_p50", 1.0 + 10 * (seed == 0)), seed=seed, **run)


def test_seeds_of_a_recipe_are_one_row_with_their_mean(empty: Store) -> None:
    """Three seeds are one row: the mean and not the best, the spread, the median seed's run, median costs."""
    _three(empty)
    _add(empty, "other", 0.5, model_id="other")
    row, other = leaderboard(empty, "nsmc", every_run=False).to_dict("records")
    assert row["score"] == pytest.approx(0.874)
    shown = figures(empty, "nsmc", every_run=False)["seed-2"]
    assert shown["accuracy"] == row["score"]
    assert (row["seeds"], row["least"], row["most"]) == (3, 0.870, 0.880)
    assert row["spread"] == pytest.approx(np.std([0.870, 0.880, 0.872], ddof=1))
    assert row["run_id"] == "seed-2"
    assert row["latency_ms_p50"] == shown["latency_ms_p50"] == 1.0
    assert pd.isna(row["seed"]), "one seed stands for three"
    assert (other["seeds"], other["score"], other["rank"]) == (1, 0.5, "2")
    assert pd.isna(other["spread"])


def test_every_run_shows_the_seeds_alone(empty: Store) -> None:
    """With every run each seed has its own row and score, and both views have the same columns and types."""
    _three(empty)
    every = leaderboard(empty, "nsmc")
    assert every["score"].tolist() == [0.880, 0.872, 0.870]
    assert every["seed"].tolist() == [1, 2, 0]
    assert (every["seeds"] == 1).all()
    assert leaderboard(empty, "nsmc", every_run=False).dtypes.equals(every.dtypes)


def test_the_interval_of_a_mean_holds_both_variances(empty: Store) -> None:
    """It is wider than that of the examples alone, which the standard error of a mean over seeds adds to."""
    _three(empty)
    _add(empty, "near", 0.875, model_id="near")
    near, row = leaderboard(empty, "nsmc", every_run=False).to_dict("records")
    of_seeds, of_examples = row["spread"] ** 2 / 3, 0.874 * 0.126 / N
    t = 4.302653  # of 2 degrees of freedom at 97.5%
    share = of_seeds / (of_seeds + of_examples)
    half = np.sqrt((1.96**2 + (t**2 - 1.96**2) * share**2) * (of_seeds + of_examples))
    assert (row["low"], row["high"]) == pytest.approx((0.874 - half, 0.874 + half), abs=2e-5)
    assert (near["rank"], row["rank"], row["n"]) == ("1-2", "1-2", N)


def test_predictions_narrow_the_interval_of_a_mean(empty: Store) -> None:
    """What two seeds get right by chance alone is counted once: the examples' part is the covariance of the seeds."""
    _three(empty, task_id="reviews-ko-mini")
    (before,) = leaderboard(empty, "reviews-ko-mini", every_run=False).to_dict("records")
    rng = np.random.default_rng(0)
    for seed in range(3):
        right = rng.integers(0, 2, 2000)
        frame = pd.DataFrame(
            {"example_id": [f"{number:04d}" for number in range(2000)], "predicted": right.astype(str)}
        )
        empty.write([Change("predictions", frame.assign(run_id=f"seed-{seed}", gold="1"), "replace")])
    (after,) = leaderboard(empty, "reviews-ko-mini", every_run=False).to_dict("records")
    assert after["error"] != pytest.approx(before["error"])
    summary = run_detail(empty, "seed-0").seeds
    assert summary is not None
    assert summary.summary is not None
    assert (summary.summary.low, summary.summary.high) == pytest.approx((after["low"], after["high"]))


def test_a_figure_of_one_seed_is_no_mean_of_three(empty: Store) -> None:
    """A quality that one seed has is missing from the row, a cost stays; both say how many seeds have them."""
    for seed, score in enumerate((0.870, 0.880, 0.872)):
        more = [MetricValue("macro_f1", 0.9), MetricValue("latency_ms_p50", 2.0)] if seed == 1 else []
        _add(empty, f"seed-{seed}", score, *more, seed=seed)
    shown = board(empty, "nsmc", every_run=False)
    assert np.isnan(shown.figures["macro_f1"].iloc[0])
    assert shown.figures["latency_ms_p50"].iloc[0] == 2.0
    assert shown.partial.loc[0, ["macro_f1", "latency_ms_p50", "accuracy"]].tolist() == [1, 1, 0]


def test_failed_seeds_are_counted_and_behind_the_row(empty: Store) -> None:
    """Three of four seeds: the diverged one is in the row's runs; one that was repeated with success is not counted."""
    _three(empty)
    _add(empty, "diverged", None, seed=3, status="diverged")
    _add(empty, "failed-first", None, seed=0, status="failed")
    _add(empty, "other-recipe", None, seed=5, status="failed", recipe_hash="r9")
    shown = board(empty, "nsmc", every_run=False)
    row = shown.rows.iloc[0]
    assert (row["seeds"], row["failed"]) == (3, 1)
    assert shown.members(0)["run_id"].tolist() == ["seed-0", "seed-1", "seed-2", "diverged"]


def test_submitted_seeds_are_shown_by_their_mean(empty: Store) -> None:
    """Not by the best on the test set; without seeds the newest submission stays."""
    facts = {"source": "submitted", "recipe_hash": None, "dataset_hash": None, "device": None}
    for seed, score in enumerate((0.870, 0.880, 0.872)):
        _add(empty, f"seed-{seed}", score, seed=seed, **facts)
    for number, score in enumerate((0.9, 0.8)):
        _add(empty, f"s-{number}", score, seed=None, model_id="b", created_at=T0 + timedelta(days=number), **facts)
    rows = leaderboard(empty, "nsmc", every_run=False)
    assert rows["score"].tolist() == pytest.approx([0.874, 0.8])
    assert rows["others"].tolist() == [0, 1]


def test_a_new_run_of_a_known_variant_is_counted_at_once(empty: Store) -> None:
    """A recipe that validation did not choose is behind no row, and the row says how many such runs there are."""
    _three(empty)
    _add(empty, "new", 0.9, recipe_hash="r1")
    (row,) = leaderboard(empty, "nsmc", every_run=False).to_dict("records")
    assert row["others"] in (1, 3)


def test_printed_rows_are_ranked_on_request(empty: Store) -> None:
    """A printed row has no rank and no place on the frontier beside measured rows, until somebody asks."""
    _add(empty, "printed", 0.95, source="reported", model_id="a")
    _add(empty, "measured", 0.9, model_id="b")
    assert board(empty, "nsmc").rows["rank"].tolist() == ["", "1"]
    assert board(empty, "nsmc").rows["ranked"].tolist() == [False, True]
    assert board(empty, "nsmc", printed=True).rows["rank"].tolist() == ["1", "2"]


def test_a_mean_without_the_interval_of_every_seed_has_none() -> None:
    """A missing end is not made up from the other seeds; one seed has no spread."""
    rows = pd.DataFrame({"score": [0.8, 0.9], "low": [0.7, None], "high": [0.85, None]})
    summary = summarise(rows)
    assert summary.mean == pytest.approx(0.85)
    assert np.isnan([summary.low, summary.high]).all()
    assert np.isnan(summarise(rows.head(1)).spread)


@pytest.mark.parametrize(
    "apart",
    [
        {"recipe_hash": "r1"},
        {"recipe_hash": None},
        {"dataset_hash": "d1"},
        {"device": "NVIDIA H100"},
        {"split": "other"},
        {"status": "diverged"},
        {"seed": None},
    ],
    ids=str,
)
def test_only_seeds_are_grouped(empty: Store, apart: dict[str, Any]) -> None:
    """A run that differs in more than its seed, that did not finish or that nobody measured is in no mean."""
    with in_one_write(empty) as store:
        _add(store, "seed-0", 0.870)
        _add(store, "seed-1", 0.880, seed=1)
        _add(store, "apart", 0.990, **{"seed": 2, **apart})
    rows = leaderboard(empty, "nsmc", every_run=False).set_index("run_id")
    grouped = rows[rows["seeds"].fillna(0) > 1]
    assert grouped["score"].tolist() in ([], [pytest.approx(0.875)])
    assert leaderboard(empty, "nsmc").query("run_id == 'apart'")["score"].item() == 0.990


def test_printed_rows_are_never_averaged(empty: Store) -> None:
    """Reported rows of one model with several settings: the best stays, as printed, without seeds."""
    for number, score in enumerate((0.86, 0.88, 0.87)):
        _add(empty, f"printed-{number}", score, seed=number, source="reported")
    (row,) = leaderboard(empty, "nsmc", every_run=False).to_dict("records")
    assert (row["run_id"], row["score"], row["seed"]) == ("printed-1", 0.88, 1)
    assert pd.isna(row["seeds"])


def test_the_number_of_threads_and_the_cpu_do_not_part_seeds() -> None:
    """Any CPU is one kind of processor, a GPU is its own, an unknown device another."""
    assert processor("AMD EPYC, 1 thread(s)") == processor("Cortex-A76, 4 thread(s)") == "cpu"
    assert processor("NVIDIA H100") != processor("NVIDIA A100")
    assert processor(None) == processor(float("nan")) == ""


def test_a_seed_that_was_trained_twice_counts_once(empty: Store) -> None:
    """Of two runs of one seed the newer one is in the mean, also where the older one is better."""
    _add(empty, "old", 0.95, seed=0)
    _add(empty, "new", 0.86, seed=0, created_at=T0 + timedelta(days=1))
    _add(empty, "one", 0.88, seed=1)
    (row,) = leaderboard(empty, "nsmc", every_run=False).to_dict("records")
    assert (row["seeds"], row["score"], row["run_id"]) == (2, pytest.approx(0.87), "new")
    assert row["others"] == 1, "the run that no longer counts is visible"


def test_a_recipe_is_chosen_by_validation_and_not_by_its_test_score(empty: Store) -> None:
    """Of two recipes of one variant the one with the better validation score stays on the board."""
    for recipe, score, validation in (("a", 0.86, 0.90), ("b", 0.87, 0.89)):
        for seed in (0, 1):
            more = MetricValue("validation_accuracy", validation + seed / 1000)
            _add(empty, f"{recipe}-{seed}", score, more, seed=seed, recipe_hash=recipe)
    (row,) = leaderboard(empty, "nsmc", every_run=False).to_dict("records")
    assert row["recipe_hash"] == "a"


def test_the_validation_accuracy_stands_in_for_a_missing_validation_score(empty: Store) -> None:
    """Questions are ranked by F1 and validated by accuracy: neither the newest recipe nor the best test score stays."""
    for day, (recipe, f1, validation) in enumerate((("a", 0.79, 0.49), ("b", 0.80, 0.30), ("c", 0.69, 0.31))):
        figures = MetricValue("f1", f1), MetricValue("validation_accuracy", validation)
        created = T0 + timedelta(days=day)
        _add(empty, recipe, None, *figures, task_id="squad", recipe_hash=recipe, created_at=created)
    (row,) = leaderboard(empty, "squad", every_run=False).to_dict("records")
    assert (row["run_id"], row["others"]) == ("a", 2)
    assert cells(empty).rows["run_id"].tolist() == ["a"]
    _add(empty, "d", None, MetricValue("f1", 0.5), MetricValue("validation_f1", 0.2), task_id="squad", recipe_hash="d")
    (row,) = leaderboard(empty, "squad", every_run=False).to_dict("records")
    assert row["run_id"] == "d", "a validation score of the metric itself comes first"


def test_where_less_is_better_seeds_are_grouped_too(empty: Store) -> None:
    """The mean of an inference time counts, and the smaller one is first."""
    for run_id, score, seed, model in (("a0", 1.0, 0, "a"), ("a1", 3.0, 1, "a"), ("b0", 1.5, 0, "b")):
        _add(
            empty, run_id, None, MetricValue("inference_s", score), seed=seed, model_id=model, task_id="inference-time"
        )
    rows = leaderboard(empty, "inference-time", every_run=False)
    assert rows["score"].tolist() == [1.5, 2.0]
    assert rows["run_id"].tolist() == ["b0", "a0"]
    assert rows["low"].isna().all()


def test_a_run_knows_its_sibling_seeds(empty: Store) -> None:
    """A run has the seeds of its recipe with mean, spread and median, and they are not told twice."""
    _three(empty)
    _add(empty, "late", None, seed=3, status="interrupted")
    _add(empty, "apart", 0.8, recipe_hash="r1", seed=7)
    detail = run_detail(empty, "seed-0")
    assert detail.seeds is not None
    assert detail.seeds.summary is not None
    assert detail.seeds.runs["run_id"].tolist() == ["seed-0", "seed-1", "seed-2", "late"]
    assert (detail.seeds.summary.n, detail.seeds.middle) == (3, "seed-2")
    assert detail.seeds.summary.mean == pytest.approx(0.874)
    assert detail.siblings["run_id"].tolist() == ["apart"]
    assert run_detail(empty, "apart").seeds is None
    assert len(run_detail(empty, "apart").siblings) == 4


def test_seeds_without_two_scores_have_no_mean(empty: Store) -> None:
    """One finished seed beside a running one is listed, without a mean."""
    _add(empty, "seed-0", 0.87)
    _add(empty, "seed-1", None, seed=1, status="failed")
    seeds = run_detail(empty, "seed-1").seeds
    assert seeds is not None
    assert (seeds.summary, seeds.middle) == (None, None)
    assert seeds.runs["status"].tolist() == ["finished", "failed"]
