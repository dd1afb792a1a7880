import gzip

import pytest

from comoderate.corpus.sources import check_source, open_text
from comoderate.errors import ComoderateError


def refusal(path, *, format="auto", encoding="utf-8"):
    with pytest.raises(ComoderateError) as caught:
        check_source(path, format, encoding)
    line = str(caught.value)
    assert str(path) in line
    assert "\n" not in line
    return line


def read(path, encoding="utf-8"):
    with open_text(path, encoding) as text:
        return text.read()


def not_text(path, encoding="utf-8"):
    with pytest.raises(ComoderateError) as caught:
        read(path, encoding)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.csv", b"x\n1\n", "csv"), ("a.tsv", b"x\n1\n", "tsv"), ("a.ndjson", b'{"x": 1}\n', "jsonl"),
        ("a.JSON", b'{"x": 1}\n', "jsonl"), ("nameless", b'\xef\xbb\xbf {"x": 1}\n', "jsonl"),
        ("nameless", b"x\n", "csv"), ("a.csv", b"PAR1....", "parquet"), ("a.jsonl.gz", b"{}", "jsonl"),
    ],
)  # fmt: skip
def test_the_format_is_told_by_first_bytes_and_name(tmp_path, name, content, kind):
    path = tmp_path / name
    path.write_bytes(content)
    assert check_source(path, "auto", "utf-8") == kind
    path.write_bytes(gzip.compress(content))
    assert check_source(path, "auto", "utf-8") == kind


def test_a_named_format_wins(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("{}")
    assert check_source(path, "jsonl", "utf-8") == "jsonl"


def test_what_is_no_file_of_records_is_refused(tmp_path):
    path = tmp_path / "posts.csv"
    assert "no such file" in refusal(path)
    assert "folder" in refusal(tmp_path)
    path.write_bytes(b"")
    assert "empty" in refusal(path)
    path.write_bytes(gzip.compress(b""))
    assert "empty" in refusal(path)
    path.write_bytes(b"PK\x03\x04rest")
    assert "Excel" in refusal(path)
    path.write_text("a\n1\n")
    assert "unknown format 'xls'" in refusal(path, format="xls")
    assert "unknown encoding 'utf-9'" in refusal(path, encoding="utf-9")


def test_a_byte_order_mark_is_skipped(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"\xef\xbb\xbfid\r\n")
    assert read(path) == "id\r\n"


def test_a_byte_that_is_not_text_is_placed(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"id\n" + b"ok\n" * 50_000 + "caf\u00e9\n".encode("latin-1"))
    line = not_text(path)
    assert "line 50002" in line
    assert "byte 150007 (0xE9) is not utf-8 text" in line
    assert "latin-1" in line
    assert read(path, "latin-1").endswith("café\n")


def test_a_character_cut_short_at_the_end_is_refused(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("id\ncafé".encode()[:-1])
    assert "ends within a character" in not_text(path)


def test_utf_16_is_recognised(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id\n1\n", encoding="utf-16")
    assert "utf-16" in not_text(path)
    assert read(path, "utf-16") == "id\n1\n"


def test_a_gzip_file_cut_short_is_refused(tmp_path):
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(bytes(range(97, 123)) * 4000)[:-20])
    assert "cut short" in not_text(path)
