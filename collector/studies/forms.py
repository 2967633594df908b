"""What does each field of a study do, and what did others choose? The help of its form; the models say nothing of it.

Values of AVSD are those of the paper (Alamri et al., CVPR 2019), by its sections.
"""

from typing import Any

from django.core.exceptions import ValidationError
from django.forms import ModelChoiceField, ModelForm

from collector.catalogue.models import Video
from collector.studies.models import Collection, Study, StudyVideo

_STUDY = {
    "kind": "Dialog: two workers talk about a video. Summary: one worker watches a video and writes down what happens. "
    "Relevance: one worker watches a video and marks which of 100 answers to a question are correct. It stays as it is "
    "made.",
    "name": "What the study is called on the desk.",
    "slug": "Ends the invitation link, where workers read it: say nothing about the videos here.",
    "collection": "The dataset it belongs to. Within one, nobody is given a video twice, and the cap on complete "
    "dialogs a worker holds.",
    "state": "Who may come in. Leave it a draft until texts and pay are right; open lets workers in, draining lets "
    "those inside finish, paused and closed let nobody wait.",
    "language": "What workers read and write, as a BCP 47 tag such as en, es-MX, ja; words are counted by it. "
    "Their pages are in it where they are translated: English and Spanish. A new study in Spanish has its texts in "
    "Spanish, too. AVSD: English (section 3.1).",
}
_TEXTS = {
    "title": "The heading of the workers' pages.",
    "instructions": "What everyone reads before they agree, in Markdown.",
    "questioner_instructions": "What the Questioner is to do, in Markdown: read before agreeing, and beside the chat. "
    "AVSD: “investigate what is happening”; asked to “chat about the video”, people asked about rooms and looks "
    "(section 3.1).",
    "answerer_instructions": "What the Answerer is to do, in Markdown: read before agreeing, and beside the chat. "
    "AVSD: detailed answers, none of them only yes or no (section 3.1, appendix I).",
    "summary_instructions": "In Markdown, above the field in which the summary is written; in a relevance study: when "
    "an answer counts as correct. AVSD, of people who watched: “Summarize what is happening in the video” "
    "(section 3.2).",
    "content_warning": "Stands above everything else, where a video may disturb somebody; empty: nothing stands there.",
}
_CONSENT = {
    "institution": "Who is responsible, as the consent names it, such as your university; empty: it names none.",
    "protocol_number": "Under which an ethics board has approved the study, as the consent names it; empty: it names "
    "none.",
    "researcher": "Whom workers may write to, with an address, as the consent names it. Give one: a worker must be "
    "able to ask.",
    "purpose": "Why you collect it, in the consent, in a sentence or two.",
    "risks": "What may be unpleasant for who takes part, in the consent.",
    "text_licence": "Under which the texts are published; workers agree to it, so it cannot be changed for texts that "
    "are there.",
    "withdrawal_days": "So long after the end workers can withdraw by themselves, on the last page; 0: only by writing "
    "to the researcher, who can record it at any time.",
    "keeps_evidence": "Keeps typing times, pastes and their lengths, how often the page was left, and corrections: "
    "counts, never unsent text. Also whether both workers of a dialog came from one network address.",
}
_VIDEOS = {
    "split": "Takes all videos of this split, beside those listed below; empty: those listed only. The sample "
    "scenes are in Train. AVSD: the splits of Charades (section 5).",
    "videos_of": "Takes all videos about which the chosen study has complete dialogs, too; those that come later are "
    "added.",
    "example": "Shown with its script before the task, and never given to be summarised. AVSD showed one (appendix J).",
    "dialogs_per_video": "How many are wanted of each video; of an item, in a relevance study. Empty: as many as come. "
    "AVSD: 1 dialog (section 3.2), 4 summaries (appendix J); Visual Dialog Challenge 2018: 4 people an item. A new "
    "summary or relevance study with 1 gets 4.",
    "recollect_without_summary": "A dialog with all rounds whose Questioner left before the summary gives its video "
    "back.",
    "frames_shown": "What the Questioner sees of the video; instructions that are still ours change with it. AVSD: "
    "three, so that people ask in which order things happen (section 3.1); one is nearer to VisDial's picture.",
    "answerer_sees_script": "Shows the Answerer the script beside the video. AVSD: yes (section 3.1).",
}
_TASK = {
    "rounds": "Questions with their answers in a dialog. AVSD, VisDial: 10.",
    "least_question_words": "A question with fewer is not taken, and the page says so. On average they had 7.9 in "
    "AVSD, 5.1 in VisDial (section 3.2).",
    "least_answer_words": "An answer with fewer is not taken, and the page says so. On average they had 9.4 in AVSD, "
    "2.9 in VisDial (section 3.2).",
    "least_summary_words": "A summary with fewer is not taken, and the page says so.",
    "longest_text": "Code points of a question or an answer at most.",
    "longest_summary": "Code points of a summary at most.",
    "dialog_minutes": "So long the whole task may take; then the round in progress ends it: incomplete, both paid in "
    "full.",
    "dialog_warning_minutes": "When both are told that the time of the whole dialog will be over.",
    "summary_minutes": "So long the summary may take.",
}
_TIMES = {
    "longest_wait_minutes": "Then a worker may end as no_partner, paid, or go on waiting.",
    "no_partner_a_day": "So often a worker may end so in a day; beyond it they come in only while somebody waits.",
    "turn_minutes": "So long a question or an answer may take; then the turn has run out, and the partner chooses.",
    "nudge_minutes": "After so long without a word the page asks the worker to write.",
    "typing_minutes": "By so much at most a turn is extended while it is typed.",
    "grace_seconds": "So long a partner who lost the connection is waited for in the first rounds.",
    "grace_rounds": "After this round the long grace holds: both have put in more.",
    "long_grace_seconds": "So long a lost partner is waited for in later rounds; who stayed may end after the short "
    "one, paid.",
}
_BEFORE = {
    "device_check": "Before the first task of a day: sound, video, size of the window, connection. A few seconds.",
    "practice": "Before a worker's first dialog: three steps, then a round in each role with a program.",
    "quiz": "Before the first task. A question on a line of its own; below it its options, each after -, the right one "
    "after *. Empty: none.",
    "quiz_least_right": "To pass the quiz. Empty: all of them.",
    "quiz_tries": "How often somebody may try before they are screened out, paid.",
}
_PAY = {
    "reward": "US dollars for a complete task, and when the partner or we fail. AVSD does not say what it paid.",
    "summary_bonus": "US dollars on top for who writes the summary, which is more to write.",
    "minutes": "What the task takes, reading included, waiting left out: workers read it, and the hourly wage is "
    "reckoned by it until it is measured.",
    "waiting_pay": "US dollars for each minute of waiting after the first.",
    "ending_pay": "US dollars when no partner or no video is there, or the study ends. A HIT is listed with it.",
    "screening_pay": "US dollars when the device check or the quiz is not passed. Only in a study that pays for "
    "something else, too.",
    "pay_note": "For a study that somebody else pays for; a sentence such as: Your course counts it as one hour.",
}
_REST = {
    "not_after": "Such as a pilot: its workers are not let in, and a marketplace does not offer it to them.",
    "completion_code": "Shown at the end; empty: one of their own for each participation.",
    "completion_url": "Where workers go at the end, instead of seeing a code.",
    "word_lists": "Lists in the place of the paper's, for statistics; easier to edit on the page of statistics.",
}


