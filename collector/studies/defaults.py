"""What do workers read when the researcher writes nothing? Texts on the findings of AVSD, section 3.1.

Asked to investigate what happens, Questioners ask about actions; asked to chat about a video, about rooms and looks.
"""

from typing import Any

from collector.studies import defaults_es

TITLE = "Find out together what happens in a short video"

INSTRUCTIONS = """\
You will meet one other person and talk about a short video, by text, for about a quarter of an hour.

- One of you is the **Questioner**: sees three still frames of the video and asks.
- The other is the **Answerer**: sees the whole video, with sound, and answers.
- Which of the two you are is decided when you meet.

Please **start at once**: no greetings and no small talk. Write only about what is in the video. Do not give names,
contact details or anything else about yourself.
"""

QUESTIONER = """\
**Investigate what is happening in the video.** You see one frame from its beginning, its middle and its end.

- Ask what people and things *do*, in which order, how, why, and what can be *heard*.
- One question at a time. Build on what you have learned.
- After the last answer you write a **summary** of everything that happens in the video, so ask what you need for it.
"""

OF_FRAMES = [
    ("instructions", INSTRUCTIONS.replace("sees three still frames", "sees one still frame"), INSTRUCTIONS),
    (
        "questioner_instructions",
        QUESTIONER.replace("one frame from its beginning, its middle and its end", "one frame, from its middle"),
        QUESTIONER,
    ),
    *defaults_es.OF_FRAMES,
]
"""What is read where Questioners see one frame, the middle one, and where they see three; for each language."""

ANSWERER = """\
**Watch the video to its end, with sound, before you answer.** You may play it again at any time.

- Answer in full sentences, with the details you can see and hear. Never a bare yes or no.
- Tell only what is in the video. If something cannot be seen or heard, say so.
- Answer what was asked; your partner will ask for the rest.
"""

SUMMARY = """\
Summarise what happens in the video: who does what, in which order, and what can be heard. Use all that you have
learned from your partner's answers.
"""

PURPOSE = """\
We study how people exchange what they know about a video, so that computers can learn to talk about what they see
and hear.
"""

RISKS = "We know of no risk beyond that of everyday use of a computer. The videos show everyday scenes."

SUMMARY_STUDY = {
    "title": "Watch a short video and write down what happens in it",
    "instructions": """\
You will watch one short video, **with sound**, and then write a summary of what happens in it.

- First you see an **example**: another video with a text that describes it.
- Then you get your video. Watch it **to its end**; you may play it again as often as you like.
- Write down **all the events** in their order. There is nobody to wait for.

Write only about what is in the video. Do not give names, contact details or anything else about yourself.
""",
    "summary_instructions": """\
**Summarize what is happening in the video.** Describe all the events: who does what, in which order, and what can
be heard.
""",
    "purpose": """\
We study how people describe what they see and hear in a video, so that computers can learn to talk about it.
""",
    "minutes": 6,
    "dialog_minutes": 45,
    "dialogs_per_video": 4,
}
"""What a new summary study has instead. The task in one sentence is that of AVSD, section 3.2."""

RELEVANCE_STUDY = {
    "title": "Watch a short video and judge answers",
    "instructions": """\
You will watch one short video, **with sound**, and then judge answers to one question about it.

- Watch the video **to its end**; you may play it again as often as you like.
- Read what two people said about it until the question was asked.
- Then mark **each of 100 answers** as correct or not, ten at a time. There is nobody to wait for.
""",
    "summary_instructions": """\
**Mark an answer as correct when it answers the question and what it says is true of the video**, in whatever words.
Several answers can be correct, or none. Judge each by itself.

For example, a woman puts two plates on a table, and the question is *What does she carry?*

- *she carries two plates .* is correct; so is *plates , i think two of them*.
- *she carries a cup .* is not correct: it is not true.
- *yes , she does .* is not correct: it does not answer the question.
""",
    "purpose": """\
We study which answers people find correct, so that computers that answer questions about videos can be compared fairly.
""",
    "minutes": 12,
    "dialog_minutes": 60,
    "dialogs_per_video": 4,
}
"""What a new relevance study has instead: four people judge an item, as in the Visual Dialog Challenge 2018."""

OF_KIND: dict[str, dict[str, Any]] = {"summary": SUMMARY_STUDY, "relevance": RELEVANCE_STUDY}
IN_LANGUAGE: dict[str, dict[str, dict[str, str]]] = {"es": defaults_es.OF_KIND}
"""Texts in other languages than English, by language and kind."""


def of(kind: str, language: str) -> dict[str, Any]:
    """Return what a new study of a kind, in a language (a BCP 47 tag), has instead of what a dialog in English has."""
    said = IN_LANGUAGE.get(language.split("-")[0].lower(), {})
    return OF_KIND.get(kind, {}) | said.get(kind, {})
