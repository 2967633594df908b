"""The catalogue's addresses: stored files, for researchers."""

from django.urls import path

from collector.catalogue import views

urlpatterns = [path("catalogue/<str:kind>/<int:pk>", views.file, name="catalogue-file")]
