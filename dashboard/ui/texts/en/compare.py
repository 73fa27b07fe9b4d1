"""The page Compare, in English."""

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
