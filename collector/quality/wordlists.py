"""Which words mean something to the flags? English ones, for a study to replace; see ``rules``."""


def _words(listed: str) -> tuple[str, ...]:
    return tuple(listed.split())


ASKING = _words(
    "is isn are aren am was wasn were weren do don does doesn did didn has hasn have haven had can could will would "
    "shall should may might must"
)
"""Auxiliary verbs; of "isn't" the words are "isn" and "t"."""
CHATTING = (
    "thanks", "thank you", "thx", "you're welcome", "good luck", "good job", "nice job", "nice work", "have a nice day",
    "have a good day", "bonus", "HIT", "HITs", "turk", "mturk", "turker", "turkers", "requester", "survey", "payment",
    "get paid", "approve", "reject", "this task", "this study", "how many more", "are we done", "are you there",
    "are you a bot", "hurry up",
)  # fmt: skip
FUNCTION = _words(
    "a an the this that these those some any and or but if of in on at to from for with by into as about "
    "is are am was were be been being do does did doing has have had having can could will would shall should may "
    "might must there it its they them their you your i me my we us our "
    "s t re ve ll d m don doesn didn isn aren wasn weren "
    "video clip scene movie frame see seen tell know please also else exactly just really"
)
"""Articles, auxiliary verbs, plain prepositions, and what every question about a video may hold. Words that ask (who,
where), tell people apart (he, she), place (behind), time (after) and deny (not) are none: questions differ by those."""
HARMLESS = (
    "sex", "snatch", "suck", "sucks", "undressing", "topless", "butt", "escort", "hoe", "hardcore", "swinger", "cock",
    "snowballing", "twinkie", "cornhole", "coon", "hooker", "xx", "bs", "tied up", "domination",
)  # fmt: skip
"""What has a plain meaning where somebody describes a video."""
