"""Who links to a page: sources behind one interface."""
