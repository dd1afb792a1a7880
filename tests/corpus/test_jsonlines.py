import json

import pandas as pd
import pytest

from comoderate.corpus.jsonlines import json_frames
from comoderate.errors import ComoderateError

BIG = 1234567890123456789


@pytest.fixture
def path(tmp_path):
    return tmp_path / "posts.jsonl"


def frames(path, columns=None, batch_rows=2):
    return list(json_frames(path, columns, batch_rows=batch_rows, encoding="utf-8"))


def refusal(path, text, columns=None):
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ComoderateError) as caught:
        frames(path, columns)
    return str(caught.value)


def test_values_keep_their_types_and_long_ids_their_digits(path):
    path.write_text("\n".join(json.dumps(r) for r in [{"id": BIG, "on": True}, {"id": None}, {"id": 7, "on": 1.5}]))
    found = pd.concat(frames(path))
    assert found["id"].tolist() == [BIG, None, 7]
    assert found["on"].tolist() == [True, None, 1.5]


def test_without_columns_every_key_seen_so_far_is_there(path):
    path.write_text('{"a": 1}\n\n{"a": 2, "b": 3}\n{"c": 4}\n')
    assert [list(f.columns) for f in frames(path)] == [["a", "b"], ["a", "b", "c"]]


def test_a_key_that_comes_late_is_found_and_one_that_never_comes_is_refused(path):
    text = '{"a": 1}\n{"a": 2}\n{"a": 3, "late": "x"}\n'
    path.write_text(text)
    assert pd.concat(frames(path, ["late", "a"]))["late"].tolist() == [None, None, "x"]
    assert "there is no column 'lame'" in refusal(path, text, ["lame"])


def test_lines_that_are_no_objects_are_placed(path):
    assert f"{path}, line 2: this is not JSON" in refusal(path, '{"a": 1}\n{"a": \n')
    assert "line 1: a JSON array, not JSON lines" in refusal(path, '[{"a": 1}]')
    assert "line 2: not a JSON object" in refusal(path, '{"a": 1}\n3\n')
