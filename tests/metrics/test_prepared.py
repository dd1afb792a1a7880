import numpy as np

from comoderate.metrics import auroc
from comoderate.metrics.prepared import prepared_by, weighted_form


def test_a_marked_function_is_presorted_and_any_other_is_called():
    calls = []

    def prepare(x):
        calls.append("sorted")
        return lambda weight: float(weight @ x)

    @prepared_by(prepare, undefined="never")
    def marked(x, *, sample_weight=None):
        return prepare(x)(sample_weight)

    form = weighted_form(marked, np.arange(3.0))
    assert [form(np.ones(3)), form(np.zeros(3))] == [3.0, 0.0]
    assert calls == ["sorted"]
    plain = weighted_form(lambda x, *, sample_weight, plus: float(sample_weight @ x) + plus, np.arange(3.0), plus=1)
    assert plain(np.ones(3)) == 4.0
    assert auroc.undefined
