"""How far may this worker go with HITs of this type? Looks up what the requirements ask about."""

from dataclasses import dataclass, field

from hits.localmarket import requirements
from hits.localmarket.models import Block, HitType, Qualification, QualificationType, Worker
from hits.localmarket.requirements import Requirement, Step, Value


@dataclass
class Standing:
    """What a worker holds, looked up once for many HITs."""

    worker: Worker
    is_blocked: bool = False
    system: dict[str, Value] = field(default_factory=dict)
    own: dict[str, int] = field(default_factory=dict)

    def value(self, type_id: str) -> Value:
        """Return the worker's value of a qualification, or None."""
        return self.system[type_id] if type_id in self.system else self.own.get(type_id)

    def unmet(self, hit_type: HitType, step: Step) -> list[Requirement]:
        """Return the requirements that keep the worker from that step."""
        return [
            each
            for each in hit_type.requirements
            if requirements.guards(each) <= step
            and not requirements.meets(each, self.value(each["QualificationTypeId"]))
        ]

    def may(self, hit_type: HitType, step: Step) -> bool:
        """Say whether the worker may go that far."""
        return not self.is_blocked and not self.unmet(hit_type, step)


def standing_of(worker: Worker) -> Standing:
    """Look up what a worker holds now."""
    approved, rejected = worker.decided()
    total = approved + rejected
    master = 1 if worker.is_master else None
    granted = Qualification.objects.filter(worker=worker, is_granted=True)
    return Standing(
        worker=worker,
        is_blocked=Block.objects.filter(worker=worker).exists(),
        system={
            requirements.PERCENT_APPROVED: 100 if total < 100 else 100 * approved // total,
            requirements.NUMBER_APPROVED: approved,
            requirements.LOCALE: (worker.country, worker.subdivision),
            requirements.ADULT: 1 if worker.is_adult else None,
            requirements.MASTERS: master,
            requirements.MASTERS_SANDBOX: master,
        },
        own=dict(granted.values_list("type__type_id", "value")),
    )


_WORDS = {
    "LessThan": "less than",
    "LessThanOrEqualTo": "at most",
    "GreaterThan": "more than",
    "GreaterThanOrEqualTo": "at least",
    "EqualTo": "",
    "NotEqualTo": "not",
    "In": "one of",
    "NotIn": "none of",
    "Exists": "held",
    "DoesNotExist": "not held",
}
_TITLES = {
    requirements.PERCENT_APPROVED: "Approval rate in percent",
    requirements.NUMBER_APPROVED: "Assignments approved",
    requirements.LOCALE: "Location",
    requirements.ADULT: "Adult content",
    requirements.MASTERS: "Masters",
    requirements.MASTERS_SANDBOX: "Masters",
}


def describe(requirement: Requirement) -> str:
    """Return a requirement as workers read it."""
    type_id = requirement["QualificationTypeId"]
    title = _TITLES.get(type_id)
    if title is None:
        own = QualificationType.objects.filter(type_id=type_id).first()
        title = own.name if own else type_id
    places = [
        "-".join(filter(None, (each["Country"], each.get("Subdivision"))))
        for each in requirement.get("LocaleValues", [])
    ]
    values = ", ".join(places or map(str, requirement.get("IntegerValues", [])))
    return f"{title}: {' '.join(filter(None, (_WORDS[requirement['Comparator']], values)))}"
