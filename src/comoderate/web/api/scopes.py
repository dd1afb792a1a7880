"""What a token of the API may do."""

SCOPES = {
    "posts:write": "push posts",
    "queue:read": "read the queue, without scores",
    "queue:scores": "read the queue with scores and reasons, which tell audit posts apart",
    "decisions:write": "push decisions",
    "estimates:read": "read estimates, agreement and progress",
    "annotations:read": "read all annotations, with raters as keyed hashes",
}
"""Scope → what it allows, in words."""
