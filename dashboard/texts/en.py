"""Every text of the board, in English. Names and dict keys are those of every other language."""

from db import metrics, tasks

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
        "their tables are kept in db/results/reported. Papers and model cards are cited by name.",
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
TABLE_HINT = "Click a name to open the run, a header to sort. A dash is a figure that nobody gave."
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
COMPARE_CHOOSE = "Choose runs."
COMPARE_CHOOSE_HOW = "Runs of one board are compared example by example: who answers what right."
COMPARE_FEW = "No board has two runs with predictions yet."
COMPARE_FEW_HOW = "A training keeps its predictions. These commands make two runs:"
COMPARE_OTHER_DATA = (
    "The two runs were trained or scored on different data: a difference between them is not the models' alone."
)
COMPARE_WITHHELD = (
    "The answers of a run that came with Featherboard are not shown: their text belongs to the data set. Which are "
    "right is kept; the command on the run's page makes them again."
)
COMPARE_GROUPS = {
    "only_first": "Only {first} right",
    "only_second": "Only {second} right",
    "neither": "Both wrong",
    "both": "Both right",
}

ABLATION = "What each part of the distillation brings"
ABLATION_LINK = "Figure and seeds"
ABLATION_HOW = (
    "A student of three layers is distilled from MiniLM in five ways: by the whole triple loss, without one of its "
    "parts, and from random weights. Each is fine-tuned on MultiNLI and on SQuAD; its score is the mean of accuracy "
    "and F1. Shown is the difference from the whole loss at the same seed, its mean with the standard deviation "
    "between seeds. The printed differences are those of DistilBERT on the average of nine GLUE tasks: compare their "
    "order, not their size."
)
ABLATION_EMPTY = (
    "Nothing was measured here yet: the figure shows the printed differences alone. These commands measure ours, on a "
    "folder DIR with English text, MultiNLI and SQuAD:"
)

ABLATION_PARTLY = "Not every part was measured yet. These commands do what is missing and skip what is there:"

LEARNING = "What more training examples bring"
LEARNING_LINK = "Figure and sizes"
LEARNING_HOW = (
    "Each line is one recipe on parts of one training split, drawn by the same seed, with the same number of passes "
    "over it; the bars are 95% intervals on the test split, and ± is half their width. Every size is a data set of its "
    "own in the table above. Dotted levels are scores whose training size nobody told."
)
LEARNING_ONE_SIZE = (
    "Only one size was measured so far, so nothing is told of growth yet. These commands measure the others, on a "
    "folder DIR with MultiNLI:"
)
LEARNING_PARTLY = "Not every line has two sizes yet. These commands do what is missing and skip what a sweep has done:"

NO_DATABASE = "There is no database yet."
NO_DATABASE_HOW = "This command makes one, with every reported result:"
STORE_TROUBLE = "The database cannot be read just now."
RELOAD = "Try again"

NO_RUN = "Choose a run."
NO_RUN_HOW = "Open one from the leaderboard, or take one of the newest measured ones:"
UNKNOWN_RUN_HOW = "It may belong to another database. The leaderboard lists what is here."

SEEDS = "Sibling seeds"
SEEDS_MEAN = "The leaderboard shows that mean and opens the seed with the median score."
SEEDS_MEDIAN = "(median)"
SEEDS_ALONE = "No mean yet: fewer than two of these seeds have a score."

NO_CURVES = "This run has no curves."
NO_CURVES_REPORTED = "A document printed this row; its curves, if any, are pictures there."
NO_METRICS = "No figure was recorded for this run."
STOPPED_RUN = "This run stopped before its end; what it had written is kept. Where it ran, it goes on with:"
LIVE_RUN = "Running now. This page follows it every few seconds."

