"""Migrations of the annotation database."""
