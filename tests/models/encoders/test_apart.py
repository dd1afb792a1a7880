"""Members trained at the same time are those trained one by one."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.models.battery import TEXTS, Y

from comoderate import models
from comoderate.errors import ComoderateError
from comoderate.models.encoders import apart

ROOT = Path(__file__).parents[3]
SCRIPT = """
import signal
import sys
import torch
from comoderate import models
from tests.models.battery import TEXTS, Y
if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job would ignore it
    torch.set_num_threads(1)
    backbone, folder = sys.argv[1:]
    settings = {"members": 3, "epochs": 4000, "batch_size": 4, "validation_share": 0.0}  # never ends by itself
    scorer = models.Encoder(backbone=backbone, method="ensemble", at_once=2, **settings)
    scorer.fit(TEXTS, Y, checkpoint=folder, checkpoint_every=0.1, progress=lambda now: print(now, flush=True))
"""


@pytest.mark.slow
def test_the_same_weights_as_one_by_one(tuned, tmp_path, monkeypatch):
    settings = {"method": "sngp_ensemble", "members": 3, "validation_share": 0.3}
    alone = tuned(**settings).fit(TEXTS, Y, checkpoint=tmp_path / "alone")
    told = []
    team = tuned(**settings, at_once=2).fit(TEXTS, Y, progress=told.append)
    assert (team.predict_proba(TEXTS) == alone.predict_proba(TEXTS)).all()
    assert team.history_ == alone.history_
    assert {one.members for one in told} == {3}
    assert [one.done for one in told] == sorted(one.done for one in told)
    assert told[-1].total == told[0].total
    monkeypatch.delattr(apart.Team, "_start")  # finished members start no process
    again = tuned(**settings, at_once=3).fit(TEXTS, Y, checkpoint=tmp_path / "alone")
    assert (again.predict_proba(TEXTS) == alone.predict_proba(TEXTS)).all()


@pytest.mark.slow
def test_frozen_vectors_are_computed_once(tuned, tmp_path):
    settings = {"method": "ensemble", "members": 2, "frozen": True, "epochs": 2}
    alone = tuned(**settings).fit(TEXTS, Y).predict_proba(TEXTS)
    assert (tuned(**settings, at_once=2).fit(TEXTS, Y).predict_proba(TEXTS) == alone).all()


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_no_process_outlives_the_caller(tiny, tmp_path, how):
    command = [sys.executable, "-c", SCRIPT, tiny, str(tmp_path)]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
    ) as process:
        assert "of 3, epoch" in next(process.stdout)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        assert len(children) >= 2
        process.send_signal(how)
        process.wait(60)
        until = time.monotonic() + 60
        while any(Path(f"/proc/{child}/exe").exists() and alive(int(child)) for child in children):
            assert time.monotonic() < until
            time.sleep(0.1)
    assert process.returncode != 0


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"


class Pipe:
    """Stands for the pipe to the caller."""

    def __init__(self):
        self.sent = []

    def send(self, told):
        self.sent.append(told)


def trained(tuned, folder, monkeypatch, **given):
    """What the process of the second member tells, run here."""
    monkeypatch.setattr("comoderate.models.encoders.progress.EVERY", 0)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    settings = tuned(method="ensemble", members=2, at_once=2).get_params()
    nothing = dict.fromkeys(["sample_weight", "groups", "validation", "offset", "follow_ups"])
    call = apart.Call("encoder", settings, {"texts": TEXTS, "y": Y, **nothing, **given}, folder, 60.0)
    pipe = Pipe()
    apart.train_one(call, 1, 1, pipe)
    return pipe.sent


def test_a_process_trains_its_member_and_tells(tuned, tmp_path, monkeypatch):
    *told, last = trained(tuned, tmp_path, monkeypatch)
    assert last is None
    assert [one.done for one in told] == list(range(1, told[0].total + 1))
    assert [path.name[-14:] for path in tmp_path.iterdir()] == ["-1.safetensors"]
    scorer = tuned(method="ensemble", members=2).fit(TEXTS, Y, checkpoint=tmp_path)
    assert (scorer.predict_proba(TEXTS) == tuned(method="ensemble", members=2).fit(TEXTS, Y).predict_proba(TEXTS)).all()


def test_a_process_says_what_went_wrong(tuned, tmp_path, monkeypatch):
    (problem,) = trained(tuned, tmp_path, monkeypatch, y=[0.0] * len(TEXTS))
    assert isinstance(problem, str)


def test_a_failed_process_is_an_error_and_the_others_end():
    class Process:
        ended = 0

        def terminate(self):
            Process.ended += 1

        def join(self):
            pass

    class Failed(apart.Team):
        def _start(self, member):
            here, there = apart.multiprocessing.Pipe(duplex=False)
            self.running[here] = (member, Process())
            self.ends = [*getattr(self, "ends", []), there]
            if member == 0:
                there.send("no memory")

    call = apart.Call("encoder", {}, {}, Path(), 60.0)
    with pytest.raises(ComoderateError, match="member 1 was not trained: no memory"):
        Failed(call, [0, 1], at_once=2, n_members=2, steps=5, listener=None).train()
    assert Process.ended == 1


def test_settings(tiny):
    with pytest.raises(ComoderateError, match="at_once"):
        models.Encoder(backbone=tiny, at_once=0).fit(TEXTS, Y)
