"""The page about review runs as it is printed."""

import re
from pathlib import Path

import comoderate.metrics as m
from comoderate import review

PAGE = Path(__file__).parents[2] / "docs" / "review.md"


def test_the_examples_run():
    names = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL):
        exec(compile(block, str(PAGE), "exec"), names)
    assert names["advice"].best in review.strategies()


def test_every_strategy_and_every_named_function_exists():
    text = PAGE.read_text()
    missing = [name for name in review.strategies() if f"`{name}`" not in text]
    assert not missing
    called = set(re.findall(r"`([a-z]+_[a-z_0-9]+)`", text))
    ours = {"cross_fit", "correct_prior", "arm_accuracy", "dawid_skene"}
    known = {*dir(m), *dir(review), *dir(review.Moderators), *review.strategies(), *ours}
    assert called <= known, called - known
