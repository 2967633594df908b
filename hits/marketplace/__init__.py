"""Marketplaces behind one contract."""
