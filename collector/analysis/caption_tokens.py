"""Which tokens does the COCO caption toolkit make of an English text? The same ones, without Java.

The toolkit calls Stanford's PTBTokenizer (CoreNLP 3.4.1, lower case) and drops a list of punctuation. What is here is
written from how that program behaves, rule by rule, and compared with it by a test where Java is. Known to differ:
markup, file names and program code, of which a description of a video has none.
"""

import re

_LETTER = r"[^\W\d_]"
_ABBREVIATIONS = (
    "adm al apr aug ave blvd bros capt cf co col corp dec dept dr esq est etc feb fri ft gen gov hon inc jan jr jul "
    "jun lt ltd mar messrs mon mr mrs ms mt nov oct pres prof rd rep rev sen sep sept sgt sr st tel thu tue univ vs wed"
)
_SIGNS = str.maketrans(
    dict.fromkeys("“”„«»", '"') | dict.fromkeys("‘’‛", "'") | dict.fromkeys("–—", "--")
    | {"…": " ... ", "‐": "-", "£": "#", "€": "$", "¢": " cents "}
)  # fmt: skip
_BRACKETS = {"(": "-lrb-", ")": "-rrb-", "[": "-lsb-", "]": "-rsb-", "{": "-lcb-", "}": "-rcb-"}
# The first alternative that fits counts, so what is longer or rarer stands first.
_TOKEN = re.compile(
    rf"""
    </?{_LETTER}[^<>]*>                                             # markup, with what is in it
    | (?:https?://|ftp://|www\.)[^\s<>"]*[^\s<>".,;:!?)]
    | \w[\w.+-]*@\w[\w-]*(?:\.\w[\w-]*)+                            # e-mail
    | (?<!\w)[#@]{_LETTER}\w*
    | [:;=][-o*']?[()\[\]{{}}@\\|] | [:;=][-o*']?[dp](?!\w)         # smileys
    | '(?:em|til|till|cause|n'?|\d0s)(?!\w) | 't(?=(?:is|was)(?!\w))
    | '(?:s|m|d|re|ve|ll)(?!\w) | n't(?!\w)                         # the second half of contractions
    | {_LETTER}+?(?=n't(?!\w))
    | y'(?=\w) | c'mon(?!\w) | [dol]'{_LETTER}+
    | can(?=not(?!\w)) | (?:gon|wan)(?=na(?!\w)) | got(?=ta(?!\w)) | (?:gim|lem)(?=me(?!\w))
    | (?:{_ABBREVIATIONS.replace(" ", "|")})\.(?!\w) | no\.(?=\s*\d)
    | (?:{_LETTER}\.)+{_LETTER}(?![\w.]) | (?:{_LETTER}\.)+(?!\w)   # u.s, u.s., the initial m.
    | (?:(?<!\S)[-+])?\d*(?:[.,:]\d+)+(?:-[^\W_]\w*)* | (?<!\S)[-+]\d+
    | {_LETTER}*[aeiouy]'[aeiou]{_LETTER}*                          # ma'am
    | {_LETTER}+(?:[.!?]{_LETTER}+)+(?!\w)                          # no space between two sentences: one token
    | [^\W_]\w*(?:[-/][^\W_]\w*)*
    | [!?]+ | \*+ | <<|>> | \.+ | --+
    | \S
    """,
    re.VERBOSE,
)
_DROPPED = frozenset(["''", "'", "``", "`", '"', ".", "?", "!", ",", ":", "-", ";"])
"""The toolkit's punctuation. It lists brackets in capitals, which lower-case text never has: so brackets stay."""


def caption_tokens(text: str) -> list[str]:
    """Return the tokens of ``text``, in lower case and without punctuation."""
    found = _TOKEN.findall(text.lower().translate(_SIGNS))
    return [_written(token) for token in found if not _is_dropped(token)]


def _is_dropped(token: str) -> bool:
    """Tell whether the toolkit drops it: punctuation, runs of dots and dashes, and signs its tokenizer cannot read."""
    dots_or_dashes = not token.strip(".") or (token.startswith("--") and not token.strip("-"))
    return token in _DROPPED or dots_or_dashes or ord(token[0]) > 0xFFFF


def _written(token: str) -> str:
    """Return a bracket, or a smiley that ends in one, as the Penn Treebank writes it."""
    return token[:-1] + _BRACKETS[token[-1]] if len(token) < 4 and token[-1] in _BRACKETS else token
