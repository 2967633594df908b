"""The folder that is the task queue where there is no Redis: nobody reads half a message."""

from pathlib import Path
from queue import Empty

import pytest
from kombu import Connection

import collector.celery  # noqa: F401  # it makes the folder's messages whole


def test_a_message_is_whole_or_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("messages", "control"):
        (tmp_path / name).mkdir()
    messages = str(tmp_path / "messages")
    options = {"data_folder_in": messages, "data_folder_out": messages, "control_folder": str(tmp_path / "control")}
    write, looked = Path.write_bytes, []
    with Connection("filesystem://", transport_options=options) as connection:
        queue = connection.SimpleQueue("tasks")

        def write_slowly(path: Path, data: bytes) -> int:
            write(path, b"")
            with pytest.raises(Empty):
                queue.get_nowait()
            looked.append(path)
            return write(path, data)

        monkeypatch.setattr(Path, "write_bytes", write_slowly)
        queue.put({"number": 7})
        message = queue.get_nowait()
        message.ack()
        assert message.payload == {"number": 7}
    assert len(looked) == 1
