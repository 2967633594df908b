"""In which language is a text, and which words are profane in it? Two libraries, each with its data inside: no network.

``py3langid`` weighs every language it knows and always says the same of the same text; ``glin_profanity`` keeps lists.
"""

from functools import cache, lru_cache

from glin_profanity.data.dictionary import dictionary
from py3langid.langid import MODEL_FILE, LanguageIdentifier

NAMES = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish",
    "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian",
    "it": "italian", "ja": "japanese", "ko": "korean", "lt": "lithuanian", "nb": "norwegian", "ne": "nepali",
    "nl": "dutch", "nn": "norwegian", "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "sr": "serbian", "sv": "swedish", "ta": "tamil", "th": "thai", "tr": "turkish", "yi": "yiddish",
    "zh": "chinese",
}  # fmt: skip
"""What word lists and stemmers call a language, by the first part of its tag."""
_ALIKE = {"en": ("en", "pcm"), "zh": ("zh", "yue", "wuu"), "nb": ("no", "nn"), "no": ("no", "nn"), "nn": ("no", "nn")}
"""Languages of the model that count as one: it tells a few plain sentences in them apart by chance."""


def primary(tag: str) -> str:
    """Return the language of a BCP 47 tag: "es" of "es-MX"."""
    return tag.lower().split("-")[0]


def name(tag: str) -> str:
    """Return the English name of a tag's language, empty when it is none of ``NAMES``."""
    return NAMES.get(primary(tag), "")


def probability(text: str, tag: str) -> tuple[float, str] | None:
    """Return how probable it is that ``text`` is in the language, from 0 to 1, and the tag of the likeliest language.

    None for a language that the model does not know.
    """
    model = _model()
    wanted = _ALIKE.get(primary(tag), (primary(tag),))
    if not set(wanted) & set(model.nb_classes):
        return None
    ranked = model.rank(text)
    return min(1.0, sum(float(each) for language, each in ranked if language in wanted)), str(ranked[0][0])


@cache
def _model() -> LanguageIdentifier:
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


@lru_cache(maxsize=64)
def profane(tag: str, more: tuple[str, ...], harmless: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words and phrases that are profane in a language: those listed and ``more``, less ``harmless``."""
    known = {each.lower() for each in (*dictionary.get_words(name(tag)), *more)}
    return tuple(sorted(known - {each.lower() for each in harmless}))
