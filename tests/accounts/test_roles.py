"""Which role may open which page and press which button: every address of the desk stands in the table below."""

from collections.abc import Callable
from decimal import Decimal
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Group, Permission, User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from collector.accounts import giving, groups, roles
from collector.accounts.models import LogLine
from collector.accounts.roles import Deed, Role
from collector.desk import monitor, people, preflighting, urls
from collector.lib import clock
from collector.studies.models import Kind, Participation, State, Study
from collector.summaries.models import Viewing
from hits import tasks
from hits.models import Assignment, AssignmentState, EntryKind, Hit, HitState, LedgerEntry, Letter
from tests import factories
from tests.chat import scene
from tests.hits import recruiting

pytestmark = pytest.mark.django_db
ID = "A1SECRETWORKERID"
ORDER = list(Role)
V, R, S, O = Role.VIEWER, Role.REVIEWER, Role.RESEARCHER, Role.OWNER  # noqa: E741

PAGES: dict[str, Role] = {
    "try": S, "recruiting": V, "recruiting-preview": V, "review": V, "second": R, "payments": V, "statistics": V,
    "statistics-file": V, "personal": R, "monitor": V, "monitor-now": V, "monitor-chart": V, "watch": V,
    "watch-now": V, "study-learning": V, "study-voices": V, "quality": V, "quality-file": V, "quality-one": V,
    "summaries": V, "summaries-file": V, "exports": V, "exports-file": V, "find": V, "preflight": V, "log": S,
    "replay-dialog": V, "replay-viewing": V, "relevance": V, "workers": S, "worker": V, "try-study": S,
    "catalogue-file": V,
}  # fmt: skip
"""Who may at least open a page."""
POSTS: dict[str, Role] = {
    "second": R, "statistics-count": S, "statistics-words": S, "personal-decide": R, "quality": V, "quality-count": S,
    "summaries-compare": S, "exports-make": S, "exports-remove": S, "seats": S, "workers": S, "worker-reveal": S,
    "decide approve": R, "decide reject": R, "decide undo": R, "leave-data take-out": R, "leave-data put-back": R,
    "quality save": S, "personal-decide undo": R,
    "recruiting-act launch": S, "recruiting-act expire": S, "recruiting-act go-on": S,
    "new-study-draft": S, "study-draft": S, "new-recruitment-draft": S, "recruitment-draft": S,
    "preflight-ask check": S, "preflight-ask rehearse": S,
    "payments-act compensate": S, "payments-act retry": S,
    "monitor-act drain": S, "monitor-act pause": S, "monitor-act close": S, "monitor-act open": S,
    "worker-act note": R, "worker-act write": S, "worker-act answer": S, "worker-act exclude": S,
    "worker-act include": S, "worker-act bonus": S, "worker-act take-back-bonus": S, "worker-act correct": S,
    "worker-act withdraw": S, "worker-act undo-withdrawal": S, "worker-act compensate": S,
    "worker-act take-back-compensation": S, "worker-act offer-again": S, "worker-act block": S,
    "worker-act unblock": S, "worker-act erase": O, "worker-load": S,
}  # fmt: skip
"""Who may at least press a button: the address's name, and the action or what is posted as ``what``."""
OPEN = {"index", "two-factor", "two-factor-code"}
"""The first leads to the admin, which asks everybody to sign in; the others are about one's own account."""
ACTION_NAMES = {
    "monitor-act": set(monitor.ACTS), "worker-act": set(people.ACTIONS),
    "preflight-ask": set(preflighting.ACTS),
    "recruiting-act": {"launch", "expire", "go-on"}, "payments-act": {"compensate", "retry"},
}  # fmt: skip


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, settings: Any, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path  # what the worker process is asked for stands there
    monkeypatch.setattr(tasks, "look_after_hits_soon", lambda: None)  # the worker process is not there


def account(role: Role | None, name: str = "") -> User:
    made = User.objects.create_user(name or f"a-{role}", is_staff=True)
    if role:
        made.groups.add(Group.objects.get(name=role))
    return made


def client_of(role: Role | None) -> Client:
    client = Client()
    client.force_login(account(role))
    return client


