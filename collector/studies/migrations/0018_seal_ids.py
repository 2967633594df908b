# Encrypts the ids that are there, in batches of their own; interrupted, it goes on where it was.

import json

from django.db import migrations, models
from django.db.models import TextField, Value

from collector.lib import sealed


def seal(apps, schema_editor):
    Participation = apps.get_model("studies", "Participation")
    # Who came by the invitation link is named in Worker only.
    of_link = Participation.objects.filter(worker__marketplace="link")
    _write(of_link, "")
    _write(sealed.raw(Participation.objects.all(), ["entry"]).filter(raw_entry="{}"), "")
    sealed.seal_all(Participation)
    sealed.seal_all(apps.get_model("studies", "Worker"))


def unseal(apps, schema_editor):
    Participation, Worker = (apps.get_model("studies", name) for name in ("Participation", "Worker"))
    for worker in Worker.objects.filter(external_digest=""):
        # The id was removed; before, each row had one of its own.
        _write(Worker.objects.filter(pk=worker.pk), f"removed-{worker.pk}", "external_id")
    sealed.unseal_all(Worker)
    sealed.unseal_all(Participation)
    empty = sealed.raw(Participation.objects.all(), ["entry"]).filter(raw_entry="")
    ids = dict(sealed.raw(Worker.objects.filter(marketplace="link"), ["external_id"]).values_list("pk", "raw_external_id"))
    for pk, worker in list(empty.values_list("pk", "worker")):
        _write(Participation.objects.filter(pk=pk), json.dumps({"participant": ids[worker]} if worker in ids else {}))


def _write(rows, text, field="entry"):
    rows.model.objects.filter(pk__in=rows.values("pk")).update(**{field: Value(text, output_field=TextField())})


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('studies', '0017_sealed_ids'),
    ]

    operations = [
        migrations.RunPython(seal, unseal),
        migrations.AddIndex(
            model_name='worker',
            index=models.Index(fields=['external_digest'], name='workers_by_their_id'),
        ),
        migrations.AddConstraint(
            model_name='worker',
            constraint=models.UniqueConstraint(condition=models.Q(('external_digest', ''), _negated=True), fields=('marketplace', 'environment', 'external_digest'), name='one_worker_a_marketplace_identity'),
        ),
    ]
