"""The chat's commands."""
