"""What trainers and trackers leave behind: Hugging Face, lm-evaluation-harness, MLflow, Weights & Biases."""

from typing import Any

import pytest

from db.base.errors import SubmissionError
from db.importers import ImportedFile, read
from tests.factories.importer_files import as_json, content, read_example


def _line(imported: ImportedFile, series: str) -> list[tuple[int, float]]:
    assert imported.curves is not None
    rows = imported.curves[imported.curves["series"] == series]
    return list(zip(rows["step"], rows["value"], strict=True))


def _refused(name: str, body: bytes) -> str:
    with pytest.raises(SubmissionError) as caught:
        read(name, body)
    return str(caught.value)


def test_all_results_of_a_classifier() -> None:
    """Figures under our names, training time and examples; throughput is listed as not used."""
    answers = read_example("all_results.json")
    assert answers.kind == "all_results"
    assert answers.drafts == (
        {
            "metrics": {"accuracy": 0.8931, "eval_loss": 0.2714, "train_loss": 0.2193, "train_examples": 150000},
            "training": {"epochs": 3.0, "total_flos": 2367904860364800.0, "examples evaluated": 50000},
            "train_seconds": 1815.42,
        },
    )
    assert "eval_samples_per_second" in answers.unknown
    assert answers.notes == (
        "The figures are of 50,000 examples; a board ranks those of its whole split.",
        '"eval_accuracy" may be of a validation split; a board ranks the split that it names.',
        "The file names neither task nor model; both must be chosen or typed.",
    )


def test_all_results_of_answers_are_percentages() -> None:
    """The SQuAD scripts write 81.06 for 0.8106; the two figures of one scorer are read alike."""
    answers = read_example("all_results_qa.json")
    assert answers.drafts[0]["metrics"] == {"em": 0.810596, "f1": 0.883541, "train_loss": 0.97, "train_examples": 88524}
    assert answers.notes[0] == "em and f1: read as percentages; 2 figures were divided by 100, 81.0596 became 0.810596."
    low = read("all_results.json", as_json({"eval_exact_match": 0.4, "eval_f1": 3.1, "eval_runtime": 1.0}))
    assert low.drafts[0]["metrics"] == {"em": 0.004, "f1": 0.031}


def test_an_f1_of_classes_is_not_taken_for_that_of_answers() -> None:
    """Beside an accuracy, F1 is another figure."""
    imported = read("all_results.json", as_json({"eval_accuracy": 0.8, "eval_f1": 0.7, "eval_runtime": 1.0}))
    assert imported.drafts[0]["metrics"] == {"accuracy": 0.8}
    assert imported.unknown == ("eval_runtime", "eval_f1")


def test_a_file_without_a_known_figure_is_refused() -> None:
    """Timings alone make no claim."""
    assert "no figure that is known here" in _refused("all_results.json", as_json({"eval_runtime": 3.0}))


def test_the_log_of_the_trainer_becomes_curves() -> None:
    """Loss and evaluation by step; the sums at the end are no points."""
    answers = read_example("trainer_state.json")
    assert answers.kind == "trainer_state"
    assert answers.curves is not None
    assert list(answers.curves.columns) == ["series", "step", "epoch", "value"]
    assert set(answers.curves["series"]) == {"loss", "grad_norm", "learning_rate", "eval_loss", "eval_accuracy"}
    assert _line(answers, "loss")[:2] == [(500, 0.6), (1000, 0.3)]
    assert _line(answers, "eval_accuracy") == [(1500, 0.875), (3000, 0.88)]
    assert answers.drafts == (
        {
            "training": {"epochs": 2, "max_steps": 3000, "batch_size": 64, "total_flos": 1.57e15},
            "train_seconds": 1210.3,
            "metrics": {"train_loss": 0.245},
        },
    )
    assert answers.notes == (
        "The last evaluation had eval_accuracy 0.88 at step 3,000, eval_loss 0.25 at step 3,000; a "
        "claim needs the figure of the checkpoint that was kept.",
    )
    assert "best_metric" in answers.unknown


def test_entries_without_a_step_are_counted() -> None:
    """They are left out of the curves, and of a step's two points the later one stands."""
    log: list[dict[str, Any]] = [
        {"loss": 0.5, "step": 1},
        {"loss": 0.4},
        {"loss": 0.3, "step": 1},
        {"loss": "x", "step": 2},
    ]
    imported = read("trainer_state.json", as_json({"log_history": log}))
    assert _line(imported, "loss") == [(1, 0.3)]
    assert imported.notes == (
        "1 point(s) of the curves stood twice at their step; the later ones were kept.",
        "1 of 4 entries of the log have no step and were left out of the curves.",
    )
    assert imported.unknown == ("loss",)
    assert "no point with a step" in _refused("trainer_state.json", as_json({"log_history": []}))
    assert "log_history: it must be a list" in _refused("trainer_state.json", as_json({"log_history": {}}))


def test_results_of_the_harness() -> None:
    """Each task that has a board here is a claim; mismatched pairs are a figure of their own."""
    answers = read_example("lm_eval_results.json")
    assert answers.kind == "lm_eval"
    assert answers.drafts == (
        {
            "task": "mnli",
            "model": "EleutherAI/pythia-70m",
            "params": 70426624,
            "params_source": "typed",
            "device": "cpu",
            "metrics": {"accuracy": 0.3537, "accuracy_mismatched": 0.3551},
            "training": {
                "accuracy standard error": 0.0048,
                "examples in the prompt": 0,
                "accuracy_mismatched standard error": 0.0048,
                "examples evaluated": 1000,
                "part of the split": "1,000 of 9,832 examples",
            },
        },
    )
    assert "lambada_openai" in answers.unknown
    assert answers.notes == ('"mnli_mismatch" was scored on 1,000 of 9,832 examples: not a whole split.',)


