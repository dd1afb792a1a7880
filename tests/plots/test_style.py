import threading

import matplotlib
import pytest

from comoderate.plots.style import COLOURS, MARKERS, STYLES, colour, house_style, line_style, marker


def test_settings_hold_inside_only():
    before = matplotlib.rcParams["svg.fonttype"], matplotlib.rcParams["text.parse_math"]
    with house_style():
        assert matplotlib.rcParams["svg.fonttype"] == "none"
        assert matplotlib.rcParams["text.parse_math"] is False
    assert (matplotlib.rcParams["svg.fonttype"], matplotlib.rcParams["text.parse_math"]) == before


def test_settings_come_back_after_an_error():
    before = dict(matplotlib.rcParams)
    with pytest.raises(RuntimeError), house_style():
        raise RuntimeError
    assert dict(matplotlib.rcParams) == before


def test_one_thread_draws_at_a_time():
    inside, most = [0], [0]

    def draw():
        for _ in range(5):
            with house_style():
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                inside[0] -= 1

    threads = [threading.Thread(target=draw) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most[0] == 1


def test_series_start_again_after_the_last():
    assert (colour(len(COLOURS)), line_style(len(STYLES)), marker(len(MARKERS))) == (COLOURS[0], STYLES[0], MARKERS[0])
    assert len(set(COLOURS)) == len(COLOURS)
