"""Who signed a request? Signature Version 4, computed again with botocore's own signer; imports nothing of Django."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from hits.localmarket.refusals import Refusal

SERVICE = "mturk-requester"
SKEW = timedelta(minutes=5)
_PART = re.compile(r"(Credential|SignedHeaders|Signature)=([^,\s]+)")


def check_signature(
    secrets: Mapping[str, str], url: str, headers: Mapping[str, str], body: bytes, at: datetime | None = None
) -> str:
    """Return the access key that signed a POST, or refuse.

    ``secrets`` maps each key to its secret, or to nothing where it is not to be checked; empty, any key is taken.
    ``headers`` have lower-case names. ``at`` is the real time.
    """
    authorization = headers.get("authorization", "")
    if not authorization:
        raise Refusal("no_signature")
    parts: dict[str, str] = dict(_PART.findall(authorization))
    scope = parts.get("Credential", "").split("/")
    if not authorization.startswith("AWS4-HMAC-SHA256 ") or len(parts) != 3 or len(scope) != 5:
        raise Refusal("half_signature", reason="Authorization header requires Credential, SignedHeaders and Signature.")
    key: str = scope[0]
    if secrets and key not in secrets:
        raise Refusal("unknown_key")
    if scope[3] != SERVICE:
        raise Refusal("wrong_signature", reason=f"Credential should be scoped to correct service: '{SERVICE}'.")
    if secrets.get(key):
        _check_age(headers.get("x-amz-date", ""), at or datetime.now(UTC))
        if _signature(key, secrets[key], scope, parts["SignedHeaders"], url, headers, body) != parts["Signature"]:
            raise Refusal("wrong_signature", reason="The signature does not match the one calculated with our secret.")
    return key


def _check_age(stamp: str, now: datetime) -> None:
    try:
        signed = datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        raise Refusal("half_signature", reason="Authorization header requires a date in 'X-Amz-Date'.") from None
    if abs(now - signed) > SKEW:
        reason = f"Signature expired or not yet valid: {stamp}, here it is {now:%Y%m%dT%H%M%SZ}."
        raise Refusal("wrong_signature", reason=reason)


def _signature(
    key: str, secret: str, scope: list[str], names: str, url: str, headers: Mapping[str, str], body: bytes
) -> str:
    """Return the signature that the holder of the secret would have made."""
    signed = {name: headers.get(name, "") for name in names.split(";")}
    request = AWSRequest(method="POST", url=url, data=body, headers=signed)
    request.context["timestamp"] = headers.get("x-amz-date", "")
    signer = SigV4Auth(Credentials(key, secret), scope[3], scope[2])
    canonical = signer.canonical_request(request)
    return str(signer.signature(signer.string_to_sign(request, canonical), request))
