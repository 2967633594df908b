"""Whose move is it, and what may be said? A pure function of what is stored; no Django, no clock, no database.

Positions: 2k is the question of round k, 2k+1 its answer, 2*rounds the summary.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from chat.protocol import Limits
from collector.lib import text as texts

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
    Code.NOT_YOUR_TURN: "It is your partner's turn. Your text is kept; send it when it is yours.",
    Code.WRONG_ROLE: "Your role cannot do that: Questioners ask and summarise, Answerers answer.",
    Code.WATCH_FIRST: "Watch the video to its end once before you answer.",
    Code.ROUNDS_OPEN: "The summary comes after the last answer.",
    Code.ROUNDS_DONE: "All rounds are done; there is nothing left to ask or answer.",
    Code.OVER: "This dialog is over. Nothing more can be added.",
    Code.NOT_PAIRED: "You have no partner yet. Your text is kept.",
    Code.EMPTY: "There is nothing to send yet. Write something first.",
    Code.TOO_SHORT: "Too short: write at least {least} {unit}.",
    Code.TOO_LONG: "Too long: {longest} characters at most, this has {length}.",
    Code.NO_QUESTION_MARK: "A question ends with a question mark.",
    Code.UNSTORABLE: "The text has characters that cannot be stored. Delete what looks odd and send again.",
    Code.KEY_REUSED: "This message was already sent with another text. Send it again as a new one.",
    Code.BAD_KEY: "The page sent a message without a proper key. Reload the page.",
    Code.NOT_UNDERSTOOD: "The page sent something we do not understand. Reload the page.",
    Code.TOO_BIG: "The page sent more than we take at once. Shorten the text.",
    Code.TOO_FAST: "Too many messages at once. Wait a few seconds.",
    Code.BUSY: "We are busy for a moment. Your text is kept and sent again.",
    Code.TOO_EARLY: "It is too early for that. Please wait a little longer.",
    Code.NO_MORE_PARTNERS: "No other partner will come: the study has no dialogs left for you. You can end now.",
    Code.NOT_ALL_MARKED: "Some answers are not marked yet. Mark each of them, then finish.",
    Code.BAD_LINK: "This link is not valid any more. Open the invitation again.",
}


class Refusal(Exception):
    """An action that the rules do not allow, with a code and a sentence for the worker."""

    def __init__(self, code: Code, **values: object) -> None:
        super().__init__(code)
        self.code = code
        self.sentence = SENTENCES[code].format(**values)


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
        raise Refusal(Code.TOO_SHORT, least=least, unit=texts.unit(limits.language, least))
    if action == "ask" and not texts.is_question(text):
        raise Refusal(Code.NO_QUESTION_MARK)
    return text


def longest_of(action: Action, limits: Limits) -> int:
    """Return how many code points a text may have."""
    return limits.longest_summary if action == "summarise" else limits.longest_text


def least_of(action: Action, limits: Limits) -> int:
    """Return how many words a text must have, or characters in a language without spaces."""
    return {"ask": limits.least_question, "answer": limits.least_answer, "summarise": limits.least_summary}[action]