DEVICES_QUESTION = "How fast are the same models on different machines?"
DEVICES_HOW = (
    "Times as fast as BERT-base in float32 on the same machine, so that machines can be compared; the times "
    "themselves are in the table. Hollow: reported. Filled: measured."
)
DEVICES_NO_REFERENCE = "No machine has timed BERT-base in float32 yet, so there are no ratios; the times are below."
DEVICES_TIMES = "How many times as fast as BERT-base in float32 on the same machine."
DEVICES_TIME = "Median time of one question where measured; time of the whole pass where a document prints that."
DEVICES_MEMORY = "The most memory that a process with this model alone has held, libraries included."
DEVICES_SIZE = "The safetensors file of the model, in the precision in which it is kept."
DEVICES_START = "From the start of a fresh process to its first answer."
DEVICES_LOAD = "Highest load average while this was timed; above the number of threads the times are too long."
DEVICES_TIMINGS = "All timings of a machine"
DEVICES_EMPTY = "No machine has been measured yet."
DEVICES_EMPTY_HOW = (
    "This command times models on the machine that it runs on, with random weights and so without a download. A bundle "
    "from another machine is taken in by the second one."
)
DEVICES_EMPTY_COMMANDS = (
    "featherboard bench --device-name 'Raspberry Pi 5, 8 GB' --output pi.zip\nfeatherboard db import pi.zip"
)

ABOUT_TITLE = "What this board shows"
ABOUT_LEAD = (
    "Featherboard compares small language models: the ones that fit a laptop or a Raspberry Pi. Every score carries "
    "its uncertainty, every row says where it comes from, and cost stands beside quality."
)
ABOUT_TERMS = "Terms"
ABOUT_MARKS = "Marks"
ABOUT_MARKS_HOW = (
    "Colour is the family. A hollow circle is a reported figure, a filled one is measured, a diamond is submitted. The "
    "grey line is the Pareto frontier."
)
ABOUT_DATABASE = "This database"

# The leaderboard: tasks, answer, filters, table, views, files; and the sections below the table.
BOARD_AREA = "Area"
BOARD_TASK = "Task"
BOARD_AREAS = {
    "sentiment": "Sentiment",
    "inference": "Inference",
    "questions": "Question answering",
    "language": "Language",
    "speed": "Speed",
    "other": "Other",
    "mini": "Mini corpora",
}
BOARD_OF = "{runs} of {variants}."
BOARD_RUNS = ("{n} run", "{n} runs")
BOARD_VARIANTS = ("{n} variant", "{n} variants")
BOARD_ROWS = ("{n} row", "{n} rows")
BOARD_SEEDS = ("{n} seed", "{n} seeds")
BOARD_EXAMPLES = ("{n} example", "{n} examples")
BOARD_UNITS = {
    "percent": "%",
    "ms": "ms",
    "s": "s",
    "min": "min",
    "bytes": "bytes",
    "per_s": "per s",
    "points": "points",
    "plain": "",
    "count": "",
}
BOARD_POINTS = "{n} points"
BOARD_AND = "{first} and {last}"
BOARD_UP_TO = "up to {high}"
BOARD_FROM = "from {low}"
BOARD_BETWEEN = "{low} to {high}"
BOARD_ONE_SEED = "{score}, one seed"
BOARD_OVER_SEEDS = "{score} ± {spread} over {n} seeds"
BOARD_WITH_INTERVAL = "{score} (95% interval {ends})"
BOARD_PARAMETERS = "{n} parameters"
BOARD_BEST = {
    "verified": "Best verified",
    "measured": "Best measured",
    "reported": "Best reported",
    "submitted": "Best submitted",
}
BOARD_BEST_AMONG = "{best}, {among}"
BOARD_THESE = "of these {rows}"
BOARD_SMALLER = "Within one point and {times} times smaller"
BOARD_BUDGET = "What fits"
BOARD_BUDGET_HELP = (
    "Keeps the models whose size on disk and whose time for one example are known and within the limit. The answer "
    "above is then the best of them."
)
BOARD_TRADEOFF_ALT = "Parameters against {metric} for {rows}, with the Pareto frontier"
BOARD_ALL_TRADEOFFS = "All trade-offs"

