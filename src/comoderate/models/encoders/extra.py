"""Whether what encoders need is installed."""

from __future__ import annotations

from importlib.util import find_spec

from comoderate.errors import ComoderateError


def require(*packages: str) -> None:
    """Say in one line what to install where a package of the extra ``models`` is missing.

    Raises:
        ComoderateError: a package can't be found.
    """
    for package in packages or ("torch", "transformers", "safetensors"):
        if find_spec(package) is None:
            raise ComoderateError(f"encoders need the package {package}", do="install comoderate[models]")
