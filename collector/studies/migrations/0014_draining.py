from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("studies", "0013_learning")]

    operations = [
        migrations.AlterField(
            model_name="study",
            name="state",
            field=models.CharField(
                choices=[
                    ("draft", "Draft"),
                    ("open", "Open"),
                    ("drain", "Draining"),
                    ("paused", "Paused"),
                    ("closed", "Closed"),
                ],
                default="draft",
                max_length=6,
            ),
        ),
    ]
