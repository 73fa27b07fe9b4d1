"""The tables of docs/results.md, held against the measured runs that come with the project."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest

import engine
from dashboard.findings.ablation import ENGLISH, STUDIES
from dashboard.findings.ablation import table as ablation_table
from dashboard.findings.data_scaling import STUDIED
from dashboard.findings.matched_pairs import verdict
from db.analysis.findings import ablation, data_scaling, distillation_settings
from db.analysis.findings.distillation_settings import KL, MSE
from db.analysis.findings.matched_pairs import PRETRAINING, MatchedPair, find, with_tests
from db.analysis.paired_tests import p_value
from db.leaderboard.board import board
from db.runs import detail as queries
from db.runs.seeds import Summary
from db.storage.store import Store
from tests import paths
from tests.contracts.test_shipped import GRID
from tests.factories.runs import leaderboard

RESULTS = (paths.REPO / "docs" / "results.md").read_text("utf-8")
KOREAN = RESULTS.split("\n## English questions")[0]
pytestmark = pytest.mark.shipped


def test_the_page_prints_the_settings_of_a_distillation(shipped: Store) -> None:
    """Each cell with its spread, and how far each setting moves the score."""
    grid, *_ = distillation_settings.find(shipped, "nsmc")
    assert (grid.measured, {cell.seeds for cell in grid.cells}) == (True, {3})
    for loss, name in ((KL, "KL, T = {t:g}"), (MSE, "squared error"), (None, "none")):
        of_loss = [cell for cell in grid.cells if cell.loss == loss]
        for temperature in dict.fromkeys(cell.temperature for cell in of_loss):
            row = [cell for cell in of_loss if cell.temperature == temperature]
            scores = " | ".join(f"{100 * cell.mean:.2f} ± {100 * cell.spread:.2f}" for cell in row)
            assert re.search(rf"^\| {name.format(t=temperature)} \|[ |]* {scores} \|", RESULTS, re.MULTILINE), scores
    for effect in grid.effects:
        assert f"{100 * effect.gap:.2f} points" in RESULTS
        assert p_value(effect.p) in RESULTS


def _row(pair: MatchedPair) -> str:
    """A row of the table of twins."""

    def verdict_text(summary: Summary) -> str:
        around = f"± {100 * summary.spread:.2f}" if summary.n > 1 else "(one seed)"
        return f"{100 * summary.mean:.2f} {around}"

    tests = verdict(pair).removesuffix(".").replace("Distilled better", "better")
    return (
        f"| {pair.treated.removeprefix('DistilKoBiLSTM-')} | {pair.params:,} | {verdict_text(pair.plain_summary)} | "
        f"{verdict_text(pair.treated_summary)} | {100 * pair.gain:+.2f} | {tests} |"
    )


def test_the_page_prints_the_twins(shipped: Store) -> None:
    """Every plain and distilled pair is in the table with its own figures, and no other row is."""
    rows = [_row(with_tests(shipped, pair)) for pair in find(shipped, "nsmc")]
    assert len(rows) >= 4
    printed = re.findall(r"^\| [^|`]+ \| [\d,]+ \| [\d.]+ (?:±|\(one seed).+\|$", RESULTS, re.MULTILINE)
    assert printed == sorted(rows, key=lambda row: (-int(row.split("|")[2].replace(",", "")), row))


def test_the_page_prints_the_single_runs(shipped: Store) -> None:
    """Measured runs beside the twins, the teacher among them, are on the page with their intervals."""
    rows = pd.concat([leaderboard(shipped, task, every_run=False) for task in ("nsmc", "klue-nli", "ynat")])
    paired = {name for pair in find(shipped, "nsmc") for name in (pair.plain, pair.treated)}
    rows = rows[(rows["source"] == "measured") & ~rows["model"].isin(paired) & (rows["recipe"] != GRID)]
    stored = [
        (row.recipe, f"{row.params:,}", *(f"{100 * value:.2f}" for value in (row.score, row.low, row.high)))
        for row in rows.itertuples()
    ]
    printed = re.findall(r"^\| `(\S+)` \| ([\d,]+) \| ([\d.]+) \(([\d.]+) to ([\d.]+)\) \|", KOREAN, re.MULTILINE)
    assert sorted(printed) == sorted(stored)


def test_distillation_beats_the_plain_twin_at_every_size(shipped: Store) -> None:
    """In every seed of every size, by the paired test on the same 50,000 reviews."""
    for pair in find(shipped, "nsmc"):
        assert with_tests(shipped, pair).settled == 1, verdict(with_tests(shipped, pair))


@pytest.mark.parametrize("teacher", ["", "-e5"])
@pytest.mark.parametrize("size", ["base", "small", "mini", "tiny"])
def test_a_shipped_checkpoint_is_a_run_of_the_board(shipped: Store, size: str, teacher: str) -> None:
    """Its card names a shipped run of its model, chosen by the validation accuracy, and agrees with its score."""
    card = Path(engine.__file__).parent / "pretrained" / f"distilkobilstm-{size}{teacher}" / "card.json"
    about = json.loads(card.read_text("utf-8"))["about"]
    table = board(shipped, "nsmc")
    own = (table.rows["source"] == "measured") & (table.rows["model_id"] == f"distilkobilstm-{size}{teacher}")
    rows = table.rows[own]
    validation = dict(zip(rows["run_id"], table.figures.loc[own, "validation_accuracy"], strict=True))
    assert about["run"] == max(validation, key=lambda run_id: validation[run_id])
    score = rows.set_index("run_id").loc[about["run"], "score"]
    assert about["metrics"]["accuracy"]["value"] == pytest.approx(
        score, abs=2e-4
    )  # half precision moves a few of 50,000
    assert f"{100 * about['metrics']['accuracy']['value']:.2f}" in RESULTS


def test_the_page_prints_who_reads_a_negation(shipped: Store) -> None:
    """Each shipped sentiment model as it is, with its interval; what learned from SentiNeg, with its seeds."""
    rows = leaderboard(shipped, "sentineg")
    rows = rows[rows["source"] == "measured"].sort_values("params", ascending=False)
    trained = rows[~rows["recipe"].str.startswith("distilkobilstm")]
    rows = rows.drop(trained.index)
    stored = [
        (f"{row.params:,}", *(f"{100 * value:.2f}" for value in (row.score, row.low, row.high)))
        for row in rows.itertuples()
    ]
    section = RESULTS[RESULTS.index("## Korean negation") : RESULTS.index("## English questions")]
    row = r"^\| \w+ \| ([\d,]+) \| [\d.]+ \| ([\d.]+) \(([\d.]+) to ([\d.]+)\) \|$"
    assert re.findall(row, section, re.MULTILINE) == stored
    learned = {}
    for recipe, seeds in trained.groupby("recipe"):
        low, high = 100 * seeds[["low", "high"]].iloc[0]
        spread = f"± {100 * seeds['score'].std():.2f} ({len(seeds)} seeds)"
        around = spread if len(seeds) > 1 else f"({low:.2f} to {high:.2f})"
        learned[recipe] = (f"{seeds['params'].iloc[0]:,}", f"{100 * seeds['score'].mean():.2f} {around}")
    printed = re.findall(r"^\| `(\S+)` \| [^|]+ \| ([\d,]+) \| ([^|]+) \|$", section, re.MULTILINE)
    assert {name: facts for name, *facts in printed} == {name: [*facts] for name, facts in learned.items()}


def test_the_page_prints_the_ablation(shipped: Store) -> None:
    """Every part over three seeds, as the board has it, and what the whole student scores."""
    for study in STUDIES:
        result = ablation.find(shipped, study)
        rows = ablation_table(result).to_dict("records")
        assert len(rows) == 4
        for row, difference in zip(rows, result.differences, strict=True):
            assert len(difference.by_seed) == 3
            assert f"| {' | '.join(row.values())} |" in RESULTS
        assert f"{sum(result.baseline.values()) / len(result.baseline):.2f}" in RESULTS
    for task in ENGLISH.tasks:
        rows = leaderboard(shipped, task, every_run=False).set_index("recipe")
        assert f"{100 * rows.loc[f'{ENGLISH.baseline}-{task}', 'score']:.2f}" in RESULTS
    answered = shipped.query(
        "SELECT count(DISTINCT predicted) AS kinds FROM predictions JOIN runs USING (run_id) "
        "WHERE recipe LIKE 'minilm-l3%' AND task_id = 'mnli' GROUP BY run_id"
    )
    one_answer = int((answered["kinds"] == 1).sum())
    assert f"{one_answer} of the {len(answered)} fine-tunings" in RESULTS


def test_the_page_prints_the_question_answering_run(shipped: Store) -> None:
    """Its figures by both rules, as stored."""
    table = board(shipped, "squad", every_run=False)
    rows = table.rows[(table.rows["source"] == "measured") & (table.rows["recipe"] == "minilm-squad")]
    assert len(rows) == 1
    row = rows.iloc[0]
    shown = [f"{100 * table.figures[name][rows.index[0]]:.2f}" for name in ("em", "f1_seed", "em_seed")]
    first = f"{100 * row['score']:.2f} ({100 * row['low']:.2f} to {100 * row['high']:.2f})"
    assert f"| `minilm-squad` | {row['params']:,} | {' | '.join([first, *shown])} |" in RESULTS


def test_the_page_prints_the_runs_on_multinli(shipped: Store) -> None:
    """Fine-tunings of the packaged encoder, by accuracy on dev matched and on what there is of dev mismatched."""
    table = board(shipped, "mnli", every_run=False)
    named = (
        *("e5-nli-mixed", "e5-nli", "minilm-mnli-full", "minilm-mnli", "hypothesis-only", "small-bert-mnli"),
        *("minilm-mnli-scratch", "bilstm-mnli", "small-bert-mnli-scratch"),
    )
    rows = table.rows[(table.rows["source"] == "measured") & table.rows["recipe"].isin(named)]
    rows = rows.drop_duplicates("recipe")  # the best: those below learned from a part of the pairs
    assert rows["recipe"].tolist() == list(named)
    for index, row in rows.iterrows():
        score = f"{100 * row['score']:.2f} ({100 * row['low']:.2f} to {100 * row['high']:.2f})"
        mismatched = f"{100 * table.figures['accuracy_mismatched'][index]:.2f}"
        assert f"| `{row['recipe']}` | {row['params']:,} | {score} | {mismatched} |" in RESULTS


def _accuracies(shipped: Store, task: str) -> pd.DataFrame:
    """Accuracies of the measured runs of a task, with the command of each."""
    return shipped.query(
        """
        SELECT r.run_id, r.command, m.name, m.value, m.low, m.high FROM runs r JOIN metrics m USING (run_id)
        WHERE r.source = 'measured' AND r.task_id = $task AND m.name LIKE 'accuracy%'
        """,
        {"task": task},
    ).set_index("name")


def test_the_page_prints_what_a_teacher_and_further_pairs_bring(shipped: Store) -> None:
    """Each run by its id: dev matched and mismatched, SNLI's test split, Breaking NLI; no run on these is left out."""
    row = r"^\| [^|`]+ \| `(\w{8})` \| ([\d.]+) \(([\d.]+) to ([\d.]+)\) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$"
    printed = re.findall(row, RESULTS, re.MULTILINE)
    own, *others = (_accuracies(shipped, task) for task in ("mnli", "snli", "breaking-nli"))
    for run_id, *figures in printed:
        of_run = own[own["run_id"].str.startswith(run_id)]
        best = of_run.loc["accuracy"]
        name = "minilm-mnli" if "train minilm-mnli " in best["command"] else run_id
        scores = [best["value"], best["low"], best["high"], of_run.loc["accuracy_mismatched", "value"]]
        for other in others:
            (score,) = other.loc[other["command"].str.contains(f"evaluate {name}"), "value"]
            scores.append(score)
        assert figures == [f"{100 * score:.2f}" for score in scores], run_id
    assert [len(other.loc[["accuracy"]]) for other in others] == [len(printed)] * 2


