"""What all pages share, in English."""

APP = "Featherboard"
LEADERBOARD = "Leaderboard"
RUN = "Run"
DEVICES = "Devices"
FAILURES = "Where it fails"
ABOUT = "About"
SOURCES = {"reported": "Reported", "measured": "Measured", "submitted": "Submitted"}
SOURCE_HELP = {
    "reported": "A document prints this figure; it is cited. Nobody re-scored it.",
    "measured": "Our engine trained and scored it, on the device that the run names.",
    "submitted": "Somebody's claim; nobody measured it here.",
}
VERIFIED_MARK = "✓"
STATUS = {
    "running": "Running",
    "finished": "Finished",
    "failed": "Failed",
    "interrupted": "Interrupted",
    "diverged": "Diverged",
}
MINI_LABEL = "mini"
MINI_NOTE = (
    "Mini corpus: a few hundred examples written for Featherboard. It shows that training and scoring work; it says "
    "little about a model, and is never ranked beside a full data set."
)
TERMS = {
    "Interval": (
        "Interval",
        "The 95% interval of a score: Wilson's for shares of right answers. If the test set were drawn again, "
        "scores would scatter about this much. No interval means that the number of scored examples is not known.",
    ),
    "Rank and tie": (
        "Rank and tie",
        "A rank such as 2-4 means that the intervals of these rows overlap: the data cannot tell them "
        "apart. Ranks count the rows of the board before filters.",
    ),
    "Reported, measured, submitted": (
        "Reported, measured, submitted",
        "Where a row comes from: printed in a document, produced by our engine, or "
        "claimed by somebody. Reported rows carry their citation.",
    ),
    "Verified": (
        "Verified",
        "Scored again here from the run's own predictions: every example of the split once, and the same "
        "figure to two decimals.",
    ),
    "Mini": ("Mini", MINI_NOTE),
    "Pareto frontier": (
        "Pareto frontier",
        "The models that no other one beats in both score and parameters. Choosing off this line costs "
        "either quality or size for nothing.",
    ),
    "Parameters": (
        "Parameters",
        "Computed from the architecture or the checkpoint, never typed. Where a document prints another "
        "figure, both are shown.",
    ),
    "Latency": (
        "Latency",
        "Time for one example on the CPU of the machine that made the run, tokenisation not included; the run "
        "says with how many threads and under which load.",
    ),
    "Precision": (
        "Precision",
        "The number format in which a model computes. float32 is what it was trained in. bfloat16 keeps half "
        "of the bits. int8 keeps weights in 8 bits and rounds inputs of every layer to 8 bits as they come.",
    ),
    "Citation": (
        "Citation",
        "A file name such as 001_2c0027d85ad7badd.txt is one of the documents that Featherboard started from; "
        "their tables are kept in db/bootstrap/results/reported. Papers and model cards are cited by name.",
    ),
    "Variant": (
        "Variant",
        "One architecture and size. The board shows one row for each variant, source and data set unless you "
        "ask for every run: of printed and submitted rows the best, of several measured recipes the one with the best "
        "validation score.",
    ),
    "Seeds": (
        "Seeds",
        "Runs of one recipe on the same data that differ in their random start alone. They are one row: its score "
        "is the mean, the spread (±) is the standard deviation between the seeds, costs are medians. Its interval "
        "is the mean of the seeds' intervals; it does not shrink with more seeds, because all of them are scored on "
        "the same examples. The name opens the run of the seed with the median score.",
    ),
    "Paired test": (
        "Paired test",
        "The exact McNemar test: of the examples that only one of two runs answers right, could the "
        "split be chance? It compares two trained models on the same examples, so it can tell them apart where their "
        "intervals overlap. Each seed has a test of its own; they are not joined, because they share their examples.",
    ),
}
HELP = {
    "model": "Click a name to open the run.",
    "rank": TERMS["Rank and tie"][1],
    "interval": TERMS["Interval"][1],
    "verified": TERMS["Verified"][1],
    "seeds": TERMS["Seeds"][1],
    "paired": TERMS["Paired test"][1],
    "params": TERMS["Parameters"][1],
    "latency": TERMS["Latency"][1],
    "precision": TERMS["Precision"][1],
    "variant": TERMS["Variant"][1],
    "failures": "The same metric on parts of the split. A part with few examples has a wide interval.",
    "size": "Weights, configuration and tokenizer on disk.",
    "train": "Wall time of the training loop on the run's device.",
    "source": TERMS["Reported, measured, submitted"][1],
    "dataset": "What the model was trained on, where that is known.",
}
EMPTY_BOARD = "No run of this task yet."
EMPTY_BOARD_HOW = (
    "Runs come from training a recipe here, or from a bundle that another installation exported. What can be trained "
    "here, and how runs are taken in:"
)
EMPTY_BOARD_COMMANDS = "featherboard list recipes\nfeatherboard db import BUNDLE.zip"
SEEDS_HINT = "A score over several seeds is their mean; its name opens the seed with the median score."
NO_MATCH = "No row fits the filters."
NO_MATCH_HOW = "Widen a filter, or clear them all."
CLEAR = "Clear filters"
TWINS = {"distillation": "What distillation brings", "pretraining": "What pretraining brings"}
TWINS_LINK = "Figure and tests"
_TWINS_HOW = (
    "mean over the seeds that both have, with the 95% interval of that mean. The paired test looks at the same "
    "examples, so it can tell two models apart whose intervals overlap."
)
TWINS_HOW = {
    "distillation": "Each line is one shape, trained on the same data from the labels alone (plain) and with a teacher "
    f"(distilled): {_TWINS_HOW}",
    "pretraining": "Each line is one shape, fine-tuned on the same data from random weights (from scratch) and from "
    f"weights that had read other text before (pretrained): {_TWINS_HOW}",
}
TWINS_EXAMPLES = "Who answers what right"
COMPARE = "Compare"
NOT_FOUND = "There is no run or board like this here."
STORE_ERRORS = {
    "StoreBusyError": "Another program is writing to it. Nothing is lost; it is usually free again within seconds.",
    "StoreVersionError": "It was made by another version of Featherboard. It was left as it is.",
    "StoreDamagedError": "The file is damaged, or it is no database. It was left as it is.",
    "FeatherboardError": "Nothing was changed.",
}
