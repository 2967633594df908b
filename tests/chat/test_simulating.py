"""Where do the commands that simulate workers look for the server, and what do they say when it is not there?"""

import pytest
from django.conf import LazySettings
from django.core.management import CommandError, call_command

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("arguments", [
    ("simulate_dialogs", "--pairs", "1"), ("simulate_summaries", "--watchers", "1", "--study", "any"),
])  # fmt: skip
@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_programs_look_where_the_environment_says_that_the_server_listens(
    settings: LazySettings, host: str, arguments: tuple[str, ...]
) -> None:
    settings.HOST, settings.PORT = host, 1
    with pytest.raises(CommandError, match=r"^http://127\.0\.0\.1:1 does not answer .* with --url\.$"):
        call_command(*arguments)
