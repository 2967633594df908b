"""Watchers' pages, under their token."""

from django.urls import path

from collector.summaries import views

urlpatterns = [
    path("w/<str:token>/watch/", views.room, name="watching"),
    path("w/<str:token>/watch/begin/", views.begin, name="begin-watching"),
    path("w/<str:token>/watch/leave/", views.leave, name="leave-watching"),
    path("w/<str:token>/watch/post/", views.post, name="watching-post"),
    path("w/<str:token>/watch/video", views.video, name="watching-video"),
    path("w/<str:token>/watch/example", views.example, name="watching-example"),
]
