"""Which address leads where? Each area has its own ``urls.py``."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("", include("collector.catalogue.urls")),
    path("", include("hits.urls")),
    path("", include("chat.urls")),
    path("", include("collector.summaries.urls")),
    path("", include("collector.relevance.urls")),
    path("", include("collector.learning.urls")),
    path("", include("collector.desk.urls")),
]
