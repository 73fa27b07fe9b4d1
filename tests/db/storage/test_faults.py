"""Every system call of an operation fails once, or is the last one: nothing acknowledged is lost, nothing comes twice.

``python -m tests.db.storage.test_faults [TRIALS [FAULT ...]]`` prints the table of docs/storage.md, by default of every
call and fault.
"""

import sys
import tempfile
from pathlib import Path

import pytest

from tests.factories import faults
from tests.factories.faults import operations

SLICE = [
    ("write", "kill half-way"),
    ("training", "no space"),
    ("take-in", "kill half-way"),
    ("write", "interrupt"),
    ("create", "power cut"),
    ("append", "power cut"),
    ("take-in", "power cut"),
    ("backup", "read-only"),
]
"""What is tried in `make test`, at four calls each; all of all in `make test-slow`."""

ABORTS = ("disk error", "read-only")
"""Where DuckDB cannot cut off its write-ahead log after a failed write, it ends the process, as
the library that writes checkpoints does when its memory is short: it is as after a kill."""

needs_compiler = pytest.mark.skipif(faults.library() is None, reason="there is no C compiler")


def problems(operation: str, kind: str, trial: faults.Trial) -> list[str]:
    """Say what is wrong after a trial."""
    facts = operations.OPERATIONS[operation]
    runs, again = set(trial.state["runs"]), set(trial.again["runs"])
    new = facts.attempted & runs
    lost = (facts.before | (set(trial.acknowledged) & facts.attempted)) - runs
    checks = {
        f"lost {sorted(lost)}": lost,
        f"only {sorted(new)} of {sorted(facts.attempted)}": new and new != facts.attempted,
        f"{sorted(runs)} came from nowhere": runs - facts.attempted - facts.before,
        f"after it was repeated: {sorted(again)}": again != facts.before | facts.attempted,
        f"no words: {trial.error}": trial.error and not trial.for_people,
    }
    if not kind.startswith(("kill", "power")):
        checks |= {
            f"left {trial.left}": kind != "read-only" and trial.left,  # there it cannot be deleted
            "a good batch was set aside": trial.state["rejected"],
            "crashed": trial.crashed and kind not in ABORTS and (operation, kind) != ("checkpoint", "short memory"),
        }
    for state in (trial.state, trial.again):
        checks |= {
            f"doubled {state['runs']}": len(state["runs"]) != len(set(state["runs"])),
            f"half a run {state['half']}": state["half"],
            f"the copy holds {state['copied']}": state["copied"] not in (None, sorted(facts.before)),
        }
    return [text for text, applies in checks.items() if applies]


def _hold(operation: str, kind: str, folder: Path, at_most: int | None) -> None:
    trials = faults.run(operation, kind, folder, at_most)
    assert trials
    assert any(trial.fired for trial in trials)
    wrong = {trial.n: text for trial in trials if (text := problems(operation, kind, trial))}
    assert wrong == {}


@needs_compiler
@pytest.mark.parametrize(("operation", "kind"), SLICE)
def test_a_fault_loses_nothing(operation: str, kind: str, tmp_path: Path) -> None:
    """A few calls of the main operations."""
    _hold(operation, kind, tmp_path, 4)


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("kind", faults.KINDS)
@pytest.mark.parametrize("operation", operations.OPERATIONS)
def test_a_fault_at_any_call_loses_nothing(operation: str, kind: str, tmp_path: Path) -> None:
    """Every call of every operation."""
    _hold(operation, kind, tmp_path, None)


if __name__ == "__main__":
    limit = int(sys.argv[1]) if sys.argv[1:] else None
    print("| operation | fault | trials | lost | doubled or half | crashed | other | message |")
    print("|---" * 8 + "|")
    for name in operations.OPERATIONS:
        for fault in sys.argv[2:] or faults.KINDS:
            with tempfile.TemporaryDirectory() as folder:
                done = faults.run(name, fault, Path(folder), limit, timeout_s=3600)
            wrong = [text for trial in done for text in problems(name, fault, trial)]
            lost = sum(text.startswith("lost") for text in wrong)
            twice = sum("doubled" in text or "half a run" in text for text in wrong)
            shown = next((trial.error for trial in done if trial.error), "").replace(folder + "/", "")
            crashed = sum(trial.crashed for trial in done)
            cells = (name, fault, len(done), lost, twice, crashed, len(wrong) - lost - twice, shown)
            print("| " + " | ".join(map(str, cells)) + " |", flush=True)
            for text in sorted(set(wrong)):
                print(f"    {text}", flush=True)
