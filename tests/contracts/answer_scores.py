"""F1 and exact match of each answer in shipped bundles that withhold texts, from the data set's files.

    python -m tests.contracts.answer_scores DIR     # DIR holds squad/ and korquad/; rewrites the bundles

A withheld answer is a hash of the text cut from a paragraph: the text is the piece of the paragraph that has the hash.
Nothing is written unless every answer is resolved and the means are the figures that are recorded.
"""

import argparse
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from importlib import resources
from pathlib import Path

import numpy as np
import pandas as pd

from db.base.clock import utc_now
from db.runs import bundles
from db.statistics import qa_scoring
from db.storage import changes
from db.storage.changes import Change
from engine.families.span_qa import questions
from engine.families.span_qa.questions import Question

LANGUAGES = {"squad": "en", "korquad-articles": "ko"}
TOLERANCE = 1e-6
LONGEST_WORDS, LONGEST = 50, 260


def pieces(context: str) -> Iterator[str]:
    """Yield pieces of a text that may be answers: from word to word, then those that begin or end within a word."""
    words = [match.span() for match in re.finditer(r"\w+|[^\w\s]", context)]
    for first, (start, _) in enumerate(words):
        for _, end in words[first : first + LONGEST_WORDS]:
            yield context[start:end]
    starts, ends = ({span[side] for span in words} for side in (0, 1))
    for start in range(len(context)):
        for end in range(start + 1, min(len(context), start + LONGEST) + 1):
            if start in starts or end in ends:
                yield context[start:end]
    for start in range(len(context)):
        for end in range(start + 1, min(len(context), start + LONGEST // 2) + 1):
            yield context[start:end]


def resolve(language: str, stand_ins: Iterable[str], candidates: Iterable[str]) -> dict[str, str]:
    """Find the text of each stand-in among candidates; those that none of them has are left out."""
    rules, missing = qa_scoring.RULES[language], set(stand_ins)
    texts: dict[str, str] = {}
    for candidate in candidates:
        if not missing:
            break
        name = qa_scoring.withheld(rules, candidate)
        if name in missing:
            texts[name] = candidate
            missing.discard(name)
    return texts


def scored(
    predictions: pd.DataFrame,
    language: str,
    by_id: dict[str, Question],
    text_of: Callable[[str, set[str]], dict[str, str]],
) -> pd.DataFrame:
    """Fill ``f1`` and ``em`` of one run.

    Args:
        predictions: Of one run, answers withheld.
        language: Of the task.
        by_id: The questions of the split.
        text_of: Resolves the stand-ins of one paragraph.
    """
    stand_ins: dict[str, set[str]] = defaultdict(set)
    for example_id, answer in predictions[["example_id", "predicted"]].itertuples(index=False):
        if answer:
            stand_ins[by_id[example_id].context].add(answer)
    texts = {context: text_of(context, names) for context, names in stand_ins.items()}
    rules = qa_scoring.RULES[language]
    pairs = []
    for example_id, answer in predictions[["example_id", "predicted"]].itertuples(index=False):
        question = by_id[example_id]
        text = texts[question.context][answer] if answer else ""
        pairs.append(qa_scoring.best(rules, text, [gold.text for gold in question.answers]))
    exact, overlap = np.array(pairs, dtype=np.float64).T
    return predictions.assign(f1=overlap.astype(np.float32), em=exact.astype(np.float32))


def completed(name: str, content: bytes, splits: dict[str, dict[str, Question]], text_of: Callable[..., dict]) -> bytes:
    """A bundle with the scores of its text answers; the same bytes where it has none."""
    batch = changes.unpack(content, bundles.KIND, name)
    tables = {change.table: change.rows for change in batch}
    predictions, parts = tables["predictions"], []
    runs = tables["runs"].set_index("run_id")
    answering = [run_id for run_id in predictions["run_id"].unique() if runs.loc[run_id, "task_id"] in LANGUAGES]
    if not answering:
        return content
    for run_id, rows in predictions.groupby("run_id", sort=False):
        task_id = runs.loc[run_id, "task_id"]
        if task_id not in LANGUAGES:
            parts.append(rows)
            continue
        language = LANGUAGES[task_id]
        full = scored(
            rows, language, splits[task_id], lambda context, names, own=language: text_of(own, context, names)
        )
        recorded = tables["metrics"].loc[tables["metrics"]["run_id"] == run_id].set_index("name")["value"]
        for metric in ("f1", "em"):
            difference = abs(full[metric].astype(float).mean() - recorded[metric])
            if difference > TOLERANCE:
                raise SystemExit(f"{name}, run {run_id}: {metric} differs by {difference}; nothing was written.")
        parts.append(full)
        print(f"{name} {run_id[:8]}: F1 {full['f1'].mean():.6f}, recorded {recorded['f1']:.6f}", flush=True)
    changed = tables["runs"].copy()
    changed.loc[changed["run_id"].isin(answering), "updated_at"] = pd.Timestamp(utc_now())
    fresh = {"predictions": pd.concat(parts, ignore_index=True), "runs": changed}
    again = [Change(change.table, fresh.get(change.table, change.rows), change.mode) for change in batch]
    return changes.pack(again, bundles.KIND, {"runs": len(changed)})


def main() -> None:
    """Rewrite the shipped bundles."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    data = parser.parse_args().data
    splits = {
        "squad": {q.id: q for q in questions.load_split("squad", str(data / "squad"), "test").questions},
        "korquad-articles": {q.id: q for q in questions.load("korquad-articles", str(data)).test.questions},
    }
    folder = Path(str(resources.files("db.bootstrap") / "results" / "measured"))
    for name, content in bundles.shipped():
        result = completed(
            name, content, splits, lambda language, context, names: resolve(language, names, pieces(context))
        )
        if result != content:
            (folder / name).write_bytes(result)


if __name__ == "__main__":
    main()
