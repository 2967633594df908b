"""Which summaries does Table 2 compare? Those of a study's watchers, and of dialogs about the same videos."""

from collections import defaultdict

from chat import transcripts
from chat.models import Dialog
from collector.analysis.summary_table import Summarised
from collector.exports import summaries
from collector.studies.models import Study


def summarised(study: Study, dialogs_of: Study | None = None, *, simulated: bool = False) -> list[Summarised]:
    """Return the videos of a summary study with all summaries that are there, ordered by video.

    The Questioner's is that of the video's first complete dialog: in ``dialogs_of``, else in the study whose videos it
    takes, else in its whole collection. Empty where there is none.
    """
    watchers: defaultdict[str, list[str]] = defaultdict(list)
    for each in summaries.read(study.slug, simulated=simulated):
        watchers[each.image_id].append(each.summary)
    dialogs = Dialog.objects.in_data().filter(is_complete=True, video__image_id__in=list(watchers))
    source = dialogs_of or study.videos_of
    dialogs = dialogs.filter(study=source) if source else dialogs.filter(study__collection=study.collection_id)
    if not simulated:
        dialogs = dialogs.filter(is_simulated=False)
    questioners: dict[str, tuple[str, int | None]] = {}
    for transcript in transcripts.read(dialogs):
        questioners.setdefault(transcript.image_id, (transcript.summary or "", transcript.dialog_id))
    return [Summarised(video, tuple(texts), *questioners.get(video, ("", None))) for video, texts in watchers.items()]
