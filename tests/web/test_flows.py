"""The same pages without a script: every step by forms, and what stands between a rater and the first post."""

from __future__ import annotations

import re

import pytest
from tests.web.serving import PASSWORD, TOML, Served, write_study

from comoderate import annotation as store


@pytest.fixture
def strict(tmp_path):
    """A study with a low cap, early breaks, and posts to leave out."""
    toml = TOML.replace("break_after = 100", "break_after = 3").replace("cap = 60", "cap = 2")
    folder = write_study(tmp_path / "strict", toml=toml)
    lines = (folder / "posts.csv").read_text().splitlines()
    lines[1:] = [line[:-2] + "yes" if number % 2 else line for number, line in enumerate(lines[1:])]
    (folder / "posts.csv").write_text("\n".join(lines) + "\n")
    with Served(folder) as running:
        yield running


def save(client, **answers):
    page = client.get("/label/river")
    return client.fill(page, "/label/river/answer", **{f"q.{name}": value for name, value in answers.items()})


def compared(text: str) -> list[tuple[str, str]]:
    """What a page says of each question of an example: the question, and both answers."""
    found = re.findall(r"(?s)<dt>(.*?)</dt>\s*<dd.*?>(.*?)</dd>", text)
    return [tuple(" ".join(re.sub(r"<[^>]+>", " ", part).split()) for part in pair) for pair in found]


def test_from_the_invitation_to_an_answer_by_forms_alone(served: Served):
    link = served.invite().removeprefix(served.url)
    with served.client() as client:
        page = client.fill(client.get(link), link, name="ann", password=PASSWORD, again=PASSWORD)
        assert page.url.path == "/label/river/welcome"
        refused = client.fill(page, "/label/river/welcome")
        assert refused.status_code == 422
        assert "Tick the box" in refused.text
        page = client.fill(page, "/label/river/welcome", agree="yes")
        assert page.url.path == "/label/river/tutorial"
        assert "2 examples" in page.text
        tried = client.post(
            "/label/river/tutorial/2", data={**client.fields(client.get("/label/river/tutorial/2")), "q.problem": "No"}
        )
        assert "We would answer this" in tried.text
        assert "Somebody is called a name." in tried.text
        assert compared(tried.text) == [
            ("Is this post unkind to somebody?", "You answered No We would answer Somewhat"),
            ("In which way?", "You answered (not asked) We would answer Insult"),
        ]
        page = client.fill(tried, "/label/river/tutorial")
        assert page.url.path == "/label/river/test"
        page = client.fill(page, "/label/river/test", **{"p1.q.problem": "No", "p2.q.problem": "No"})
        assert "1 of 2" in page.text
        assert "You are ready" in page.text
        assert compared(page.text) == [
            ("Is this post unkind to somebody?", "✓ No and so did you"),
            ("Is this post unkind to somebody?", "You answered No We would answer Very"),
            ("In which way?", "You answered (not asked) We would answer Insult"),
        ]
        page = client.get("/label/river")
        assert "Only if you answered: Somewhat; Very" in page.text
        page = save(client, problem="Somewhat")
        assert page.status_code == 422
        assert "Please answer this." in page.text
        assert 'value="Somewhat" checked' in page.text
        page = save(client, problem="Very", kind=["Insult", "Threat"], note="  loud  ")
        assert "That was not nice to read" in page.text
        assert "https://help.example/" in page.text
        assert "1 post done" in page.text
        page = client.fill(page, "/label/river/pause")  # its first button without a script is the one of the form
        assert page.url.path == "/you"
        assert "You have answered 1 post" in page.text
    found = served.answers()
    assert sorted(zip(found["question"], found["answer"], strict=True)) == [
        ("kind", "Insult"), ("kind", "Threat"), ("note", "loud"), ("problem", "Very"),
    ]  # fmt: skip


