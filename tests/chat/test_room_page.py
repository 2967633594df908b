"""What does the waiting room say to whom, as the server renders it?"""

import pytest
from django.test import Client

from collector.studies.admission import token_of
from collector.studies.models import MetPartner
from tests import factories

MEET_AGAIN = "becomes it again only when nobody else has come within a minute"


@pytest.mark.django_db
def test_who_has_met_somebody_reads_when_they_would_meet_again(client: Client) -> None:
    study = factories.study()
    first, second, third = (factories.participation(study) for _ in range(3))
    pair = sorted([first.worker, second.worker], key=lambda worker: worker.pk)
    MetPartner.objects.create(collection=study.collection, first=pair[0], second=pair[1])
    said = [MEET_AGAIN in client.get(f"/w/{token_of(each)}/").content.decode() for each in (first, second, third)]
    assert said == [True, True, False]
