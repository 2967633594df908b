"""The researcher's pages."""

from django.urls import path

from collector.desk import leaving, payments, people, personal, quality, recruiting, review, statistics, views

urlpatterns = [
    path("", views.index, name="index"),
    path("desk/try/", views.try_it, name="try"),
    path("desk/recruiting/<int:pk>/", recruiting.recruiting, name="recruiting"),
    path("desk/recruiting/<int:pk>/<slug:action>/do/", recruiting.act, name="recruiting-act"),
    path("desk/recruiting/<int:pk>/preview/", recruiting.preview, name="recruiting-preview"),
    path("desk/recruiting/<int:pk>/review/", review.review, name="review"),
    path("desk/recruiting/<int:pk>/decide/", review.decide, name="decide"),
    path("desk/recruiting/<int:pk>/payments/", payments.payments, name="payments"),
    path("desk/recruiting/<int:pk>/payments/<slug:action>/do/", payments.act, name="payments-act"),
    path("desk/statistics/<int:pk>/", statistics.statistics, name="statistics"),
    path("desk/statistics/<int:pk>/count/", statistics.count, name="statistics-count"),
    path("desk/statistics/<int:pk>/words/", statistics.word_lists, name="statistics-words"),
    path("desk/statistics/<int:pk>/<int:beside>/<str:name>", statistics.file, name="statistics-file"),
    path("desk/data/<slug:kind>/<int:pk>/do/", leaving.leave, name="leave-data"),
    path("desk/studies/<int:pk>/personal/", personal.finds, name="personal"),
    path("desk/studies/<int:pk>/personal/do/", personal.decide, name="personal-decide"),
    path("desk/quality/<int:pk>/", quality.quality, name="quality"),
    path("desk/quality/<int:pk>/count/", quality.count, name="quality-count"),
    path("desk/quality/<int:pk>/file/<str:name>", quality.file, name="quality-file"),
    path("desk/quality/<int:pk>/<int:number>/", quality.one, name="quality-one"),
    path("desk/workers/", people.workers, name="workers"),
    path("desk/workers/<int:pk>/", people.worker, name="worker"),
    path("desk/workers/<int:pk>/<slug:action>/do/", people.act, name="worker-act"),
    path("desk/try/<slug:slug>/", views.try_it, name="try-study"),
]
