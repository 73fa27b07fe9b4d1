"""The command that chooses which pieces of a packaged encoder's vocabulary stay."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from engine.base.errors import DataError
from engine.cli.options import need_engine, out

CHUNK = 1000
"""Texts that are tokenized at once."""


def cut_vocabulary(
    target: Annotated[Path, typer.Argument(metavar="FILE", help="The list to write; it must not exist.")],
    data: Annotated[Path, typer.Option("--data", help="The folder that holds the texts.")],
    corpora: Annotated[
        list[str] | None,
        typer.Option(
            "--texts",
            help="FILE:COLUMN below the folder, FILE:COLUMN:distinct to count a text once; repeatable. Default: those "
            "of the shipped list.",
        ),
    ] = None,
    min_count: Annotated[int, typer.Option("--min-count", min=1, help="Pieces that occur less often are cut.")] = 3,
) -> None:
    """Choose the pieces of multilingual-e5-small that stay, by how often they occur in some texts.

    A list that replaces the shipped one makes another encoder: adapters of the shipped models no longer fit it.
    """
    need_engine()
    from engine.networks import packaged_e5  # noqa: PLC0415 - imports tokenizers

    if target.exists():
        raise DataError(f"{target} exists already. Nothing was written; name another file.")
    names = tuple(corpora or packaged_e5.shipped_pieces().corpora)
    pieces = packaged_e5.choose_pieces(packaged_e5.read_packaged(), _texts(data, names), names, min_count)
    target.write_text(pieces.to_json(), "utf-8")
    out.print(f"{target}: {len(pieces.ids()):,} pieces of {packaged_e5.PIECES:,} stay", markup=False)


def _texts(folder: Path, names: tuple[str, ...]) -> Iterator[list[str]]:
    """The texts of the named columns in portions.

    Raises:
        DataError: A file or a column is missing.
    """
    from engine.data import tables  # noqa: PLC0415 - imports pyarrow

    for name in names:
        file, column, *options = name.split(":")
        table = tables.open_table(folder / file)
        seen: set[str] = set()
        for chunk in table.chunks(tables.text_column(table, column), CHUNK):
            texts = [text for text in chunk.texts if text and text not in seen]
            if options == ["distinct"]:
                texts = list(dict.fromkeys(texts))
                seen.update(texts)
            yield texts
