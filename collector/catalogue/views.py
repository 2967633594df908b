"""What may a researcher load? Every video and frame; workers get theirs from the chat, by seat and role."""

from asgiref.sync import sync_to_async
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from collector.accounts.roles import Deed, allowed
from collector.catalogue import media
from collector.catalogue.models import Frame, Video

KINDS: dict[str, type[Video] | type[Frame]] = {"video": Video, "frame": Frame}


@require_safe
@allowed(Deed.SEE)
async def file(request: HttpRequest, kind: str, pk: int) -> HttpResponseBase:
    """Serve a stored file, ``kind`` being video or frame, to a signed-in researcher."""
    return await media.serve_stored(request, await sync_to_async(_name)(kind, pk))


def _name(kind: str, pk: int) -> str:
    model = KINDS.get(kind)
    row = model.objects.filter(pk=pk).first() if model else None
    if row is None or not row.file:  # of a video that only imported dialogs are about, there is no file
        raise Http404("There is no such file.")
    return str(row.file.name)
