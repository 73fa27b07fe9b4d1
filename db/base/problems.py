"""What is wrong with a submission, as a code with parameters; each code has one English wording here.

The command line and the HTTP service print the English wording; the pages word the codes in the visitor's language.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from db.base.errors import SubmissionError


class Code(StrEnum):
    """A kind of message; ``english`` is its wording, a template of ``str.format`` over the parameters."""

    english: str

    def __new__(cls, code: str, english: str) -> "Code":
        """Make a member that equals its code."""
        member = str.__new__(cls, code)
        member._value_ = code
        member.english = english
        return member

    # A single value.
    REQUIRED = "required", "is required"
    NOT_TEXT = "not_text", "must be text, not {kind}"
    TOO_LONG = "too_long", "has {length:,} characters; at most {limit:,} are allowed"
    HIDDEN_CHARACTER = "hidden_character", "contains the invisible character {character} at position {position}"
    LOOK_ALIKE = (
        "look_alike",
        "contains {character}, which looks like the Latin letter {latin}, at position {position}; write {latin}",
    )
    NOT_URL = "not_url", "must be a URL that begins with https:// or http:// and holds no user name or password"
    NOT_NUMBER = "not_number", "must be a number, not {kind}"
    NOT_FINITE = "not_finite", "must be a finite number, not NaN or Infinity"
    UNREADABLE_NUMBER = "unreadable_number", "must be a finite number, not {value}"
    NOT_WHOLE = "not_whole", "must be a whole number"
    OUT_OF_RANGE = "out_of_range", "must be between {low} and {high}"
    NOT_DURATION = "not_duration", 'must be a duration such as 2955, "00:49:15" or "2 h 49 min", not {value}'
    DURATION_RANGE = "duration_range", "must be a duration between 0 s and ten years"
    PERCENT_OR_SHARE = "percent_or_share", 'must be a fraction of 1: write {percent}% as {share} or "{percent}%"'
    SHARE_RANGE = "share_range", "must be a fraction between 0 and 1"
    METRIC_RANGE = "metric_range", "is outside the range of this metric"
    UNKNOWN_CHOICE = "unknown_choice", "must be one of {choices}"
    # A group of values, or the whole draft.
    NOT_OBJECT = "not_object", "must be an object of names and values, not {kind}"
    TOO_MANY_ENTRIES = "too_many_entries", "has {count:,} entries; at most {limit} are allowed"
    ENTRY_NAME = "entry_name", "the name of each entry must be text of 1 to {limit} visible characters"
    ENTRY_TWICE = "entry_twice", "has {name} twice"
    UNKNOWN_TASK = "unknown_task", "there is no task {value}; {hint}"
    UNKNOWN_METRIC = "unknown_metric", "there is no such metric{hint}"
    UNKNOWN_FIELD = "unknown_field", "is not a field of a submission"
    UNKNOWN_FIELDS = "unknown_fields", "has {count:,} more field(s) that are not known"
    METRIC_MISSING = "metric_missing", "{task} is ranked by {metric} ({label}), which is missing"
    NOT_LIST = "not_list", "must be a list of rows, not {kind}"
    ROW_COUNT = "row_count", "there are {count:,} rows; a submission has 1 to {limit}"
    SAME_ROW = "same_row", "is the same as row {row}"
    # Tables of predictions and curves. "row" counts from 1.
    NOT_TABLE = "not_table", "must be a table, not {kind}"
    COLUMN_MISSING = "column_missing", "lack the column {columns}"
    COLUMN_TWICE = "column_twice", "have a column twice"
    NO_ROWS = "no_rows", "have no rows"
    TOO_MANY_ROWS = "too_many_rows", "have {count:,} rows; at most {limit:,} are allowed"
    COLUMN_TOO_LARGE = "column_too_large", "have more than {limit} million characters"
    CELL_NOT_TEXT = "cell_not_text", "row {row}: must be text or a whole number, not {kind}"
    CELL_EMPTY = "cell_empty", "row {row}: must not be empty"
    CELL_TOO_LONG = "cell_too_long", "row {row}: has {length:,} characters; at most {limit:,} are allowed"
    CELL_HIDDEN_CHARACTER = "cell_hidden_character", "row {row}: contains the invalid character {character}"
    CELL_NOT_FINITE = "cell_not_finite", "row {row}: must be a finite number"
    CELL_OUT_OF_RANGE = "cell_out_of_range", "row {row}: must be between {low:g} and {high:g}"
    NOT_WHOLE_NUMBERS = "not_whole_numbers", "must be whole numbers"
    TABLE_OF_MANY = "table_of_many", "belong to one run, but {count:,} rows were sent: send that row alone"
    TABLE_OF_NONE = "table_of_none", "belong to a row that was not sent"
    # Several files of one submission.
    FILES_DIFFER = (
        "files_differ",
        "{file} and {other} disagree about {name}: {value} and {other_value}. Send one of them. Nothing was saved.",
    )
    FILE_OF_MANY = (
        "file_of_many",
        "{file} has several rows, so it is not clear which of them {other} belongs to. Send them one by one. "
        "Nothing was saved.",
    )
    TABLE_TWICE = "table_twice", "{file} and {other} both contain {table}; a run has them once. Nothing was saved."
    NO_SUCH_FIELD = "no_such_field", "A submission has no field {name}; its fields are {fields}. Nothing was saved."
    ALREADY_WAITING = "already_waiting", "You have already sent this; it waits as {submission}. Nothing was added."
    SOME_ALREADY_WAITING = (
        "some_already_waiting",
        "You have already sent {count} of these rows; they wait, the first as {submission}. Nothing was added.",
    )
    REASON = "reason", "The reason {problem}. Nothing was changed."
    # Tags and notes of runs.
    TAG = "tag", "The tag {tag} {problem}. Nothing was changed."
    TAG_CHARACTERS = "tag_characters", "may have letters, digits, - and _, and begins with a letter or a digit"
    TAG_COUNT = "tag_count", "A run has {limit} tags at most. Nothing was changed."
    NOTE = "note", "The note {problem}. Nothing was changed."
    # Where gold labels come from, or why predictions were not scored.
    GOLD_SHIPPED = "gold_shipped", "the shipped corpus ({dataset}, {split})"
    GOLD_FILE = "gold_file", "{file} ({dataset}, {split})"
    GOLD_RUN = "gold_run", "the predictions of run {run}"
    NO_SPLIT = "no_split", "{task} has no single split that could be scored again"
    NO_GOLD_FILE = (
        "no_gold_file",
        "there is no file of {dataset} in {variable}, and no verified run of {task} has the gold labels",
    )
    GOLD_FILE_PARTIAL = (
        "gold_file_partial",
        "{file} has {count:,} of the {size:,} examples of {split}, and no verified run of {task} has the gold labels",
    )
    GOLD_FILE_UNREADABLE = "gold_file_unreadable", "{error}, and no verified run of {task} has the gold labels"
    GOLD_FILE_DIFFERS = (
        "gold_file_differs",
        "{file} has other ids or gold labels than {split} of {dataset}, and no verified run of {task} has them",
    )
    ANSWERS_WITHHELD = "answers_withheld", "its answers came without their texts"
    METRIC_NOT_SCORED = "metric_not_scored", "{metric} of {task} is not scored again here"
    INVALID_TABLE = "invalid_table", "{problem}"
    # What an address names and is not here.
    RUN_SHORT = "run_short", "{run!r} is too short for a run's id; give {limit} characters of it at least."
    RUN_MISSING = "run_missing", "There is no run {run!r} in this database; `featherboard list runs` shows them."
    RUN_SEVERAL = "run_several", "Several runs begin with {run!r}; give more of the id."
    MODEL_MISSING = (
        "model_missing",
        "There is no model {model!r}. Available: {shipped}, and runs of the board whose checkpoint is on this machine.",
    )
    # What a moderator should check.
    EQUALS_GOLD = "equals_gold", "Its predictions equal the gold labels on every example."
    SAME_AS_RUN = "same_as_run", "Its predictions are exactly those of run {run}."
    SAME_AS_RUNS = "same_as_runs", "Its predictions are exactly those of run {run} and of {more} more."
    SAME_SUBMISSION = "same_submission", "It is the same as submission {submission}, which is {state}."
    SAME_ANSWERS = "same_answers", "Its predictions are exactly those of submission {submission}, which is {state}."


@dataclass(frozen=True)
class Message:
    """A code with what fills its wording.

    Attributes:
        code: What is reported.
        params: By the names in the wording; every text is safe to print.
    """

    code: Code
    params: Mapping[str, Any] = field(default_factory=dict)

    def english(self) -> str:
        """Word the message for the command line, the HTTP service and the audit."""
        return self.code.english.format(**self.params)

    __str__ = english


@dataclass(frozen=True)
class Flag(Message):
    """Something about a submission that a moderator should check."""


@dataclass(frozen=True)
class Problem(Message):
    """What is wrong with one field of one draft.

    Attributes:
        field: Its name, or that of a part, such as ``metrics.accuracy``.
        draft: Number of the draft, from 1; 0 where it concerns all of them.
    """

    field: str = "draft"
    draft: int = 0

    def __str__(self) -> str:
        """Word the problem with its row and field, on one line."""
        return f"row {self.draft}, {self.field}: {self.english()}" if self.draft else f"{self.field}: {self.english()}"


class ValueProblemError(ValueError):
    """A value that cannot be used; the caller knows which field it is of."""

    def __init__(self, code: Code, **params: Any) -> None:
        """Keep the code and its parameters."""
        self.message = Message(code, params)
        super().__init__(str(self.message))


class GroupProblemError(ValueError):
    """Entries of a mapping that cannot be used, by their names."""

    def __init__(self, entries: Mapping[str, Message]) -> None:
        """Keep the messages."""
        self.entries = dict(entries)
        super().__init__("; ".join(f"{name}: {message}" for name, message in entries.items()))


class RefusedError(SubmissionError):
    """A submission that is refused as a whole, with its code."""

    def __init__(self, code: Code, **params: Any) -> None:
        """Keep the code and its parameters."""
        self.message = Message(code, params)
        super().__init__(str(self.message))