def test_the_page_prints_what_more_pairs_bring(shipped: Store) -> None:
    """Pretrained, from scratch and the BiLSTM over the size of the training set; scratch never catches up."""
    lines = {line.recipe: line.points for line in data_scaling.find(shipped, "mnli", STUDIED).lines}
    assert set(lines) == {*STUDIED, "bilstm-mnli-mixed"}
    for recipe, points in lines.items():
        mixed = [1000, 3000, 15_000, 30_000, 60_000, 98_200]
        assert [point.size for point in points] == ([1000, 3000, 14903] if recipe in STUDIED else mixed)
        assert f"| `{recipe}` | {' | '.join(f'{100 * point.score:.2f}' for point in points)} |" in RESULTS
    assert lines["minilm-mnli-scratch"][-1].high < lines["minilm-mnli-full"][0].low


def test_the_page_prints_the_runs_on_korean_questions(shipped: Store) -> None:
    """By article, with the number of questions that failed, and the paired test between them."""
    table = board(shipped, "korquad-articles")
    rows = table.rows[table.rows["source"] == "measured"]
    assert set(rows["recipe"]) == {
        "e5-l3-korquad-articles",
        "e5-qa",
        "korquad-8k-base",
        "korquad-8k-pretrained",
        *(f"korquad-8k-cloze{amount}" for amount in ("", "-base", "-start", "-2m", "-20m", "-50m")),
    }
    for index, row in rows.iterrows():
        score = f"{100 * row['score']:.2f} ({100 * row['low']:.2f} to {100 * row['high']:.2f})"
        em, failed = table.figures["em"][index], table.figures["failed"][index]
        recipe = json.loads(queries.run_detail(shipped, row["run_id"]).run["recipe_json"])
        size = recipe["qa"].get("questions")
        figures = f"| {score} | {100 * em:.2f} | {failed:,.0f} |"
        printed = [line for line in RESULTS.splitlines() if line.endswith(figures)]
        assert any(f"`{row['recipe']}`" in line or f"| {size:,} |" in line for line in printed), figures
    merged = leaderboard(shipped, "korquad-articles", every_run=False)
    (of_board,) = merged[merged["recipe"] == "e5-qa"].to_dict("records")
    assert f"| `e5-qa` | {100 * of_board['score']:.2f} (" in RESULTS, "the board shows the recipe chosen by validation"
    tested = {
        pair.treated: pair
        for pair in (with_tests(shipped, matched) for matched in find(shipped, "korquad-articles", PRETRAINING))
    }
    for treated, interval, digits in (
        ("Small BERT, 8k vocabulary, pretrained", "−0.74 to +1.25", ".2f"),
        ("Small BERT, cloze questions", "+16.01 to +19.65", ".4f"),
    ):
        (seed,) = tested[treated].pairs
        assert seed.p is not None, "the answers' texts are withheld, their F1 is not"
        assert f"+{100 * tested[treated].gain:.2f} F1 ({interval}, p = {seed.p:{digits}})" in " ".join(RESULTS.split())