@pytest.fixture
def world() -> dict[str, Any]:
    """One of everything, by a worker whose id must not be seen."""
    study = scene.study(videos=2, name="Kitchen", slug="kitchen", reward=Decimal(1))
    worker = factories.worker(marketplace="mturk", environment="local", external_id=ID)
    dialog = factories.finished_dialog(study=study, questioner=worker)
    part = Participation.objects.get(worker=worker)
    entry = {"participant": ID, "workerId": ID, "assignmentId": "ASSIGNMENT1", "hitId": "HIT1"}
    Participation.objects.filter(pk=part.pk).update(entry=entry)
    made = recruiting.recruitment(study, balance=Decimal(5))
    now = clock.now()
    hit = Hit.objects.create(
        recruitment=made, environment="local", endpoint="", reward=1, planned_at=now, external_id="HIT1",
        state=HitState.OPEN,
    )  # fmt: skip
    assignment = Assignment.objects.create(
        hit=hit, external_id="ASSIGNMENT1", worker=worker, participation=part, state=AssignmentState.SUBMITTED,
        submitted_at=now, auto_approval_at=now, document={"HITId": "HIT1", "Answer": "<a/>"},
    )  # fmt: skip
    LedgerEntry.objects.create(
        worker=worker, study=study, participation=part, kind=EntryKind.REWARD, key="k", amount=1, why="for it", at=now,
        changed_at=now,
    )  # fmt: skip
    Letter.objects.create(worker=worker, participation=part, text="I am called Zoe Quimby.", at=now)
    alone = factories.study(kind=Kind.SUMMARY, name="Alone", slug="alone", reward=Decimal(1))
    watching = factories.participation(alone, worker)
    viewing = Viewing.objects.create(
        participation=watching, video=factories.video(), started_at=now, ended_at=now, watched_at=now
    )
    judging = factories.study(kind=Kind.RELEVANCE, name="Judges", slug="judges")
    return {
        "study": study, "alone": alone, "judging": judging, "recruitment": made, "dialog": dialog, "viewing": viewing,
        "worker": worker, "assignment": assignment,
    }  # fmt: skip


def arguments(name: str, world: dict[str, Any], action: str = "") -> dict[str, Any]:
    """Return what an address is made with."""
    pk: Callable[[str], int] = lambda what: world[what].pk  # noqa: E731
    study, of = pk("study"), {"pk": pk("study")}
    known: dict[str, dict[str, Any]] = {
        "index": {}, "new-study-draft": {}, "new-recruitment-draft": {}, "log": {}, "try": {},
        "try-study": {"slug": "kitchen"}, "exports": {}, "exports-make": {}, "find": {},
        "workers": {}, "exports-remove": {"number": "20260101-000000-abcdef"},
        "exports-file": {"number": "20260101-000000-abcdef"},
        "statistics-file": {"pk": study, "beside": 0, "name": "no.csv"},
        "quality-file": {"pk": study, "name": "no.csv"},
        "quality-one": {"pk": study, "number": pk("dialog")}, "summaries": {"pk": pk("alone")},
        "summaries-compare": {"pk": pk("alone")}, "summaries-file": {"pk": pk("alone"), "name": "no.csv"},
        "relevance": {"pk": pk("judging")}, "leave-data": {"kind": "dialog", "pk": pk("dialog")},
        "catalogue-file": {"kind": "frame", "pk": 0},
    }  # fmt: skip
    if name in known:
        return known[name]
    row = {"review", "decide", "second", "seats"} | {n for n in _names() if n.startswith(("recruiting", "payments"))}
    if name in row or name == "recruitment-draft":
        of = {"pk": pk("recruitment")}
    elif name.startswith("worker"):
        of = {"pk": pk("worker")}
    elif name.startswith("watch") or name == "replay-dialog":
        of = {"pk": pk("dialog")}
    elif name == "replay-viewing":
        of = {"pk": pk("viewing")}
    return of | ({"action": action} if name in ACTION_NAMES else {})


def _names() -> set[str]:
    return {str(each.name) for each in urls.urlpatterns}


def address(name: str, world: dict[str, Any], action: str = "") -> str:
    return reverse(name, kwargs=arguments(name, world, action))


