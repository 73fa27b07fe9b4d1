"""What changed, as an Atom feed (RFC 4287)."""

import uuid
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pandas as pd

from db.base.clock import utc_now
from db.leaderboard.history import History
from db.registry import formats
from db.registry.metrics import known
from db.sharing import rendering
from db.sharing.words import task_name

MEDIA_TYPE = "application/atom+xml"

_WORDS = {
    "en": {
        "title": "Featherboard: what changed",
        "new": "New run: {model}{seed}, {score} on {task}",
        "best": "New best score on {task}: {model}{seed}, {score} (before: {former})",
        "replaced": "Replaced: {model}, {score} on {task} (before: {former})",
        "withdrawn": "Withdrawn: {model}, {score} on {task}",
        "seed": " (seed {seed})",
    },
    "ko": {
        "title": "Featherboard: 변경 내역",
        "new": "새 실행: {model}{seed}, {task} {score}",
        "best": "{task} 최고 점수 경신: {model}{seed}, {score} (이전 {former})",
        "replaced": "교체됨: {model}, {task} {score} (이전 {former})",
        "withdrawn": "철회됨: {model}, {task} {score}",
        "seed": " (시드 {seed})",
    },
}


def atom(changes: History, link: Callable[[str, str], str], home: str, language: str = "en") -> bytes:
    """Write the feed.

    Args:
        changes: What changed.
        link: Gives the address of an event's page from its run's id and its model.
        home: Address of the page that shows the same.
        language: ``en`` or ``ko``.
    """
    entries = [_entry(row, language, link) for row in changes.events.to_dict("records")]
    updated = entries[0]["updated"] if entries else _time(changes.shipped_at or utc_now())
    return rendering.render(
        "feed.xml",
        language=language,
        title=_WORDS[language]["title"],
        id=uuid.uuid5(uuid.NAMESPACE_URL, f"featherboard:changes:{language}"),
        updated=updated,
        home=home,
        entries=entries,
    ).encode()


def _entry(row: dict[Any, Any], language: str, link: Callable[[str, str], str]) -> dict[str, Any]:
    metric, task = known(str(row["metric"])), str(row["task_id"])
    text = _WORDS[language][row["kind"]].format(
        model=row["model"],
        seed="" if pd.isna(row["seed"]) else _WORDS[language]["seed"].format(seed=int(row["seed"])),
        task=task_name({"task_id": task, "name": row["task_name"]}, language),
        score=formats.value(metric, row["score"]),
        former=formats.value(metric, row["former"]),
    )
    key = f"featherboard:{row['run_id']}:{row['kind']}:{row['happened_at'].isoformat()}"
    return {
        "id": uuid.uuid5(uuid.NAMESPACE_URL, key),
        "title": text,
        "updated": _time(row["happened_at"]),
        "href": link(str(row["run_id"]), str(row["model"])),
        "category": row["kind"],
        "task": task,
        "summary": row["reason"] if pd.notna(row["reason"]) and row["reason"] else row["name"],
    }


def _time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%S}Z"
