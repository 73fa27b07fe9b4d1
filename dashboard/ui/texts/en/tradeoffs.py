"""The page of trade-offs, in English."""

from dashboard.ui.texts.en.common import TERMS

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
