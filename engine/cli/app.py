"""The ``featherboard`` command.

    featherboard demo                          # a first board on the shipped mini corpora
    featherboard train kobilstm-tiny           # one recipe on its mini corpus
    featherboard train kobilstm-tiny --data ~/nsmc --seed 1 --set train.epochs=10
    featherboard distill minilm-l3 --data ~/english-text
    featherboard pretrain small-bert-8k-lm --data ~/korean-text
    featherboard sweep kobilstm-tiny --grid train.lr=0.001,0.003 --seeds 0,1,2
    featherboard predict sentiment "..."
    featherboard predict nli "A man sleeps." "Nobody is awake."
    featherboard ask --context notes.txt --question "..."
    featherboard bench --device-name "Raspberry Pi 5, 8 GB"
    featherboard task new reviews.csv          # a board for data of your own
    featherboard export feedback wrong.json    # reported answers as labelled examples
    featherboard serve                         # the board in a browser
    featherboard submit all_results.json --set task=nsmc --set model=MyModel
    featherboard serve-api                     # predictions and the board for other programs

Modules that import torch are imported inside the commands that need them: the database and the board work without.
"""

import sys

import typer
from rich.console import Console

from db.base.errors import FeatherboardError
from engine.cli import (
    ask,
    bench,
    board,
    database,
    export,
    moderate,
    nli,
    predict,
    publish,
    submissions,
    sweep,
    task,
    vocabulary,
)
from engine.cli import serve as service
from engine.cli import train as training

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Train, distil, evaluate and compare small language models; every run goes to one DuckDB file.",
)
app.command("list")(board.list_things)
app.command()(training.train)
app.command()(training.distill)
app.command()(training.pretrain)
app.command()(sweep.sweep)
app.command()(training.evaluate)
app.command()(publish.publish)
app.command()(vocabulary.cut_vocabulary)
app.command()(ask.ask)
app.command()(bench.bench)
app.command()(board.compare)
app.command()(board.demo)
app.command()(board.serve)
app.command()(submissions.submit)
app.command()(submissions.verify)
app.command("serve-api")(service.serve_api)

predict_app = typer.Typer(no_args_is_help=True, help="Ask a trained model about texts of your own.")
predict_app.command("sentiment")(predict.sentiment)
predict_app.command("nli")(nli.nli)
app.add_typer(predict_app, name="predict")

db_app = typer.Typer(no_args_is_help=True, help="Make, check and move the database.")
db_app.command("init")(database.init)
db_app.command("check")(database.check)
db_app.command("digest")(database.digest)
db_app.command("export")(database.export)
db_app.command("import")(database.import_)
db_app.command("push")(database.push)
db_app.command("listen", hidden=True)(database.listen)
app.add_typer(db_app, name="db")

task_app = typer.Typer(no_args_is_help=True, help="Boards for data of your own.")
task_app.command("new")(task.new)
task_app.command("add")(task.add)
task_app.command("list")(task.list_tasks)
task_app.command("remove")(task.remove)
app.add_typer(task_app, name="task")

export_app = typer.Typer(no_args_is_help=True, help="Write what the board holds to files of common forms.")
export_app.command("feedback")(export.feedback)
app.add_typer(export_app, name="export")
moderate_app = typer.Typer(
    no_args_is_help=True, help="Look at what was submitted and decide on it, with FEATHERBOARD_MODERATOR_TOKEN."
)
moderate_app.command("list")(moderate.list_submissions)
moderate_app.command("show")(moderate.show)
moderate_app.command("accept")(moderate.accept)
moderate_app.command("reject")(moderate.reject)
moderate_app.command("merge")(moderate.merge)
moderate_app.command("withdraw")(moderate.withdraw)
app.add_typer(moderate_app, name="moderate")


def main() -> None:
    """Run the command line; errors that are meant for a person are printed in one line."""
    try:
        app()
    except (FeatherboardError, OSError) as error:
        Console(stderr=True, highlight=False, soft_wrap=True).print(f"Error: {error}", style="red", markup=False)
        sys.exit(1)
