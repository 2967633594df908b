"""The names that stand for people in what is published."""

import re
from typing import Any

from collector.exports.pseudonyms import found_again, pair_key, worker_key


def test_a_name_has_forty_characters_and_stays() -> None:
    assert re.fullmatch(r"[0-9a-f]{40}", pair_key(1, 2))
    assert pair_key(1, 2) == pair_key(1, 2)


def test_names_differ_by_dialog_collection_and_installation(settings: Any) -> None:
    names = {pair_key(1, 2), pair_key(1, 3), pair_key(2, 2), pair_key(12, 2), pair_key(1, 22)}
    settings.SECRET_KEY = "the key of another installation, also long"
    assert len(names | {pair_key(1, 2)}) == 6


def test_what_a_name_stands_for_is_found_again() -> None:
    numbers = [(collection, number) for collection in (1, 2) for number in (7, 70, 123456)]
    for each in numbers:
        assert found_again("pair", numbers, pair_key(*each)) == each
        assert found_again("worker", numbers, worker_key(*each)) == each
        assert found_again("pair", numbers, worker_key(*each)) is None
