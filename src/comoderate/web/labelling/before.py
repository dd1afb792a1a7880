"""Before the first post: the warning and consent, the tutorial, the test."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.datastructures import FormData
from starlette.responses import FileResponse, RedirectResponse, Response

from comoderate import annotation as store
from comoderate.annotation import Rater
from comoderate.codebook import Codebook, ExamplePost, in_language
from comoderate.web.access import form, not_found, one, require
from comoderate.web.labelling.answers import asked_only, read_answers
from comoderate.web.labelling.gates import next_gate, work_of
from comoderate.web.labelling.view import question_views
from comoderate.web.pages import language_of, render
from comoderate.web.state import web_of

router = APIRouter()
Person = Annotated[Rater, Depends(require())]
Form = Annotated[FormData, Depends(form)]


@router.get("/label/{name}/welcome")
def welcome(request: Request, name: str, person: Person) -> Response:
    """What awaits, and what one agrees to."""
    return render(request, "label/welcome.html", work=work_of(request, name, person), wrong=False)


@router.post("/label/{name}/welcome")
def consent(request: Request, name: str, person: Person, sent: Form) -> Response:
    """Agree, or be told that nothing happens without."""
    found = work_of(request, name, person)
    if not one(sent, "agree"):
        return render(request, "label/welcome.html", status=422, work=found, wrong=True)
    store.record_consent(web_of(request).db, person.rater_id, version=found.consent_version)
    return RedirectResponse(f"/label/{name}", 303)


@router.get("/label/{name}/tutorial")
def tutorial(request: Request, name: str, person: Person) -> Response:
    """The beginning of the tutorial: the film if there is one, and what comes."""
    found = work_of(request, name, person)
    codebook = found.campaign.codebook
    count = len(in_language(codebook.tutorial, language_of(request)))
    return render(request, "label/tutorial.html", work=found, count=count, video=codebook.video)


@router.get("/label/{name}/tutorial/{number}")
def tutorial_post(request: Request, name: str, person: Person, number: int) -> Response:
    """One post of the tutorial, to be tried."""
    return _tutorial(request, name, person, number, None)


@router.post("/label/{name}/tutorial/{number}")
def tutorial_answer(request: Request, name: str, person: Person, number: int, sent: Form) -> Response:
    """What the right answers are, and why."""
    return _tutorial(request, name, person, number, sent)


def _tutorial(request: Request, name: str, person: Rater, number: int, sent: FormData | None) -> Response:
    found = work_of(request, name, person)
    codebook, language = found.campaign.codebook, language_of(request)
    posts = in_language(codebook.tutorial, language)
    if not 1 <= number <= len(posts):
        raise not_found()
    post = posts[number - 1]
    given = None if sent is None else asked_only(read_answers(sent, codebook), codebook)
    return render(
        request,
        "label/tutorial_post.html",
        work=found,
        number=number,
        count=len(posts),
        post=post,
        questions=question_views(codebook, language, given=given),
        answered=bool(given),
        right=given is not None and post.right(given),
        solution=solution(post, codebook, language),
    )


@router.post("/label/{name}/tutorial")
def tutorial_done(request: Request, name: str, person: Person) -> Response:
    """The tutorial was read to its end."""
    found = work_of(request, name, person)
    store.record_tutorial(web_of(request).db, person.rater_id, codebook=found.campaign.codebook.label)
    return RedirectResponse(f"/label/{name}", 303)


@router.get("/label/{name}/film/{what}")
def film(request: Request, name: str, person: Person, what: str) -> Response:
    """The tutorial's film (``film``) or its captions (a language), from the study's folder."""
    web = web_of(request)
    video = work_of(request, name, person).campaign.codebook.video
    path = None if video is None else video.path if what == "film" else video.captions.get(what)
    file = None if path is None else (web.study.folder / path).resolve()
    if file is None or not file.is_file() or not file.is_relative_to(web.study.folder.resolve()):
        raise not_found()
    return FileResponse(file, media_type=None if what == "film" else "text/vtt")


@router.get("/label/{name}/test")
def test(request: Request, name: str, person: Person) -> Response:
    """The test, all its posts on one page."""
    found = work_of(request, name, person)
    if next_gate(found, person) != "test":
        return RedirectResponse(f"/label/{name}", 303)
    codebook, language = found.campaign.codebook, language_of(request)
    qualification = codebook.qualification
    assert qualification is not None
    tried = person.qualification_tries if person.qualification_codebook == codebook.label else 0
    if tried >= qualification.tries:
        return render(request, "label/not_now.html", work=found)
    posts = in_language(qualification.post, language)
    forms = [question_views(codebook, language, prefix=f"p{number}.") for number in range(1, len(posts) + 1)]
    return render(
        request, "label/test.html", work=found, posts=list(zip(posts, forms, strict=True)),
        needed=qualification.pass_mark, left=qualification.tries - tried,
    )  # fmt: skip


@router.post("/label/{name}/test")
def test_answer(request: Request, name: str, person: Person, sent: Form) -> Response:
    """Mark the test, and explain."""
    found = work_of(request, name, person)
    codebook, language = found.campaign.codebook, language_of(request)
    qualification = codebook.qualification
    tried = person.qualification_tries if person.qualification_codebook == codebook.label else 0
    if next_gate(found, person) != "test" or qualification is None or tried >= qualification.tries:
        return RedirectResponse(f"/label/{name}", 303)
    posts = in_language(qualification.post, language)
    marked = []
    for number, post in enumerate(posts, start=1):
        given = asked_only(read_answers(sent, codebook, prefix=f"p{number}."), codebook)
        marked.append((post, post.right(given), solution(post, codebook, language)))
    right = sum(ok for _, ok, _ in marked)
    passed = right >= qualification.pass_mark * len(posts) - 1e-9
    store.record_qualification(
        web_of(request).db, person.rater_id, codebook=codebook.label, score=right / len(posts), passed=passed
    )
    return render(
        request, "label/result.html", work=found, marked=marked, right=right, passed=passed,
        left=qualification.tries - tried - 1,
    )  # fmt: skip


def solution(post: ExamplePost, codebook: Codebook, language: str) -> list[tuple[str, list[str]]]:
    """The right answers in the reader's words: question and its answers."""
    views = {view.name: view for view in question_views(codebook, language, given=dict(post.answers))}
    return [
        (views[name].text, [answer.text for answer in views[name].answers if answer.ticked] or list(post.answers[name]))
        for name in post.answers
    ]
