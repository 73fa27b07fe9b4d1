"""Pretrainings from recipe to board: curves, scores, stopped anywhere, refused in one line."""

import re
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import BertForPreTraining

from db.bootstrap import integrity
from db.registry.metrics import known
from db.runs import detail
from db.storage.store import Store
from engine.checkpoints import checkpoint
from engine.families.masked_lm import bert, corpus
from engine.recipes import loader
from engine.recipes.schema import BertConfig
from engine.training.job import Job
from engine.workflows import evaluate
from tests.factories.pretraining import folder, reader, run_checkpoint, trained, weights, write_text
from tests.factories.recipes import curves, status, stopped

__all__ = ["folder"]

KINDS: dict[str, dict[str, Any]] = {
    "pairs": {"next_sentence": True},
    "packed": {"packed": True},
    "plain": {"whole_words": False},
    "spans": {"recurring_spans": True, "packed": True},
}


@pytest.fixture(scope="module")
def unbroken(shared_board: Store) -> Callable[[str], str]:
    """Pretrains of a kind to the end, once; the run's id."""
    text = str(write_text(shared_board.path.parent / "text"))
    return cache(lambda kind: trained(shared_board, reader(kind, text=KINDS[kind]), text))


@pytest.mark.parametrize("kind", KINDS)
def test_a_pretraining_is_a_whole_run(shared_board: Store, unbroken: Callable[[str], str], kind: str) -> None:
    """Curves of loss, accuracy and tokens a second, scores with intervals, what was unknown; a sound database."""
    board, run_id = shared_board, unbroken(kind)
    details = detail.run_detail(board, run_id)
    assert (details.run["status"], details.run["task_id"]) == ("finished", "korean-text")
    assert details.model["architecture"] == "bert"
    assert integrity.check(board) == []
    assert "Its vocabulary has" in details.run["notes"]
    assert re.search(r"\d\.\d\d% of those scored are unknown", details.run["notes"])
    pairs = kind == "pairs"
    series = set(details.curves["series"])
    assert {"train_loss", "masked_accuracy", "tokens_per_s", "validation_accuracy", "validation_loss"} <= series
    assert ({"mlm_loss", "next_loss", "next_accuracy"} <= series) == pairs
    rate = details.curves.query("series == 'tokens_per_s'")["value"]
    assert (rate > 0).all()
    figures = details.metrics.set_index("name")
    assert ("next_accuracy" in figures.index) == pairs
    assert figures.loc["tokens_per_s", "value"] > 0
    for name in ("masked_accuracy", *(("next_accuracy",) if pairs else ())):
        assert figures.loc[name, "low"] <= figures.loc[name, "value"] <= figures.loc[name, "high"]
        assert known(name).unit == "percent"
    rows = board.query("SELECT gold, predicted FROM predictions WHERE run_id = ?", [run_id])
    assert figures.loc["masked_accuracy", "value"] == pytest.approx((rows["gold"] == rows["predicted"]).mean())
    assert details.model["params"] == sum(tensor.numel() for tensor in weights(board, run_id).values())
    assert details.model["config"]["max_positions"] == 48


def test_an_embedding_from_cooccurrences_reads_all_that_may_be_read(shared_board: Store) -> None:
    """However few tokens are left to the steps; the run says how many were counted."""
    text = str(write_text(shared_board.path.parent / "counted"))
    recipe = reader("counts", model={"embedding": "cooccurrence"}, text={"packed": True, "tokens": 200})
    notes = detail.run_detail(shared_board, trained(shared_board, recipe, text)).run["notes"]
    read, counted = re.search(r"Read ([\d,]+) tokens .* co-occurrences of ([\d,]+) tokens", notes, re.S).groups()
    assert int(read.replace(",", "")) < 300 < int(counted.replace(",", ""))


def test_the_loss_of_pairs_is_the_sum_of_two(shared_board: Store, unbroken: Callable[[str], str]) -> None:
    """At every point of the curves."""
    values = {(series, step): value for series, step, value in curves(shared_board, unbroken("pairs"))}
    steps = [step for series, step in values if series == "train_loss"]
    assert len(steps) > 3
    for step in steps:
        assert values["train_loss", step] == pytest.approx(values["mlm_loss", step] + values["next_loss", step])


def test_reading_teaches_words(board: Store, folder: str) -> None:
    """After some passes the hidden words cost clearly less than at first."""
    settings = {"epochs": 12, "lr": 0.03, "scheduler": "cosine"}
    run_id = trained(board, reader(text=KINDS["packed"], model={"dropout": 0.0}, train=settings), folder)
    loss = [value for series, _, value in curves(board, run_id) if series == "train_loss"]
    assert sum(loss[-5:]) < 0.8 * sum(loss[:5])


