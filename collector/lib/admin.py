"""What may a researcher do with what workers did? See it in the admin, and nothing else."""

from typing import Any

from django.http import HttpRequest


class ReadOnly:
    """Mixed into an admin class, before Django's own: rows come from workers, and what happened is not edited."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody adds."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody changes."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody deletes."""
        return False
