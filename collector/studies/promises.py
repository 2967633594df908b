"""What is a worker promised? A version's minutes and money in words, for the invitation and the waiting page."""

from decimal import Decimal
from typing import Any

from collector.lib.text import many
from collector.studies import quizzes
from collector.studies.models import Kind


def pay(content: dict[str, Any]) -> str:
    """Return the pay in a few words; empty when nothing is paid by the platform."""
    reward = Decimal(content["reward"])
    return f"${reward:.2f}" if reward else ""


def teaches(content: dict[str, Any]) -> bool:
    """Tell whether something comes before a worker's first task."""
    return _screens(content) or (content["practice"] and content["kind"] == Kind.DIALOG)


def screening_pay(content: dict[str, Any]) -> Decimal:
    """Return what it is worth to be screened out, in US dollars; nothing where nothing else is paid, either."""
    return Decimal(content["screening_pay"]) if _screens(content) and pays(content) else Decimal(0)


def _screens(content: dict[str, Any]) -> bool:
    return bool(content["device_check"] or content["quiz"])


def pays(content: dict[str, Any]) -> bool:
    """Tell whether taking part is paid by the platform at all: where it is not, no page speaks of pay."""
    return any(Decimal(content[name]) for name in ("reward", "summary_bonus", "waiting_pay", "ending_pay"))


def pays_waiting(content: dict[str, Any]) -> bool:
    """Tell whether coming in vain is paid."""
    return any(Decimal(content[name]) for name in ("waiting_pay", "ending_pay"))


def pay_rules(content: dict[str, Any]) -> list[str]:
    """Return one sentence a case, so that everybody knows before what each end is worth."""
    reward, bonus, waiting, vain = (
        Decimal(content[name]) for name in ("reward", "summary_bonus", "waiting_pay", "ending_pay")
    )
    said = [content["pay_note"]] if content["pay_note"] else []
    if not pays(content):
        return said
    screening = screening_pay(content)
    screened = [f"${screening:.2f} when your device or the quiz says that the task does not fit you."]
    if content["kind"] == Kind.DIALOG:
        said += _pay_together(reward, bonus, waiting, vain)
    else:
        said += _pay_alone(content["kind"], reward, bonus, vain)
    return said + (screened if screening else [])


def _pay_together(reward: Decimal, bonus: Decimal, waiting: Decimal, vain: Decimal) -> list[str]:
    """Return the rules of a dialog."""
    said = []
    if reward:
        said.append(f"${reward:.2f} for your part of a whole dialog.")
    if bonus:
        said.append(f"${bonus:.2f} more for the Questioner, for the summary.")
    if waiting:
        said.append(f"${waiting:.2f} for each minute of waiting after the first.")
    if reward:
        said.append(
            "The same in full when your partner leaves or is lost, when one of you reports a problem, when the time of "
            "the whole dialog is over, or when something fails on our side."
        )
    if vain:
        said.append(f"${vain:.2f} when no partner comes, or the study ends while you wait.")
    if reward:
        said.append("If you leave, or do not go on, the rounds that are done are paid: each by its share of the whole.")
        said.append("If you withdraw afterwards, you keep what you have earned.")
    return said


def _pay_alone(kind: str, reward: Decimal, bonus: Decimal, vain: Decimal) -> list[str]:
    """Return the rules of who works alone; the parts of the whole are those of ``kinds``."""
    writes = kind == Kind.SUMMARY
    task = "writing its summary" if writes else "marking all 100 answers"
    said = [f"${reward:.2f} for watching the video and {task}."] if reward else []
    if bonus and writes:
        said.append(f"${bonus:.2f} more for the summary.")
    if reward:
        said.append("The same in full when you report a problem with the video, or when something fails on our side.")
    if vain:
        said.append(f"${vain:.2f} when no video is left for you, or the study ends before you have one.")
    if reward:
        said.append(
            "If you leave, or the time is over, before you have sent the summary: half of it when the video has played "
            "to its end, nothing before."
            if writes
            else "If you leave, or the time is over, before you have finished: one eleventh of it for watching the "
            "video to its end, and one for each page of ten answers that is marked."
        )
        said.append("If you withdraw afterwards, you keep what you have earned.")
    return said


