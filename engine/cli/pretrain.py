"""The command that pretrains a BERT on running text."""

from typing import Annotated

import typer

from engine.base.errors import RecipeError
from engine.cli.options import DataOption, SeedOption, ThreadsOption, need_engine, ready_store
from engine.recipes import loader
from engine.recipes.schema import BertConfig


def pretrain(
    name: Annotated[str, typer.Argument(metavar="RECIPE", help="A shipped recipe of a BERT, or a .toml file.")],
    data: DataOption = None,
    seed: SeedOption = None,
    overrides: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a key of the recipe; repeatable.")
    ] = None,
    threads: ThreadsOption = None,
    vocabulary_only: Annotated[
        bool, typer.Option("--vocabulary-only", help="Learn the vocabulary and stop: for models without pretraining.")
    ] = False,
) -> None:
    """Pretrain a BERT from random weights on the text of a folder: hidden words and, if the recipe says so, pairs.

    Its vocabulary is learned from the text first. A fine-tuning starts from the run when its recipe says model.source =
    "pretrained:RECIPE". Ctrl-C leaves a run that `featherboard train --resume` goes on with.
    """
    wanted = loader.load(name, overrides or (), seed, mini=data is None)
    if not isinstance(wanted.model, BertConfig):
        raise RecipeError(
            f"{name}: it has no BERT to pretrain (model.kind = {wanted.model.kind!r}). Such recipes are trained with: "
            f"featherboard train {name}"
        )
    need_engine()
    from engine.workflows import evaluate  # noqa: PLC0415 - imports torch

    store, changes = ready_store(), tuple(overrides or ())
    if vocabulary_only:
        evaluate.learn_vocabulary(store, wanted, data)
    else:
        evaluate.train(store, wanted, data, changes, threads, name)
