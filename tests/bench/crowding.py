"""What is in the database of a large installation? 100,000 dialogs, a million events, and all that comes with them.

``python -m tests.bench.crowding DIALOGS`` runs inside an installation's environment. PostgreSQL itself makes the rows,
which takes a minute or two; each column that is not named has the default of its model.
"""

import os
import sys
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "collector.settings")
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.core.management.color import no_style  # noqa: E402
from django.db import connection  # noqa: E402
from django.db.models import Model  # noqa: E402

from chat.models import Dialog, DialogEvent, DialogTakenOut, Report, Seat, Utterance  # noqa: E402
from collector.catalogue.models import Video  # noqa: E402
from collector.learning.models import Lesson  # noqa: E402
from collector.lib import clock  # noqa: E402
from collector.lib.sealed import seal  # noqa: E402
from collector.releases.models import Release  # noqa: E402
from collector.relevance.models import Item, Judging  # noqa: E402
from collector.studies import versions  # noqa: E402
from collector.studies.models import Kind, Participation, State, Study, StudyVideo, Worker  # noqa: E402
from collector.summaries.models import Summary, VideoReport, Viewing  # noqa: E402
from hits.models import (  # noqa: E402
    Assignment,
    Feedback,
    Hit,
    LedgerEntry,
    Letter,
    Recruitment,
    SecondOpinion,
    Settlement,
    Withdrawal,
)
from tests.bench.preparing import make_study  # noqa: E402

ROUNDS = 10
EVENTS = 10
"""Of each dialog."""
_TEXTS = "'Is there somebody in the room who '||(ARRAY['reads','cooks','sings','sleeps','waits'])[1+g%5]||', '||g||'?'"


def add(model: type[Model], number: int, **columns: Any) -> int:
    """Add so many rows, at least one; return the number before the first.

    A column is SQL over ``g``, which counts from 0; what is not named has its default, and ``id`` counts on.
    """
    table, names, said, given = model._meta.db_table, [], [], []
    with connection.cursor() as cursor:
        cursor.execute(f'SELECT coalesce(max(id), 0) FROM "{table}"')
        before = int(cursor.fetchone()[0])
        for field in model._meta.concrete_fields:
            names.append(f'"{field.column}"')
            if field.column in columns:
                said.append(str(columns.pop(field.column)).replace("%", "%%"))
            elif field.primary_key:
                said.append(f"{before} + g + 1")
            else:
                said.append("%s")
                given.append(field.get_db_prep_save(field.get_default(), connection))
        assert not columns, f"{table} has no {sorted(columns)}"
        cursor.execute(
            f'INSERT INTO "{table}" ({", ".join(names)}) SELECT {", ".join(said)} '
            f"FROM generate_series(0, {max(1, number) - 1}) g",
            given,
        )
        for statement in connection.ops.sequence_reset_sql(no_style(), [model]):
            cursor.execute(statement)
    return before


