"""How do the facts of one study read? Who took part, for what pay, what became of it, and every text they saw."""

from collections.abc import Iterator, Mapping
from typing import Any

from collector.lib.text import many
from collector.releases.prose import day, on_one_line, quotation, table
from collector.studies import kinds
from collector.studies.models import Kind, Outcome, Study

Facts = Mapping[str, Any]
LONG = 100
"""Characters from which on a value stands in a block of its own, not in a table."""
_MARKETPLACES = {"link": "an invitation link", "mturk": "Mechanical Turk"}
_ENVIRONMENTS = {"live": "", "sandbox": ", its sandbox, where money is play money", "local": ", a local rehearsal"}
_OF_DIALOGS = frozenset({
    "kind", "rounds", "questioner_instructions", "answerer_instructions", "answerer_sees_script", "frames_shown",
    "least_question_words", "least_answer_words", "longest_text", "longest_wait_minutes", "no_partner_a_day",
    "grace_seconds", "grace_rounds", "long_grace_seconds", "turn_minutes", "nudge_minutes", "typing_minutes",
    "waiting_pay",
})  # fmt: skip
_NOT_SHOWN: dict[str, frozenset[str]] = {
    Kind.DIALOG: frozenset({"kind"}),
    Kind.SUMMARY: _OF_DIALOGS,
    Kind.RELEVANCE: _OF_DIALOGS | {"least_summary_words", "longest_summary", "summary_minutes", "summary_bonus"},
}
"""Fields of a study that do not apply to its kind."""
_ENDS = {
    Outcome.LEFT: "a worker left, or lost the connection for too long",
    Outcome.TIMED_OUT: "nothing was written in time, or the time of the dialog was over",
    Outcome.PARTNER_LEFT: "a partner was gone",
    Outcome.TECHNICAL_FAILURE: "we failed, or the video was reported",
    Outcome.STUDY_ENDED: "the study ended",
    Outcome.WITHDRAWN: "a worker withdrew",
}


def blocks(study: Facts) -> Iterator[str]:
    """Yield the blocks about one study."""
    yield f"## The study {study['name']}"
    yield from _held(study)
    if study["is_imported"]:
        yield "Its dialogs were imported from a file. Who held them, and for what pay, is not known here."
        return
    if study["workers"]:
        yield from _people(study)
        yield from _pay(study)
        yield from _decisions(study)
    else:
        yield "Nobody but programs took part."
    yield from _asked(study)


def _held(study: Facts) -> Iterator[str]:
    held = study["released"]
    about = kinds.of(study["kind"])
    number = held["alone"] if about.is_alone else held["dialogs"]
    what = f"{number} {about.unit if number == 1 else about.units}"
    shares = f": in the median {held['median_by_one_worker']:g} each, {held['most_by_one_worker']} at most"
    by = f", by {many(held['workers'], 'worker')}{shares}" if held["workers"] else ""
    yield f"The release holds {what} of it{by}."
    if left := study["left_out"]:
        yield f"Left out are these {about.units}:"
        yield table(("why", "number"), left.items())
    if found := study["relevances"]:
        yield from _relevances(found)
    if ends := study["incomplete"]:
        yield "How people's incomplete dialogs ended:"
        yield table(("because", "dialogs"), [(_ENDS.get(Outcome(why), why), number) for why, number in ends.items()])


def _relevances(found: Facts) -> Iterator[str]:
    yield (
        f"Each annotation is one worker's marks of the 100 answers that a round offers. {many(found['items'], 'item')} "
        f"of {many(found['people_an_item'], 'annotation')} or more make `data/relevances`. {found['agreement']}"
    )
    here = "the `visdial` files of this bundle" if found["are_of_visdial_here"] else "a file that is not in this bundle"
    yield f"The relevances go by option, in the order of {here}."


def _people(study: Facts) -> Iterator[str]:
    yield "### Who took part"
    yield (
        f"{many(study['workers'], 'worker')} took part, from {day(study['first_at'])} to "
        f"{day(study['last_at']) or 'now'}."
    )
    heads = ("came through", "workers", "participations", "qualifications")
    yield table(heads, [_way(each) for each in study["came_through"]])
    for offer in study["offers"]:
        yield from _offer(offer)
    yield "How their participations ended:"
    yield table(("outcome", "number"), [(_plain(each), n) for each, n in study["outcomes"].items()])


