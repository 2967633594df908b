"""Whoever could use the desk before there were roles goes on as a researcher; superusers are owners by themselves."""

from django.conf import settings
from django.db import migrations


def make_researchers(apps, schema_editor):
    group, _ = apps.get_model("auth", "Group").objects.get_or_create(name="researcher")
    for user in apps.get_model("auth", "User").objects.filter(is_staff=True, is_superuser=False):
        user.groups.add(group)


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0001_log'),
        ('auth', '0012_alter_user_first_name_max_length'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [migrations.RunPython(make_researchers, migrations.RunPython.noop)]