def test_the_harness_older_and_filtered_forms() -> None:
    """Keys without a filter; of several filters the plain one; a filter that was used is a fact of the training."""
    old = {
        "results": {"nsmc": {"acc": 0.8, "acc_stderr": 0.01}},
        "versions": {"nsmc": 0},
        "config": {"model_args": {"pretrained": "a/b"}},
    }
    imported = read("results.json", as_json(old))
    assert imported.drafts == (
        {"task": "nsmc", "model": "a/b", "metrics": {"accuracy": 0.8}, "training": {"accuracy standard error": 0.01}},
    )
    new = {
        "results": {"squad": {"exact_match,strict": 10.0, "exact_match,none": 20.0, "f1,loose": 30.0}},
        "versions": {},
    }
    imported = read("results.json", as_json(new))
    assert imported.drafts == ({"task": "squad", "metrics": {"em": 0.2, "f1": 0.3}, "training": {"filter": "loose"}},)
    assert "squad: exact_match,strict" in imported.unknown
    assert "The file does not name the model; it must be typed." in imported.notes


@pytest.mark.parametrize("name", ["mlflow_run.json", "mlflow_rest.json"])
def test_a_run_of_mlflow(name: str) -> None:
    """Both forms of JSON say the same; who ran it and where its files lie does not come along."""
    answers = read_example(name)
    assert answers.kind == "mlflow"
    assert answers.drafts == (
        {
            "model": "bilstm-128",
            "seed": 7,
            "train_seconds": 3600.0,
            "metrics": {"accuracy": 0.8784, "validation_accuracy": 0.8801, "train_loss": 0.2412},
            "training": {"hidden_dim": 128, "embedding_dim": 64, "lr": 0.001, "optimizer": "adam"},
        },
    )
    assert "metrics.gpu_util" in answers.unknown
    assert "someone" not in repr(answers)


def test_a_table_of_runs_of_mlflow() -> None:
    """One claim a row; a run without a figure is counted."""
    answers = read_example("mlflow_runs.csv")
    assert [draft["model"] for draft in answers.drafts] == ["bilstm-128", "bilstm-64"]
    assert [draft["train_seconds"] for draft in answers.drafts] == [3600.0, 1800.0]
    assert [draft["metrics"] for draft in answers.drafts] == [{"accuracy": 0.8784}, {"accuracy": 0.8716}]
    assert "1 of 3 runs have no figure that is known here; left out." in answers.notes
    assert "someone" not in repr(answers)
    alone = content("mlflow_runs.csv").replace(b"metrics.accuracy", b"metrics.speed")
    assert "no figure that is known here" in _refused("runs.csv", alone)


@pytest.mark.parametrize(("header", "word"), [("Status", "FAILED"), ("State", "crashed")])
def test_a_run_that_failed_is_named_in_a_table_exported_from_a_page(header: str, word: str) -> None:
    """MLflow's page has a status, that of W&B a state; runs that are finished need no word."""
    table = f"Name,{header},eval_accuracy\none,finished,0.87\ntwo,{word},0.52\n"
    notes = read("runs.csv", table.encode()).notes
    assert [note for note in notes if header in note] == [
        f'line 3, column "{header}": "{header}" is "{word}"; its figures may not be final.'
    ]


def test_a_run_of_mlflow_that_is_not_finished() -> None:
    """Its state is told; more settings than a claim may have are listed."""
    run = {
        "info": {"status": "FAILED"},
        "data": {"metrics": {"accuracy": 0.5}, "params": {f"p{n}": n for n in range(60)}},
    }
    imported = read("run.json", as_json(run))
    assert imported.notes[0] == 'MLflow calls the run "FAILED", not finished; its figures may not be final.'
    assert len(imported.drafts[0]["training"]) == 50  # type: ignore[arg-type]
    assert imported.unknown == tuple(f"params.p{n}" for n in range(50, 60))


def test_a_history_of_weights_and_biases() -> None:
    """Steps are the trainer's own where they are logged; cells that are no number are counted."""
    answers = read_example("wandb_history.csv")
    assert answers.kind == "wandb"
    assert _line(answers, "loss") == [(250, 0.61), (500, 0.42), (750, 0.33), (1000, 0.29)]
    assert _line(answers, "eval_accuracy") == [(500, 0.861), (1000, 0.874)]
    assert answers.drafts == ({"train_seconds": 17.7},)
    assert answers.unknown == ("parameters/layer.weight",)
    assert answers.notes[:2] == (
        "Steps are those of train/global_step; _step counts how often something was logged.",
        "1 cell(s) hold no finite number and were left out of the curves.",
    )


def test_a_chart_of_several_runs() -> None:
    """Each run keeps its own line, and the columns of the spread are listed."""
    answers = read_example("wandb_chart.csv")
    assert _line(answers, "base - train/loss") == [(10, 0.58), (20, 0.39)]
    assert _line(answers, "small - train/loss") == [(10, 0.61), (20, 0.44)]
    assert "small - train/loss__MIN" in answers.unknown


def test_rows_of_a_history_without_a_step() -> None:
    """They are counted; a history without any step is refused."""
    imported = read("h.csv", b"_step,loss\n0,1.0\n,0.9\n2,0.8\n")
    assert _line(imported, "loss") == [(0, 1.0), (2, 0.8)]
    assert "1 of 3 rows have no step and were left out of the curves." in imported.notes
    assert 'column "_step": no row has both' in _refused("h.csv", b"_step,loss\n,1.0\nx,0.9\n")