def test_the_test_can_be_failed_so_many_times(served: Served):
    person = served.person("ann", ready=False)
    store.record_consent(served.db, person.rater_id, version=served.consent)
    store.record_tutorial(served.db, person.rater_id, codebook="kindness@1")
    with served.client(person) as client:
        for left in (1, 0):
            page = client.fill(client.get("/label/river/test"), "/label/river/test", **{"p1.q.problem": "Very"})
            assert page.status_code == 422  # what is missing is asked for, and no try is lost
            assert "did not count as a try" in page.text
            assert 'value="Very" checked' in page.text
            assert page.text.count('role="radiogroup" aria-required="true" aria-invalid="true"') == 1
            wrong = {"p1.q.problem": "Very", "p1.q.kind": "Insult", "p2.q.problem": "No"}
            page = client.fill(page, "/label/river/test", **wrong)
            assert "Not quite yet" in page.text
            assert ("In which way?", "You answered Insult We would answer (not asked)") in compared(page.text)
            assert ("try again" in page.text) == bool(left)
        page = client.get("/label/river")
        assert "Thank you for trying" in page.text
        assert client.get("/label/river/next", headers={"Accept": "application/json"}).json() == {"reason": "gate"}


def test_a_break_is_suggested_and_the_day_ends_at_the_cap(strict: Served):
    with strict.client(strict.person("ann")) as client:
        for _ in range(2):
            assert save(client, problem="No").url.path == "/label/river"
        page = save(client, problem="No")
        assert page.url.path == "/label/river/break"
        assert "3 posts in a row" in page.text
        page = client.fill(page, "/label/river/break")
        assert 'name="lease"' in page.text
        assert "not nice" in save(client, problem="Very", kind="Insult").text
        page = save(client, problem="Very", kind="Insult")
        assert "Enough for today" in page.text
        assert "Listening line" in page.text
        page = client.fill(page, "/label/river/undo")
        assert "Taken back" in page.text


def test_ones_own_limit_only_lowers_the_days(strict: Served):
    person = strict.person("ann")
    with strict.client(person) as client:
        client.fill(client.get("/you"), "/you", cap="1")
        assert "Enough for today" in save(client, problem="Very", kind="Insult").text
        client.fill(client.get("/you"), "/you", cap="100")
        save(client, problem="Very", kind="Insult")
        assert "Enough for today" in client.get("/label/river").text
        client.fill(client.get("/you"), "/you", cap="-3")
        assert store.rater(strict.db, person.rater_id).exposure_cap is None


def test_kinds_that_were_left_out_do_not_come(strict: Served):
    person = strict.person("ann")
    with strict.client(person) as client:
        page = client.fill(client.get("/you"), "/you", without=["shouting", "nothing like it"])
        assert "Kept." in page.text
        assert store.rater(strict.db, person.rater_id).opted_out == ("shouting",)
        for _ in range(60):
            page = save(client, problem="No")
            if page.url.path.endswith("/break"):
                client.fill(page, "/label/river/break")
            if "All done" in page.text:
                break
    loud = {f"p{number:03d}" for number in range(1, 40, 2)}
    assert len(strict.answers()) == 20
    assert not set(strict.answers()["post_id"]) & loud


def test_a_paused_campaign_says_so(served: Served):
    with served.client(served.person("ann")) as client:
        store.set_campaign_state(served.db, "river", "paused")
        page = client.get("/label/river")
        if 'name="lease"' in page.text:  # what is in hand may be finished
            page = client.fill(page, "/label/river/skip")
        assert "paused" in page.text.lower()
        store.set_campaign_state(served.db, "river", "closed")
        assert "Closed" in client.get("/label/river").text


def test_other_words_of_warning_are_agreed_to_again(tmp_path):
    folder = write_study(tmp_path / "study", toml=TOML.replace("overlap = 2", 'overlap = 2\nwarning = "Loud geese."'))
    with Served(folder) as served, served.client(served.person("ann")) as client:
        page = client.get("/label/river")
        assert page.url.path == "/label/river/welcome"
        assert "Loud geese." in page.text


