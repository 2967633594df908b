"""Which addresses does the market have?"""

from django.urls import path

from hits.localmarket import api
from hits.localmarket.control import views as control
from hits.localmarket.worker import api as robots
from hits.localmarket.worker import frames, pages, qualifying

urlpatterns = [
    path("", api.endpoint, name="endpoint"),
    path("mturk/externalSubmit", frames.external_submit, name="external-submit"),
    path("control/", control.page, name="control"),
    path("control/do/<slug:name>", control.do, name="control-do"),
    path("control/api/<slug:name>", control.api, name="control-api"),
    path("worker/", pages.offers_page, name="offers"),
    path("worker/sign-in", pages.sign_in, name="sign-in"),
    path("worker/sign-out", pages.sign_out, name="sign-out"),
    path("worker/groups/<slug:group_id>", pages.preview, name="preview"),
    path("worker/groups/<slug:group_id>/accept", pages.accept, name="accept"),
    path("worker/tasks/<slug:assignment_id>", pages.task, name="task"),
    path("worker/tasks/<slug:assignment_id>/return", pages.give_back, name="return"),
    path("worker/html/<slug:hit_id>", frames.html, name="html"),
    path("worker/queue", pages.queue, name="queue"),
    path("worker/earnings", pages.earnings, name="earnings"),
    path("worker/messages", pages.messages_page, name="messages"),
    path("worker/qualifications", qualifying.page, name="qualifications"),
    path("worker/qualifications/<slug:type_id>/ask", qualifying.ask_page, name="ask"),
    path("worker/api/sign-in", robots.sign_in),
    path("worker/api/hits", robots.hits),
    path("worker/api/accept", robots.accept),
    path("worker/api/return", robots.give_back),
    path("worker/api/submit", robots.submit),
    path("worker/api/assignments", robots.assignments),
    path("worker/api/me", robots.me),
    path("worker/api/ask", robots.ask),
]
