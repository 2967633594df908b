"""Worker pages of the chat, under their token, and the socket, which has none in its address."""

from django.urls import path

from chat import consumers, views

urlpatterns = [
    path("w/<str:token>/", views.room, name="room"),
    path("w/<str:token>/frames", views.frames, name="frames"),
    path("w/<str:token>/<int:number>/frame/<int:slot>", views.frame, name="frame"),
    path("w/<str:token>/<int:number>/video", views.video, name="video"),
]

websocket_urlpatterns = [path("ws/chat/", consumers.DialogConsumer.as_asgi())]
