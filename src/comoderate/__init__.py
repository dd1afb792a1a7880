"""Decide where human judgement goes in content moderation, and measure what it bought."""

__version__ = "0.1.0"
