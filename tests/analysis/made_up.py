"""Three made-up dialogs about two videos, in each published shape; ``FIGURES`` are counted by hand from the texts."""

import json
from pathlib import Path
from typing import Any

SOUNDS, AFTER, HEAR = "Is there any sounds in it?", "What does he do after that?", "Do you hear music?"
WEARS, NEXT = "What is he wearing?", "Happening next?"
SILENT, READS, HAT = "No, it is silent today.", "He sits down ; he reads .", "He wears a red hat , I think ."
UNDISCLOSED = "__UNDISCLOSED__"

DIALOGS: list[tuple[str, str, list[tuple[str, str]]]] = [
    ("KITCH", "He reads a book.", [(SOUNDS, SILENT), (AFTER, READS)]),
    ("PORCH", "", [(HEAR, "Yes"), (SOUNDS, UNDISCLOSED)]),
    ("PORCH", "", [(WEARS, HAT), (NEXT, SILENT)]),
]
FIGURES = {
    "videos": 2,
    "dialogs": 3,
    "pairs": 5,
    "question length, mean": 28 / 6,
    "question length, words only": 28 / 6,
    "question length, median": 5,
    "question length, distinct": 22 / 5,
    "answer length, mean": 27 / 5,
    "answer length, words only": 23 / 5,
    "answer length, median": 5,
    "answer length, distinct": 22 / 4,
    "dialogs: audio, exact": 100 / 3,
    "dialogs: audio, stem": 200 / 3,
    "dialogs: audio, prefix": 200 / 3,
    "dialogs: audio, substring": 200 / 3,
    "dialogs: temporal, exact": 100 / 3,
    "dialogs: temporal, prefix": 100 / 3,
    "dialogs: temporal and next, prefix": 200 / 3,
    "dialogs: co-reference, exact": 100,
    "questions: audio, exact": 100 / 6,
    "questions: audio, stem": 300 / 6,
    "questions: audio, prefix": 300 / 6,
    "questions: audio, substring": 300 / 6,
    "questions: temporal, exact": 100 / 6,
    "questions: temporal, prefix": 100 / 6,
    "questions: temporal and next, prefix": 200 / 6,
    "questions: co-reference, exact": 400 / 6,
    "answers that open with yes": 100 / 5,
    "answers that open with no": 200 / 5,
    "bare yes or no": 100 / 5,
    "distinct questions": 500 / 6,
    "distinct answers": 400 / 5,
    "vocabulary, questions": 18,
    "vocabulary, answers": 16,
    "vocabulary, all texts": 31,
    "vocabulary, 5 times or more": 2,
}


def dstc7() -> dict[str, Any]:
    """Return the file; one of its answers is a list of references, as in DSTC10."""
    dialogs = [
        {
            "image_id": video, "caption": "Somebody is there.", "summary": summary,
            "dialog": [
                {"answer": ["Yes", "Yes, it is loud."] if answer == "Yes" else answer, "question": question}
                for question, answer in rounds
            ],
        }
        for video, summary, rounds in DIALOGS
    ]  # fmt: skip
    return {"type": "scene_aware_dialog", "version": "0.1", "dialogs": dialogs}


def raw() -> dict[str, Any]:
    """Return the file; what is undisclosed has no key."""
    videos: dict[str, Any] = {}
    for number, (video, summary, rounds) in enumerate(DIALOGS):
        entry = videos.setdefault(video, {"summary": summary, "script": "...", "split": "train", "data": {}})
        said = [{"question": q, "answer": a, "id": str(n)} for n, (q, a) in enumerate(rounds, start=1)]
        entry["data"][f"pair-{number}"] = [
            {key: text for key, text in each.items() if text != UNDISCLOSED} for each in said
        ]
    return videos


def visdial() -> dict[str, Any]:
    """Return the file: distinct texts in two lists, after the dialogs that name them by number."""
    questions = sorted({q for _, _, rounds in DIALOGS for q, _ in rounds})
    answers = sorted({a for _, _, rounds in DIALOGS for _, a in rounds if a != UNDISCLOSED})
    dialogs = [
        {
            "image_id": video, "caption": "Somebody is there.",
            "dialog": [
                {"question": questions.index(q), "gt_index": 3, "answer_options": [0, 1]}
                | ({} if a == UNDISCLOSED else {"answer": answers.index(a)})
                for q, a in rounds
            ],
        }
        for video, _, rounds in DIALOGS
    ]  # fmt: skip
    return {
        "version": "1.0",
        "split": "val",
        "data": {"dialogs": dialogs, "questions": questions, "answers": answers},
    }


SHAPES = {"dstc7": dstc7, "raw": raw, "visdial": visdial}


def write(folder: Path, shape: str, content: Any = None) -> Path:
    """Write the made-up file of a shape, or other content by its name, and return its path."""
    path = folder / f"{shape}.json"
    path.write_text(json.dumps(SHAPES[shape]() if content is None else content))
    return path
