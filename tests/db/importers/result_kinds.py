"""Kinds of files that evaluation tools, scorers and hubs write; every one was made for the tests."""

import json
from typing import Any

Expected = list[dict[str, Any]] | str
"""Parts of each draft by their names, ``metrics.em`` among them; or a part of the message that refuses the file."""


def dumped(value: Any) -> str:
    """JSON."""
    return json.dumps(value, ensure_ascii=False)


def card(dataset: str, metrics: str = "{type: accuracy, value: 0.9}", *, head: str = "", below: str = "") -> str:
    """A model card with one result, and what stands above and below it in the head."""
    result = f"  - dataset: {{{dataset}}}\n    metrics: [{metrics}]\n"
    return f"---\n{head}model-index:\n- name: x\n  results:\n{result}{below}---\n"


def harness(config: dict[str, Any], **other: Any) -> str:
    """Results of lm-evaluation-harness."""
    return dumped({"results": {"mnli": {"acc,none": 0.35, "alias": "mnli"}}, "configs": {}, "config": config, **other})


def euroeval(dataset: str, **other: Any) -> str:
    """One line of EuroEval."""
    raw = [{"test_macro_f1": 0.4}, {"test_macro_f1": 0.5}]
    results = {"raw": raw, "total": {"test_macro_f1": 45.0, "test_macro_f1_se": 1.0}}
    line = {
        "dataset": dataset,
        "model": "m",
        "results": results,
        "num_model_parameters": 1100,
        "validation_split": False,
    }
    return dumped({**line, **other})


def mteb(*subsets: dict[str, Any], split: str = "test") -> str:
    """A result file of MTEB."""
    return dumped({"task_name": "ImdbClassification", "mteb_version": "1.12", "scores": {split: list(subsets)}})


def samples(*rows: dict[str, Any]) -> str:
    """Samples that lm-evaluation-harness logged."""
    plain = {"doc": {}, "target": "0", "resps": [], "filtered_resps": [], "filter": "none"}
    return "\n".join(dumped({"doc_id": number, **plain, **row}) for number, row in enumerate(rows))


ID = "56be4db0acb8001400a502ec"
REPORT = """\
              precision    recall  f1-score   support

    negative       0.89      0.91      0.90     24827
    positive       0.91      0.89      0.90     25173

    accuracy                           0.90     50000
   macro avg       0.90      0.90      0.88     50000
weighted avg       0.90      0.90      0.90     50000
"""
PAPERS = {
    "task": "Sentiment Analysis",
    "datasets": [
        {
            "dataset": "IMDb",
            "sota": {"metrics": ["Accuracy"], "rows": [{"model_name": "A", "metrics": {"Accuracy": "96.2"}}]},
        },
        {"dataset": "Yelp", "sota": {"rows": [{"model_name": "B", "metrics": {"Accuracy": "70.1"}}]}},
    ],
}