BOARD_SEARCH = "Search"
BOARD_SEARCH_HOW = "Model, teacher, data set"
BOARD_FILTERS = "Filters"
BOARD_FILTERS_ACTIVE = "Filters: {n}"
BOARD_FIELDS = {
    "families": "Family",
    "sources": "Source",
    "statuses": "Status",
    "verified": "Verified",
    "devices": "Device",
    "datasets": "Trained on",
    "params": "Parameters",
    "latency_ms": "Latency",
    "size_bytes": "Size on disk",
}
BOARD_IS_VERIFIED = {1: "Verified", 0: "Not verified"}
BOARD_ALL = "All"
BOARD_ANY = "any"
BOARD_ENDS = ("{field}, from", "to")
BOARD_REMOVE = "Remove this filter: {filter}"
BOARD_EVERY = "Every run"
BOARD_COUNT = "{shown} of {all} rows"
BOARD_NEWER = "The database has changed since this was drawn."
BOARD_SHOW_NEWER = "Show what is new"

BOARD_COLUMNS = {
    "rank": "Rank",
    "model": "Model",
    "params": "Parameters",
    "checkpoint_bytes": "Size",
    "latency_ms_p50": "Latency",
    "latency_ms_p95": "Latency p95",
    "peak_memory_bytes": "Memory",
    "train_seconds": "Train time",
    "seeds": "Seeds",
    "spread": "Spread",
    "source": "Source",
    "verified": "Verified",
    "dataset": "Trained on",
    "family": "Family",
    "name": "Name as printed",
    "teacher": "Teacher",
    "seed": "Seed",
    "range": "Lowest to highest seed",
    "device": "Device",
    "status": "Status",
    "citation": "Citation",
}
BOARD_INTERVAL_HEAD = "95% interval"
BOARD_MODEL_HELP = "A name opens its run. The mark before it: its colour is the family, its shape the source."
BOARD_INTERVAL = "95% interval {low} to {high}"
BOARD_NO_INTERVAL = "No interval: how many examples were scored is not known"
BOARD_TIE = "Ranks {first} to {last}: the intervals of these rows overlap, so the data cannot tell them apart."
BOARD_CAPTION = "Leaderboard, {n} rows"
BOARD_MISSING = "Nobody gave this figure"
BOARD_VERIFIED = "verified"
BOARD_PARETO = "On the Pareto frontier: no model of this board is as small and scores higher"
BOARD_KEY = "sort key"
BOARD_SELECT = "Select"
BOARD_CHOSEN = "{n} selected"
BOARD_COMPARE = "Compare {n} runs"
BOARD_OPEN = "Open"
BOARD_CLEAR_CHOICE = "Clear selection"
BOARD_TOO_MANY = "Six runs at most can be compared."
BOARD_ONE_MORE = "Select another one to compare."
BOARD_HINT = "A header sorts; with Shift it adds a further key."
BOARD_SEED = "Seed {seed}"
BOARD_SHOW_SEEDS = "The {n} seeds of {model}"
BOARD_SHOWN_COLUMNS = "Columns"
BOARD_OWN_COLUMNS = "Back to the usual columns"
BOARD_EXPORT = "Export"
BOARD_EXPORT_HOW = "{rows}, in this order, with these columns."
BOARD_EXPORT_HELP = {
    "csv": "Stored values, for spreadsheets and programs",
    "parquet": "Stored values with their types",
    "json": "Stored values, a missing one is null",
    "md": "The table as it reads here",
    "tex": "The table as it reads here, for the booktabs package",
}
BOARD_VIEWS = "Views"
BOARD_VIEWS_HOW = (
    "A view is the task with filters, order and columns. The address holds it too; a copied address opens the same."
)
BOARD_VIEW_NAME = "Name of this view"
BOARD_VIEW_SAVE = "Keep"
BOARD_VIEW_SAVED = "Kept as {name}."
BOARD_VIEW_DELETE = "Delete"

