"""The researcher's pages."""

from django.urls import path

from collector.desk import views

urlpatterns = [
    path("", views.index, name="index"),
    path("desk/try/", views.try_it, name="try"),
    path("desk/try/<slug:slug>/", views.try_it, name="try-study"),
]
