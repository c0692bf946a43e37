"""From a server's pages to its sites: pure decisions, with their reasons."""