TWINS_FROM = "{model} from {teacher}"
TWINS_KINDS = {
    "plain": "plain",
    "distilled": "distilled",
    "from scratch": "from scratch",
    "pretrained": "pretrained",
}
TWINS_PLACES = {False: "upper", True: "lower"}
TWINS_COLUMNS = ("Model", "Difference", "Paired test")
TWINS_ALT = "{title}: {metric} of both kinds at {n} sizes"
TWINS_LEAD = "{low} to {high} over {n} sizes; at {better} of them better in every seed by the paired test."
TWINS_LEAD_WORSE = (
    "{low} to {high} over {n} sizes; at {better} of them better in every seed by the paired test, at {worse} worse."
)
TWINS_NONE = "none"
TWINS_TEACHER = "Teacher: {teacher}."
TWINS_TEACHERS = "Teachers: {pairs}."
TWINS_TEACHER_OF = "{teacher} of {model}"
TWINS_EVERYWHERE = "At every size"
TWINS_DIFFER = "{who}: the two recipes also differ in {settings}."
TWINS_SEEDS = "in {k} of {n} seeds"
TWINS_SEED = "in the one seed"
TWINS_UNTESTED = "{name} ahead {ahead}; without common predictions there is no test."
TWINS_SETTLED = "{name} better {ahead}, {p}."
TWINS_UNCLEAR_ONE = "The one seed cannot tell them apart, {p}."
TWINS_UNCLEAR = "No seed can tell them apart: {name} ahead {ahead}, {p}."
TWINS_MIXED = "{name} ahead {ahead}, clearly better in {better}; {p}."
TWINS_MIXED_WORSE = "{name} ahead {ahead}, clearly better in {better}, clearly worse in {worse}; {p}."
TWINS_P = "p from {low} to {high}"
TWINS_P_BELOW = "below 0.0001"

ABLATION_MEASURED = "Measured here"
ABLATION_ALT = "Printed and measured differences when a part of the distillation is left out"
ABLATION_AXIS = "Change when it is left out (points)"
ABLATION_COLUMNS = ("Left out", "Printed", "Measured", "Seeds")
ABLATION_KINDS = {"printed": "printed", "measured": "measured", "one seed": "one seed"}
ABLATION_PARTS = {
    "minilm-l3-no-kl": ("Soft labels (KL)", "the soft labels (KL)"),
    "minilm-l3-no-cosine": ("Hidden states (cosine)", "the hidden states (cosine)"),
    "minilm-l3-no-mlm": ("Hidden words (MLM)", "the hidden words (MLM)"),
    "minilm-l3-random": ("Teacher's weights at the start", "the teacher's weights at the start"),
}
ABLATION_WITHOUT = "Without {part}"
ABLATION_WHOLE = "With all parts: {mean} on average over {seeds}."
ABLATION_NOTHING = "Nothing that is left out costs anything here"
ABLATION_WORST = "Most is lost without {part}: {points} points {seeds}"
ABLATION_SEEDS = ("for one seed", "over {n} seeds")
ABLATION_SAME = "; the paper finds the same, {points}"
ABLATION_OTHER = "; in the paper most is lost without {part}, {points}"
ABLATION_UNCLEAR = "These seeds do not tell from nothing: {parts}."

LEARNING_ALT = "{metric} of {n} models over the number of training examples"
LEARNING_AXIS = "Training examples (log)"
LEARNING_MAJORITY = "Majority label"
LEARNING_NO_SIZE = "Size not told"
LEARNING_GAIN = "With {examples}, pretrained weights bring {gain}: {score} for {tuned}, {other} for {plain}."
LEARNING_GAIN_UNCLEAR = (
    "With {examples}, pretrained weights bring {gain}: {score} for {tuned}, {other} for {plain}, which their intervals "
    "do not tell apart."
)
LEARNING_EARLIER = "It is ahead with {examples} already."
LEARNING_NO_GROWTH = "One size says nothing of how either grows."

TASKS = {task.task_id: (task.name, task.question, task.scoring) for task in tasks.TASKS}
"""Name, question and scoring of each task."""

METRICS = {metric.name: (metric.label, metric.help) for metric in metrics.METRICS.values()}
"""Label and explanation of each metric."""
