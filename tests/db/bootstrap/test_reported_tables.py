"""Reported results of the KorQuAD, MNLI and DistilBERT documents, typed here a second time."""

import pytest

from db.bootstrap import reported
from db.storage.store import Store
from tests.db.bootstrap.documents import DECK, KORQUAD, MNLI, rows_of


def test_korquad_models() -> None:
    """The four KorQuAD models have their accuracy, loss, failures of 102, learning rate, layers and heads."""
    got = [
        (
            row.percent["span_accuracy"],
            row.plain["eval_loss"],
            row.plain["failed"],
            row.recipe["pretrained"],
            row.recipe["lr"],
            row.recipe["n_layer"],
            row.recipe["n_head"],
            row.recipe["d_head"],
        )
        for row in rows_of(KORQUAD)
    ]
    assert got == [
        (29.18, 7.9526, 70, False, 5e-4, 3, 4, 64),
        (31.76, 8.2706, 78, True, 5e-4, 3, 4, 64),
        (30.11, 8.1025, 79, True, 1e-4, 6, 4, 64),
        (29.49, 7.8230, 90, True, 1e-4, 6, 8, 32),
    ]
    for row in rows_of(KORQUAD):
        assert row.counts["answered"] == (102 - row.plain["failed"], 102)
        common = {
            "n_vocab": 32007,
            "d_model": 256,
            "n_seq": 384,
            "d_ff": 1024,
            "dropout": 0.1,
            "layernorm_epsilon": 0.001,
        }
        assert common.items() <= row.recipe.items()


def test_mnli_conclusion() -> None:
    """Close to 55% for the fine-tuned model after 20 rounds, and no figure for the one from scratch."""
    tuned, scratch = rows_of(MNLI)
    assert tuned.percent == {"accuracy": 55}
    assert tuned.n is None, "the document names no split, so there is no count and no interval"
    assert "20 rounds" in (tuned.notes or "")
    assert (scratch.percent, scratch.plain) == ({}, {})


GLUE = {
    "ELMo": [68.7, 44.1, 68.6, 76.6, 71.1, 86.2, 53.4, 91.5, 70.4, 56.3],
    "BERT-base": [79.5, 56.3, 86.7, 88.6, 91.8, 89.6, 69.3, 92.7, 89.0, 53.5],
    "DistilBERT": [77.0, 51.3, 82.2, 87.5, 89.2, 88.5, 59.9, 91.3, 86.9, 56.3],
}


GLUE_COLUMNS = ("score", "cola", "mnli", "mrpc", "qnli", "qqp", "rte", "sst2", "stsb", "wnli")


def test_glue_table() -> None:
    """All thirty figures of the GLUE table; the score is the mean of the nine, or the row says that it is not."""
    for row in rows_of(DECK, "glue"):
        assert [row.plain[f"glue_{name}"] for name in GLUE_COLUMNS] == GLUE[row.name], row.name
        mean = sum(GLUE[row.name][1:]) / 9
        assert abs(mean - GLUE[row.name][0]) < 0.05 or f"{mean:.1f}" in (row.caveat or ""), row.name
    assert [row.name for row in rows_of(DECK, "glue")] == list(GLUE)


def test_other_published_tables() -> None:
    """IMDb, SQuAD, times and ablation are as printed."""
    assert [(row.name, row.percent) for row in rows_of(DECK, "imdb")] == [
        ("BERT-base", {"accuracy": 93.46}),
        ("DistilBERT", {"accuracy": 92.82}),
    ]
    assert [(row.name, row.percent) for row in rows_of(DECK, "squad") if row.percent] == [
        ("BERT-base", {"em": 81.2, "f1": 88.5}),
        ("DistilBERT", {"em": 77.7, "f1": 85.8}),
        ("DistilBERT (D)", {"em": 79.1, "f1": 86.9}),
    ]
    assert [(row.name, row.plain) for row in rows_of(DECK, "inference-time")] == [
        ("ELMo", {"inference_s": 895}),
        ("BERT-base", {"inference_s": 668}),
        ("DistilBERT", {"inference_s": 410}),
    ]
    ablation = {
        (row.recipe["loss_ce"], row.recipe["loss_cos"], row.recipe["loss_mlm"], row.recipe["init"]): row.plain[
            "glue_delta"
        ]
        for row in rows_of(DECK, "distil-ablation")
    }
    assert ablation == {
        (False, True, True, "teacher"): -2.96,
        (True, False, True, "teacher"): -1.46,
        (True, True, False, "teacher"): -0.31,
        (True, True, True, "random"): -3.69,
    }


def test_three_epochs_of_fine_tuning(board: Store) -> None:
    """The log's three epochs are curves, its last one the figures, and its time the sum of the three."""
    (row,) = [row for row in rows_of(DECK, "squad") if not row.percent]
    assert row.curves == {
        "train_loss": [1.4423, 0.8246, 0.5055],
        "train_start_accuracy": [0.5842, 0.7326, 0.8251],
        "train_end_accuracy": [0.6228, 0.7698, 0.8555],
    }
    assert row.plain == {"train_loss": 0.5055, "start_accuracy": 0.8251, "end_accuracy": 0.8555}
    assert reported.seconds(row.time or "") == 2611 + 2603 + 2610
    points = board.query("SELECT step, value FROM curves WHERE series = 'train_loss' ORDER BY step")
    assert points.to_numpy().tolist() == [[1, 1.4423], [2, 0.8246], [3, 0.5055]]


def test_raspberry_pi() -> None:
    """F1, exact match and seconds to the last printed digit; both exact matches are whole numbers of questions."""
    rows = rows_of(DECK, "squad-deck")
    assert [(row.model, row.percent["f1_seed"], row.percent["em_seed"], row.plain["inference_s"]) for row in rows] == [
        ("bert-base", 72.36090426946316, 54.9290444654683, 13220.323875665665),
        ("distilbert", 70.43943952971462, 52.79091769157994, 6505.9809811115265),
    ]
    assert [round(row.percent["em_seed"] / 100 * 10_570, 6) for row in rows] == [5806, 5580]
    for row in rows:
        assert row.plain["seconds_per_question"] == pytest.approx(row.plain["inference_s"] / 10_570, abs=1e-6)
        assert "Raspberry Pi 5" in (row.device or "")
