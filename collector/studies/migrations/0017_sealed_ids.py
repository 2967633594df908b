# Ids that marketplaces give are encrypted: the columns. The next migration encrypts what is there.

from django.db import migrations

import collector.lib.sealed


class Migration(migrations.Migration):

    dependencies = [
        ('studies', '0016_frames_shown'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='worker',
            name='one_worker_a_marketplace_identity',
        ),
        migrations.RemoveIndex(
            model_name='worker',
            name='workers_by_their_id',
        ),
        migrations.AddField(
            model_name='worker',
            name='external_digest',
            field=collector.lib.sealed.Digest(blank=True, default='', editable=False, max_length=32, of='external_id'),
        ),
        migrations.AlterField(
            model_name='participation',
            name='entry',
            field=collector.lib.sealed.SealedJSON(blank=True, default=dict, help_text='What the marketplace said on the way in.'),
        ),
        migrations.AlterField(
            model_name='worker',
            name='external_id',
            field=collector.lib.sealed.Sealed(blank=True, by='external_digest'),
        ),
    ]
