"""What might two people have said? Made-up questions and answers in the proportions of real ones, the same each time.

Words follow Zipf's law; a question has some eight words and begins as questions do, an answer some nine. Of many, about
three questions in four and nearly all answers are distinct.
"""

import random
from collections.abc import Iterator

OPENINGS = (
    "does he", "does she", "is there a", "is there any", "what is", "what does he do with the", "how many",
    "can you see", "do they", "is the", "what happens after", "do you hear the",
)  # fmt: skip
COMMON = (
    "is there any sound in the video?", "does anything else happen?", "how many people are there?",
    "what does he do next?", "is it day or night?", "does she say anything at the end?",
)  # fmt: skip
_SYLLABLES = ("ka", "lo", "mi", "ren", "su", "to", "ven", "dra", "pil", "os", "ba", "nem", "gu", "fi", "shor", "el")
WORDS = [a + b + c for a in _SYLLABLES for b in _SYLLABLES for c in _SYLLABLES]
_CUMULATED: list[float] = []
for _rank in range(1, len(WORDS) + 1):
    _CUMULATED.append((_CUMULATED[-1] if _CUMULATED else 0) + 1 / _rank)


def rounds(rng: random.Random, number: int = 10) -> list[tuple[str, str]]:
    """Return a dialog's questions and answers."""
    return [(question(rng), answer(rng)) for _ in range(number)]


def question(rng: random.Random) -> str:
    """Return a question; one in five is one that everybody asks."""
    if rng.random() < 0.2:
        return rng.choice(COMMON)
    return f"{rng.choice(OPENINGS)} {' '.join(_words(rng, rng.randint(3, 8)))}?"


def answer(rng: random.Random) -> str:
    """Return an answer of at least five words."""
    start = rng.choice(("Yes, there is", "No, he does", "She has the", "I think that", "He is"))
    return f"{start} {' '.join(_words(rng, rng.randint(3, 10)))}."


def videos(number: int) -> Iterator[str]:
    """Yield ids as those of the dataset: five characters."""
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    for i in range(number):
        yield f"M{digits[i // 1296 % 36]}{digits[i // 36 % 36]}{digits[i % 36]}{digits[i // 46656]}"


def _words(rng: random.Random, number: int) -> list[str]:
    return rng.choices(WORDS, cum_weights=_CUMULATED, k=number)
