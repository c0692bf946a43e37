"""The papers' tables, on labelled data."""
