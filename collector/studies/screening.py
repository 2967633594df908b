"""Who was screened out, and is not let in again for now? A quiz is failed for good, a device for a day."""

from datetime import timedelta

from django.db.models import QuerySet

from collector.lib import clock
from collector.studies.models import Participation, Study, Why


def failed_quiz(study: Study) -> QuerySet[Participation]:
    """Return the participations, in any study, that ended at the quiz that this study asks now."""
    return Participation.objects.filter(
        why=Why.QUIZ_FAILED,
        version__content__quiz=study.quiz,
        version__content__quiz_least_right=study.quiz_least_right,
    )


def failed_device(study: Study) -> QuerySet[Participation]:
    """Return the participations in this study that ended within a day at the device: they were paid for it."""
    today = clock.now() - timedelta(days=1)
    return Participation.objects.filter(why=Why.DEVICE_FAILED, study=study, ended_at__gte=today)
