"""Who said it, without saying who? Names that are stable within a collection and mean nothing outside it.

A name is a keyed hash; its key comes from the installation's SECRET_KEY and the collection. Nobody can compute it
from an id, and the same thing has another name in another collection. No id of a worker or a socket goes in.
"""

import hashlib
import hmac
from collections.abc import Iterable
from functools import lru_cache

from django.conf import settings

from chat.transcripts import Transcript

_BLOCK = hashlib.sha256().block_size
_INNER, _OUTER = (bytes(byte ^ pad for byte in range(256)) for pad in (0x36, 0x5C))
LENGTH = 40
"""Characters, as in the AVSD release, whose pair keys are two socket ids of 20."""


def pair_of(transcript: Transcript) -> str:
    """Return the name of the pair of a dialog; an imported one keeps the name its file gave it."""
    kept = transcript.origin and transcript.origin["pair"]
    return kept or pair_key(transcript.collection_id, transcript.dialog_id)


def people_of(transcript: Transcript) -> tuple[str, str]:
    """Return the names of the Questioner and the Answerer; empty where none is known."""
    if transcript.origin:
        return transcript.origin["questioner"], transcript.origin["answerer"]
    first, second = (
        "" if worker is None else worker_key(transcript.collection_id, worker)
        for worker in (transcript.questioner_id, transcript.answerer_id)
    )
    return first, second


def pair_key(collection_id: int, dialog_id: int) -> str:
    """Return the name of the pair that held a dialog: 40 hexadecimal digits, another one for each dialog."""
    return _name("pair", collection_id, dialog_id)


def worker_key(collection_id: int, worker_id: int) -> str:
    """Return the name of a worker: 40 hexadecimal digits, the same in all dialogs of a collection."""
    return _name("worker", collection_id, worker_id)


def _name(what: str, collection_id: int, number: int) -> str:
    return hmac.digest(_key(what, collection_id, settings.SECRET_KEY), str(number).encode(), "sha256").hex()[:LENGTH]


def found_again(what: str, numbers: Iterable[tuple[int, int]], name: str) -> tuple[int, int] | None:
    """Return that of many collections and numbers, of pairs or of workers, whose name this is; None where it is none's.

    HMAC by hand (RFC 2104), its two beginnings made once a collection: half of the time for 100,000 names.
    """
    wanted, halves = bytes.fromhex(name), lru_cache(maxsize=None)(_halves)
    for collection_id, number in numbers:
        inner, outer = (half.copy() for half in halves(what, collection_id))
        inner.update(b"%d" % number)
        outer.update(inner.digest())
        if outer.digest().startswith(wanted):
            return collection_id, number
    return None


def _halves(what: str, collection_id: int) -> "tuple[hashlib._Hash, hashlib._Hash]":
    padded = _key(what, collection_id, settings.SECRET_KEY).ljust(_BLOCK, b"\0")
    return hashlib.sha256(padded.translate(_INNER)), hashlib.sha256(padded.translate(_OUTER))


@lru_cache(maxsize=256)
def _key(what: str, collection_id: int, secret: str) -> bytes:
    """Return the key that Django's salted_hmac makes of a salt: once, as 100,000 names are made to find one again."""
    return hashlib.sha256(f"collector.exports.{what}.{collection_id}{secret}".encode()).digest()