def test_every_page_and_every_button_of_the_desk_has_its_rule() -> None:
    named = set(PAGES) | {rule.partition(" ")[0] for rule in POSTS} | OPEN
    assert _names() | {"catalogue-file"} == named
    for name, actions in ACTION_NAMES.items():
        assert {rule.partition(" ")[2] for rule in POSTS if rule.startswith(f"{name} ")} == actions


def test_every_deed_has_one_role_that_is_the_least_for_it() -> None:
    listed = [deed for deeds in roles.MAY.values() for deed in deeds]
    assert len(listed) == len(set(listed))
    assert set(listed) | set(roles.NOBODYS) == set(Deed)
    assert list(roles.MAY) == ORDER


def just_below(least: Role) -> Role | None:
    """Return the role that may not, by a hair; None is an account without one."""
    return ORDER[ORDER.index(least) - 1] if least != Role.VIEWER else None


def test_a_page_opens_to_its_role_and_not_to_the_one_below(world: dict[str, Any]) -> None:
    clients = {role: client_of(role) for role in (None, *Role)}
    for name, least in PAGES.items():
        status = clients[least].get(address(name, world)).status_code
        assert status in (200, 404), (name, status)
        assert clients[just_below(least)].get(address(name, world)).status_code == 403, name
        assert Client().get(address(name, world)).status_code == 302, name


def test_a_button_works_for_its_role_and_not_for_the_one_below(world: dict[str, Any]) -> None:
    clients = {role: client_of(role) for role in (None, *Role)}
    for rule, least in POSTS.items():
        name, _, action = rule.partition(" ")
        here, posted = address(name, world, action), {"what": action}
        refused = clients[just_below(least)].post(here, posted)
        assert refused.status_code == 403, rule
        assert "Ask an owner." in refused.content.decode(), rule
        assert clients[least].post(here, posted).status_code in (200, 302, 404), rule
        assert Client().post(here, posted).status_code == 302, rule


def test_a_viewer_changes_nothing(world: dict[str, Any]) -> None:
    client = client_of(Role.VIEWER)
    for rule in POSTS:
        name, _, action = rule.partition(" ")
        client.post(address(name, world, action), {"what": action, "reason": "because I say so", "text": "x"})
    world["study"].refresh_from_db()
    world["recruitment"].refresh_from_db()
    assert (world["study"].state, world["recruitment"].asked) == (State.OPEN, "")
    assert not LogLine.objects.exists()


@pytest.mark.parametrize("role", [Role.REVIEWER, Role.OWNER])
def test_no_page_shows_the_id_of_a_worker_unless_it_is_asked_for(role: Role, world: dict[str, Any]) -> None:
    client = client_of(role)
    addresses = [address(name, world) for name, least in PAGES.items() if ORDER.index(role) >= ORDER.index(least)]
    addresses += [each for each in admin_pages() if client.get(each).status_code == 200]
    for each in addresses:
        page = client.get(each)
        text = b"" if page.streaming else page.content
        assert ID.encode() not in text, each
        if role == Role.REVIEWER:
            assert b"ASSIGNMENT1" not in text, each
            assert b"Quimby" not in text, each


def admin_pages() -> list[str]:
    """Return every list of the admin, and the page of one row of each."""
    found = ["/admin/"]
    for model in admin.site._registry:
        named = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        found.append(reverse(f"{named}_changelist"))
        row = model._default_manager.first()
        if row is not None:
            found += [reverse(f"{named}_{page}", args=[row.pk]) for page in ("change", "history")]
    return found


def test_an_id_cannot_be_guessed_by_a_filter_in_the_address(world: dict[str, Any]) -> None:
    client = client_of(Role.VIEWER)
    for path in (
        "studies/worker/?external_id__startswith=A", "studies/participation/?entry__icontains=A",
        "hits/assignment/?worker__external_id__startswith=A", "hits/assignment/?document__icontains=A",
        "hits/ledgerentry/?worker__external_id=A", "chat/seat/?participation__worker__external_id__startswith=A",
    ):  # fmt: skip
        assert client.get(f"/admin/{path}").status_code == 400, path


