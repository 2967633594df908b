"""What does each field of a recruitment do, and what did others choose? The help of its form; the model says nothing.

AVSD stands for the paper (Alamri et al., CVPR 2019), VisDial for the published scripts of its collection, which AVSD's
chat was made from.
"""

from django.forms import ModelForm

from hits.models import Recruitment

_OFFER = {
    "study": "Whose workers are to be found; its pay, texts and times are those of the study.",
    "environment": "Which of the marketplace's worlds: local is this machine and play money, sandbox a marketplace's "
    "own place to try, live real people and real money.",
    "title": "What workers read in the marketplace's list.",
    "description": "What they read when they open the entry; what is paid beyond the listed reward is added by itself.",
    "keywords": "Words by which workers search the list, separated by commas.",
}
_WHO = {
    "percent_approved": "At least so many of a hundred of their submissions were approved; empty: not asked. AVSD: 95 "
    "(section 3.1).",
    "number_approved": "At least so many of their submissions were approved; empty: not asked. AVSD: 500 (section "
    "3.1); VisDial: 5,000, which takes a new worker months of badly paid work (Kummerfeld 2021).",
    "countries": "Where workers live: codes separated by commas, 30 at most; empty: everywhere. AVSD: North America "
    "(section 3.1), which is US, CA or US, CA, MX.",
    "masters": "Only who the marketplace calls a Master; it costs 5 % of the rewards more, and few are.",
    "adult": "Only who has agreed to see adult content.",
    "required_types": "Ids of qualification types of your own that a worker must hold, separated by commas.",
    "excluded_types": "Ids of qualification types of your own that a worker must not hold, separated by commas.",
}
_HOW_MANY = {
    "dialogs_wanted": "In all, the pilot included. AVSD: 11,816 dialogs, one a video (section 3.2).",
    "pilot_dialogs": "The first batch; then it pauses until a person has looked.",
    "open_at_once": "Seats on offer at a time; topped up as they are taken. A dialog needs two.",
    "budget": "US dollars, fees included; the launch is refused when the expected cost is more.",
    "worker_day_ceiling": "US dollars that one worker is paid within a day at most.",
    "day_ceiling": "US dollars for all workers and studies of this environment within a day; empty: no ceiling.",
    "wage_reason": "Why an hour is worth less than the least wage, if it is; else it cannot be launched.",
}
_TIMES = {
    "assignment_minutes": "So long a worker may hold a HIT: reading, waiting, dialog, summary and a margin. VisDial: "
    "20 minutes.",
    "auto_approval_hours": "What nobody has decided by then the marketplace approves by itself; workers wait for it.",
    "approve_after_hours": "Complete work is approved by us after so long; empty: by a person.",
}
_HOURS = {
    "offered_days": "Days on which it is offered, such as Mon, Tue, Wed, Thu, Fri; empty: every day.",
    "offered_from": "From when on each of these days; empty: all day.",
    "offered_to": "Until when; earlier than from means on the next day.",
    "offered_zone": "In which these days and times are meant, such as America/New_York.",
}


class RecruitmentForm(ModelForm[Recruitment]):
    """A recruitment's fields with their help; other kinds of studies want something else than dialogs."""

    class Meta:
        labels = {
            "dialogs_wanted": "Dialogs, summaries or annotations wanted",
            "pilot_dialogs": "Of these in the pilot",
        }
        help_texts = _OFFER | _WHO | _HOW_MANY | _TIMES | _HOURS
