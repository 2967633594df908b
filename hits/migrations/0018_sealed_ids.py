# Ids of assignments and payments are encrypted: the columns. The next migration encrypts what is there.

from django.db import migrations

import collector.lib.sealed


class Migration(migrations.Migration):

    dependencies = [
        ('hits', '0017_ledger_sent'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='assignment',
            name='one_row_an_assignment_and_worker',
        ),
        migrations.AddField(
            model_name='assignment',
            name='external_digest',
            field=collector.lib.sealed.Digest(blank=True, default='', editable=False, max_length=32, of='external_id'),
        ),
        migrations.AlterField(
            model_name='assignment',
            name='external_id',
            field=collector.lib.sealed.Sealed(blank=True, by='external_digest'),
        ),
        migrations.AlterField(
            model_name='compensation',
            name='assignment_id',
            field=collector.lib.sealed.Sealed(blank=True, default=''),
        ),
        migrations.AlterField(
            model_name='ledgerentry',
            name='reference',
            field=collector.lib.sealed.Sealed(blank=True, default='', help_text='What the marketplace calls the payment.'),
        ),
    ]
