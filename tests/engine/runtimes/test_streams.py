"""Who runs the commands of a stream, and in which order."""

from __future__ import annotations

import threading

import pytest

from heteroopt.runtimes.streams import Stream


@pytest.fixture
def stream() -> Stream:
    """One whose own thread runs nothing any more, as on a host without a core for it."""
    made = Stream(0)
    made.close()
    made._thread.join(60.0)
    return made


def test_who_waits_runs_what_may_run_anywhere_in_order(stream):
    ran: list[tuple[str, threading.Thread]] = []
    for name in "abc":
        event = stream.submit(lambda name=name: ran.append((name, threading.current_thread())), anywhere=True)
    stream.help(event.sequence - 1)
    assert [name for name, _ in ran] == ["a", "b"]
    stream.help(event.sequence)
    assert ran == [(name, threading.current_thread()) for name in "abc"]
    assert stream.done(event.sequence)


def test_nothing_overtakes_what_only_the_streams_thread_may_run(stream):
    ran: list[str] = []
    stream.submit(lambda: ran.append("program"))
    copy = stream.submit(lambda: ran.append("copy"), anywhere=True)
    stream.help(copy.sequence)
    assert ran == []
    assert not stream.done(copy.sequence)


def test_a_command_in_progress_is_left_to_whoever_runs_it():
    stream, begun, end = Stream(0), threading.Event(), threading.Event()
    ran: list[str] = []
    stream.submit(lambda: (begun.set(), end.wait(60.0), ran.append("first"))[2])
    second = stream.submit(lambda: ran.append("second"), anywhere=True)
    assert begun.wait(60.0)
    stream.help(second.sequence)
    assert ran == []
    end.set()
    assert stream.wait(second.sequence, 60.0)
    assert ran == ["first", "second"]
    stream.close()


def test_times_can_be_asked_while_others_are_noted():
    stream, wrong = Stream(0), []
    first = stream.submit(lambda: 0.5)
    assert stream.wait(first.sequence, 60.0)

    def ask() -> None:
        try:
            while not stream.done(2000):
                assert stream.elapsed_s(first.sequence) == 0.5
                stream.failure(first.sequence)
        except Exception as error:
            wrong.append(error)

    asking = threading.Thread(target=ask)
    asking.start()
    for _ in range(1999):
        last = stream.submit(lambda: 0.0)
    assert stream.wait(last.sequence, 60.0)
    asking.join(60.0)
    assert wrong == []
    stream.close()
