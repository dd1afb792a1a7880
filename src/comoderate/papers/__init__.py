"""The three papers that Comoderate unites, reproduced: their tables and figures beside ours, from one command each."""

from comoderate.papers.benchmark import PAPERS, Options, run

__all__ = ["PAPERS", "Options", "run"]
