"""Entry and finish."""

from django.urls import path

from hits import views

urlpatterns = [
    path("join/<slug:slug>/", views.join, name="join"),
    path("w/<str:token>/finish/", views.finish, name="finish"),
]
