"""From sites to communities."""
