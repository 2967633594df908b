"""What is a worker promised? A version's minutes and money in words, for the invitation and the waiting page."""

from decimal import Decimal
from typing import Any

from django.utils.translation import gettext

from collector.lib.languages import dollars, listed, many
from collector.studies import quizzes
from collector.studies.models import Kind


def pay(content: dict[str, Any]) -> str:
    """Return the pay in a few words; empty when nothing is paid by the platform."""
    reward = Decimal(content["reward"])
    return dollars(reward) if reward else ""


def hourly(content: dict[str, Any]) -> str:
    """Return what an hour is worth at the minutes that are announced; empty when nothing is paid by the platform."""
    reward, minutes = Decimal(content["reward"]), Decimal(content["minutes"])
    return gettext("about {amount} an hour").format(amount=dollars(60 * reward / minutes)) if reward and minutes else ""


def reviewed(content: dict[str, Any]) -> list[str]:
    """Return one sentence for each thing that a worker can count on when the work is judged."""
    marks = content["kind"] == Kind.RELEVANCE
    said = [
        gettext("A person looks at what you marked; no program rejects anybody.")
        if marks
        else gettext("A person reads what you wrote; no program rejects anybody."),
        gettext("You are judged by your own part only, never by what a partner did or failed to do."),
        gettext("Whoever is rejected reads the reason and can ask for another look, on a page of their own."),
    ]
    return [said[0], said[2]] if content["kind"] != Kind.DIALOG else said


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
    rule = gettext("{amount} when your device or the quiz says that the task does not fit you.")
    screened = [rule.format(amount=dollars(screening))]
    if content["kind"] == Kind.DIALOG:
        said += _pay_together(reward, bonus, waiting, vain)
    else:
        said += _pay_alone(content["kind"], reward, bonus, vain)
    return said + (screened if screening else [])


def _pay_together(reward: Decimal, bonus: Decimal, waiting: Decimal, vain: Decimal) -> list[str]:
    """Return the rules of a dialog."""
    said = []
    if reward:
        said.append(gettext("{amount} for your part of a whole dialog.").format(amount=dollars(reward)))
    if bonus:
        said.append(gettext("{amount} more for the Questioner, for the summary.").format(amount=dollars(bonus)))
    if waiting:
        said.append(gettext("{amount} for each minute of waiting after the first.").format(amount=dollars(waiting)))
    if reward:
        said.append(
            gettext(
                "The same in full when your partner leaves or is lost, when one of you reports a problem, when the "
                "time of the whole dialog is over, or when something fails on our side."
            )
        )
    if vain:
        said.append(
            gettext("{amount} when no partner comes, or the study ends while you wait.").format(amount=dollars(vain))
        )
    if reward:
        said.append(
            gettext("If you leave, or do not go on, the rounds that are done are paid: each by its share of the whole.")
        )
        said.append(gettext("If you withdraw afterwards, you keep what you have earned."))
    return said


def _pay_alone(kind: str, reward: Decimal, bonus: Decimal, vain: Decimal) -> list[str]:
    """Return the rules of who works alone; the parts of the whole are those of ``kinds``."""
    writes = kind == Kind.SUMMARY
    whole = (
        gettext("{amount} for watching the video and writing its summary.")
        if writes
        else gettext("{amount} for watching the video and marking all 100 answers.")
    )
    said = [whole.format(amount=dollars(reward))] if reward else []
    if bonus and writes:
        said.append(gettext("{amount} more for the summary.").format(amount=dollars(bonus)))
    if reward:
        said.append(
            gettext("The same in full when you report a problem with the video, or when something fails on our side.")
        )
    if vain:
        said.append(
            gettext("{amount} when no video is left for you, or the study ends before you have one.").format(
                amount=dollars(vain)
            )
        )
    if reward:
        said.append(
            gettext(
                "If you leave, or the time is over, before you have sent the summary: half of it when the video has "
                "played to its end, nothing before."
            )
            if writes
            else gettext(
                "If you leave, or the time is over, before you have finished: one eleventh of it for watching the "
                "video to its end, and one for each page of ten answers that is marked."
            )
        )
        said.append(gettext("If you withdraw afterwards, you keep what you have earned."))
    return said


def _before(content: dict[str, Any]) -> list[str]:
    """Return what comes before the first task, and what happens to who does not pass it."""
    parts = [gettext("a check of your sound and screen")] if content["device_check"] else []
    if content["practice"] and content["kind"] == Kind.DIALOG:
        parts.append(gettext("a short practice"))
    if items := quizzes.parse(content["quiz"]):
        parts.append(gettext("a quiz of {questions}").format(questions=many(len(items), "question")))
    first = gettext("First: {steps}. What you have passed is not asked again.").format(steps=listed(parts))
    if not _screens(content):
        return [first]
    screened = (
        gettext("Who does not pass may submit all the same and is paid for coming; nobody is rejected.")
        if screening_pay(content)
        else gettext("Who does not pass may submit all the same; nobody is rejected.")
    )
    return [f"{first} {screened}"]


