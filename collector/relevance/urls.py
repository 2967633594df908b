"""Judges' pages, under their token; the video and leaving are those of every watcher."""

from django.urls import path

from collector.relevance import views

urlpatterns = [
    path("w/<str:token>/judge/", views.room, name="judging"),
    path("w/<str:token>/judge/begin/", views.begin, name="begin-judging"),
    path("w/<str:token>/judge/post/", views.post, name="judging-post"),
]