def _before(content: dict[str, Any]) -> list[str]:
    """Return what comes before the first task, and what happens to who does not pass it."""
    parts = ["a check of your sound and screen"] if content["device_check"] else []
    if content["practice"] and content["kind"] == Kind.DIALOG:
        parts.append("a short practice")
    if items := quizzes.parse(content["quiz"]):
        parts.append(f"a quiz of {many(len(items), 'question')}")
    listed = " and ".join([", ".join(parts[:-1]), parts[-1]] if parts[1:] else parts)
    end = " and is paid for coming" if screening_pay(content) else ""
    screened = f" Who does not pass may submit all the same{end}; nobody is rejected."
    return [f"First: {listed}. What you have passed is not asked again.{screened if _screens(content) else ''}"]


def _alone(content: dict[str, Any]) -> list[str]:
    if content["kind"] == Kind.RELEVANCE:
        return [f"The whole task: {_minutes(content['dialog_minutes'])}. Your marks are kept when you lose the page."]
    return [
        f"Summary: {_minutes(content['summary_minutes'])} once the video has played to its end. What you have typed is "
        "kept when you lose the page.",
        f"The whole task: {_minutes(content['dialog_minutes'])}.",
    ]


def in_words(content: dict[str, Any]) -> list[str]:
    """Return one sentence a promise, in the order in which a worker meets them."""
    before = _before(content) if teaches(content) else []
    return before + (_together(content) if content["kind"] == Kind.DIALOG else _alone(content))


def _together(content: dict[str, Any]) -> list[str]:
    for_waiting = " and are paid for waiting" if pays_waiting(content) else ""
    in_full, end = (", and both are paid in full", "end and be paid") if pays(content) else ("", "end")
    return [
        f"Waiting: when nobody has come after {_minutes(content['longest_wait_minutes'])}, you may end"
        f"{for_waiting}, {_times(content['no_partner_a_day'])} a day; or you wait on.",
        f"Writing: {_minutes(content['turn_minutes'])} for each question and each answer, and up to "
        f"{_minutes(content['typing_minutes'])} more while you type; after {_minutes(content['nudge_minutes'])} "
        "without a word we remind you. For the first answer they count once the video has played.",
        f"Summary: {_minutes(content['summary_minutes'])}.",
        f"The whole dialog: {_minutes(content['dialog_minutes'])}; we tell you after "
        f"{_minutes(content['dialog_warning_minutes'])}. When they are over, the round in progress is the last"
        f"{in_full}.",
        f"Lost connection: your partner waits for you {_seconds(content['grace_seconds'])}, and "
        f"{_seconds(max(content['grace_seconds'], content['long_grace_seconds']))} after round "
        f"{content['grace_rounds']}. If your partner is lost for that long, you choose: another partner, or {end}. "
        f"After {_seconds(content['grace_seconds'])} you may {end} in any case.",
    ]


def withdrawal(content: dict[str, Any]) -> str:
    """Return until when, how, and with what effect a worker can withdraw."""
    days, is_dialog = content["withdrawal_days"], content["kind"] == Kind.DIALOG
    how = f"On the last page, for {many(days, 'day')} after the end," if days else "By writing to the researcher"
    whole = ", with the whole dialog," if is_dialog else ""
    paid = f" {'Both of you' if is_dialog else 'You'} stay paid." if pays(content) else ""
    made = "marked" if content["kind"] == Kind.RELEVANCE else "wrote"
    return f"{how} you can withdraw what you {made}: it is then left out{whole} of all that is published later.{paid}"


def _minutes(number: int) -> str:
    return many(number, "minute")


def _seconds(number: int) -> str:
    return _minutes(number // 60) if number % 60 == 0 else f"{number} seconds"


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"up to {number} times")
