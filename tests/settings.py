"""The product's settings, in a temporary folder and with the tests' own services.

pytest-django imports this before any test, so here is the moment to start the services: the product reads the
environment once, at import. Processes that tests start use ``collector.settings`` again (see ``tests/product.py``).
"""

import os

from tests import services

services.start()
if services.is_worker() or not os.environ.get("VAR_DIR"):
    os.environ["VAR_DIR"] = str(services.temporary_folder() / "var")
os.environ["SECRET_KEY"] = "a key for tests only, and longer than thirty-two characters"
os.environ["MARKETPLACE_ID_KEYS"] = "YSBrZXkgZm9yIHRlc3RzLCB0aGlydHktdHdvIGxvbmc="
os.environ["HASHED_STATIC"] = "false"

from collector.lib.catalogues import PSEUDO  # noqa: E402
from collector.settings import *  # noqa: E402, F403
from collector.settings import LANGUAGES  # noqa: E402

LANGUAGES = [*LANGUAGES, (PSEUDO, "accented English, from right to left")]

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
"""Quick: no test is about the strength of hashes."""
