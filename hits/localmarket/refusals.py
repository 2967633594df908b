"""Which errors does the marketplace answer with, and how sure are we of each? One table; imports nothing of Django.

``documented``: the service's model or manual names the code. ``observed``: seen in exchanges with the real service.
``assumed``: something must be answered and nobody could tell us what; programs must not depend on these.
Messages end in the milliseconds of the moment, as the real ones do: branch on the code, never on the text.
"""

from dataclasses import dataclass
from enum import StrEnum

PREFIX = "AWS.MechanicalTurk."


class Evidence(StrEnum):
    """How we know of an error."""

    DOCUMENTED = "documented"
    OBSERVED = "observed"
    ASSUMED = "assumed"


@dataclass(frozen=True)
class Entry:
    """One row of the table. ``code`` is the TurkErrorCode without its prefix, empty where the service sends none."""

    type: str
    code: str
    message: str
    code_evidence: Evidence
    message_evidence: Evidence
    status: int = 400
    seconds_mark: bool = False
    """Whether the stamp reads ``(… s)`` rather than ``(…)``; both are seen."""


_D, _O, _A = Evidence.DOCUMENTED, Evidence.OBSERVED, Evidence.ASSUMED
_INSUFFICIENT = (
    "This Requester has insufficient funds in their account to complete this transaction. "
    "Please visit {url} to add funds."
)

