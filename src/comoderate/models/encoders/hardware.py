"""Where to compute, and how precisely."""

from __future__ import annotations

import torch

from comoderate.errors import ComoderateError


def device_of(name: str) -> torch.device:
    """The device of that name; "auto" is a GPU where there is one, else the CPU.

    Raises:
        ComoderateError: there is no such device.
    """
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError):
        raise ComoderateError(f"there is no device {name!r} here", do='set device = "auto"') from None
    return device


def has_bf16(device: torch.device) -> bool:
    """Whether the device computes in bfloat16 faster than in single precision."""
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    if device.type == "cpu":
        return bool(torch.cpu._is_amx_tile_supported())
    return False


def chosen(precision: str, device: torch.device) -> str:
    """The precision to use: "auto" is bf16 where :func:`has_bf16`, else fp32."""
    if precision != "auto":
        return precision
    return "bf16" if has_bf16(device) else "fp32"