class StudyForm(ModelForm[Study]):
    """A study's fields with their help."""

    class Meta:
        help_texts = _STUDY | _TEXTS | _CONSENT | _VIDEOS | _TASK | _TIMES | _BEFORE | _PAY | _REST
        labels = {"videos_of": "Videos of another study"}


class VideoField(ModelChoiceField[Video]):
    """A video by its number, which the lookup fills in, or by its id, which researchers know."""

    def to_python(self, value: Any) -> Video | None:
        """Return the video; what is not all digits is an id."""
        if not isinstance(value, str) or not value.strip() or value.strip().isdecimal():
            return super().to_python(value)
        image_id = value.strip()
        if found := Video.objects.filter(image_id=image_id).first():
            return found
        raise ValidationError(f"No video has the id {image_id[:40]}. Import it, or look one up by the glass.")


class StudyVideoForm(ModelForm[StudyVideo]):
    """A row of the study's videos."""

    class Meta:
        field_classes = {"video": VideoField}
        help_texts = {
            "study": "Whose video it is.",
            "video": "Its id, such as SCN01, or its number; the glass looks it up.",
            "wanted": "So many dialogs, or summaries, are to be about it; empty: no limit.",
            "started": "Running or complete; given back when one ends without being of use.",
            "is_held": "Reported by a worker; not given until you release it.",
        }


class CollectionForm(ModelForm[Collection]):
    """A collection's fields."""

    class Meta:
        help_texts = {
            "name": "What the dataset is called.",
            "cap": "So many complete dialogs one worker may have; ends for want of a partner do not count. AVSD: 200 "
            "(section 3.1).",
        }
