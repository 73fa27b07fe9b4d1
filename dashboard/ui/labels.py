"""Names and explanations that several pages share, in English; ``i18n`` translates them where they are shown."""

from dashboard.ui.i18n import N_, NP_

BOARD_COLUMNS = {
    "rank": N_("Rank"),
    "model": N_("Model"),
    "params": N_("Parameters"),
    "checkpoint_bytes": N_("Size"),
    "latency_ms_p50": N_("Latency"),
    "latency_ms_p95": N_("Latency p95"),
    "peak_memory_bytes": N_("Memory"),
    "train_seconds": N_("Train time"),
    "seeds": N_("Seeds"),
    "spread": N_("Std. dev."),
    "source": N_("Source"),
    "verified": NP_("board fields", "Verified"),
    "dataset": N_("Trained on"),
    "family": N_("Family"),
    "name": N_("Name as printed"),
    "teacher": N_("Teacher"),
    "seed": NP_("board columns", "Seed"),
    "range": N_("Lowest to highest seed"),
    "device": N_("Device"),
    "status": N_("Status"),
    "citation": NP_("board columns", "Citation"),
}
CLAIM_FIELDS = {
    "task": N_("Task"),
    "model": N_("Model"),
    "params": N_("Parameters"),
    "family": N_("Family"),
    "architecture": N_("Architecture"),
    "link": N_("Link"),
    "checkpoint": N_("Checkpoint"),
    "language": N_("Language"),
    "licence": N_("Licence"),
    "metrics": N_("Metrics"),
    "dataset": N_("Trained on"),
    "teacher": N_("Teacher"),
    "device": N_("Device"),
    "train_seconds": N_("Training time"),
    "seed": N_("Seed"),
    "facts": N_("Hyperparameters"),
    "contact": N_("Contact (private)"),
    "notes": N_("Notes"),
    "predictions": N_("Predictions"),
    "curves": N_("Curves"),
    "drafts": N_("Rows"),
    "draft": N_("Row"),
}
"""Fields of a submission, in the order of its page."""

ABLATION_KINDS = {"printed": N_("printed"), "measured": N_("measured"), "one seed": N_("one seed")}
APP = "Featherboard"
SOURCES = {"reported": N_("Reported"), "measured": NP_("sources", "Measured"), "submitted": N_("Submitted")}
CLASSES = {
    "negative": N_("negative"),
    "positive": N_("positive"),
    "entailment": N_("entailment"),
    "neutral": N_("neutral"),
    "contradiction": N_("contradiction"),
}
"""Names of the classes of the tasks."""
VERIFIED_MARK = "✓"
STATUS = {
    "running": N_("Running"),
    "finished": N_("Finished"),
    "failed": N_("Failed"),
    "interrupted": N_("Interrupted"),
    "diverged": N_("Diverged"),
    "silent": N_("Silent"),
}
MINI_NOTE = N_(
    "Mini corpus: a few hundred examples written for Featherboard. It shows that training and "
    "scoring work; it says little about a model, and is never ranked beside a full data set."
)
TERMS = {
    N_("Interval"): N_(
        "The 95% interval of a score: Wilson's for shares of correct answers. If the test set were "
        "drawn again, scores would scatter about this much. No interval means that the number of "
        "scored examples is not known."
    ),
    N_("Rank and tie"): N_(
        "A rank such as 2-4 means that these rows do not differ significantly: a paired test on the same "
        "examples finds no difference, or, without common predictions, their intervals overlap. Tests "
        "and intervals allow for all comparisons of the board, so that no more than 1 board of equal "
        "models in 20 would show a false order. The rank of a single run holds for that run, not for its "
        "recipe. Ranks count the rows of the board before filters."
    ),
    N_("Reported, measured, submitted"): N_(
        "Where a row comes from: printed in a document, produced by our engine, or claimed by "
        "somebody. Reported rows carry their citation."
    ),
    N_("Verified"): N_(
        "Scored again here from the run's own predictions: every example of the split once, and the "
        "same figure to two decimals."
    ),
    N_("Mini"): MINI_NOTE,
    N_("Pareto frontier"): N_(
        "The models that no other one beats in both score and parameters. Choosing off this line "
        "costs either quality or size for nothing."
    ),
    N_("Parameters"): N_(
        "Computed from the architecture or the checkpoint, never typed. Where a document prints "
        "another figure, both are shown."
    ),
    N_("Latency"): N_(
        "Time for one example on the CPU of the machine that made the run, tokenisation not "
        "included; the run says with how many threads and under which load."
    ),
    N_("Precision"): N_(
        "The number type in which a model computes. float32 is what it was trained in. bfloat16 "
        "keeps half of the bits. int8 keeps weights in 8 bits and rounds inputs of every layer to 8 "
        "bits as they come."
    ),
    N_("Citation"): N_(
        "The document that prints a reported figure, by its title; a link where it is published. "
        "The page of a run also names the file that the figure was copied from."
    ),
    N_("Variant"): N_(
        "One architecture and size. The board shows one row for each variant, source and data set "
        "unless you ask for every run: of printed and submitted rows the best, of several measured "
        "recipes the one with the best validation score."
    ),
    N_("Seeds"): N_(
        "Runs of one recipe on the same data that differ in their random start alone. They are one "
        "row: its score is the mean ± its standard deviation over the seeds, costs are medians. Its "
        "interval allows for other seeds and for other examples. '3 of 4' means that one seed failed, "
        "or has no such figure. The name opens the run of the seed with the median score."
    ),
    N_("Paired test"): N_(
        "The exact McNemar test: of the examples that only one of two runs answers right, could the "
        "split be chance? For text answers the paired bootstrap of their F1. It compares two trained "
        "models on the same examples, so it can find a difference where their intervals overlap. Each seed "
        "has a test of its own; they are not joined, because they share their examples."
    ),
}
"""Definitions by their terms."""

