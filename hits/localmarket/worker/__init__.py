"""The market as workers see it: pages, and the same as JSON for robots."""
