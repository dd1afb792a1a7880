"""A study's samples are the same, post for post, whichever engine its file names."""

import shutil

import pandas as pd
import pytest
from tests.study import peopled

from comoderate.corpus import connect
from comoderate.study import Study

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

SAMPLES = """
[sample.seen]
design = "poisson"
size = 200
proportional_to = "views"

[sample.scored]
design = "poisson"
size = 150
proportional_to = "words"

[sample.plain]
design = "uniform"
size = 300

[sample.some]
size = 200
enrich = { scorer = "words", size = 60 }

[sample.every]
design = "census"

[scorer.words]"""


def drawn(folder, engine):
    toml = peopled.TOML.replace("\n[scorer.words]", SAMPLES, 1) + engine
    study = Study.open(peopled.write(folder, toml))
    return {name: (study.draw(name), pd.read_parquet(folder / "samples" / f"{name}.strata.parquet"))
            for name in study.settings.sample}  # fmt: skip


def test_both_engines_draw_the_same_posts(tmp_path):
    pytest.importorskip("pyspark", reason="pyspark is not installed")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java, and there is none")
    connect("spark", master="local[1]")._session.conf.set("spark.sql.shuffle.partitions", "1")
    by_spark = drawn(tmp_path / "spark", '\n[corpus]\nengine = "spark"\nmaster = "local[1]"\n')
    by_duckdb = drawn(tmp_path / "duckdb", "")
    assert len(by_duckdb) == 6
    for name, (posts, strata) in by_duckdb.items():
        pd.testing.assert_frame_equal(posts, by_spark[name][0])
        pd.testing.assert_frame_equal(strata, by_spark[name][1])
        assert len(posts) > 100
