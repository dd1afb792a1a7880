"""The volunteers' pages: from the first warning to the last post."""

from fastapi import APIRouter

router = APIRouter()
