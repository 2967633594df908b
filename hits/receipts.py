"""What proves that somebody took part? A signed receipt that is submitted with the work.

From it a submission is linked to its participation when our own record of the entry is missing.
"""

from django.core import signing

from collector.studies.models import Participation

_SIGNER = signing.Signer(salt="collector.receipt")


def receipt_of(participation: Participation) -> str:
    """Return a participation's receipt."""
    return _SIGNER.sign(f"{participation.pk}.{participation.worker_id}")


def participation_of(receipt: str, worker_id: int) -> int | None:
    """Return the participation that a receipt is for, None when it is no receipt of ours or another worker's."""
    try:
        pk, worker = _SIGNER.unsign(receipt).split(".")
    except (signing.BadSignature, ValueError):
        return None
    if int(worker) != worker_id:
        return None
    return Participation.objects.filter(pk=int(pk)).values_list("pk", flat=True).first()
