"""The page that takes somebody's run, in English."""

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
    "hugging face": (
        "Hugging Face",
        "all_results.json, trainer_state.json (becomes curves), eval_predictions.json, "
        "eval_nbest_predictions.json, a model card or its model-index",
    ),
    "trackers": (
        "Trackers",
        "results of lm-evaluation-harness (JSON), a run of MLflow (JSON or CSV), a history of W&B (CSV)",
    ),
    "tables": (
        "Tables",
        "your results, one row a run, or predictions, one row an example: CSV, TSV, JSON, JSON Lines, "
        "Parquet; you say what each column means",
    ),
    "weights": ("Parameters", "a safetensors file, config.json or card.json: counted, the weights are not loaded"),
    "bundle": ("Featherboard", "a bundle that another board exported (.zip)"),
}
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
