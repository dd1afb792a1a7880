import re
import xml.etree.ElementTree as ET

import pytest

from comoderate.plots import PrevalenceDisplay

PAYLOAD = '</svg><script>alert(1)</script>"&#x27; $x_1$ \N{GRINNING FACE} \x07'


def test_the_same_data_gives_the_same_bytes(maker):
    assert maker("a").svg() == maker("a").svg()


def test_text_is_text_and_nothing_comes_from_outside(maker):
    svg = maker("name-of-it").svg(name="f1", themed=True)
    root = ET.fromstring(svg)
    texts = "".join(e.text or "" for e in root.iter() if e.tag.endswith("}text"))
    assert "name-of-it" in texts or maker("name-of-it").title == "name-of-it"
    assert not re.search(r'(?:href|src)="(?!#)', svg)
    assert not re.search(r"url\((?!#)", svg)
    assert not any(e.tag.endswith(("}style", "}metadata", "}image", "}script")) for e in root.iter())
    assert "font-family" not in svg


def test_title_and_description_are_there_for_those_who_cant_see(maker):
    display = maker("a")
    root = ET.fromstring(display.svg(name="f7", themed=True))
    assert root.get("role") == "img"
    assert (root.get("aria-labelledby"), root.get("aria-describedby")) == ("f7-title", "f7-desc")
    assert [child.text for child in root][:2] == [display.title, display.describe()]


def test_ids_are_of_this_picture_only_and_found(maker):
    root = ET.fromstring(maker("a").svg(name="f 3", themed=True))
    ids = [e.get("id") for e in root.iter() if e.get("id")]
    assert len(ids) == len(set(ids))
    assert all(i.startswith("f-3-") for i in ids)
    text = ET.tostring(root, encoding="unicode")
    used = set(re.findall(r'href="#([^"]+)"', text)) | set(re.findall(r"url\(#([^)]+)\)", text))
    assert used <= set(ids)


def test_hostile_names_stay_text(maker):
    svg = maker(PAYLOAD).svg(themed=True)
    root = ET.fromstring(svg)
    assert not any(e.tag.endswith("script") for e in root.iter())
    assert "<script" not in svg
    assert "\x07" not in svg


def test_colours_follow_the_page_only_when_asked():
    display = PrevalenceDisplay(["a"], [0.1], [0.0], [0.2])
    assert "currentColor" in display.svg(themed=True)
    assert "var(--series-0,#0072b2)" in display.svg(themed=True)
    alone = display.svg()
    assert "var(" not in alone
    assert 'width="' in alone


@pytest.mark.parametrize("themed", [True, False])
def test_numbers_are_short(themed):
    svg = PrevalenceDisplay(["a"], [1 / 3], [0.1], [0.7]).svg(themed=themed)
    assert not re.search(r' d="[^"]*\d\.\d{3}', svg)
