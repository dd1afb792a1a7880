import pytest

from comoderate.errors import ComoderateError
from comoderate.papers import PAPERS, Options, run
from comoderate.papers.benchmark import paper


@pytest.mark.parametrize("name", PAPERS)
def test_every_paper_offers_what_a_run_needs(name):
    own = paper(name)
    assert own.TITLE
    assert own.CORRECTIONS
    assert own.DATA
    assert len(own.seeds(True)) <= len(own.seeds(False))


def test_mistakes_get_a_clear_line(tmp_path):
    with pytest.raises(ComoderateError, match="no benchmark 'x'"):
        run("x", Options(data=tmp_path, out=tmp_path))
    with pytest.raises(ComoderateError, match="no correction 'x'"):
        run("accuracy-surface", Options(data=tmp_path, out=tmp_path, as_published=frozenset({"x"})))
    with pytest.raises(ComoderateError, match="no data set 'x'"):
        run("accuracy-surface", Options(data=tmp_path, out=tmp_path, only=frozenset({"x"})))
    with pytest.raises(ComoderateError, match="no such folder"):
        run("accuracy-surface", Options(data=tmp_path / "none", out=tmp_path))
