import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.models.battery import TEXTS, Y

from comoderate import models

ROOT = Path(__file__).parents[3]
SCRIPT = """
import sys
from comoderate import models
from comoderate.models.encoders import progress
from tests.models.battery import TEXTS, Y
backbone, method, folder = sys.argv[1:]
progress.EVERY = 0
scorer = models.Encoder(backbone=backbone, method=method, members=2, epochs=20, batch_size=4, patience=1000)
kept = {"checkpoint": folder + "/checkpoints", "checkpoint_every": 0.0}
scorer.fit(TEXTS, Y, progress=lambda now: print(now.done, now.total, flush=True), **kept)
scorer.save(folder + "/model", card={})
"""


class StopError(Exception):
    """Stands for Ctrl-C."""


def stopping(after):
    """A listener that breaks training off after some steps."""
    steps = []

    def listen(progress):
        steps.append(progress)
        if progress.done >= after:
            raise StopError

    return listen


@pytest.mark.parametrize("method", ["ensemble", "sngp_ensemble"])
@pytest.mark.parametrize("precision_update", ["exact", "moving_average"])
def test_a_broken_training_goes_on_to_the_same_weights(tuned, tmp_path, monkeypatch, method, precision_update):
    monkeypatch.setattr("comoderate.models.encoders.loop.KEEP_TIMES", 0)
    monkeypatch.setattr("comoderate.models.encoders.progress.EVERY", 0)
    settings = {"method": method, "members": 2, "validation_share": 0.3, "precision_update": precision_update}
    tuned(**settings).fit(TEXTS, Y).save(tmp_path / "whole", card={})
    for after in (2, 6, 7, 20, 23):
        with pytest.raises(StopError):
            tuned(**settings).fit(
                TEXTS, Y, checkpoint=tmp_path / "kept", checkpoint_every=0.0, progress=stopping(after)
            )
    begun = []
    scorer = tuned(**settings).fit(TEXTS, Y, checkpoint=tmp_path / "kept", progress=begun.append)
    assert begun[0].done >= 23
    scorer.save(tmp_path / "broken", card={})
    assert models.digest(tmp_path / "broken") == models.digest(tmp_path / "whole")


@pytest.mark.slow
@pytest.mark.parametrize("method", ["ensemble", "sngp"])
def test_killed_five_times_at_random(tiny, tmp_path, method):
    command = [sys.executable, "-c", SCRIPT, tiny, method]

    def run(folder, until=None):
        """Run to the end, or kill it once so many steps are done; gives the total."""
        total = 0
        with subprocess.Popen([*command, str(folder)], cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
            for line in process.stdout:
                done, total = map(int, line.split())
                if until is not None and done >= until:
                    process.kill()
        assert process.returncode == (0 if until is None else -9)
        return total

    total = run(tmp_path / "whole")
    for until in sorted(np.random.default_rng().integers(1, total - 20, 5)):
        run(tmp_path / "killed", until)
    run(tmp_path / "killed")
    assert models.digest(tmp_path / "killed" / "model") == models.digest(tmp_path / "whole" / "model")


def test_a_checkpoint_of_another_training_is_left_alone(tuned, tmp_path):
    tuned().fit(TEXTS, Y, checkpoint=tmp_path)
    other = [1 - y for y in Y]
    resumed = tuned().fit(TEXTS, other, checkpoint=tmp_path).predict_proba(TEXTS)
    assert (resumed == tuned().fit(TEXTS, other).predict_proba(TEXTS)).all()
    assert len(list(tmp_path.glob("*.safetensors"))) == 2


def test_half_a_checkpoint_counts_as_none(tuned, tmp_path):
    whole = tuned().fit(TEXTS, Y, checkpoint=tmp_path).predict_proba(TEXTS)
    (file,) = tmp_path.glob("*.safetensors")
    file.write_bytes(file.read_bytes()[:100])
    assert (tuned().fit(TEXTS, Y, checkpoint=tmp_path).predict_proba(TEXTS) == whole).all()


def test_progress_counts_to_the_end(tuned, monkeypatch):
    monkeypatch.setattr("comoderate.models.encoders.progress.EVERY", 0)
    told = []
    tuned(method="ensemble", members=2).fit(TEXTS, Y, progress=told.append)
    assert [one.done for one in told] == list(range(1, 41))
    assert {one.total for one in told} == {40}
    assert told[-1].seconds_left == 0
    assert "member 2 of 2, epoch 4, 100 %" in str(told[-1])


def test_the_learning_rate_rises_then_falls_to_nothing(tuned, monkeypatch):
    from comoderate.models.encoders.loop import Trainer

    shares = []
    original = Trainer._learning_share
    monkeypatch.setattr(
        Trainer, "_learning_share", lambda self, step: shares.append(original(self, step)) or shares[-1]
    )
    tuned(warmup=0.5).fit(TEXTS, Y)
    assert shares[:10] == pytest.approx(np.arange(1, 11) / 10)
    assert shares[10:] == pytest.approx(np.arange(10, 0, -1) / 10)
