"""Results of EuroEval, one line of JSON for each model and data set.

The raw scores of its iterations are fractions and the totals percentages, so the mean of the raw ones is taken. Most of
its data sets are samples of others: ``squad`` has 2,048 test questions, which are not those of the board.
"""

from typing import Any

from db.importers import metric_names, values
from db.importers.result import ImportedFile, listed
from db.importers.safe_json import FileError, quoted, shown

_KEYS = {"dataset", "model", "results", "num_model_parameters", "validation_split"}
_ABOUT = {"max_sequence_length", "vocabulary_size", "few_shot", "generative"}


def takes(data: Any) -> bool:
    """Whether a JSON value is one result."""
    return isinstance(data, dict) and data.keys() >= _KEYS and isinstance(data["results"], dict)


def read(name: str, records: list[dict[str, Any]]) -> ImportedFile:
    """The claims of such a file.

    Raises:
        SubmissionError: None of its results has a figure of a test split that is known here.
    """
    drafts, unknown, notes = [], [], []
    for number, record in enumerate(records, 1):
        location = f"line {number:,}"
        if not takes(record):
            raise FileError(name, location, "no result of EuroEval as the lines before it are.")
        dataset = shown(record["dataset"], 60)
        if record["validation_split"]:
            unknown.append(f"{location}: {dataset} on the validation split")
            continue
        metrics, left = metric_names.collect(_means(record["results"]).items())
        unknown += [f"{location}: {key}" for key in left]
        if not metrics:
            unknown.append(f"{location}: {dataset}")
            continue
        training = {key: record[key] for key in sorted(_ABOUT) if isinstance(record.get(key), int)}
        draft: dict[str, Any] = {"task": f"EuroEval {dataset}"[:60], "metrics": metrics, "training": training}
        model = values.words(record["model"], 120)
        if model:
            draft["model"] = model
        params = values.whole(record["num_model_parameters"], least=1)
        if params:
            draft.update(params=params, params_source="typed")
        drafts.append(draft)
    if not drafts:
        raise FileError(name, "", "no result has a figure of a test split that is known here.")
    notes.append(
        "EuroEval scores samples of its own, so that its data sets are other tasks than the boards of those names: "
        f"{', '.join(dict.fromkeys(quoted(draft['task']) for draft in drafts))}."
    )
    return ImportedFile("benchmark", tuple(drafts), unknown=listed(unknown), notes=tuple(notes))


def _means(results: dict[str, Any]) -> dict[str, float]:
    """Means over the iterations, as fractions; of a result without them the totals, which are percentages."""
    raw = results.get("raw")
    rows = values.items(values.mapping(raw).get("test") if isinstance(raw, dict) else raw)
    rows = [row for row in rows if isinstance(row, dict)]
    means: dict[str, float] = {}
    for key in dict.fromkeys(key for row in rows for key in row):
        scores = [score for row in rows if (score := values.number(row.get(key))) is not None]
        if scores:
            means[key] = round(sum(scores) / len(scores), 12)
    if means:
        return means
    totals = values.mapping(results.get("total")).items()
    return {
        key: values.hundredth(score)
        for key, total in totals
        if not key.endswith("_se") and (score := values.number(total)) is not None and key.startswith("test_")
    }
