"""In which order does a researcher fill in the form of a study? From texts to pay, without what its kind has not."""

from typing import Any

from collector.studies.models import Kind

_RARELY = ["collapse"]
VIDEOS, CONSENT, WHO, PAY = "Videos", "Consent", "Who may take part", "Pay"
"""Below these groups the form has more: rows of videos, workers' pages, who may come in words, an hour's worth."""

CONSENT_FIELDS = [
    "institution", "researcher", "protocol_number", "purpose", "risks", "text_licence", "withdrawal_days",
    "keeps_evidence",
]  # fmt: skip
_GROUPS: tuple[tuple[str, list[str], list[str]], ...] = (
    ("The study", [], ["kind", "name", "slug", "collection", "language", "state"]),
    ("Texts", [], [
        "title", "instructions", "questioner_instructions", "answerer_instructions", "summary_instructions",
        "content_warning",
    ]),
    (CONSENT, [], CONSENT_FIELDS),
    (VIDEOS, [], [
        "split", "videos_of", "example", "dialogs_per_video", "frames_shown", "answerer_sees_script",
        "recollect_without_summary",
    ]),
    ("Limits", [], [
        "rounds", "least_question_words", "least_answer_words", "least_summary_words", "dialog_minutes",
        "summary_minutes",
    ]),
    ("Limits that rarely change", _RARELY, [
        "longest_text", "longest_summary", "turn_minutes", "nudge_minutes", "typing_minutes",
        "dialog_warning_minutes", "longest_wait_minutes", "no_partner_a_day", "grace_seconds", "grace_rounds",
        "long_grace_seconds",
    ]),
    ("Before the task", [], ["device_check", "practice", "quiz", "quiz_least_right", "quiz_tries"]),
    (WHO, [], ["not_after"]),
    (PAY, [], [
        "reward", "summary_bonus", "minutes", "waiting_pay", "ending_pay", "screening_pay", "pay_note",
    ]),
    ("The end, and statistics", _RARELY, ["completion_code", "completion_url", "word_lists"]),
)  # fmt: skip

_OF_TALK = {
    "questioner_instructions", "answerer_instructions", "frames_shown", "answerer_sees_script",
    "recollect_without_summary", "rounds", "least_question_words", "least_answer_words", "longest_text",
    "turn_minutes", "nudge_minutes", "typing_minutes", "dialog_warning_minutes", "longest_wait_minutes",
    "no_partner_a_day", "grace_seconds", "grace_rounds", "long_grace_seconds", "practice", "waiting_pay",
}  # fmt: skip
_OF_WRITING = {
    "split", "videos_of", "least_summary_words", "longest_summary", "summary_minutes", "summary_bonus", "text_licence",
    "keeps_evidence",
}  # fmt: skip
_WITHOUT = {
    Kind.DIALOG: {"example"},
    Kind.SUMMARY: _OF_TALK,
    Kind.RELEVANCE: _OF_TALK | _OF_WRITING | {"example"},
}
"""What a kind of study has no use for; such a field keeps what it holds."""


def of(kind: Kind) -> list[tuple[str, Any]]:
    """Return the groups of fields for a kind, as the admin takes them."""
    shown = [
        (name, classes, [each for each in fields if each not in _WITHOUT[kind]]) for name, classes, fields in _GROUPS
    ]
    return [(name, {"fields": fields, "classes": classes}) for name, classes, fields in shown if fields]