def test_gold_posts_look_and_count_like_all_others(tmp_path):
    gold = "".join(
        f'[[codebook.gold]]\ntext = "Goose {n} on the path."\nanswers = {{ problem = "No" }}\n' for n in range(4)
    )
    toml = TOML.replace("[[codebook.tutorial]]", f"{gold}\n[[codebook.tutorial]]", 1)
    folder = write_study(tmp_path / "study", toml=toml.replace("cap = 60", "gold_rate = 0.5"))
    with Served(folder) as served, served.client(served.person("ann")) as client:
        texts, page = [], client.get("/label/river")
        for number in range(16):
            texts.append(page.text)
            assert f'data-count="{number}"' in page.text
            page = client.fill(page, "/label/river/answer", **{"q.problem": "No"})
        assert "You have answered 16 posts" in client.get("/you").text
        found = served.answers()
    assert "gold" in set(found["source"])
    assert all("Seen " in text and "Mood: no" in text and "2026-03-" in text for text in texts)


def test_a_word_of_care_comes_after_the_last_post_too(served: Served):
    with served.client(served.person("ann")) as client:
        client.fill(client.get("/you"), "/you", cap="1")
        last = client.fill(
            client.get("/label/river"), "/label/river/answer", **{"q.problem": "Very", "q.kind": "Insult"}
        )
        assert "Enough for today" in last.text
        assert "That was not nice to read" in last.text
        assert last.text.count("Listening line") == 1
        assert "not nice" not in client.get("/label/river").text


def test_only_what_is_offered_is_said_to_be(tmp_path, served: Served):
    with served.client(served.person("ann", ready=False)) as client:
        text = client.get("/label/river/welcome").text
    assert "to leave these out: Posts in capital letters" in text
    assert "covered until you ask" in text
    toml = TOML.replace("opt_outs =", "reveal = false\n#").replace("cap = 60", "")
    with (
        Served(write_study(tmp_path / "plain", toml=toml)) as plain,
        plain.client(plain.person("bo", ready=False)) as c,
    ):
        text = c.get("/label/river/welcome").text
    assert "leave" not in text
    assert "covered" not in text
    assert "fewer hurtful posts" in text


def test_an_example_is_answered_before_it_is_compared(served: Served):
    with served.client(served.person("ann")) as client:
        page = client.get("/label/river/tutorial/2")
        asked = client.post(page.url.path, data={**client.fields(page), "q.problem": "Somewhat"})
        assert asked.status_code == 422
        assert "Please answer this." in asked.text
        assert "Somebody is called a name." not in asked.text
        assert 'name="q.kind" value="Insult" aria-invalid="true"' in asked.text
        right = client.post(page.url.path, data={**client.fields(page), "q.problem": "Somewhat", "q.kind": "Insult"})
    assert compared(right.text) == [
        ("Is this post unkind to somebody?", "✓ Somewhat and so did you"),
        ("In which way?", "✓ Insult and so did you"),
    ]


def test_the_film_comes_from_the_studys_folder_and_nothing_else_does(tmp_path):
    video = '[codebook.video]\npath = "film.webm"\ncaptions = { en = "film.vtt", ar = "../secret.vtt" }\n'
    folder = write_study(
        tmp_path / "study", toml=TOML.replace("[[codebook.tutorial]]", video + "\n[[codebook.tutorial]]", 1)
    )
    (folder / "film.webm").write_bytes(b"a film")
    (folder / "film.vtt").write_text("WEBVTT\n")
    (tmp_path / "secret.vtt").write_text("WEBVTT\n")
    with Served(folder) as served, served.client(served.person("ann")) as client:
        page = client.get("/label/river/tutorial")
        assert 'kind="captions"' in page.text
        assert client.get("/label/river/film/film").content == b"a film"
        assert client.get("/label/river/film/en").headers["content-type"].startswith("text/vtt")
        for other in ("ar", "fr", "study.toml", "..%2Fsecret.vtt"):
            assert client.get(f"/label/river/film/{other}").status_code == 404


def test_choosing_among_campaigns(tmp_path):
    second = '[campaign.brook]\ntitle = "The brook"\nsample = "main"\n\n[web]'
    with Served(write_study(tmp_path / "study", toml=TOML.replace("[web]", second))) as served:
        with served.client(served.person("ann")) as client:
            page = client.get("/label")
            assert "The brook" in page.text
            assert "/label/river" in page.text
        with served.client(served.person("mo", role="moderator")) as client:
            assert "nothing for you to label" in client.get("/label").text
