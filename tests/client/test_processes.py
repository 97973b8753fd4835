"""Forks, exits and multiprocessing, each in an interpreter of its own."""

import subprocess
import sys
import textwrap
import time

from .conftest import Answer, ScriptedServer, wait_until


def run(server: ScriptedServer, program: str, *, timeout: float = 30) -> subprocess.CompletedProcess[str]:
    head = f"""
        import os, sys
        from steelyard import Client
        client = Client("k", {server.url!r}, flush_interval=60)
        """
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(head) + textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def test_at_exit_everything_is_sent(server: ScriptedServer) -> None:
    done = run(server, "for n in range(300): client.log(f'q{n}', ['a'])")
    assert (done.returncode, done.stderr) == (0, "")
    assert len(server.events) == 300


def test_at_exit_it_says_what_was_left(server: ScriptedServer) -> None:
    server.script = [Answer(503, headers={"retry-after": "300"})]
    start = time.monotonic()
    done = run(
        server,
        """
        import steelyard.client.outbox as outbox
        outbox.EXIT_SECONDS = 0.3
        client.log("q", ["a"]); client.log("q", ["a"])
        """,
    )
    assert done.returncode == 0
    assert "2 event(s) dropped: not sent within 0." in done.stderr
    assert time.monotonic() - start < 10


def test_a_forked_child_sends_its_own_events_and_not_its_parents(server: ScriptedServer) -> None:
    done = run(
        server,
        """
        client.log("parent before", ["a"])
        child = os.fork()
        client.log("child" if child == 0 else "parent after", ["a"])
        if child == 0:
            client.flush(10)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        """,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(event["task"] for event in server.events) == ["child", "parent after", "parent before"]


def test_a_fork_while_the_thread_is_busy_does_not_hang(server: ScriptedServer) -> None:
    done = run(
        server,
        """
        for round in range(20):
            for n in range(30):
                client.log("parent", ["a" * 5000])
            child = os.fork()
            if child == 0:
                client.log("child", ["a"])
                client.close(10)
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
        client.flush(20)
        """,
    )
    assert (done.returncode, done.stderr) == (0, "")
    tasks = [event["task"] for event in server.events]
    assert (tasks.count("parent"), tasks.count("child")) == (600, 20)


def test_children_of_multiprocessing_send_before_they_end(server: ScriptedServer) -> None:
    done = run(
        server,
        """
        import multiprocessing
        def work(n):
            client.log(f"child {n}", ["a"])
        context = multiprocessing.get_context("fork")
        children = [context.Process(target=work, args=(n,)) for n in range(2)]
        for child in children: child.start()
        for child in children: child.join()
        """,
    )
    assert (done.returncode, done.stderr) == (0, "")
    wait_until(lambda: len(server.events) == 2)


def test_logging_from_a_signal_handler_does_not_hang(server: ScriptedServer) -> None:
    done = run(
        server,
        """
        import signal
        def log_again(*_):
            client.log("signal", ["a"])
            signal.setitimer(signal.ITIMER_REAL, 0.0005)
        signal.signal(signal.SIGALRM, log_again)
        signal.setitimer(signal.ITIMER_REAL, 0.0005)
        for n in range(3000): client.log("main", ["a" * 500])
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        client.flush(20)
        assert client.stats.accepted == client.stats.logged > 3000, client.stats
        """,
    )
    assert (done.returncode, done.stderr) == (0, "")
