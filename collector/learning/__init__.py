"""What comes before a worker's first task: device check, practice, quiz."""
