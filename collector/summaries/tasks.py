"""What is done for summary studies in the background? Safe to run twice; a lost one is made up by the next."""

from celery import shared_task

from collector.summaries import sweeping


@shared_task
def take_in_new_videos() -> None:
    """Add the videos of dialogs that have become complete since."""
    sweeping.take_in_new_videos()
