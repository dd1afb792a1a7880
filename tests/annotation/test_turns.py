"""Writers come in the order in which they asked, also those of other processes, also after one was killed."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from comoderate.annotation.turns import Line, WritersTurn

HOLD = """
import sys, time
from pathlib import Path
from comoderate.annotation.turns import WritersTurn
with WritersTurn(Path(sys.argv[1])):
    print("in", flush=True)
    time.sleep(600)
"""


def test_waiters_are_called_in_the_order_in_which_they_asked():
    line, order = Line(), []

    def wait(number):
        line.acquire()
        order.append(number)
        line.release()

    line.acquire()
    threads = []
    for number in range(8):
        threads.append(threading.Thread(target=wait, args=(number,)))
        threads[-1].start()
        while len(line._waiting) <= number:
            time.sleep(0.001)
    line.release()
    for thread in threads:
        thread.join()
    assert order == list(range(8))
    line.acquire()
    line.release()


def test_another_process_waits_and_gets_its_turn_from_a_killed_one(tmp_path):
    path = tmp_path / "a.db"
    with subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "in\n"
        got = threading.Event()

        def wait():
            with WritersTurn(path):
                got.set()

        thread = threading.Thread(target=wait)
        thread.start()
        assert not got.wait(0.2)
        os.kill(holder.pid, signal.SIGKILL)
        thread.join()
        assert got.is_set()


def test_an_error_inside_ends_the_turn(tmp_path):
    turn = WritersTurn(tmp_path / "a.db")
    for _ in range(2):
        with pytest.raises(KeyError), turn:
            raise KeyError


def test_a_thread_that_is_writing_is_told_so_instead_of_waiting_for_itself(tmp_path):
    turn = WritersTurn(tmp_path / "a.db")
    with turn, pytest.raises(RuntimeError, match="writing already"), turn:
        pass
    with turn:
        pass


def test_where_no_file_can_be_made_threads_still_take_turns(tmp_path):
    turn, inside = WritersTurn(tmp_path / "missing" / "a.db"), []
    for k in range(2):
        with turn:
            inside.append(k)
    assert inside == [0, 1]
