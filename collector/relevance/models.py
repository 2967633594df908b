"""What is stored of a relevance study? Items, each a round with the answers to judge, and who judged them how."""

from django.db import models

from chat.models import Dialog
from collector.studies.models import Study
from collector.summaries.models import Viewing

OPTIONS = 100
"""Answers that a round offers, as in VisDial."""


class Item(models.Model):
    """A round of a dialog and the answers that it offers. Written by ``collector.exports``, never changed."""

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="items")
    dialog = models.ForeignKey(Dialog, on_delete=models.PROTECT, related_name="items")
    round = models.PositiveSmallIntegerField(help_text="From 1: whose question is asked.")
    options = models.JSONField(help_text="The texts of the answers, in the order of the VisDial-style file.")
    gt_index = models.PositiveSmallIntegerField(help_text="Which of them was given; no judge is told.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "dialog", "round"], name="one_item_a_study_dialog_and_round")
        ]

    def __str__(self) -> str:
        return f"round {self.round} of dialog {self.dialog_id}"


class Judging(models.Model):
    """One worker's item and their marks. Their viewing says when, their participation how it ended."""

    viewing = models.OneToOneField(Viewing, on_delete=models.PROTECT, related_name="judging")
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="judgings")
    order = models.JSONField(help_text="The options in the order in which they are shown, drawn for this worker.")
    marks = models.JSONField(help_text="Of each option, in the item's order: true is correct, null not marked yet.")

    def __str__(self) -> str:
        return f"judging {self.pk}"
