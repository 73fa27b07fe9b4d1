"""The problems and flags of submissions in the visitor's language, from their codes; see ``db.base.problems``."""

import re
from collections.abc import Mapping
from typing import Any

from dashboard.ui.i18n import N_, _
from db.base.problems import Code, Message

STATES = {
    "waiting": N_("Waiting"),
    "accepted": N_("Accepted"),
    "rejected": N_("Rejected"),
    "merged": N_("Merged"),
    "withdrawn": N_("Withdrawn"),
}
"""What a submission is, by its state."""

_FOLDERS = re.compile(r"(?<![\w.~:/])/(?:[^\s/]+/)+(?=[^\s/])")

_WAITS = N_("You have already sent this; it waits as {submission}. Nothing was added.")
_SOME_WAIT = N_("You have already sent {count} of these rows; the first waits as {submission}. Nothing was added.")

WORDINGS: Mapping[Code, str] = {
    Code.REQUIRED: N_("This is needed."),
    Code.NOT_TEXT: N_("Text is needed."),
    Code.TOO_LONG: N_("It has {length} characters; at most {limit} are allowed."),
    Code.HIDDEN_CHARACTER: N_("It has an invisible character ({character}) at position {position}."),
    Code.LOOK_ALIKE: N_(
        "It has {character}, which looks like the Latin letter {latin}, at position {position}; type {latin}."
    ),
    Code.NOT_URL: N_("A URL that begins with https:// or http:// is needed, without a user name or password."),
    Code.NOT_NUMBER: N_("A number is needed."),
    Code.NOT_FINITE: N_("A finite number is needed, not NaN or Infinity."),
    Code.UNREADABLE_NUMBER: N_("Not a number: {value}"),
    Code.NOT_WHOLE: N_("A whole number is needed."),
    Code.OUT_OF_RANGE: N_("It must be between {low} and {high}."),
    Code.NOT_DURATION: N_("A duration is needed, such as 00:49:15, 2 h 49 min, or seconds."),
    Code.DURATION_RANGE: N_("A duration from 0 s to ten years is needed."),
    Code.PERCENT_OR_SHARE: N_("Enter {percent}% or {share}."),
    Code.SHARE_RANGE: N_("Enter a percentage such as 87.5% or a fraction such as 0.875."),
    Code.METRIC_RANGE: N_("This is outside the range of this metric."),
    Code.UNKNOWN_CHOICE: N_("One of these is needed: {choices}."),
    Code.NOT_OBJECT: N_("Names with values are needed."),
    Code.TOO_MANY_ENTRIES: N_("There are {count} entries; at most {limit} are allowed."),
    Code.ENTRY_NAME: N_("The name of each entry must have 1 to {limit} visible characters."),
    Code.ENTRY_TWICE: N_("{name} is there twice."),
    Code.UNKNOWN_TASK: N_("There is no task {value}; choose one."),
    Code.UNKNOWN_METRIC: N_("There is no such metric here; empty this field, or add another one."),
    Code.UNKNOWN_FIELD: N_("There is no such field."),
    Code.UNKNOWN_FIELDS: N_("There are {count} more fields that are not known."),
    Code.METRIC_MISSING: N_("The metric that the task is ranked by is missing."),
    Code.NOT_LIST: N_("A list of rows is needed."),
    Code.ROW_COUNT: N_("There are {count} rows; a submission has 1 to {limit}."),
    Code.SAME_ROW: N_("It is the same as row {row}."),
    Code.NOT_TABLE: N_("A table is needed."),
    Code.COLUMN_MISSING: N_("The column {columns} is missing."),
    Code.COLUMN_TWICE: N_("A column is there twice."),
    Code.NO_ROWS: N_("The table has no rows."),
    Code.TOO_MANY_ROWS: N_("The table has {count} rows; at most {limit} are allowed."),
    Code.COLUMN_TOO_LARGE: N_("The column has more than {limit} million characters."),
    Code.CELL_NOT_TEXT: N_("Row {row}: text or a whole number is needed."),
    Code.CELL_EMPTY: N_("Row {row}: it must not be empty."),
    Code.CELL_TOO_LONG: N_("Row {row}: it has {length} characters; at most {limit} are allowed."),
    Code.CELL_HIDDEN_CHARACTER: N_("Row {row}: it has the invalid character {character}."),
    Code.CELL_NOT_FINITE: N_("Row {row}: a finite number is needed."),
    Code.CELL_OUT_OF_RANGE: N_("Row {row}: it must be between {low} and {high}."),
    Code.NOT_WHOLE_NUMBERS: N_("Whole numbers are needed."),
    Code.TABLE_OF_MANY: N_("They belong to one run, but there are {count} rows: send that row alone."),
    Code.TABLE_OF_NONE: N_("They belong to a row that was not sent."),
    Code.FILES_DIFFER: N_("{file} and {other} disagree about {name}: {value} and {other_value}. Remove one of them."),
    Code.FILE_OF_MANY: N_(
        "{file} has several rows, so it is not clear which of them {other} belongs to. Send them one by one."
    ),
    Code.TABLE_TWICE: N_("{file} and {other} both contain {table}; a run has them once."),
    Code.NO_SUCH_FIELD: N_("A submission has no field {name}."),
    Code.ALREADY_WAITING: _WAITS,
    Code.SOME_ALREADY_WAITING: _SOME_WAIT,
    Code.REASON: N_("The reason cannot be used: {problem}"),
    Code.TAG: N_("The tag {tag} cannot be used: {problem}"),
    Code.TAG_CHARACTERS: N_("Letters, digits, - and _ are allowed; the first must be a letter or a digit."),
    Code.TAG_COUNT: N_("A run has {limit} tags at most."),
    Code.NOTE: N_("The note cannot be used: {problem}"),
    Code.GOLD_SHIPPED: N_("the shipped corpus ({dataset}, {split})"),
    Code.GOLD_FILE: "{file} ({dataset}, {split})",
    Code.GOLD_RUN: N_("the gold labels of run {run}"),
    Code.NO_SPLIT: N_("this task has no single split that could be scored again"),
    Code.NO_GOLD_FILE: N_("there is no file of {dataset} in {variable}, and no verified run has them"),
    Code.GOLD_FILE_PARTIAL: N_("{file} has {count} of the {size} examples, and no verified run has them"),
    Code.GOLD_FILE_UNREADABLE: N_("{file} cannot be read, and no verified run has them"),
    Code.GOLD_FILE_DIFFERS: N_("{file} has other ids or gold labels than this split, and no verified run has them"),
    Code.ANSWERS_WITHHELD: N_("the answers came without their texts"),
    Code.METRIC_NOT_SCORED: N_("this metric is not scored again here"),
    Code.INVALID_TABLE: "{problem}",
    Code.RUN_SHORT: N_("“{run}” is too short for a run's id; give {limit} characters of it at least."),
    Code.RUN_MISSING: N_("There is no run “{run}” in this database."),
    Code.RUN_SEVERAL: N_("Several runs begin with “{run}”; give more of the id."),
    Code.MODEL_MISSING: N_(
        "There is no model “{model}”. Available: {shipped}, and runs of the board whose checkpoint is on this machine."
    ),
    Code.EQUALS_GOLD: N_("Its predictions equal the gold labels on every example."),
    Code.SAME_AS_RUN: N_("Its predictions are exactly those of run {run}."),
    Code.SAME_AS_RUNS: N_("Its predictions are exactly those of run {run} and of {more} more."),
    Code.SAME_SUBMISSION: N_("It is the same as submission {submission}: {state}."),
    Code.SAME_ANSWERS: N_("Its predictions are exactly those of submission {submission}: {state}."),
}
"""One sentence for each code; those of gold labels are parts of a sentence."""


def sentence(message: Message) -> str:
    """Word a message in the visitor's language."""
    return _(WORDINGS[message.code]).format(**{name: _worded(name, value) for name, value in message.params.items()})


def _worded(name: str, value: Any) -> str:
    if isinstance(value, Message):
        return sentence(value)
    if name == "state":
        return _(STATES[value]).lower()
    return f"{value:,}" if isinstance(value, int) else f"{value:g}" if isinstance(value, float) else str(value)


def error_text(error: Exception) -> str:
    """Word an error: in the visitor's language where it has a code, else as it was raised.

    Of absolute paths the last name stays: the folders of a server are no visitor's business.
    """
    coded = [part for part in (getattr(error, "message", None), *error.args) if isinstance(part, Message)]
    words = sentence(coded[0]) if coded else str(error)
    return _FOLDERS.sub("", words)