def test_revealing_an_id_is_logged_with_page_and_person(world: dict[str, Any]) -> None:
    client, worker = client_of(Role.RESEARCHER), world["worker"]
    here = f"/desk/workers/{worker.pk}/"
    page = client.post(f"{here}reveal/", headers={"Referer": f"http://testserver{here}?x=1"})
    assert ID in page.content.decode()
    assert "no-store" in page["Cache-Control"]
    line = LogLine.objects.get()
    assert (line.deed, line.what, line.page, str(line.who)) == ("reveal", str(worker), here, "a-researcher")
    assert line.role == "researcher"
    assert ID not in client.get(here).content.decode(), "the next time it is asked for again"


def test_finding_by_id_and_loading_ids_are_logged(world: dict[str, Any]) -> None:
    client = client_of(Role.RESEARCHER)
    assert client.post("/desk/workers/", {"worker_id": ID}).status_code == 302
    entry = LedgerEntry.objects.get()
    posted = {"action": "download", "_selected_action": entry.pk}
    assert ID in client.post("/admin/hits/ledgerentry/", posted).content.decode()
    assert list(LogLine.objects.values_list("deed", flat=True).order_by("pk")) == ["find-worker", "load-ids"]
    assert not LogLine.objects.filter(what__contains=ID).exists()


@pytest.mark.parametrize("role", [Role.VIEWER, Role.REVIEWER])
def test_actions_on_money_are_not_offered_to_who_may_not_pay(role: Role, world: dict[str, Any]) -> None:
    client, entry = client_of(role), LedgerEntry.objects.get()
    for action in ("download", "paid_by_hand", "try_again"):
        page = client.post("/admin/hits/ledgerentry/", {"action": action, "_selected_action": entry.pk})
        assert ID not in page.content.decode()
    entry.refresh_from_db()
    assert entry.state == "planned"


def test_buttons_that_one_may_not_press_are_not_shown(world: dict[str, Any]) -> None:
    pages = {
        f"/desk/monitor/{world['study'].pk}/": ("/pause/do/", Role.RESEARCHER),
        f"/desk/recruiting/{world['recruitment'].pk}/": ("/launch/do/", Role.RESEARCHER),
        f"/desk/recruiting/{world['recruitment'].pk}/review/": ('value="reject"', Role.REVIEWER),
        f"/desk/workers/{world['worker'].pk}/": ("/bonus/do/", Role.RESEARCHER),
        "/desk/exports/": ("/desk/exports/make/", Role.RESEARCHER),
        f"/desk/statistics/{world['study'].pk}/": ("/count/", Role.RESEARCHER),
        f"/desk/replay/dialog/{world['dialog'].pk}/": ('id="replay-play"', Role.VIEWER),
    }
    for role in Role:
        client = client_of(role)
        for page, (part, least) in pages.items():
            shown = part in client.get(page).content.decode()
            assert shown == (ORDER.index(role) >= ORDER.index(least)), (role, page)


def test_a_viewer_has_no_form_but_to_ask(world: dict[str, Any]) -> None:
    """Of all that a viewer may open, only trying thresholds, the log-out and searches are forms."""
    client = client_of(Role.VIEWER)
    for name, least in PAGES.items():
        if least == Role.VIEWER and name != "quality" and not name.endswith("file"):
            page = client.get(address(name, world)).content.decode()
            assert 'method="post"' not in page, name


@pytest.mark.parametrize(("role", "codes"), [
    (Role.VIEWER, {"view"}), (Role.REVIEWER, {"view", "change report"}), (Role.OWNER, {"view", "change", "delete"}),
])  # fmt: skip
def test_the_admins_forms_follow_the_roles(role: Role, codes: set[str], world: dict[str, Any]) -> None:
    client, study = client_of(role), world["study"]
    page = client.get(f"/admin/studies/study/{study.pk}/change/").content.decode()
    assert ('name="_save"' in page) == ("change" in codes)
    page = client.post(f"/admin/studies/study/{world['judging'].pk}/delete/", {"post": "yes"})
    assert (page.status_code == 302) == ("delete" in codes)
    assert Study.objects.filter(slug="judges").exists() == ("delete" not in codes)


def test_a_researcher_edits_studies_and_deletes_none(world: dict[str, Any]) -> None:
    client, study = client_of(Role.RESEARCHER), world["judging"]
    assert 'name="_save"' in client.get(f"/admin/studies/study/{study.pk}/change/").content.decode()
    assert client.post(f"/admin/studies/study/{study.pk}/delete/", {"post": "yes"}).status_code == 403
    assert client.get("/admin/auth/user/").status_code == 403


