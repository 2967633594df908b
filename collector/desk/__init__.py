"""The researcher's pages that show several areas."""
