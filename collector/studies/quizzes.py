"""Which questions does a study's quiz ask? Written by researchers as plain text, read here. No Django.

A question stands on a line of its own; its options follow, one a line: after ``-``, and the right one after ``*``.
"""

from dataclasses import dataclass

MOST_QUESTIONS, MOST_OPTIONS = 20, 8
EXAMPLE = """\
What does the Questioner see?
- The whole video
* Three still frames of it
- The script
"""


class BadQuiz(ValueError):
    """A quiz that cannot be asked; the text says what is wrong, in which line, and what to do."""


@dataclass(frozen=True)
class Item:
    """One question, its options, and which of them is right, counted from 0."""

    question: str
    options: tuple[str, ...]
    right: int


def parse(text: str) -> list[Item]:
    """Return a quiz's questions; none for an empty text. Raises BadQuiz."""
    items: list[Item] = []
    begun: _Begun | None = None
    for number, line in enumerate(text.splitlines(), 1):
        said = line.strip()
        if not said:
            continue
        if said[0] not in "-*":
            items += [begun.done()] if begun else []
            begun = _Begun(number, said)
        elif begun is None:
            raise BadQuiz(f"Line {number}: an option without a question. Write the question on the line above it.")
        else:
            begun.add(number, said)
    items += [begun.done()] if begun else []
    if len(items) > MOST_QUESTIONS:
        raise BadQuiz(f"{len(items)} questions are too many: ask {MOST_QUESTIONS} at most.")
    return items


class _Begun:
    """A question whose options are being read."""

    def __init__(self, line: int, question: str) -> None:
        self.line, self.question = line, question
        self.options: list[str] = []
        self.right: list[int] = []

    def add(self, line: int, said: str) -> None:
        option = said[1:].strip()
        if not option:
            raise BadQuiz(f"Line {line}: an empty option. Write it after the mark, or delete the line.")
        if option in self.options:
            raise BadQuiz(f"Line {line}: this option stands there twice. Delete one of them.")
        if said[0] == "*":
            self.right.append(len(self.options))
        self.options.append(option)

    def done(self) -> Item:
        where = f'Line {self.line}, "{self.question}"'
        if not 2 <= len(self.options) <= MOST_OPTIONS:
            raise BadQuiz(
                f"{where}: {len(self.options)} options. Write 2 to {MOST_OPTIONS} below it, each after - or *."
            )
        if len(self.right) != 1:
            raise BadQuiz(f"{where}: {len(self.right)} options are marked as right. Mark one with * instead of -.")
        return Item(self.question, tuple(self.options), self.right[0])


def needed(items: list[Item], least_right: int | None) -> int:
    """Return how many right answers pass: all of them where the study does not say."""
    return len(items) if least_right is None else min(least_right, len(items))
