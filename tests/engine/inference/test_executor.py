"""The executor: one thread, in the order of arrival, with an end to waiting."""

import threading
import time

import pytest

from engine.inference.model_cache import InferenceExecutor
from engine.inference.schemas import BusyError, LateError


def test_work_is_done_by_one_thread_in_the_order_of_arrival() -> None:
    executor, done, places = InferenceExecutor(), [], []
    gate = threading.Event()
    first = threading.Thread(target=lambda: executor.do(gate.wait))
    first.start()
    others = []
    for number in range(8):
        others.append(
            threading.Thread(
                target=lambda n=number: executor.do(lambda: (done.append(n), places.append(threading.get_ident())))
            )
        )
        others[-1].start()
        while executor.waiting < number + 2:
            time.sleep(0.001)
    gate.set()
    for thread in [first, *others]:
        thread.join(10)
    assert done == list(range(8))
    assert len(set(places)) == 1
    assert threading.get_ident() not in places
    assert executor.waiting == 0


def test_what_fails_fails_for_its_owner_alone() -> None:
    executor = InferenceExecutor()
    with pytest.raises(ZeroDivisionError):
        executor.do(lambda: 1 / 0)
    assert executor.do(lambda: 2) == 2


def test_a_time_out_of_the_work_itself_is_not_taken_for_ours() -> None:
    def work() -> None:
        raise TimeoutError("a socket")

    with pytest.raises(TimeoutError, match="a socket") as caught:
        InferenceExecutor().do(work, 5)
    assert not isinstance(caught.value, LateError)


def test_nobody_waits_longer_than_they_want_and_what_waited_is_not_done() -> None:
    executor, gate, done = InferenceExecutor(), threading.Event(), []
    holder = threading.Thread(target=lambda: executor.do(gate.wait))
    holder.start()
    with pytest.raises(LateError, match=r"within 0\.05 s"):
        executor.do(lambda: done.append(1), 0.05)
    gate.set()
    holder.join(10)
    assert executor.do(lambda: "next") == "next"
    assert done == []
    assert executor.waiting == 0


def test_a_full_desk_sends_people_away_at_once() -> None:
    executor, gate = InferenceExecutor(max_waiting=2), threading.Event()
    holders = [threading.Thread(target=lambda: executor.do(gate.wait)) for _ in range(2)]
    for holder in holders:
        holder.start()
    while executor.waiting < 2:
        time.sleep(0.001)
    with pytest.raises(BusyError, match="2 answers"):
        executor.do(lambda: None)
    gate.set()
    for holder in holders:
        holder.join(10)
    assert executor.do(lambda: 1) == 1


def test_a_closed_desk_does_nothing_and_counts_nothing() -> None:
    executor = InferenceExecutor()
    executor.close()
    with pytest.raises(RuntimeError):
        executor.do(lambda: 1)
    assert executor.waiting == 0