TABLE: dict[str, Entry] = {
    # Names of our own on the left. Modelled by the service as RequestError and ServiceFault:
    "hit_missing": Entry("RequestError", "HITDoesNotExist", "Hit {id} does not exist.", _O, _O),
    "hit_type_missing": Entry("RequestError", "HITTypeDoesNotExist", "HITType {id} does not exist.", _A, _A),
    "layout_missing": Entry("RequestError", "HITLayoutDoesNotExist", "HITLayout {id} does not exist.", _D, _A),
    "assignment_missing": Entry("RequestError", "AssignmentDoesNotExist", "Assignment {id} does not exist.", _D, _A),
    "qualification_type_missing": Entry(
        "RequestError", "QualificationTypeDoesNotExist", "QualificationType {id} does not exist.", _D, _A
    ),
    "qualification_missing": Entry(
        "RequestError",
        "QualificationDoesNotExist",
        "Worker {worker} does not hold QualificationType {id}.",
        _D,
        _A,
    ),
    "qualification_request_missing": Entry(
        "RequestError", "QualificationRequestDoesNotExist", "QualificationRequest {id} does not exist.", _D, _A
    ),
    "hit_exists": Entry(
        "RequestError",
        "HitAlreadyExists",
        "The HIT with ID '{id}' already exists and has the same UniqueRequestToken.",
        _D,
        _A,
        seconds_mark=True,
    ),
    "bonus_exists": Entry(
        "RequestError",
        "BonusAlreadyExists",
        "This bonus was already granted by request {id} with the same UniqueRequestToken.",
        _A,
        _A,
    ),
    "extension_exists": Entry(
        "RequestError",
        "ExtendHITAlreadyExists",
        "This HIT was already extended by request {id} with the same UniqueRequestToken.",
        _A,
        _A,
    ),
    "extension_over_nine": Entry(
        "RequestError",
        "InvalidMaximumAssignmentsIncrease",
        "A HIT created with fewer than 10 assignments cannot be extended to 10 or more.",
        _D,
        _A,
    ),
    "hit_state": Entry(
        "RequestError",
        "InvalidHITState",
        "This HIT is currently in the state '{state}'.  This operation can be called with a status of: {allowed}",
        _D,
        _O,
        seconds_mark=True,
    ),
    "hit_too_new": Entry(
        "RequestError", "InvalidHITState", "HIT {id} was created a moment ago and cannot be changed yet.", _D, _A
    ),
    "hit_type_in_use": Entry(
        "RequestError", "InvalidHITState", "HIT {id} has been accepted and keeps its HITType.", _D, _A
    ),
    "assignment_state": Entry(
        "RequestError",
        "InvalidAssignmentState",
        "This operation can be called with a status of: {allowed}",
        _O,
        _O,
    ),
    "override_too_late": Entry(
        "RequestError",
        "InvalidAssignmentState",
        "Assignment {id} was submitted more than 30 days ago; its rejection stands.",
        _A,
        _A,
    ),
    "qualification_name_taken": Entry(
        "RequestError",
        "QualificationTypeAlreadyExists",
        "You have already created a QualificationType with this name. Choose another name.",
        _D,
        _O,
    ),
    "qualification_state": Entry(
        "RequestError", "InvalidQualificationState", "This operation can be called with a status of: Granted", _D, _O
    ),
    "qualification_request_state": Entry(
        "RequestError", "InvalidQualificationRequestState", "QualificationRequest {id} was already decided.", _D, _A
    ),
    "permission": Entry("RequestError", "PermissionDeniedException", "{reason}", _D, _A),
    "funds": Entry("RequestError", "InsufficientFunds", _INSUFFICIENT, _D, _O, seconds_mark=True),
    "parameter": Entry("RequestError", "InvalidParameterValue", "{reason}", _D, _A),
    "question_xml": Entry("RequestError", "XMLParseError", "There was an error parsing the XML: {reason}", _D, _A),
    "transport": Entry("RequestError", "InvalidTransportEndpoint", "{reason}", _D, _A),
    "bonus_assignment": Entry(
        "RequestError",
        "AssignmentDoesNotExist",
        "Assignment {id} of worker {worker} does not exist or was not submitted.",
        _D,
        _A,
    ),
    "not_here": Entry("RequestError", "NotSupportedByLocalMarket", "{reason}", _A, _A),
    "service_fault": Entry("ServiceFault", "ServiceFault", "Unable to process it now; try again.", _D, _A, 500),
    # Not modelled; boto3 shows them as a plain ClientError:
    "worker_missing": Entry(
        "ParameterValidationError",
        "",
        'The value "{id}" is not valid for the parameter WorkerId.',
        _O,
        _O,
        seconds_mark=True,
    ),
    "validation": Entry("ValidationException", "", "{reason}", _O, _O),
    "serialization": Entry("SerializationException", "", "{reason}", _A, _A),
    "operation_missing": Entry("UnknownOperationException", "", "{reason}", _A, _A),
    "throttled": Entry("ThrottlingException", "", "Rate exceeded", _O, _O),
    "no_signature": Entry("MissingAuthenticationTokenException", "", "Missing Authentication Token", _A, _A),
    "half_signature": Entry("IncompleteSignatureException", "", "{reason}", _A, _A),
    "unknown_key": Entry(
        "UnrecognizedClientException", "", "The security token included in the request is invalid.", _A, _A
    ),
    "wrong_signature": Entry("InvalidSignatureException", "", "{reason}", _A, _A),
    "broken": Entry("InternalFailure", "", "The answer breaks the service's own model.", _A, _A, 500),
}


class Refusal(Exception):
    """The marketplace does not do what it was asked; the transaction is rolled back."""

    def __init__(self, name: str, **details: object) -> None:
        super().__init__(name, details)
        self.name = name
        self.entry = TABLE[name]
        self.details = details

    def body(self, milliseconds: int) -> dict[str, str]:
        """Return the answer's document; ``milliseconds`` is the moment's stamp."""
        entry = self.entry
        message = entry.message.format(**self.details)
        if entry.code:
            stamp = f" ({milliseconds} s)" if entry.seconds_mark else f" ({milliseconds})"
            return {"__type": entry.type, "Message": message + stamp, "TurkErrorCode": PREFIX + entry.code}
        if entry.seconds_mark:
            message += f" ({milliseconds} s)"
        return {"__type": entry.type, "message": message}
