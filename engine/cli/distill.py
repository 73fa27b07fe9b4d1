"""The command that distils a student on running text."""

from typing import Annotated

import typer

from engine.base.errors import RecipeError
from engine.cli.options import DataOption, SeedOption, ThreadsOption, need_engine, ready_store
from engine.recipes import loader
from engine.recipes.schema import StudentConfig


def distill(
    name: Annotated[str, typer.Argument(metavar="RECIPE", help="A shipped recipe of a student, or a .toml file.")],
    data: DataOption = None,
    seed: SeedOption = None,
    overrides: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a key of the recipe; repeatable.")
    ] = None,
    threads: ThreadsOption = None,
) -> None:
    """Distil a student from its teacher by DistilBERT's triple loss, on the text of a folder.

    The teacher's head is fitted first where it is missing. A fine-tuning starts from the student when its recipe says
    model.source = "distilled:RECIPE". Ctrl-C leaves a run that `featherboard train --resume` goes on with.
    """
    wanted = loader.load(name, overrides or (), seed, mini=data is None)
    if not isinstance(wanted.model, StudentConfig):
        raise RecipeError(
            f"{name}: it has no student to distil (model.kind = {wanted.model.kind!r}). Recipes that learn from a "
            f"teacher's answers, and all others, are trained with: featherboard train {name}"
        )
    need_engine()
    from engine.workflows import evaluate  # noqa: PLC0415 - imports torch

    evaluate.train(ready_store(), wanted, data, tuple(overrides or ()), threads, name)
