"""Learners' pages, under their token."""

from django.urls import path

from collector.learning import views

urlpatterns = [
    path("w/<str:token>/learn/", views.page, name="learning"),
    path("w/<str:token>/learn/clip/<int:number>", views.clip, name="learning-clip"),
    path("w/<str:token>/learn/video", views.video, name="learning-video"),
    path("w/<str:token>/learn/frame/<int:slot>", views.frame, name="learning-frame"),
    path("w/<str:token>/learn/again/", views.practise_again, name="practise-again"),
    path("w/<str:token>/learn/stop/", views.stop, name="stop-learning"),
    path("w/<str:token>/learn/<str:step>/", views.post, name="learning-post"),
]
