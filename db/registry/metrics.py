"""The figures that Featherboard knows: what each is called, its unit, and which direction is better."""

from dataclasses import dataclass
from typing import Literal

Unit = Literal["percent", "ms", "s", "bytes", "per_s", "points", "plain", "count", "joules", "usd"]
Direction = Literal["max", "min"]


@dataclass(frozen=True)
class Metric:
    """One kind of figure.

    Attributes:
        name: The key in the metrics table.
        label: What a reader sees.
        unit: How the stored value is shown. ``percent`` values are stored as fractions of 1.
        direction: Whether more or less is better.
        help: One sentence for the reader who does not know the term.
    """

    name: str
    label: str
    unit: Unit
    direction: Direction
    help: str


CORRELATIONS = ("pearson", "spearman")
"""Rank tasks whose labels are numbers."""
BOUNDED = ("mcc", *CORRELATIONS)
"""From -1 to 1; papers print them times 100 as well."""

_GLUE = ("CoLA", "MNLI", "MRPC", "QNLI", "QQP", "RTE", "SST-2", "STS-B", "WNLI")

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("accuracy", "Accuracy", "percent", "max", "Share of examples answered correctly."),
        Metric(
            "accuracy_dedup",
            "Accuracy, de-duplicated",
            "percent",
            "max",
            "Accuracy on the test examples whose text does not also occur in the training split.",
        ),
        Metric(
            "accuracy_mismatched",
            "Accuracy, mismatched",
            "percent",
            "max",
            "Accuracy on pairs from genres that are not in the training split; where the file at hand is a part of "
            "that split, the run says so.",
        ),
        Metric(
            "accuracy_majority",
            "Accuracy of the majority label",
            "percent",
            "max",
            "What always giving the most frequent label of the training split would score.",
        ),
        Metric("macro_f1", "Macro-F1", "percent", "max", "F1 of each label, averaged without regard to its frequency."),
        Metric(
            "mcc",
            "Matthews correlation",
            "plain",
            "max",
            "Agreement of labels and answers from -1 to 1, which is 0 for answers by chance, however rare a label is.",
        ),
        Metric(
            "pearson",
            "Pearson correlation",
            "plain",
            "max",
            "How well answers and gold numbers lie on one straight line.",
        ),
        Metric(
            "spearman", "Spearman correlation", "plain", "max", "How well the order of answers is that of gold numbers."
        ),
        Metric(
            "perplexity", "Perplexity", "plain", "min", "Exponential of the mean negative log-probability of a token."
        ),
        Metric("log_loss", "Log loss", "plain", "min", "Mean negative log-probability of the right label."),
        Metric(
            "validation_accuracy",
            "Validation accuracy",
            "percent",
            "max",
            "Accuracy on the part of the training split that was held out to choose the checkpoint.",
        ),
        Metric(
            "masked_accuracy",
            "Masked-token accuracy",
            "percent",
            "max",
            "Share of masked tokens of held-out text that the model predicts exactly.",
        ),
        Metric(
            "masked_loss",
            "Masked-token loss",
            "plain",
            "min",
            "Mean negative log-probability of the masked tokens of held-out text.",
        ),
        Metric(
            "validation_masked_accuracy",
            "Masked-token accuracy, validation",
            "percent",
            "max",
            "The same on the text that was held out to choose the checkpoint.",
        ),
        Metric(
            "next_accuracy",
            "Next-sentence accuracy",
            "percent",
            "max",
            "Share of pairs of held-out texts, half of them made up, of which the model says rightly whether the "
            "second text follows the first.",
        ),
        Metric(
            "recurring_span_accuracy",
            "Recurring-span accuracy",
            "percent",
            "max",
            "Share of hidden spans of held-out text that the model points at, with both ends right, where they occur "
            "once more in their block.",
        ),
        Metric(
            "validation_recurring_span_accuracy",
            "Recurring-span accuracy, validation",
            "percent",
            "max",
            "The same on the text that was held out to choose the checkpoint.",
        ),
        Metric(
            "tokens_per_s",
            "Tokens read per second",
            "per_s",
            "max",
            "Tokens of text that the training read in a second, scoring left out.",
        ),
        Metric(
            "em",
            "Exact match",
            "percent",
            "max",
            "Share of questions whose answer equals a gold answer, after the official normalisation.",
        ),
        Metric("f1", "F1", "percent", "max", "Word overlap of answer and gold answer, by the official rules."),
        Metric(
            "em_seed",
            "Exact match (deck's rule)",
            "percent",
            "max",
            "Lower-cased, stripped equality with one gold answer, as the slide deck's code scores it.",
        ),
        Metric(
            "f1_seed",
            "F1 (deck's rule)",
            "percent",
            "max",
            "Overlap of the sets of lower-cased words, as the slide deck's code scores it.",
        ),
        Metric(
            "span_accuracy",
            "Span accuracy",
            "percent",
            "max",
            "Start and end tokens of the answer that are right, counted together, in texts cut at 384 tokens.",
        ),
        Metric("answered", "Questions answered", "percent", "max", "Share of the inspected questions answered right."),
        Metric(
            "failed",
            "Questions failed",
            "count",
            "min",
            "Questions whose answer is not exactly right, among those that were looked at.",
        ),
        Metric(
            "eval_loss",
            "Evaluation loss",
            "plain",
            "min",
            "Loss on the evaluation split; of answers in texts, that of the start and that of the end together.",
        ),
        Metric("train_loss", "Training loss", "plain", "min", "Loss of the last training epoch."),
        Metric("start_accuracy", "Start accuracy", "percent", "max", "Start position right, last training epoch."),
        Metric("end_accuracy", "End accuracy", "percent", "max", "End position right, last training epoch."),
        Metric("glue_score", "GLUE score", "plain", "max", "The macro-average of nine GLUE tasks, as printed."),
        *(
            Metric(f"glue_{name.lower().replace('-', '')}", name, "plain", "max", f"Score on {name}, as printed.")
            for name in _GLUE
        ),
        Metric(
            "glue_delta",
            "Change of GLUE score",
            "points",
            "max",
            "Difference from the full distillation when one part is left out.",
        ),
        Metric("inference_s", "Inference time", "s", "min", "Seconds for one whole pass, as the document has it."),
        Metric("seconds_per_question", "Seconds per question", "s", "min", "Inference time over questions asked."),
        Metric("latency_ms_p50", "Latency, median", "ms", "min", "Time for one example; half of all calls are faster."),
        Metric("latency_ms_p95", "Latency, p95", "ms", "min", "Time for one example; 95% of calls are faster."),
        Metric("latency_ms_p99", "Latency, p99", "ms", "min", "Time for one example; 99% of calls are faster."),
        Metric(
            "questions_per_s",
            "Questions per second",
            "per_s",
            "max",
            "Questions of 384 tokens that are answered in a second, one at a time.",
        ),
        Metric(
            "peak_memory_bytes",
            "Peak memory",
            "bytes",
            "min",
            "The most memory that the process held while it loaded the model and answered; libraries included.",
        ),
        Metric(
            "load_seconds",
            "Cold start",
            "s",
            "min",
            "From the start of a fresh process to its first answer; importing the libraries is included.",
        ),
        Metric(
            "energy_per_1000",
            "Energy per 1,000 answers, measured",
            "joules",
            "min",
            "By the counters of the processor (RAPL) while it answered one at a time, or the power chip of a Raspberry "
            "Pi 5. It holds all that the processor (of a Pi: the board) did meanwhile, and not the power supply.",
        ),
        Metric(
            "energy_per_1000_estimated",
            "Energy per 1,000 answers, estimated",
            "joules",
            "min",
            "A stated wattage of the machine times the time of 1,000 answers, one at a time.",
        ),
        Metric(
            "cost_per_1000",
            "Cost per 1,000 answers, computed",
            "usd",
            "min",
            "A stated price of an hour of the machine times the time of 1,000 answers, one at a time.",
        ),
        Metric("batch64_ms_p50", "Batch of 64, median", "ms", "min", "Time for a batch of 64 examples."),
        Metric("batch64_ms_p95", "Batch of 64, p95", "ms", "min", "Time for a batch of 64 examples; 95% are faster."),
        Metric("examples_per_s", "Examples per second", "per_s", "max", "Throughput of evaluation in batches of 64."),
        Metric("latency_threads", "Threads of the timing", "count", "min", "Processor threads used while timing."),
        Metric(
            "latency_load",
            "Load average of the timing",
            "plain",
            "min",
            "System load just before timing; above the thread count the times are too long.",
        ),
        Metric(
            "checkpoint_bytes",
            "Size on disk",
            "bytes",
            "min",
            "Bytes that answering needs: weights, configuration and tokenizer, of an adapter its encoder too.",
        ),
        Metric("unk_rate", "Unknown tokens", "percent", "min", "Share of test tokens outside the vocabulary."),
        Metric(
            "train_examples",
            "Training examples",
            "count",
            "max",
            "Examples of the training split, those held out to choose the checkpoint included.",
        ),
        Metric("best_epoch", "Best epoch", "count", "min", "Epoch whose checkpoint was kept, chosen on validation."),
        Metric("acc85_step", "Step at 85% accuracy", "count", "min", "Step at which accuracy first passed 85%."),
    )
}

BOARD_METRICS = ("latency_ms_p50", "latency_ms_p95", "checkpoint_bytes", "examples_per_s")
"""Costs that stand beside every score."""


def register(metric: Metric) -> None:
    """Add a metric that a task file describes; one that is known under that name stays.

    Raises:
        ValueError: It has another unit or direction than the one that is known.
    """
    own = METRICS.setdefault(metric.name, metric)
    if (own.unit, own.direction) != (metric.unit, metric.direction):
        raise ValueError(f"{metric.name} is known in {own.unit}, of which {own.direction} is best")


def known(name: str) -> Metric:
    """The metric of a name; one that nobody described is shown under its own name, without a unit."""
    return METRICS.get(name) or Metric(name, name.replace("_", " "), "plain", "max", "A figure without a description.")