HELP = {
    "rank": TERMS["Rank and tie"],
    "interval": TERMS["Interval"],
    "verified": TERMS["Verified"],
    "seeds": TERMS["Seeds"],
    "paired": TERMS["Paired test"],
    "params": TERMS["Parameters"],
    "latency": TERMS["Latency"],
    "precision": TERMS["Precision"],
    "variant": TERMS["Variant"],
    "printed": N_(
        "Printed figures may come from other training data, from the best of many settings or from a hidden test. "
        "They are on the board with their mark, and compete with measured rows only when this is on."
    ),
    "failures": N_("The same metric on parts of the split. A part with few examples has a wide interval."),
    "size": N_(
        "Weights, configuration and tokenizer on disk; an adapter counts with its encoder, a network that ships as it "
        "ships, most in half precision. Of a printed model: its parameters in single precision."
    ),
    "train": N_("Wall time of the training loop on the run's device."),
    "source": TERMS["Reported, measured, submitted"],
    "citation": TERMS["Citation"],
    "dataset": N_("What the model was trained on, where that is known."),
}
COMPARE_WITHHELD = N_(
    "The answers of a run that came with Featherboard are not shown: their text belongs to the "
    "data set. Which are right is kept; the command on the run's page makes them again."
)
RUN_AXES = {"epoch": N_("Epoch"), "step": N_("Step"), "time": N_("Time")}
CURVE_NAMES = {
    "train_loss": N_("Training loss"),
    "train_accuracy": N_("Training accuracy"),
    "validation_loss": N_("Validation loss"),
    "validation_accuracy": N_("Validation accuracy"),
    "validation_f1": N_("Validation F1"),
    "train_start_accuracy": N_("Start accuracy, training"),
    "train_end_accuracy": N_("End accuracy, training"),
    "learning_rate": N_("Learning rate"),
    "pretrain_loss": N_("Pretraining loss"),
    "kl_loss": N_("Soft labels (KL)"),
    "mlm_loss": N_("Masked language modelling (MLM)"),
    "next_loss": N_("Next-sentence prediction"),
    "masked_accuracy": N_("Masked-token accuracy, training"),
    "next_accuracy": N_("Next-sentence accuracy, training"),
    "span_loss": N_("Recurring spans"),
    "recurring_span_accuracy": N_("Recurring-span accuracy, training"),
    "cloze_accuracy": N_("Cloze-question accuracy, training"),
    "tokens_per_s": N_("Tokens read per second"),
    "cosine_loss": N_("Hidden states (cosine)"),
}
