"""Was this done before? UniqueRequestTokens, remembered for a day."""

from datetime import timedelta

from hits.localmarket.models import Token
from hits.localmarket.operations.registry import Call
from hits.localmarket.refusals import Refusal

KEPT = timedelta(hours=24)


def refuse_repetition(call: Call, purpose: str, refusal: str) -> None:
    """Refuse a call whose token did its work within the last day."""
    token = call.get("UniqueRequestToken")
    if token is None:
        return
    used = Token.objects.filter(purpose=purpose, token=token, at__gt=call.now - KEPT).first()
    if used:
        raise Refusal(refusal, id=used.outcome)


def remember(call: Call, purpose: str, outcome: str) -> None:
    """Remember what a call with a token did."""
    if token := call.get("UniqueRequestToken"):
        Token.objects.create(purpose=purpose, token=token, at=call.now, outcome=outcome)