def live(number: int) -> int:
    """Return how many of so many dialogs are under way."""
    return min(50, number // 20)


def crowd(number: int) -> None:
    """Fill a new installation with so many dialogs and all that comes with them."""
    if not Study.objects.exists():
        make_study(ROUNDS)
    big, now = Study.objects.get(), clock.now()
    small = Study.objects.create(
        collection=big.collection, name="Small", slug="small", state=State.OPEN, created_at=now
    )
    workers = number // 5
    add(
        Worker, workers, marketplace="'mturk'", environment="'live'", external_id=f"'{seal('A1')}'",
        external_digest="md5('worker ' || g)", created_at="now() - interval '400 days'",
    )  # fmt: skip
    researcher = User.objects.create_superuser("researcher", "", "researcher")
    User.objects.create_user("reviewer", is_staff=True)
    _dialogs(number, workers, big, small)
    _money(number, big, researcher)
    _alone(number // 10, workers, Study.objects.create(
        collection=big.collection, name="Summaries", slug="summaries", state=State.OPEN, kind=Kind.SUMMARY,
        created_at=now,
    ))  # fmt: skip
    judged = Study.objects.create(
        collection=big.collection, name="Relevance", slug="relevance", state=State.OPEN, kind=Kind.RELEVANCE,
        created_at=now,
    )  # fmt: skip
    _judgings(judged, _alone(number // 10, workers, judged), number // 10)
    for edition in ("1", "2"):
        release = Release.objects.create(name="Benchmark", edition=edition, made_at=now, formats=[], who=researcher)
        release.studies.add(big)
        release.dialogs.add(*Dialog.objects.order_by("pk").values_list("pk", flat=True)[: number // 10])
    StudyVideo.objects.filter(study=big).update(started=number // 1000)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # or the database plans as if every table were empty


def _dialogs(number: int, workers: int, big: Study, small: Study) -> None:
    """A tenth is of another study, a hundredth of programs, some without a summary, the last under way."""
    video, began = (
        Video.objects.order_by("pk").values_list("pk", flat=True)[0],
        f"now() - ({number} - g) * interval '5 min'",
    )
    is_over, study = f"g < {number - live(number)}", f"CASE WHEN g % 10 = 9 THEN {small.pk} ELSE {big.pk} END"
    why = "CASE WHEN g % 20 = 3 THEN 'left' WHEN g % 20 = 4 THEN 'timed_out' ELSE 'complete' END"
    add(
        Dialog, number, study_id=study, video_id=f"{video} + g % 1000", is_simulated="g % 100 = 7", rounds=ROUNDS,
        limits="'{\"language\": \"en\"}'", version=2 * ROUNDS + 2, started_at=began,
        ended_at=f"CASE WHEN {is_over} THEN {began} + interval '12 min' END",
        is_complete=f"{is_over} AND g % 20 NOT IN (3, 4)", ended_why=f"CASE WHEN {is_over} THEN {why} ELSE '' END",
    )  # fmt: skip
    _people(number, workers, {study.pk: versions.current(study).pk for study in (big, small)})
    add(
        Utterance, number * 2 * ROUNDS, dialog_id=f"g / {2 * ROUNDS} + 1", position=f"g % {2 * ROUNDS}",
        version=f"g % {2 * ROUNDS} + 2", key=f"'k'||g % {2 * ROUNDS}", text=_TEXTS,
        stored_at=f"now() - ({number} - g / {2 * ROUNDS}) * interval '5 min' + g % {2 * ROUNDS} * interval '30 s'",
    )  # fmt: skip
    add(
        DialogEvent, number * EVENTS, dialog_id=f"g / {EVENTS} + 1", version=f"g % {EVENTS} + 2",
        kind="(ARRAY['watched','lost','returned'])[1 + g % 3]", seat_id=f"g / {EVENTS} * 2 + 1 + g % 2", at="now()",
    )  # fmt: skip
    researcher = User.objects.get(username="researcher").pk
    add(DialogTakenOut, number // 200, dialog_id="g * 200 + 1", at="now()", who_id=researcher, reason="'Not about it.'")
    add(
        Report, number // 100, dialog_id="g * 100 + 1", seat_id="g * 200 + 1", at="now()",
        about="(ARRAY['partner','video'])[1 + g % 2]", reason="(ARRAY['rude','broken'])[1 + g % 2]",
        looked_at="CASE WHEN g % 10 > 0 THEN now() END",
    )  # fmt: skip


def _people(number: int, workers: int, version_of: dict[int, int]) -> None:
    """Two participations and seats of each dialog: those of dialog d are 2 d - 1 and 2 d, as are their seats."""
    dialog, began = "(g / 2)", f"now() - ({number} - g / 2) * interval '5 min'"
    half = workers // 2
    who = f"1 + CASE WHEN g % 2 = 0 THEN {dialog} % {half} ELSE {half} + ({dialog} + {dialog} / {half}) % {half} END"
    study = f"(SELECT study_id FROM chat_dialog WHERE id = {dialog} + 1)"
    version = f"CASE {study} {' '.join(f'WHEN {study_id} THEN {pk}' for study_id, pk in version_of.items())} END"
    is_over = f"g < {2 * (number - live(number))}"
    why = f"(SELECT ended_why FROM chat_dialog WHERE id = {dialog} + 1)"
    add(
        Participation, 2 * number, study_id=study, version_id=version, worker_id=who,
        is_simulated=f"{dialog} % 100 = 7", consent_digest="'x'", arrived_at=f"{began} - interval '5 min'",
        confirmed_at=f"{began} - interval '3 min'", started_at=began,
        ended_at=f"CASE WHEN {is_over} THEN {began} + interval '12 min' END", waited_seconds="g % 200",
        rounds_done=ROUNDS, outcome=f"CASE WHEN {is_over} THEN {why} ELSE '' END", fault="'nobody'",
        completion_code="'C'||g", wrote_summary=f"g % 2 = 0 AND {why} = 'complete'",
    )  # fmt: skip
    add(
        Seat, 2 * number, participation_id="g + 1", study_id=study, worker_id=who, dialog_id=f"{dialog} + 1",
        role="(ARRAY['questioner','answerer'])[1 + g % 2]", is_simulated=f"{dialog} % 100 = 7", rules_digest="'x'",
        state=f"CASE WHEN {is_over} THEN 'closed' ELSE 'paired' END", entered_at=began, paired_at=began,
        closed_at=f"CASE WHEN {is_over} THEN {began} + interval '12 min' END",
    )  # fmt: skip
    add(
        Lesson, 2 * number, participation_id="g + 1", steps="'[\"device\", \"steps\", \"quiz\"]'", step="'done'",
        started_at=began, done_at=began, device_tries="1 + g % 3", quiz_answers="'[[0, 1, 1]]'", quiz_right=3,
    )  # fmt: skip
    add(
        Feedback,
        number,
        participation_id="2 * g + 1",
        stars="1 + g % 5",
        at=began,
        line="CASE WHEN g % 9 = 0 THEN 'Fun.' ELSE '' END",
    )


def _money(number: int, study: Study, researcher: User) -> None:
    """A submitted HIT of each participation; the newest are to be decided, 3,000 at most, a few payments failed."""
    recruitment = Recruitment.objects.create(
        study=study, title="Talk about a video", description="x", dialogs_wanted=2 * number, budget=1_000_000,
        environment="live", state="running", created_at=clock.now(), started_at=clock.now(), looked_at=clock.now(),
    )  # fmt: skip
    total, ago = 2 * number, f"now() - ({2 * number} - g) * interval '2 min'"
    is_decided = f"g < {total - min(3000, total // 4)}"
    what = "WHEN g % 500 = 0 THEN '{}' WHEN g % 50 = 7 THEN '{}' ELSE '{}' END"
    add(
        Hit, total, recruitment_id=recruitment.pk, environment="'live'", endpoint="'x'", external_id="'H'||g",
        state=f"CASE WHEN {is_decided} THEN 'closed' ELSE 'open' END", reward="0.50", planned_at=ago, published_at=ago,
        synced_at="now()",
    )  # fmt: skip
    add(
        Assignment, total, hit_id="g + 1", external_id=f"'{seal('S1')}'", external_digest="md5('work ' || g)",
        participation_id="g + 1",
        worker_id="(SELECT worker_id FROM studies_participation WHERE id = g + 1)",
        state=f"CASE WHEN NOT {is_decided} THEN 'submitted' {what.format('rejected', 'seen', 'approved')}",
        decision=f"CASE WHEN NOT {is_decided} THEN '' {what.format('reject', '', 'approve')}", submitted_at=ago,
        auto_approval_at=f"{ago} + interval '7 days'", linked_by="'entry'", decided_at=ago,
        decided_by_id=f"CASE WHEN {is_decided} AND g % 2 = 0 THEN {researcher.pk} END",
    )  # fmt: skip
    reviewer = User.objects.get(username="reviewer").pk
    add(SecondOpinion, number // 20, assignment_id="g * 4 + 1", who_id=reviewer, approves="g % 10 > 0", at="now()")
    add(Settlement, total - 2 * live(number), participation_id="g + 1", at="now()")
    add(
        LedgerEntry, total, worker_id="(SELECT worker_id FROM studies_participation WHERE id = g + 1)",
        study_id="(SELECT study_id FROM studies_participation WHERE id = g + 1)", participation_id="g + 1",
        kind="'reward'", key="'bench-'||g", amount="2.40", why="'for the dialog'", at=ago, changed_at=ago,
        state=f"CASE WHEN NOT {is_decided} THEN 'planned' WHEN g % 1000 = 0 THEN 'failed' ELSE 'paid' END",
    )  # fmt: skip
    add(
        Letter, number // 50, worker_id="g + 1", text="'When am I paid, please?'", key="gen_random_uuid()", at=ago,
        participation_id="2 * g + 1", answered_at=f"CASE WHEN g < {number // 50 - 20} THEN now() END",
        answer=f"CASE WHEN g < {number // 50 - 20} THEN 'With the next statement.' ELSE '' END",
    )  # fmt: skip
    add(
        Withdrawal, number // 500, participation_id="g * 1000 + 2", was="'complete'", reason="'asked'", at="now()",
        undone_at="now()",
    )  # fmt: skip


def _alone(number: int, workers: int, study: Study) -> int:
    """Watchers of a study without partners; return the number before the first viewing."""
    video, version = Video.objects.order_by("pk").values_list("pk", flat=True)[0], versions.current(study).pk
    before = add(
        Participation, number, study_id=study.pk, version_id=version, worker_id=f"1 + g % {workers}",
        consent_digest="'x'", arrived_at="now()", confirmed_at="now()", started_at="now()", ended_at="now()",
        outcome="'complete'", fault="'nobody'", rounds_done=2,
    )  # fmt: skip
    first = add(
        Viewing, number, participation_id=f"{before} + g + 1", video_id=f"{video} + g % 1000", started_at="now()",
        watched_at="now()", ended_at="now()",
    )  # fmt: skip
    if study.kind == Kind.SUMMARY:
        add(Summary, number, viewing_id=f"{first} + g + 1", key="'k'", text=_TEXTS, stored_at="now()")
        add(VideoReport, number // 50, viewing_id=f"{first} + g + 1", reason="'broken'", at="now()")
    return first


def _judgings(study: Study, first: int, number: int) -> None:
    """Items with a hundred answers, each judged by five."""
    hundred = "(SELECT jsonb_agg({}) FROM generate_series(0, 99) each)"
    before = add(
        Item, -(-number // 5), study_id=study.pk, dialog_id="g * 11 + 2", round="1 + g % 10",
        options=hundred.format("'Answer '||each"), gt_index="g % 100",
    )  # fmt: skip
    add(
        Judging, number, viewing_id=f"{first} + g + 1", item_id=f"{before} + g / 5 + 1", order=hundred.format("each"),
        marks=hundred.format("(each + g) % 7 = 0"),
    )  # fmt: skip


if __name__ == "__main__":
    with connection.cursor() as asked:
        asked.execute("SET statement_timeout = 0")
        crowd(int(sys.argv[1]))
        asked.execute("VACUUM")  # as the server itself would have, by the next day
