"""Results for people and programs, one module a format."""
