from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("studies", "0011_withdrawal_days"),
    ]

    operations = [
        migrations.AddField(
            model_name="study",
            name="word_lists",
            field=models.JSONField(
                blank=True,
                default=dict,
            ),
        ),
    ]
