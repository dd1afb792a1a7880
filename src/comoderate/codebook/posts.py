"""Posts that a codebook brings itself: to teach, to test who may begin, and to see who still reads with care."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, field_validator


class ExamplePost(BaseModel):
    """A post with its right answers, and why they are right; a table of its own for each, in double brackets."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: str = Field(min_length=1, description="The post.")
    answers: dict[str, tuple[str, ...]] = Field(
        min_length=1, description="Right answers: question = answer, or a list of all that are right together."
    )
    explanation: str = Field(default="", description="Why; shown after a tutorial or qualification post was answered.")
    language: str | None = Field(
        default=None, description="Only for raters who read this language; by default for all."
    )

    @field_validator("answers", mode="before")
    @classmethod
    def _listed(cls, answers: object) -> object:
        if not isinstance(answers, dict):
            return answers
        return {name: (given,) if isinstance(given, str) else given for name, given in answers.items()}

    def right(self, given: dict[str, set[str]]) -> bool:
        """Whether ``given`` are exactly the right answers to every question that the post names."""
        return all(given.get(name, set()) == set(answers) for name, answers in self.answers.items())


class Qualification(BaseModel):
    """A test that raters pass before they begin."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    post: tuple[ExamplePost, ...] = Field(min_length=1, description="The posts of the test.")
    pass_mark: float = Field(default=0.75, gt=0, le=1, description="Share of posts to answer rightly.")
    tries: int = Field(default=2, ge=1, description="How often the test may be taken.")


def in_language(posts: tuple[ExamplePost, ...], language: str) -> tuple[ExamplePost, ...]:
    """The posts for readers of ``language``: those in it, where there are any, else those in no language named."""
    own = tuple(post for post in posts if post.language == language)
    return own or tuple(post for post in posts if post.language is None)
