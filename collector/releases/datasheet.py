"""How do the facts of a release read? As a datasheet in Markdown; ``study_sheet`` has the part about each study."""

from collections.abc import Iterator, Mapping
from typing import Any

from collector.exports import visdial
from collector.lib.personal import KINDS
from collector.lib.text import many
from collector.releases import study_sheet
from collector.releases.prose import day, document, listed, summaries, table

Facts = Mapping[str, Any]
_MADE = {"dialogs": "dialogs", "summaries": "summaries", "annotations": "judgements"}


def markdown(facts: Facts) -> str:
    """Return DATASHEET.md."""
    return document(_blocks(facts))


def _blocks(facts: Facts) -> Iterator[str]:
    software = facts["software"]
    yield f"# Datasheet: {facts['title']}"
    yield (
        f"Version {facts['edition']}, released {day(facts['released_at'])}. The same facts, for programs, stand in "
        f"`datasheet.json`."
    )
    at = f" Written from {day(facts['first_at'])} to {day(facts['last_at'])}." if facts["first_at"] else ""
    yield f"{holds(facts)}{at} Released with {software['name']} {software['version']}."
    yield from _composition(facts)
    yield from _candidates(facts)
    yield from _people(facts)
    for study in facts["studies"]:
        yield from study_sheet.blocks(study)


def holds(facts: Facts) -> str:
    """Return in words what a release holds, and whether people made it."""
    held = []
    if number := facts["dialogs"]:
        held.append(f"{many(number, 'dialog')} between two workers each ({many(facts['rounds'], 'round')})")
    if number := facts["summaries"]:
        held.append(f"{summaries(number)} by workers who watched a video")
    if number := facts["annotations"]:
        held.append(f"{many(number, 'judgement')} by workers who watched a video and marked 100 answers to a question")
    simulated = [f"{number} of the {what}" for name, what in _MADE.items() if (number := facts[f"simulated_{name}"])]
    if simulated:
        who = f"**Programs, not people, wrote {listed(simulated)}.**"
    elif any(study["is_imported"] for study in facts["studies"]):
        who = "Of what was imported from files, nothing is known of who wrote it but what they say."
    else:
        who = "Work of simulated workers is not in it."
    return f"It holds {listed(held)}, about {many(facts['videos'], 'video')}. {who}"


def _composition(facts: Facts) -> Iterator[str]:
    yield "## What is in it"
    names = ("split", "videos", "dialogs", "rounds", "summaries")
    yield table(names, [[each[name] for name in names] for each in facts["splits"]])
    yield (
        "Only complete work is in it: of a dialog all rounds and the Questioner's summary. Videos without a split are "
        "in `train`."
    )
    if number := len(facts["converted_videos"]):
        yield (
            f"Of {many(number, 'video')} workers saw a copy that was made for browsers. `datasheet.json` names the "
            f"original by its SHA-256, and says how it was converted."
        )
    if not facts["scripts_left_out"] and not facts["media_left_out"]:
        yield "Its videos go with it, with their frames and scripts."
        return
    scripts, media = (many(facts[f"{what}_left_out"], "video") for what in ("scripts", "media"))
    yield (
        f"Not in it: the scripts of {scripts}, file and frames of {media}. `left_out.csv` names each with the reason. "
        f"A script that is left out is an empty text in the data; Answerers whose study shows it saw it."
    )


def _candidates(facts: Facts) -> Iterator[str]:
    if not (chosen := facts["candidates"]):
        return
    yield "## The 100 answers of a round"
    yield (
        "In `visdial`, as in the AVSD paper, section 4: the answer given, 50 to the nearest questions about other "
        "videos, the 30 most frequent ones, 19 drawn at random."
    )
    rows = [
        ("taken from", "the same split" if chosen["pool"] == visdial.SPLIT else "all splits"),
        ("seed, together with a key that is not published", chosen["seed"]),
        ("word vectors", chosen["vectors"]),
        ("questions of three words or fewer", chosen["short_questions"]),
        ("words without a vector, counted each time", chosen["words_without_vector"]),
        ("rounds with fewer than 50 answers from other videos", chosen["rounds_with_fewer_hard"]),
    ]
    yield table(("what", "value"), rows)


def _people(facts: Facts) -> Iterator[str]:
    yield "## Names and personal data"
    yield (
        "Pairs and people have pseudonyms: a keyed hash, the same within a collection, whose key is not published. No "
        "id of a worker, of an offer or of a submission is in any file."
    )
    if undecided := facts["undecided_finds"]:
        decided = f"**About {many(undecided, 'find')} no person had decided when this was released.**"
    else:
        decided = "No find is left without a person's decision."
    if number := facts["redactions"]:
        redacted = f"Redacted: {many(number, 'part')} of texts, replaced by what it was, in brackets."
    else:
        redacted = "Nothing had to be redacted."
    yield f"All texts were searched for what may tell who wrote them: {listed(list(KINDS))}. {decided} {redacted}"
