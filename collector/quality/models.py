"""From where on is something flagged in a study? One row a study; none means the defaults."""

from typing import Any

import msgspec
from django.contrib.auth.models import User
from django.db import models

from collector.lib import clock
from collector.lib.words import word_lists
from collector.quality.rules import Rules, checked, from_stored
from collector.studies.models import Study


class QualityRules(models.Model):
    """The thresholds and word lists of a study. Not frozen with it: nothing that workers are promised hangs on them."""

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="quality_rules")
    values: "models.JSONField[Any, Any]" = models.JSONField(
        help_text="Those of collector.quality.rules that differ from the defaults."
    )
    changed_at = models.DateTimeField()
    changed_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")

    class Meta:
        verbose_name_plural = "quality rules"

    def __str__(self) -> str:
        return f"quality rules of {self.study_id}"


def rules_of(study: Study) -> Rules:
    """Return the rules of a study."""
    stored = QualityRules.objects.filter(study=study).first()
    return _with_words(from_stored(stored.values if stored else {}), study)


def defaults_of(study: Study) -> Rules:
    """Return the rules of a study that has none of its own."""
    return _with_words(Rules(), study)


def _with_words(rules: Rules, study: Study) -> Rules:
    lists = word_lists(study.word_lists)
    return msgspec.structs.replace(rules, yes_no=(*lists.yes, *lists.no))


def save_rules(study: Study, rules: Rules, who: User) -> None:
    """Keep the rules of a study. Raises BadRules."""
    fields = {"values": checked(rules).changes(), "changed_at": clock.now(), "changed_by": who}
    QualityRules.objects.update_or_create(study=study, defaults=fields)
