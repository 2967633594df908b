"""Whose move is it, and what may be said? A pure function of what is stored; no Django, no clock, no database.

Positions: 2k is the question of round k, 2k+1 its answer, 2*rounds the summary.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from chat.protocol import Limits
from collector.lib import text as texts
from collector.lib.marking import gettext_noop

Action = Literal["ask", "answer", "summarise"]
Role = Literal["questioner", "answerer"]


class Code(StrEnum):
    """Why something was refused."""

    NOT_YOUR_TURN = "not_your_turn"
    WRONG_ROLE = "wrong_role"
    WATCH_FIRST = "watch_first"
    ROUNDS_OPEN = "rounds_open"
    ROUNDS_DONE = "rounds_done"
    OVER = "over"
    NOT_PAIRED = "not_paired"
    EMPTY = "empty"
    TOO_SHORT = "too_short"
    TOO_LONG = "too_long"
    NO_QUESTION_MARK = "no_question_mark"
    UNSTORABLE = "unstorable"
    KEY_REUSED = "key_reused"
    BAD_KEY = "bad_key"
    NOT_UNDERSTOOD = "not_understood"
    TOO_BIG = "too_big"
    TOO_FAST = "too_fast"
    BUSY = "busy"
    BAD_LINK = "bad_link"
    TOO_EARLY = "too_early"
    NO_MORE_PARTNERS = "no_more_partners"
    NOT_ALL_MARKED = "not_all_marked"


SENTENCES: dict[Code, str] = {
    Code.NOT_YOUR_TURN: gettext_noop("It is your partner's turn. Your text is kept; send it when it is yours."),
    Code.WRONG_ROLE: gettext_noop("Your role cannot do that: Questioners ask and summarise, Answerers answer."),
    Code.WATCH_FIRST: gettext_noop("Watch the video to its end once before you answer."),
    Code.ROUNDS_OPEN: gettext_noop("The summary comes after the last answer."),
    Code.ROUNDS_DONE: gettext_noop("All rounds are done; there is nothing left to ask or answer."),
    Code.OVER: gettext_noop("This dialog is over. Nothing more can be added."),
    Code.NOT_PAIRED: gettext_noop("You have no partner yet. Your text is kept."),
    Code.EMPTY: gettext_noop("There is nothing to send yet. Write something first."),
    Code.TOO_SHORT: gettext_noop("Too short: write at least {least}."),
    Code.TOO_LONG: gettext_noop("Too long: {longest} characters at most, this has {length}."),
    Code.NO_QUESTION_MARK: gettext_noop("A question ends with a question mark."),
    Code.UNSTORABLE: gettext_noop(
        "The text has characters that cannot be stored. Delete what looks odd and send again."
    ),
    Code.KEY_REUSED: gettext_noop("This message was already sent with another text. Send it again as a new one."),
    Code.BAD_KEY: gettext_noop("The page sent a message without a proper key. Reload the page."),
    Code.NOT_UNDERSTOOD: gettext_noop("The page sent something we do not understand. Reload the page."),
    Code.TOO_BIG: gettext_noop("The page sent more than we take at once. Shorten the text."),
    Code.TOO_FAST: gettext_noop("Too many messages at once. Wait a few seconds."),
    Code.BUSY: gettext_noop("We are busy for a moment. Your text is kept and sent again."),
    Code.TOO_EARLY: gettext_noop("It is too early for that. Please wait a little longer."),
    Code.NO_MORE_PARTNERS: gettext_noop(
        "No other partner will come: the study has no dialogs left for you. You can end now."
    ),
    Code.NOT_ALL_MARKED: gettext_noop("Some answers are not marked yet. Mark each of them, then finish."),
    Code.BAD_LINK: gettext_noop("This link is not valid any more. Open the invitation again."),
}


class Refusal(Exception):
    """An action that the rules do not allow, with a code; ``chat.wording`` has the sentence for the worker.

    ``values`` are what stands in it: numbers, or a number with its unit.
    """

    def __init__(self, code: Code, **values: "int | tuple[int, str]") -> None:
        super().__init__(code)
        self.code = code
        self.values = values


@dataclass(frozen=True)
class Position:
    """What the rules look at: utterances stored, rounds wanted, whether it has ended, whether the video was watched."""

    stored: int
    rounds: int
    ended: bool = False
    watched: bool = True


KIND_OF: dict[Action, Literal["question", "answer", "summary"]] = {
    "ask": "question",
    "answer": "answer",
    "summarise": "summary",
}
_ROLE_OF: dict[Action, Role] = {"ask": "questioner", "answer": "answerer", "summarise": "questioner"}


def kind_at(position: int, rounds: int) -> Literal["question", "answer", "summary"]:
    """Return what stands at a position (0 to 2*rounds)."""
    if position == 2 * rounds:
        return "summary"
    return "answer" if position % 2 else "question"


def next_action(state: Position) -> Action | None:
    """Return the one action that is next, or None when nothing is."""
    if state.ended or state.stored > 2 * state.rounds:
        return None
    if state.stored == 2 * state.rounds:
        return "summarise"
    return "answer" if state.stored % 2 else "ask"


def move(state: Position, role: Role) -> Literal["ask", "answer", "summarise", "watch", "wait", "none"]:
    """Return what a worker in ``role`` is to do now. Who has not watched is to watch, whatever is next."""
    action = next_action(state)
    if action is None or (role == "answerer" and state.stored >= 2 * state.rounds):
        return "none"
    if role == "answerer" and not state.watched:
        return "watch"
    return action if _ROLE_OF[action] == role else "wait"


def round_of(state: Position) -> int:
    """Return the round in progress, counted from 1; the last one during and after the summary."""
    return min(state.stored // 2 + 1, state.rounds)


def check_turn(state: Position, role: Role, action: Action) -> None:
    """Raise Refusal unless ``role`` may do ``action`` now."""
    if state.ended:
        raise Refusal(Code.OVER)
    if _ROLE_OF[action] != role:
        raise Refusal(Code.WRONG_ROLE)
    expected = next_action(state)
    if expected is None:
        raise Refusal(Code.OVER)
    if action != expected:
        if action == "summarise":
            raise Refusal(Code.ROUNDS_OPEN)
        raise Refusal(Code.ROUNDS_DONE if expected == "summarise" else Code.NOT_YOUR_TURN)
    if action == "answer" and not state.watched:
        raise Refusal(Code.WATCH_FIRST)


def check_text(action: Action, raw: str, limits: Limits) -> str:
    """Return the text as it is stored, or raise Refusal. Lengths in code points after NFC."""
    try:
        text = texts.clean(raw)
    except texts.UnstorableText:
        raise Refusal(Code.UNSTORABLE) from None
    if not text:
        raise Refusal(Code.EMPTY)
    if len(text) > (longest := longest_of(action, limits)):
        raise Refusal(Code.TOO_LONG, longest=longest, length=len(text))
    least = least_of(action, limits)
    if texts.count_words(text, limits.language) < least:
        raise Refusal(Code.TOO_SHORT, least=(least, texts.unit(limits.language)))
    if action == "ask" and not texts.is_question(text):
        raise Refusal(Code.NO_QUESTION_MARK)
    return text


def longest_of(action: Action, limits: Limits) -> int:
    """Return how many code points a text may have."""
    return limits.longest_summary if action == "summarise" else limits.longest_text


def least_of(action: Action, limits: Limits) -> int:
    """Return how many words a text must have, or characters in a language without spaces."""
    return {"ask": limits.least_question, "answer": limits.least_answer, "summarise": limits.least_summary}[action]
