"""What does the worker process do for the page of exports?"""

from celery import shared_task

from collector.exports import made


@shared_task
def make_export(number: str) -> None:
    """Make what was asked for under this number."""
    made.make(number)


@shared_task
def remove_old_exports() -> int:
    """Remove the files that have been kept for long enough; return how many exports."""
    return made.remove_old()
