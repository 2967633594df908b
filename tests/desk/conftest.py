"""Dialogs to export, as the commands' tests have them."""

from tests.exports.conftest import made_up_dialogs, many_dialogs

__all__ = ["made_up_dialogs", "many_dialogs"]
