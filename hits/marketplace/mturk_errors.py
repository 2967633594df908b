"""What went wrong at Mechanical Turk, as errors of ours: decided by code, never by the text of a message."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    NoCredentialsError,
)

from hits.marketplace import clocks
from hits.marketplace.base import Gone, MarketplaceError

_PREFIX = "AWS.MechanicalTurk."
_PASSING = {"ThrottlingException", "ServiceFault", "RequestTimeout", "InternalFailure", "ServiceUnavailable"}
_NOTHING_DONE = {"ThrottlingException", "ServiceFault"}
_SIGNATURE = {"InvalidSignatureException", "SignatureDoesNotMatch", "RequestExpired", "RequestTimeTooSkewed"}
_WORKER = re.compile(r"\bA(?=[A-Z]*[0-9])[A-Z0-9]{7,63}\b")
_WORK = re.compile(r"\b[0-9][A-Z0-9]{29}\b")
_NO_CREDENTIALS = (
    "No credentials for Mechanical Turk were found. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment."
)


def code_of(error: ClientError) -> str:
    """Return what went wrong as a code, without Mechanical Turk's prefix."""
    answer: dict[str, Any] = error.response
    code = str(answer.get("TurkErrorCode") or answer.get("Error", {}).get("Code", ""))
    return code.removeprefix(_PREFIX)


def without_ids(message: str) -> str:
    """Return a message of the marketplace without ids of workers and their work: it is shown, and stands in logs."""
    return _WORK.sub("(an id)", _WORKER.sub("(a worker's id)", message))


@contextmanager
def told(what: str) -> Iterator[None]:
    """Turn what boto3 raises into MarketplaceError. Keys never stand in it: messages of AWS do not hold them."""
    try:
        yield
    except NoCredentialsError:
        raise MarketplaceError("no_credentials", _NO_CREDENTIALS, is_final=True, nothing_done=True) from None
    except ClientError as error:
        code = code_of(error)
        answer = error.response.get("ResponseMetadata", {})
        message = without_ids(error.response["Error"].get("Message", ""))
        sentence = f"Mechanical Turk refused to {what}: {message} [{code}]"
        if code == "HITDoesNotExist":
            raise Gone(sentence) from None
        if code in _SIGNATURE and (said := clocks.objection(clocks.ahead(answer.get("HTTPHeaders", {})))):
            raise MarketplaceError("clock", said, is_final=False, nothing_done=True) from None
        is_passing = code in _PASSING or answer.get("HTTPStatusCode", 0) >= 500
        raise MarketplaceError(
            code, sentence, is_final=not is_passing, nothing_done=not is_passing or code in _NOTHING_DONE
        ) from None
    except BotoCoreError as error:
        sentence = f"Mechanical Turk did not answer when asked to {what} ({type(error).__name__})."
        unheard = isinstance(error, EndpointConnectionError | ConnectTimeoutError)
        raise MarketplaceError("no_answer", sentence, is_final=False, nothing_done=unheard) from None