def test_the_groups_have_no_permission_that_is_not_theirs() -> None:
    viewer = Group.objects.get(name=Role.VIEWER)
    assert set(viewer.permissions.values_list("codename", flat=True)) >= {"view_study", "view_dialog", "view_worker"}
    assert not viewer.permissions.exclude(codename__startswith="view_").exists()
    assert not viewer.permissions.filter(codename="view_letter").exists()
    viewer.permissions.add(Permission.objects.get(codename="delete_worker"))
    groups.bring_in_line()
    assert not viewer.permissions.filter(codename="delete_worker").exists()


def test_every_app_with_pages_in_the_admin_is_ours_or_djangos() -> None:
    labels = {model._meta.app_label for model in admin.site._registry}
    assert labels <= {*groups.OURS, "auth", "axes"}, "viewers would not see it"
    assert {apps.get_app_config(label).label for label in groups.OURS} == set(groups.OURS)


# Giving roles


def test_an_owner_gives_a_role_on_the_page_of_an_account() -> None:
    client, other = client_of(Role.OWNER), account(None, "zoe")
    page = f"/admin/auth/user/{other.pk}/change/"
    answer = client.post(page, {"username": "zoe", "role": "reviewer", "is_active": "on"})
    assert answer.status_code == 302, answer.content.decode()
    assert roles.role_of(User.objects.get(username="zoe")) == Role.REVIEWER
    line = LogLine.objects.get(deed=Deed.ROLE)
    assert (line.what, line.said) == ("account zoe", "none before, now reviewer")
    assert LogLine.objects.filter(deed=Deed.CHANGE, what__contains="zoe", page=page).exists()


def test_a_new_account_has_its_role_at_once() -> None:
    posted = {"username": "new", "usable_password": "true", "password1": "correct horse 9", "role": "viewer"}
    answer = client_of(Role.OWNER).post("/admin/auth/user/add/", posted | {"password2": "correct horse 9"})
    assert answer.status_code == 302, answer.content.decode()
    assert roles.role_of(User.objects.get(username="new")) == Role.VIEWER


def test_the_last_owner_stays() -> None:
    client = client_of(Role.OWNER)
    owner = User.objects.get(username="a-owner")
    said = client.post(f"/admin/auth/user/{owner.pk}/change/", {"username": "a-owner", "role": "viewer"})
    assert "This is the only owner left." in said.content.decode()
    with pytest.raises(CommandError, match="only owner left"):
        call_command("give_role", "a-owner", "none")
    account(Role.OWNER, "second")
    call_command("give_role", "a-owner", "none", stdout=StringIO())
    assert not User.objects.get(username="a-owner").is_staff


def test_the_command_gives_a_role_and_logs_it() -> None:
    superuser = User.objects.create_superuser("root")
    account(Role.OWNER)
    said = StringIO()
    call_command("give_role", "root", "reviewer", stdout=said)
    assert said.getvalue() == "root: owner before, now reviewer.\n"
    superuser = User.objects.get(pk=superuser.pk)
    assert roles.role_of(superuser) == Role.REVIEWER
    assert (LogLine.objects.get().who, LogLine.objects.get().page) == (None, "manage.py give_role")
    with pytest.raises(CommandError, match="There is no account 'nobody'"):
        call_command("give_role", "nobody", "viewer")


def test_whoever_was_staff_before_there_were_roles_is_a_researcher() -> None:
    before, superuser = account(None, "zoe"), User.objects.create_superuser("root")
    other = User.objects.create(username="x")
    import_module("collector.accounts.migrations.0002_staff").make_researchers(apps, None)
    found = [roles.role_of(User.objects.get(pk=each.pk)) for each in (before, superuser, other)]
    assert found == [Role.RESEARCHER, Role.OWNER, None]
    assert not superuser.groups.exists()


def test_who_is_shut_out_has_no_role() -> None:
    made = account(Role.OWNER)
    made.is_active = False
    assert roles.role_of(made) is None
    assert giving.in_words(None, Role.VIEWER) == "none before, now viewer"