def _way(way: Facts) -> tuple[Any, ...]:
    place = "" if way["marketplace"] == "link" else _ENVIRONMENTS[way["environment"]]
    name = f"{_MARKETPLACES.get(way['marketplace'], way['marketplace'])}{place}"
    checked = "as the offer asks, checked by the marketplace" if way["is_verified"] else "not verified"
    return name, way["workers"], way["participations"], checked


def _offer(offer: Facts) -> Iterator[str]:
    yield (
        f"The offer ({offer['environment']}), with ${offer['base_reward']} at once and "
        f"{many(offer['assignment_minutes'], 'minute')} at most. Countries as configured: "
        f"{', '.join(offer['countries']) or 'everywhere'}."
    )
    yield quotation(f"**{on_one_line(offer['title'])}**\n\n{offer['description']}")
    yield "\n".join(f"- {on_one_line(each)}" for each in offer["qualifications"])


def _pay(study: Facts) -> Iterator[str]:
    yield "### Pay"
    if study["owed"] == "0.00":
        note = on_one_line(study["versions"][-1]["content"]["pay_note"])
        yield "This study owed nobody anything." + (f' Workers were told: "{note}"' if note else "")
        return
    yield (
        f"${study['owed']} were owed in all, of which ${study['paid']} are paid. Time runs from opening the invitation "
        f"to the end: reading, practice and waiting count. Bonuses for quality are left out. The lowest tenth is the "
        f"tenth percentile: one of ten participations was worth as little an hour, or less."
    )
    heads = ("role", "participations", "minutes, median", "of them waiting", "$ an hour, median", "lowest tenth")
    names = ("role", "participations", "median_minutes", "median_waited_minutes", "median_hourly", "tenth_hourly")
    yield table(heads, [[each[name] for name in names] for each in study["wages"]])


def _agreement(review: Facts) -> str:
    if not review["looked_at_twice"]:
        return "One person each decided, so there is no agreement between reviewers to report."
    kappa = "not defined, as all was judged alike" if review["kappa"] is None else f"{review['kappa']:.2f}"
    twice = many(review["looked_at_twice"], "submission")
    return (
        f"Judged again by another person, who did not see the decision: {twice}; agreed: {review['agreed']}. Cohen's "
        f"kappa: {kappa}."
    )


def _decisions(study: Facts) -> Iterator[str]:
    yield "### Review, withdrawals, exclusions"
    review = study["review"]
    if review["submitted"]:
        yield (
            f"Submitted to the marketplace: {review['submitted']}; approved: {review['approved']}; rejected: "
            f"{review['rejected']}. Decided by a person, not by the time that is set for it: "
            f"{review['decided_by_people']} ({many(review['reviewers'], 'reviewer')}). {_agreement(review)}"
        )
    else:
        yield "Nothing was submitted to a marketplace, so nothing was approved or rejected."
    yield (
        f"Withdrawn at the worker's wish: {many(study['withdrawals'], 'participation')}. May not take part any more: "
        f"{many(study['excluded_workers'], 'worker')}."
    )


def _asked(study: Facts) -> Iterator[str]:
    """Yield all that workers were shown: the first version whole, of each further one what had changed."""
    yield "### What was asked"
    yield "Every text and number that workers were shown. Amounts are in US dollars, texts in Markdown."
    before: Facts = {}
    for version in study["versions"]:
        content = version["content"]
        yield f"#### Version {version['number']}"
        changed = {name: value for name, value in content.items() if name not in before or before[name] != value}
        seen = (
            f"From {day(version['since'])}; {many(version['people'], 'participation')} of people."
            if version["since"]
            else "Nobody has seen it yet."
        )
        yield seen + (" What had changed:" if before else "")
        hidden = _NOT_SHOWN[Kind(study["kind"])]
        yield from _content({name: value for name, value in changed.items() if name not in hidden})
        before = content


def _content(content: Facts) -> Iterator[str]:
    short = {name: value for name, value in content.items() if not _is_long(value)}
    yield table(("field", "value"), [(_label(name), _plain(value)) for name, value in short.items()])
    for name, value in content.items():
        if name not in short:
            yield f"**{_label(name).capitalize()}**"
            yield quotation(value)


def _is_long(value: Any) -> bool:
    return isinstance(value, str) and (len(value) > LONG or "\n" in value)


def _label(name: str) -> str:
    return str(getattr(Study._meta.get_field(name), "verbose_name", name))


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value in (None, "") else str(value).replace("_", " ")
