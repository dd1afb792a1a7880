"""One module a migration, oldest first by number."""
