"""The page of one run, in English."""

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
RUN_TILES = {"params": "Parameters", "size": "Size on disk", "latency": "Latency, median", "train": "Train time"}
RUN_PRINTED = "printed as {params}"
RUN_TIMING = "CPU threads: {threads}, load {load}"
RUN_DURATIONS = {"s": "{s} s", "min": "{min} min {s} s", "h": "{h} h {min} min"}
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