RESULTS: dict[str, tuple[str | bytes, Expected]] = {
    # Results of evaluation tools.
    "harness, new layout.json": (harness({"model_args": "pretrained=a/b"}), [{"task": "mnli", "model": "a/b"}]),
    "harness, old layout.json": (
        dumped({"results": {"mnli": {"acc": 0.35}}, "versions": {}, "config": {"num_fewshot": 5, "limit": 100}}),
        [
            {
                "metrics.accuracy": 0.35,
                "training.part of the split": "at most 100 examples",
                "training.examples in the prompt": 5,
            }
        ],
    ),
    "harness, limit.json": (
        harness({"limit": 0.1}),
        [{"training.part of the split": "a share of 0.1 of its examples"}],
    ),
    "harness, counts.json": (
        harness({"limit": 100.0}, **{"n-samples": {"mnli": {"original": 9815, "effective": 100}}}),
        [{"training.part of the split": "100 of 9,815 examples"}],
    ),
    "harness, adapter.json": (
        harness({"model_args": "pretrained=a/base,peft=b/lora"}),
        [{"model": "b/lora", "training.base model": "a/base"}],
    ),
    "harness, local path.json": (harness({"model_args": "pretrained=/home/me/run-5"}), [{"model": "run-5"}]),
    "harness, SQuAD 2.json": (
        dumped({"results": {"squadv2": {"exact,none": 40.0}, "arc_easy": {"acc,none": 0.4}}}),
        "no figure of a task that has a board here; there are squadv2, arc_easy",
    ),
    "samples_mnli_2026-01-01T10-00-00.jsonl": (
        samples({"acc": 1.0}, {"acc": 0.0}, {"acc": 0.0}, {"acc": 1.0}),
        [{"task": "mnli", "metrics.accuracy": 0.5, "training.examples evaluated": 4}],
    ),
    "samples_squad.jsonl": (
        samples({"exact_match": 1.0, "filter": "none"}, {"exact_match": 0.0, "filter": "strict"}),
        [{"task": "squad", "metrics.em": 1.0, "training.examples evaluated": 1}],
    ),
    "euroeval_benchmark_results.jsonl": (
        f"\n{euroeval('sst5')}\n{euroeval('squad', model='n')}\n{euroeval('x', validation_split=True)}",
        [
            {"task": "EuroEval sst5", "model": "m", "metrics.macro_f1": 0.45, "params": 1100},
            {"task": "EuroEval squad", "model": "n"},
        ],
    ),
    "euroeval without raw scores.jsonl": (
        euroeval("sst5", results={"total": {"test_macro_f1": 0.9}}),
        [{"metrics.macro_f1": 0.009}],
    ),
    "mteb, newer.json": (
        mteb({"accuracy": 0.7, "main_score": 0.7, "hf_subset": "default"}),
        [{"task": "MTEB ImdbClassification", "metrics.accuracy": 0.7}],
    ),
    "mteb, older.json": (
        dumped({"mteb_version": "0", "mteb_dataset_name": "A", "test": {"accuracy": 0.7, "evaluation_time": 3.0}}),
        [{"task": "MTEB A", "metrics.accuracy": 0.7}],
    ),
    "mteb, two subsets.json": (mteb({"hf_subset": "en"}, {"hf_subset": "ko"}), "scores of 2 subsets (en, ko)"),
    "mteb, validation.json": (mteb({"accuracy": 0.7}, split="validation"), "no scores on a test split"),
    "papers with code.json": (dumped([PAPERS]), [{"task": "imdb", "model": "A", "metrics.accuracy": 0.962}]),
    "papers.md": (
        "### IMDb\n\n| Model | Accuracy | Paper |\n|---|:-:|---|\n| [A](http://a.b) | **96.2** | x |\n\n### Yelp\n\n"
        "| Model | Accuracy |\n|---|---|\n| B | 70.1 |\n",
        [{"task": "imdb", "model": "A", "metrics.accuracy": 0.962}],
    ),
    "one table, no heading.md": ("|Model|Accuracy|\n|-|-|\n|A|0.9|\n", [{"task": None, "model": "A"}]),
    "a column for each task.csv": (
        "Model,NSMC (acc),KorQuAD (EM),KorQuAD (F1)\nA,90.63,84.83,93.45\nB,89.1,51.7,79.2\n",
        [
            {"task": "nsmc", "model": "A", "metrics": {"accuracy": 0.9063}},
            {"task": "nsmc", "model": "B", "metrics": {"accuracy": 0.891}},
            {"task": "korquad", "model": "A", "metrics": {"em": 0.8483, "f1": 0.9345}},
            {"task": "korquad", "model": "B", "metrics": {"em": 0.517, "f1": 0.792}},
        ],
    ),
    "a column for each task.md": (
        "| | **NSMC**<br/>(acc) | **NER**<br/>(F1) | **KorQuAD (Dev)**<br/>(EM/F1) |\n|:--|:-:|:-:|:-:|\n"
        "| A | 89.59 | 87.92 | 51.75 / 79.15 |\n",
        [
            {"task": "nsmc", "model": "A", "metrics": {"accuracy": 0.8959}},
            {"task": "korquad", "model": "A", "metrics": {"em": 0.5175, "f1": 0.7915}},
        ],
    ),
    # What scorers print.
    "evaluation.txt": ('{"exact_match": 81.1, "f1": 88.5}\n', [{"metrics.em": 0.811, "metrics.f1": 0.885}]),
    "evaluation, Python.txt": ("{'exact_match': 81.1, 'f1': 88.5}\n", [{"metrics.em": 0.811, "metrics.f1": 0.885}]),
    "evaluation, lines.txt": ("EM: 81.1\nF1: 88.5\n", [{"metrics.em": 0.811, "metrics.f1": 0.885}]),
    "evaluation, Korean.txt": ("정확도: 87.84%\n", [{"metrics.accuracy": "87.84%"}]),
    "evaluation, SQuAD 2.json": (
        dumped({"exact": 70.1, "f1": 75.2, "total": 11873, "HasAns_f1": 80.0, "NoAns_f1": 70.0}),
        "the figures are of SQuAD 2",
    ),
    "eval_results.txt": ("***** Eval results *****\nacc = 0.87\n", [{"metrics.accuracy": 0.87}]),
    "report of scikit-learn.txt": (
        REPORT,
        [{"metrics.accuracy": 0.9, "metrics.macro_f1": 0.88, "training.examples evaluated": 50000}],
    ),
    "report of scikit-learn.json": (
        dumped({"0": {"f1-score": 0.7}, "accuracy": 0.9, "macro avg": {"f1-score": 0.76, "support": 20}}),
        [{"metrics.accuracy": 0.9, "metrics.macro_f1": 0.76}],
    ),
    "split apart.json": (
        dumped({"eval": {"accuracy": 0.91}, "test": {"accuracy": 0.87}}),
        [{"metrics": {"accuracy": 0.87}}],
    ),
    "nbest_predictions.json": (
        dumped({ID: [{"text": "a", "probability": 0.6, "start_logit": 1.0, "end_logit": 1.0}]}),
        [{"task": "squad"}],
    ),
    "null_odds.json": (dumped({ID: -3.2}), []),
    "a claim.json": (dumped({"task": "NSMC", "model": "A", "accuracy": 0.87}), [{"task": "NSMC", "model": "A"}]),
    "few samples.json": (
        dumped({"predict_accuracy": 0.91, "predict_samples": 1000}),
        [{"metrics": {"accuracy": 0.91}, "training.examples evaluated": 1000}],
    ),
    "a value that is none.json": (
        '{"test_accuracy": 0.9, "eval_loss": NaN, "test_f1": Infinity}',
        [{"metrics": {"accuracy": 0.9}}],
    ),
}
