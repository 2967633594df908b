"""Does a migration hold a lock for as long as a large table takes? Those of the first release ran on empty tables."""

from collections.abc import Iterator

import pytest
from django.apps import apps
from django.db import connection, migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ModelState, ProjectState

BASELINE = {
    "accounts": 2, "catalogue": 3, "chat": 7, "hits": 19, "learning": 1, "operations": 2, "privacy": 1, "quality": 1,
    "relevance": 1, "releases": 1, "studies": 19, "summaries": 2,
}  # fmt: skip
"""The last migration of each app in 0.2.0, for which everything is stopped since it seals ids; never raised again."""


def locking(migration: migrations.Migration, before: ProjectState) -> Iterator[str]:
    """Yield a sentence for each operation that may hold a table for long; tables made by the migration are empty."""
    app, made = migration.app_label, set()
    for operation in migration.operations:
        if isinstance(operation, migrations.CreateModel):
            made.add(operation.name_lower)
        elif getattr(operation, "model_name", "").lower() not in made and (why := _why(operation, migration, before)):
            yield f"{app}.{migration.name}, {operation.describe()}: {why}"


def _why(operation: Operation, migration: migrations.Migration, before: ProjectState) -> str:
    match operation:
        case migrations.RunPython() | migrations.RunSQL() if migration.atomic:
            return "it changes rows in one transaction: set atomic = False and go in batches."
        case migrations.AddIndex() if type(operation) is migrations.AddIndex:
            return "use django.contrib.postgres.operations.AddIndexConcurrently, or see docs/operating.md."
        case migrations.AddConstraint() if type(operation) is migrations.AddConstraint:
            return "all rows are checked under a lock: AddConstraintNotValid, then ValidateConstraint in a further one."
        case migrations.AddField():
            return _of_field(operation.field)
        case migrations.AlterField() if operation.field.db_type(connection) != (
            before.models[migration.app_label, operation.model_name_lower].fields[operation.name].db_type(connection)
        ):
            return (
                "the type changes and the table is written anew: add a field, copy in batches, take the old one away."
            )
    return ""


def _of_field(field: models.Field) -> str:
    if callable(field.default) and field.default is not models.NOT_PROVIDED:
        return "each row gets a value of its own: add it with null=True, fill it in batches."
    if not field.null and not field.many_to_many and not field.has_default() and not field.has_db_default():
        return "old rows have no value: give a default."
    if field.unique or field.db_index:
        return "its index is built under a lock: add it without one, then the index concurrently."
    return ""


def test_migrations_since_the_baseline_lock_nothing_for_long() -> None:
    loader = MigrationLoader(None, ignore_no_migrations=True)
    ours = {each.label for each in apps.get_app_configs() if each.name.startswith(("collector.", "chat", "hits"))}
    with_models = {label for label, _ in loader.disk_migrations} & ours
    assert with_models == set(BASELINE), "an app that is new begins at 0"
    new = [key for key in loader.disk_migrations if key[0] in ours and int(key[1][:4]) > BASELINE[key[0]]]
    found = [
        said for key in new for said in locking(loader.disk_migrations[key], loader.project_state(key, at_end=False))
    ]
    assert found == []


def made(*operations: Operation, atomic: bool = True) -> list[str]:
    """Return what is said of a migration of these operations, on a table that is there."""
    migration = migrations.Migration("0099_made", "chat")
    migration.operations, migration.atomic = list(operations), atomic
    before = ProjectState(
        {("chat", "dialog"): ModelState("chat", "Dialog", [("note", models.CharField(max_length=9))])}
    )
    return list(locking(migration, before))


@pytest.mark.parametrize(
    ("operation", "said"),
    [
        (migrations.AddIndex("dialog", models.Index(fields=["note"], name="n")), "AddIndexConcurrently"),
        (migrations.AddField("dialog", "at", models.DateTimeField()), "give a default"),
        (migrations.AddField("dialog", "key", models.UUIDField(default=object)), "a value of its own"),
        (migrations.AddField("dialog", "key", models.CharField(max_length=9, default="", unique=True)), "a lock"),
        (migrations.AddConstraint("dialog", models.UniqueConstraint(fields=["note"], name="u")), "NotValid"),
        (migrations.AlterField("dialog", "note", models.IntegerField()), "written anew"),
        (migrations.RunPython(migrations.RunPython.noop), "in batches"),
    ],
)  # fmt: skip
def test_what_locks_is_named(operation: Operation, said: str) -> None:
    (found,) = made(operation)
    assert said in found


def test_what_is_quick_passes() -> None:
    fields = [("id", models.BigAutoField(primary_key=True)), ("at", models.DateTimeField())]
    assert made(
        migrations.CreateModel("Note", fields),
        migrations.AddIndex("note", models.Index(fields=["at"], name="n")),
        migrations.AddField("dialog", "count", models.IntegerField(default=0)),
        migrations.AddField("dialog", "at", models.DateTimeField(null=True)),
        migrations.AlterField("dialog", "note", models.CharField(max_length=9, blank=True)),
    ) == []  # fmt: skip
    assert made(migrations.RunPython(migrations.RunPython.noop), atomic=False) == []
