"""Stages are made when stale, in order, and only then."""

import pytest

from comoderate.errors import ComoderateError
from comoderate.study.artefacts import Artefacts
from comoderate.study.stages import Pipeline, Silent, Stage


class World:
    """Four stages in a folder: a → b → c, and d, which b only needs."""

    def __init__(self, folder, little):
        self.folder, self.heard, self.settings = folder, little.Heard(), dict.fromkeys("abcd", 0)
        self.failing = None

    def pipeline(self, formats=None):
        inputs, needs = {"b": ("a",), "c": ("b",)}, {"b": ("d",)}
        stages = [
            Stage(
                name=name,
                settings=self.settings[name],
                make=lambda name=name: self.make(name),
                outputs=(self.folder / name,),
                inputs=inputs.get(name, ()),
                needs=needs.get(name, ()),
                format=(formats or {}).get(name, 1),
            )
            for name in "abcd"
        ]
        return Pipeline({stage.name: stage for stage in stages}, Artefacts(self.folder), self.heard)

    def make(self, name):
        if self.failing == name:
            raise KeyboardInterrupt
        (self.folder / name).write_text(str(self.settings[name]))
        return {"made": name}

    def run(self, target="c", **options):
        self.heard.made.clear()
        self.heard.up_to_date.clear()
        self.pipeline(**options).ensure(target)
        return self.heard.made


@pytest.fixture
def world(tmp_path, little):
    return World(tmp_path, little)


def test_all_is_made_once_and_in_order(world):
    assert world.run() == ["d", "a", "b", "c"]
    assert world.run() == []
    assert world.heard.up_to_date == ["d", "a", "b", "c"]


@pytest.mark.parametrize(("changed", "made"), [("a", ["a", "b", "c"]), ("b", ["b", "c"]), ("c", ["c"]), ("d", ["d"])])
def test_what_follows_from_a_change_is_made_again(world, changed, made):
    world.run()
    world.settings[changed] = 1
    assert world.run() == made
    world.settings[changed] = 0
    assert world.run() == made  # back again, and nothing else


def test_a_new_format_makes_anew(world):
    world.run()
    assert world.run(formats={"b": 2}) == ["b", "c"]


def test_a_lost_output_is_made_again(world):
    world.run()
    (world.folder / "b").unlink()
    assert world.run() == ["b"]


def test_what_was_interrupted_is_made_again_and_nothing_before_it(world):
    world.failing = "b"
    with pytest.raises(KeyboardInterrupt):
        world.run()
    world.failing = None
    assert world.run() == ["b", "c"]


def test_an_interrupted_stage_is_stale_even_where_the_settings_are_put_back(world):
    world.run()
    world.settings["b"], world.failing = 1, "b"
    with pytest.raises(KeyboardInterrupt):
        world.run()
    world.settings["b"], world.failing = 0, None
    assert world.run()[0] == "b"


def test_force_makes_one_stage(world):
    world.run()
    pipeline = world.pipeline()
    world.heard.made.clear()
    pipeline.ensure("b", force=True)
    assert world.heard.made == ["b"]
    assert pipeline.done == {"a", "b", "d"}
    assert world.run() == []  # the same settings: what follows stays


def test_is_fresh_looks_through_the_whole_chain(world):
    assert not world.pipeline().is_fresh("c")
    world.run()
    assert world.pipeline().is_fresh("c")
    world.settings["a"] = 1
    assert not world.pipeline().is_fresh("c")


def test_a_source_out_of_reach_counts_as_up_to_date(tmp_path):
    made = []

    def stage(fresh, settings):
        (tmp_path / "x").write_text("made")
        return Stage(
            name="x", settings=settings, make=lambda: made.append(1) or {}, outputs=(tmp_path / "x",), fresh=fresh
        )

    for fresh, settings, count in ((True, 1, 1), (True, 2, 1), (False, 2, 2)):
        Pipeline({"x": stage(fresh, settings)}, Artefacts(tmp_path), Silent()).ensure("x")
        assert len(made) == count


def test_settings_may_be_known_only_after_the_inputs_are_made(tmp_path):
    value = []
    first = Stage(name="a", settings=0, make=lambda: value.append(3) or {}, outputs=())
    second = Stage(name="b", settings=lambda: value[0], make=dict, outputs=(), inputs=("a",))
    Pipeline({"a": first, "b": second}, Artefacts(tmp_path), Silent()).ensure("b")
    assert Artefacts(tmp_path).key("b") is not None


def test_an_unknown_stage_is_refused(world):
    with pytest.raises(ComoderateError, match=r"has no e\. It has: a, b, c, d"):
        world.pipeline().ensure("e")
