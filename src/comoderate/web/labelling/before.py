"""Before the first post: the warning and consent, the tutorial, the test."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.datastructures import FormData
from starlette.responses import FileResponse, RedirectResponse, Response

from comoderate import annotation as store
from comoderate.annotation import Rater
from comoderate.codebook import in_language
from comoderate.web.access import form, not_found, one, require
from comoderate.web.labelling.answers import Given, asked_only, missing, read_answers
from comoderate.web.labelling.gates import Work, next_gate, work_of
from comoderate.web.labelling.view import compare, question_views
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
    ticked = {} if sent is None else read_answers(sent, codebook)
    wrong = [] if sent is None else missing(ticked, codebook)
    given = asked_only(ticked, codebook)
    return render(
        request, "label/tutorial_post.html", status=422 if wrong else 200, work=found, number=number, count=len(posts),
        post=post, questions=question_views(codebook, language, given=ticked, wrong=wrong), right=post.right(given),
        compared=[] if sent is None or wrong else compare(post, given, codebook, language),
    )  # fmt: skip


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
    if _tries(found, person) < 1:
        return render(request, "label/not_now.html", work=found)
    return _test(request, found, person)


@router.post("/label/{name}/test")
def test_answer(request: Request, name: str, person: Person, sent: Form) -> Response:
    """Mark the test, and explain; a test with answers missing comes back and does not count."""
    found = work_of(request, name, person)
    codebook, language = found.campaign.codebook, language_of(request)
    qualification, left = codebook.qualification, _tries(found, person) - 1
    if next_gate(found, person) != "test" or qualification is None or left < 0:
        return RedirectResponse(f"/label/{name}", 303)
    posts = in_language(qualification.post, language)
    ticked = [read_answers(sent, codebook, prefix=f"p{number}.") for number in range(1, len(posts) + 1)]
    if any(missing(one, codebook) for one in ticked):
        return _test(request, found, person, ticked)
    answers = [(post, asked_only(one, codebook)) for post, one in zip(posts, ticked, strict=True)]
    marked = [(post, post.right(given), compare(post, given, codebook, language)) for post, given in answers]
    right = sum(ok for _, ok, _ in marked)
    passed = right >= qualification.pass_mark * len(posts) - 1e-9
    store.record_qualification(
        web_of(request).db, person.rater_id, codebook=codebook.label, score=right / len(posts), passed=passed
    )
    return render(request, "label/result.html", work=found, marked=marked, right=right, passed=passed, left=left)


def _tries(found: Work, person: Rater) -> int:
    """How often this person may still take the test."""
    codebook = found.campaign.codebook
    if codebook.qualification is None:
        return 0
    tried = person.qualification_tries if person.qualification_codebook == codebook.label else 0
    return codebook.qualification.tries - tried


def _test(request: Request, found: Work, person: Rater, ticked: list[Given] | None = None) -> Response:
    """The test's page: fresh, or with what was ticked and what is missing."""
    codebook, language = found.campaign.codebook, language_of(request)
    qualification = codebook.qualification
    assert qualification is not None
    posts = in_language(qualification.post, language)
    filled = ticked or [{} for _ in posts]
    forms = [
        question_views(
            codebook, language, given=one, wrong=missing(one, codebook) if ticked else (), prefix=f"p{number}."
        )
        for number, one in enumerate(filled, start=1)
    ]
    return render(
        request, "label/test.html", status=422 if ticked else 200, work=found, incomplete=bool(ticked),
        posts=list(zip(posts, forms, strict=True)), needed=qualification.pass_mark, left=_tries(found, person),
    )  # fmt: skip
