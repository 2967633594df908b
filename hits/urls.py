"""Entry, finish, and each worker's own page."""

from django.urls import path

from hits import frames, mine, views

urlpatterns = [
    path("events/<str:secret>/", views.event, name="event"),
    path("join/<slug:slug>/", views.join, name="join"),
    path("join/<slug:slug>/kept/", views.kept, name="kept"),
    path("task/<slug:slug>/<slug:environment>/", frames.task, name="task"),
    path("payment/<uuid:key>/", frames.compensation, name="compensation"),
    path("mine/<str:token>/", mine.mine, name="mine"),
    path("w/<str:token>/finish/", views.finish, name="finish"),
    path("w/<str:token>/again/", views.once_more, name="again"),
]