def _without_clock(points: list[tuple[str, int, float]]) -> list[tuple[str, int, float]]:
    return [point for point in points if point[0] != "tokens_per_s"]


@pytest.mark.parametrize("stops", [pytest.param((1,), marks=pytest.mark.slow), (2, 3)], ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_a_stopped_pretraining_goes_on_to_the_same_network(
    board: Store, folder: str, shared_board: Store, unbroken: Callable[[str], str], kind: str, stops: tuple[int, ...]
) -> None:
    """Stopped and resumed: bit for bit the weights, point for point the curves, of one unbroken."""
    recipe, whole = reader(kind, text=KINDS[kind]), unbroken(kind)
    points = curves(shared_board, whole)
    assert max(step for series, step, _ in points if series == "train_loss") > max(stops)
    run_id = stopped(Job(recipe, folder, board), *stops)
    shutil.rmtree(board.path.parent / "cache")  # can be computed again
    evaluate.resume(board, run_id, folder, 1)
    assert status(board, run_id) == "finished"
    assert _without_clock(curves(board, run_id)) == _without_clock(points)
    first, second = weights(shared_board, whole), weights(board, run_id)
    assert all(torch.equal(tensor, second[name]) for name, tensor in first.items())
    assert checkpoint.sha256(run_checkpoint(shared_board, whole) / "tokenizer.json") == checkpoint.sha256(
        run_checkpoint(board, run_id) / "tokenizer.json"
    )


def test_the_transformers_library_reads_a_pretraining(shared_board: Store, unbroken: Callable[[str], str]) -> None:
    """Every tensor is taken, and it names and tells the same as here."""
    board, run_id = shared_board, unbroken("pairs")
    theirs, about = BertForPreTraining.from_pretrained(str(run_checkpoint(board, run_id)), output_loading_info=True)
    assert not about["missing_keys"]
    assert not about["unexpected_keys"]
    config = reader().model
    assert isinstance(config, BertConfig)
    own = bert.TextBert(config, pairs=True).eval()
    state = weights(board, run_id)
    inner = [name for name in own.state_dict() if name.startswith("encoder.")]
    names = {name: f"bert.{name.removeprefix('encoder.')}" for name in inner}
    names |= {
        "dense.weight": "cls.predictions.transform.dense.weight",
        "dense.bias": "cls.predictions.transform.dense.bias",
        "norm.weight": "cls.predictions.transform.LayerNorm.weight",
        "norm.bias": "cls.predictions.transform.LayerNorm.bias",
        "bias": "cls.predictions.bias",
        **bert.FOLLOWS,
    }
    own.load_state_dict({ours: state[key] for ours, key in names.items()})
    ids, types = torch.randint(7, 60, (2, 20)), torch.tensor([[0] * 9 + [1] * 11] * 2)
    with torch.inference_mode():
        _, named, logits, _ = own(ids, torch.tensor([20, 20]), torch.ones_like(ids, dtype=torch.bool), types)
        output = theirs.eval()(input_ids=ids, token_type_ids=types)
    assert torch.allclose(named.reshape(2, 20, -1), output.prediction_logits, atol=1e-5)
    assert logits.shape == output.seq_relationship_logits.shape == (2, 2)
    assert torch.allclose(logits, output.seq_relationship_logits, atol=1e-5)


def test_the_shipped_text_holds_no_scored_paragraph() -> None:
    """The Korean mini corpus is read from its training part."""
    recipe = loader.load("small-bert-8k-lm", mini=True)
    assert recipe.text is not None
    assert set(corpus.load(recipe.text, None, "ko").files) == {"qa_ko/train.json"}


def test_neighbouring_rows_make_a_document(tmp_path: Path) -> None:
    """So many lines each, in their order; a column of documents comes first."""
    (tmp_path / "lines.txt").write_text("\n".join(f"줄 {i}" for i in range(10)), "utf-8")
    recipe = reader(text={"rows": 4}).text
    assert recipe is not None
    loaded = corpus.load(recipe, str(tmp_path), "ko")
    documents = sorted(
        (document.texts for document in [*loaded.train, *loaded.scored]), key=lambda texts: int(texts[0][2:])
    )
    assert [len(texts) for texts in documents] == [4, 4, 2]
    assert documents[1] == ("줄 4", "줄 5", "줄 6", "줄 7")
