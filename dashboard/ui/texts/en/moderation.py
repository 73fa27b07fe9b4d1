"""The page of moderators, in English."""

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
MODERATE_BATCH_SURE = {"accept": "{n} rows go onto the board: {names}.", "reject": "{n} rows are turned down: {names}."}
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
