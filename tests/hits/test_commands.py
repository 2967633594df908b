"""What scripts call: each command says in a sentence what it did, and ends with an error where it did not."""

import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from collector.lib import clock
from collector.studies.models import Outcome
from hits import lifecycle
from hits.models import Environment, LedgerEntry, Recruitment, RecruitmentState
from tests import factories
from tests.hits import recruiting
from tests.hits.recruiting import launch
from tests.localmarket.market import LocalMarket

pytestmark = pytest.mark.django_db


def run(name: str, *args: str) -> int:
    """Run a command as manage.py does; return its exit code. Why it failed goes to the error stream."""
    try:
        call_command(name, *args)
    except CommandError as refused:
        sys.stderr.write(str(refused))
        return refused.returncode
    return 0


@pytest.fixture
def no_credentials(settings: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    settings.AWS_ACCESS_KEY_ID = settings.AWS_SECRET_ACCESS_KEY = ""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))


# Bad input


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["launch_study", "nowhere"], "There is no study 'nowhere'. The studies are: lab."),
        (["launch_study", "lab", "--environment", "moon"], "invalid choice: 'moon'"),
        (["launch_study", "lab", "--budget", "a lot"], "'a lot' is no amount of US dollars above 0"),
        (["launch_study", "lab", "--budget", "NaN"], "'NaN' is no amount of US dollars above 0"),
        (["launch_study", "lab", "--budget", "0.001"], "is no amount of US dollars"),
        (["launch_study", "lab", "--dialogs", "0"], "'0' is no number of dialogs"),
        (["launch_study", "lab", "--dialogs", "ten"], "'ten' is no number of dialogs"),
        (["launch_study", "lab", "--environment", "live"], "repeat the number with --live 10"),
        (["launch_study", "lab", "--environment", "live", "--live", "10"], "set ALLOW_LIVE=true"),
        (["expire_hits", "nowhere"], "Nothing was launched there for a study 'nowhere'. Known: none."),
        (["expire_hits", "lab", "--environment", "moon"], "invalid choice: 'moon'"),
        (["statement", "--out", "/nowhere/owed.csv"], "/nowhere/owed.csv: No such file or directory."),
        (["statement", "--out", "owed.csv", "--study", "nowhere"], "There is no study 'nowhere'."),
        (["statement", "--paid", "owed.csv", "--who", "nobody"], "there is no account 'nobody'"),
        (["statement"], "one of the arguments --out --paid is required"),
    ],
)
def test_bad_input_is_told_in_a_sentence_and_ends_with_an_error(
    given: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    recruiting.study()
    code = run(*given)
    assert code != 0
    assert said in capsys.readouterr().err
    assert not LedgerEntry.objects.exists()


@pytest.mark.usefixtures("no_credentials")
@pytest.mark.parametrize("name", ["launch_study", "expire_hits", "sync_hits"])
def test_without_credentials_a_command_says_which_are_missing(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    made = recruiting.recruitment(recruiting.study(), environment=Environment.SANDBOX)
    given = {"launch_study": ["lab", "--environment", "sandbox"], "expire_hits": ["lab"], "sync_hits": []}[name]
    if name == "expire_hits":
        made.hits.create(
            environment="sandbox", endpoint="x", state="open", external_id="H1", reward=1, planned_at=clock.now()
        )
    code = run(name, *given)
    out = capsys.readouterr()
    assert code == 1
    assert "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment." in out.err + out.out


# What they do


def test_a_marketplace_that_is_away_makes_sync_hits_end_with_an_error(
    settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.LOCALMARKET_URL = "http://localhost:9"
    made = recruiting.recruitment(recruiting.study())
    code = run("sync_hits")
    out = capsys.readouterr()
    assert (code, "did not answer" in out.out) == (1, True)
    assert f"Not done for {made}: see above." in out.err


def test_sync_hits_with_nothing_to_do_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("sync_hits") == 0
    assert "no recruiting to look after" in capsys.readouterr().out


def test_a_study_is_launched_synchronised_and_expired_by_commands(
    market: LocalMarket, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.LOCALMARKET_URL = market.url
    recruiting.study()
    assert run("launch_study", "lab", "--dialogs", "5", "--budget", "$100", "--dry-run") == 0
    said = capsys.readouterr().out
    assert "Hourly wage: $16.80, by the study's own estimate." in said
    assert not lifecycle.open_hits(Recruitment.objects.get()).exists()
    assert run("launch_study", "lab") == 0
    assert "4 HITs are open in local." in capsys.readouterr().out
    assert run("sync_hits") == 0
    assert run("expire_hits", "lab", "--environment", "local") == 0
    assert "local: 4 HITs expired." in capsys.readouterr().out
    made = Recruitment.objects.get()
    assert (made.state, made.dialogs_wanted, made.budget) == (RecruitmentState.PAUSED, 5, Decimal(100))


def test_expiring_goes_on_where_one_environment_does_not_answer(market: LocalMarket, settings: Any) -> None:
    recruitment, _ = launch(market)
    other = recruiting.recruitment(recruitment.study, environment=Environment.LIVE, state=RecruitmentState.RUNNING)
    with pytest.raises(CommandError, match="ALLOW_LIVE"):
        call_command("expire_hits", "lab")
    assert not lifecycle.open_hits(recruitment).filter(expires_at__gt=clock.now()).exists()
    other.refresh_from_db()
    assert other.state == RecruitmentState.PAUSED, "nothing more is offered there either"


def test_settle_says_what_it_could_not_do(capsys: pytest.CaptureFixture[str]) -> None:
    made = factories.study(reward=Decimal("2.40"))
    part = factories.participation(made, outcome=Outcome.COMPLETE, rounds_done=10)
    assert run("settle") == 0
    assert "Settled 1 participations now, 1 in all." in capsys.readouterr().out
    broken = factories.participation(made, outcome=Outcome.COMPLETE)
    type(part.version).objects.update(content=part.version.content | {"reward": "a lot"})
    assert run("settle") == 1
    assert "1 participations could not be settled" in capsys.readouterr().err
    assert not hasattr(broken, "settlement")
