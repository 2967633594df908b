# Encrypts the ids that are there, in batches of their own; interrupted, it goes on where it was.

from django.db import migrations, models
from django.db.models import TextField, Value

from collector.lib import sealed

SEALING = ("Assignment", "Compensation", "LedgerEntry")
IDS = ("WorkerId", "AssignmentId")


def seal(apps, schema_editor):
    Assignment = apps.get_model("hits", "Assignment")
    for pk, document in Assignment.objects.exclude(document={}).values_list("pk", "document").iterator(500):
        if any(name in document for name in IDS):
            kept = {name: each for name, each in document.items() if name not in IDS}
            Assignment.objects.filter(pk=pk).update(document=kept)
    for name in SEALING:
        sealed.seal_all(apps.get_model("hits", name))


def unseal(apps, schema_editor):
    Assignment = apps.get_model("hits", "Assignment")
    for pk in Assignment.objects.filter(external_digest="").values_list("pk", flat=True):
        # The id was removed; before, each row had one of its own.
        Assignment.objects.filter(pk=pk).update(external_id=Value(f"removed-{pk}", output_field=TextField()))
    for name in SEALING:
        sealed.unseal_all(apps.get_model("hits", name))


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('hits', '0018_sealed_ids'),
    ]

    operations = [
        migrations.RunPython(seal, unseal),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.UniqueConstraint(condition=models.Q(('external_digest', ''), _negated=True), fields=('external_digest', 'worker'), name='one_row_an_assignment_and_worker'),
        ),
    ]
