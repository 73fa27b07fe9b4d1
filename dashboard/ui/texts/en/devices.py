"""The page of devices, in English."""

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
DEVICES_HOVER = "{times} as fast as {reference} ({condition})"
DEVICES_HOVER_MEMORY = "{mb} MB of memory"
