"""Ways to find communities, one module each."""
