"""Many changes as few."""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from db.storage.changes import KEYS, Change, Mode


@dataclass
class _Group:
    """Changes of one table, mode, form and set of columns that go in with one statement."""

    mode: Mode
    columns: tuple[str, ...]
    plain: bool
    parts: list[Change] = field(default_factory=list)


def merged(batch: Iterable[Change]) -> Iterator[Change]:
    """Yield as few changes as do the same as all of them in order.

    Changes of different rows may change places, so those of one kind are joined unless a change of another kind to
    one of their rows comes between them. Of the same row in one group the last stands; in mode ``insert`` the first.
    """
    groups: dict[str, list[_Group]] = {}
    last: dict[tuple[str, Hashable], int] = {}
    for change in batch:
        if not len(change.rows):
            continue
        name, of_table = KEYS[change.table][0], groups.setdefault(change.table, [])
        if isinstance(change.rows, list):
            keys = {(change.table, row[name]) for row in change.rows}
        else:
            keys = {(change.table, key) for key in pc.unique(change.arrow()[name]).to_pylist()}
        start = max((last.get(key, 0) for key in keys), default=0)
        kind = (change.mode, change.columns, isinstance(change.rows, list))
        index = next(
            (
                index
                for index, group in enumerate(of_table[start:], start)
                if (group.mode, group.columns, group.plain) == kind
            ),
            len(of_table),
        )
        if index == len(of_table):
            of_table.append(_Group(*kind))
        of_table[index].parts.append(change)
        last.update(dict.fromkeys(keys, index))
    for table, of_table in groups.items():
        for group in of_table:
            if len(group.parts) == 1:
                yield group.parts[0]
            else:
                yield Change(table, _plain(table, group) if group.plain else _joined(table, group), group.mode)


def _plain(table: str, group: _Group) -> list[dict[str, object]]:
    rows = [(number, row) for number, part in enumerate(group.parts) for row in part.rows]
    if group.mode == "replace":
        (name, *_) = KEYS[table]
        final = {row[name]: number for number, row in rows}
        return [row for number, row in rows if final[row[name]] == number]
    keys = KEYS[table]
    stands: dict[tuple[Hashable, ...], dict[str, object]] = {}
    for _, row in rows:
        key = tuple(row[name] for name in keys)
        if group.mode == "insert":
            stands.setdefault(key, row)
        else:
            stands[key] = row
    return list(stands.values())


def _joined(table: str, group: _Group) -> pa.Table:
    parts = [part.arrow().replace_schema_metadata(None) for part in group.parts]
    rows = pa.concat_tables(parts, promote_options="permissive")
    if group.mode == "replace":
        part = pa.array([number for number, part in enumerate(parts) for _ in range(len(part))])
        key = rows[KEYS[table][0]]
        final = pa.table({"key": key, "part": part}).group_by("key").aggregate([("part", "max")])
        return rows.filter(pc.equal(final["part_max"].take(pc.index_in(key, final["key"])), part))
    keys = list(KEYS[table])
    stands = "min" if group.mode == "insert" else "max"
    positions = rows.select(keys).append_column("_row", pa.array(range(len(rows))))
    wins = positions.group_by(keys).aggregate([("_row", stands)])[f"_row_{stands}"]
    return rows if len(wins) == len(rows) else rows.take(wins.sort())
