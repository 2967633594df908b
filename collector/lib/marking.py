"""How does plain Python, which knows no Django, mark a sentence for translation? It is translated where it is shown."""


def gettext_noop(sentence: str) -> str:
    """Return ``sentence`` as it is; the name is what makes `make words` collect it."""
    return sentence
