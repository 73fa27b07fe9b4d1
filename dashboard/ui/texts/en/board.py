"""The leaderboard: tasks, answer, filters, table, views, files; and the sections below the table, in English."""

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
TWINS_KINDS = {"plain": "plain", "distilled": "distilled", "from scratch": "from scratch", "pretrained": "pretrained"}
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