def _alone(content: dict[str, Any]) -> list[str]:
    whole = gettext("The whole task: {minutes}.").format(minutes=_minutes(content["dialog_minutes"]))
    if content["kind"] == Kind.RELEVANCE:
        return [" ".join([whole, gettext("Your marks are kept when you lose the page.")])]
    summary = gettext("Summary: {minutes} once the video has played to its end.")
    kept = gettext("What you have typed is kept when you lose the page.")
    return [f"{summary.format(minutes=_minutes(content['summary_minutes']))} {kept}", whole]


def in_words(content: dict[str, Any]) -> list[str]:
    """Return one sentence a promise, in the order in which a worker meets them."""
    before = _before(content) if teaches(content) else []
    return before + (_together(content) if content["kind"] == Kind.DIALOG else _alone(content))


def _together(content: dict[str, Any]) -> list[str]:
    return [_waiting(content), _writing(content), _summing_up(content), _whole(content), _lost(content)]


def _waiting(content: dict[str, Any]) -> str:
    said = (
        gettext(
            "Waiting: when nobody has come after {minutes}, you may end and are paid for waiting, {times} a day; "
            "or you wait on."
        )
        if pays_waiting(content)
        else gettext("Waiting: when nobody has come after {minutes}, you may end, {times} a day; or you wait on.")
    )
    return said.format(minutes=_minutes(content["longest_wait_minutes"]), times=_times(content["no_partner_a_day"]))


def _writing(content: dict[str, Any]) -> str:
    said = gettext(
        "Writing: {turn} for each question and each answer, and up to {more} more while you type; after "
        "{quiet} without a word we remind you. For the first answer they count once the video has played."
    )
    turn, more, quiet = (_minutes(content[name]) for name in ("turn_minutes", "typing_minutes", "nudge_minutes"))
    return said.format(turn=turn, more=more, quiet=quiet)


def _summing_up(content: dict[str, Any]) -> str:
    return gettext("Summary: {minutes}.").format(minutes=_minutes(content["summary_minutes"]))


def _whole(content: dict[str, Any]) -> str:
    said = (
        gettext(
            "The whole dialog: {minutes}; we tell you after {warning}. When they are over, the round in progress "
            "is the last, and both are paid in full."
        )
        if pays(content)
        else gettext(
            "The whole dialog: {minutes}; we tell you after {warning}. When they are over, the round in progress "
            "is the last."
        )
    )
    return said.format(minutes=_minutes(content["dialog_minutes"]), warning=_minutes(content["dialog_warning_minutes"]))


def _lost(content: dict[str, Any]) -> str:
    said = (
        gettext(
            "Lost connection: your partner waits for you {grace}, and {long} after round {round}. If your partner is "
            "lost for that long, you choose: another partner, or end and be paid. After {grace} you may end and "
            "be paid in any case."
        )
        if pays(content)
        else gettext(
            "Lost connection: your partner waits for you {grace}, and {long} after round {round}. If your partner is "
            "lost for that long, you choose: another partner, or end. After {grace} you may end in any case."
        )
    )
    grace, long = content["grace_seconds"], max(content["grace_seconds"], content["long_grace_seconds"])
    return said.format(grace=_seconds(grace), long=_seconds(long), round=content["grace_rounds"])


def withdrawal(content: dict[str, Any]) -> str:
    """Return until when, how, and with what effect a worker can withdraw."""
    days, is_dialog = content["withdrawal_days"], content["kind"] == Kind.DIALOG
    how = (
        gettext("You can withdraw on the last page, for {days} after the end.").format(days=many(days, "day"))
        if days
        else gettext("You can withdraw by writing to the researcher.")
    )
    if is_dialog:
        what = gettext("What you wrote is then left out, with the whole dialog, of all that is published later.")
    elif content["kind"] == Kind.RELEVANCE:
        what = gettext("What you marked is then left out of all that is published later.")
    else:
        what = gettext("What you wrote is then left out of all that is published later.")
    if not pays(content):
        return f"{how} {what}"
    paid = gettext("Both of you stay paid.") if is_dialog else gettext("You stay paid.")
    return f"{how} {what} {paid}"


def _minutes(number: int) -> str:
    return many(number, "minute")


def _seconds(number: int) -> str:
    return _minutes(number // 60) if number % 60 == 0 else many(number, "second")


def _times(number: int) -> str:
    known = {1: gettext("once"), 2: gettext("twice")}
    return known.get(number) or gettext("up to {number} times").format(number=number)
