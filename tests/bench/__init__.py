"""Measurements of the whole product on one machine; see ``__main__``. No test is here, and nothing asserts on time."""
