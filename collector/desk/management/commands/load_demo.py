"""Make the demo study over the sample scenes, and a researcher's account; what exists is left as it is."""

import secrets
from decimal import Decimal
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand
from django.db import transaction

from collector.catalogue.models import Video
from collector.lib import clock
from collector.studies.models import Collection, State, Study, StudyVideo
from hits.models import Environment, Recruitment

RESEARCHER = "researcher"


class Command(BaseCommand):
    """What a first run needs to be tried at once."""

    help = __doc__

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        """Make what is missing; print the password when it is made, never again."""
        study = self._study()
        for video in Video.objects.filter(scene__isnull=False).exclude(study_videos__study=study):
            StudyVideo.objects.create(study=study, video=video, wanted=None)
        self._recruitment(study)
        self._researcher()

    def _study(self) -> Study:
        study = Study.objects.filter(slug="demo").first()
        if study is None:
            collection, _ = Collection.objects.get_or_create(name="Demo")
            study = Study.objects.create(
                collection=collection,
                name="Demo",
                slug="demo",
                state=State.OPEN,
                dialogs_per_video=None,
                researcher="whoever gave you this link",
                reward=Decimal("4.00"),
                summary_bonus=Decimal("1.00"),
                waiting_pay=Decimal("0.15"),
                ending_pay=Decimal("0.50"),
                created_at=clock.now(),
            )
        return study

    def _recruitment(self, study: Study) -> None:
        """Prepare an offer on the local marketplace; a researcher launches it."""
        Recruitment.objects.get_or_create(
            study=study,
            environment=Environment.LOCAL,
            defaults={
                "title": "Talk with somebody about a short video, 15 minutes",
                "description": "Two people, one short video: one asks, the other has seen it and answers.",
                "dialogs_wanted": 20,
                "budget": Decimal(500),
                "created_at": clock.now(),
            },
        )

    def _researcher(self) -> None:
        users = get_user_model()._default_manager
        if users.filter(is_superuser=True).exists():
            return
        password = secrets.token_urlsafe(12)
        users.create_superuser(RESEARCHER, password=password)
        self.stdout.write("")
        self.stdout.write(f"  Account: {RESEARCHER}   Password: {password}")
        self.stdout.write(f"  Shown only now; set another with: manage.py changepassword {RESEARCHER}")
