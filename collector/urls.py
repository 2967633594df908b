"""Which address leads where? Each area has its own ``urls.py``."""

from django.contrib import admin
from django.templatetags.static import static
from django.urls import include, path
from django.utils.functional import lazy
from django.views.generic import RedirectView

urlpatterns = [
    # Browsers ask for it where a page names no icon, as the admin's do.
    path("favicon.ico", RedirectView.as_view(url=lazy(static, str)("css/icon.svg"))),
    path("admin/", admin.site.urls),
    path("", include("collector.catalogue.urls")),
    path("", include("hits.urls")),
    path("", include("chat.urls")),
    path("", include("collector.summaries.urls")),
    path("", include("collector.relevance.urls")),
    path("", include("collector.learning.urls")),
    path("", include("collector.desk.urls")),
]
