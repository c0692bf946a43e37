"""The SQLite graph: pages, links, aliases, robots answers and runs."""
