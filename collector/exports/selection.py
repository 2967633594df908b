"""Which dialogs leave, and which do not, and why? Read only; shared by every format. And which study is meant?"""

from dataclasses import dataclass

from django.db.models import Q, QuerySet

from chat import transcripts
from chat.models import Dialog, DialogQuerySet
from collector.lib.text import many
from collector.studies.models import Study

_NAMED = 20
"""Studies that a refusal names."""


class NoStudy(Exception):
    """No study has this short name; the message is a sentence that names some that there are."""


def study_named(slug: str, kind: str = "") -> Study:
    """Return the study with this short name, of this kind if one is given. Raises NoStudy."""
    studies = Study.objects.filter(kind=kind) if kind else Study.objects.all()
    if found := studies.filter(slug=slug).first():
        return found
    known = ", ".join(studies.order_by("slug").values_list("slug", flat=True)[:_NAMED]) or "none yet"
    what = f"{kind} stud" if kind else "stud"
    raise NoStudy(f"There is no {what}y {slug!r}. The {what}ies are: {known}.")


@dataclass(frozen=True)
class Selection:
    """What the researcher asked for: one study or all, one split or all, and which dialogs besides complete ones.

    Of all studies, those that were imported leave only when they are named.
    """

    study: str = ""
    split: str = ""
    without_summary: bool = False
    simulated: bool = False

    def dialogs(self) -> QuerySet[Dialog]:
        """Return the dialogs to export."""
        chosen = self._ended().in_data()
        complete = chosen.filter(is_complete=True)
        return complete | _summary_missing(chosen) if self.without_summary else complete

    def left_out(self) -> dict[str, int]:
        """Return how many dialogs stay behind, by reason."""
        ended = self._ended().in_data()
        withdrawn = self._ended().withdrawn().count()
        missing = _summary_missing(ended).count()
        unfinished = ended.filter(is_complete=False).count() - missing
        simulated = 0 if self.simulated else self._asked_for().filter(is_simulated=True).count()
        return {
            "no summary (--without-summary takes them)": 0 if self.without_summary else missing,
            "incomplete": unfinished,
            "withdrawn by a worker": withdrawn,
            "taken out by a person": self._ended().count() - ended.count() - withdrawn,
            "still running": self._real_enough().filter(ended_at__isnull=True).count(),
            "simulated (--simulated takes them)": simulated,
        }

    def hint(self) -> str:
        """Return a sentence on dialogs of programs that are left out, with a space before it; empty without any."""
        number = 0 if self.simulated else self._asked_for().filter(is_simulated=True, is_complete=True).count()
        return f" {many(number, 'dialog')} of simulated workers: --simulated takes them." if number else ""

    def licences(self) -> list[str]:
        """Return the licences that the studies of these dialogs give their texts."""
        named = self.dialogs().order_by("study__text_licence").values_list("study__text_licence", flat=True)
        return list(named.distinct())

    def _ended(self) -> DialogQuerySet:
        return self._real_enough().filter(ended_at__isnull=False)

    def _asked_for(self) -> DialogQuerySet:
        held_here = Q(origin__isnull=True)
        dialogs = Dialog.objects.filter(Q(study__slug=self.study) if self.study else held_here)
        if self.split:
            dialogs = dialogs.filter(held_here & Q(video__split=self.split) | Q(origin__split=self.split))
        return dialogs

    def _real_enough(self) -> DialogQuerySet:
        return self._asked_for() if self.simulated else self._asked_for().filter(is_simulated=False)


def _summary_missing(dialogs: QuerySet[Dialog]) -> QuerySet[Dialog]:
    return transcripts.without_summary(transcripts.with_all_rounds(dialogs.filter(is_complete=False)))
