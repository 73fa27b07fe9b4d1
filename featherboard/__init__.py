"""Log runs to the leaderboard from any training code, and read boards back as tables.

import featherboard as fb

with fb.init(task="nsmc", model="my-bilstm", params=model, config={"lr": 1e-3}, seed=0) as run:
for step, loss in enumerate(train()):
run.log({"train/loss": loss}, step=step)
run.finish(predictions="predictions.csv", checkpoint="out/")
"""

from db.tracking.boards import board, compare, run
from db.tracking.run import Run
from db.tracking.start import init
from db.tracking.watch import watch

__all__ = ["Run", "board", "compare", "init", "run", "watch"]
