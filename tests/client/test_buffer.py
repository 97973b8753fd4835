import threading

from hypothesis import given
from hypothesis import strategies as st

from steelyard.client.buffer import Batching, Buffer
from steelyard.client.payload import Outgoing

from .conftest import wait_until


def item(name: str = "e", size: int = 10, *, labelled: bool = False) -> Outgoing:
    return Outgoing(name, b"x" * size, labelled)


@given(
    sizes=st.lists(st.integers(1, 50), min_size=1, max_size=40),
    events=st.integers(1, 7),
    budget=st.integers(1, 80),
)
def test_batches_keep_order_and_limits(sizes: list[int], events: int, budget: int) -> None:
    buffer = Buffer(1_000, batching=Batching(events=events, bytes=budget, seconds=0))
    for number, size in enumerate(sizes):
        assert buffer.put(item(str(number), size))
    buffer.close()
    came: list[str] = []
    while batch := buffer.take():
        assert len(batch) <= events
        assert len(batch) == 1 or sum(len(one.body) for one in batch) <= budget
        came += [one.event_id for one in batch]
        buffer.done()
    assert came == [str(number) for number in range(len(sizes))]
    assert len(buffer) == 0


def test_it_is_bounded_by_count_and_by_bytes() -> None:
    buffer = Buffer(2, batching=Batching(), capacity_bytes=25)
    assert buffer.put(item(size=100)), "one event always fits an empty queue"
    assert not buffer.put(item())
    assert buffer.clear() == 1
    assert [buffer.put(item()) for _ in range(3)] == [True, True, False]


def test_a_waiting_put_gets_the_room_that_a_taker_makes() -> None:
    buffer = Buffer(1, batching=Batching(seconds=60))
    assert buffer.put(item("first"))
    taken: list[str] = []
    taker = threading.Thread(target=lambda: taken.extend(one.event_id for one in buffer.take()))
    taker.start()
    assert buffer.put(item("second"), wait=10)
    taker.join()
    assert taken == ["first"]


def test_a_waiting_put_gives_up_in_time() -> None:
    buffer = Buffer(1, batching=Batching())
    assert buffer.put(item())
    assert not buffer.put(item(), wait=0.01)


def test_waiting_for_idle_does_not_wait_for_the_interval() -> None:
    buffer = Buffer(10, batching=Batching(seconds=60))
    buffer.put(item())

    def settle() -> None:
        assert buffer.take()
        buffer.done()

    taker = threading.Thread(target=settle)
    taker.start()
    assert buffer.wait_idle(10)
    taker.join()
    assert not buffer.put(item()) or not buffer.wait_idle(0.01)


def test_closing_wakes_the_taker_and_lets_the_rest_out() -> None:
    buffer = Buffer(10, batching=Batching(seconds=60))
    got: list[int] = []

    def take_all() -> None:
        while batch := buffer.take():
            got.append(len(batch))
            buffer.done()

    taker = threading.Thread(target=take_all)
    taker.start()
    buffer.put(item())
    buffer.close()
    taker.join(10)
    assert got == [1]
    assert not buffer.put(item())
    wait_until(lambda: len(buffer) == 0)
