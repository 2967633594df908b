"""Pictures of every page in every state, with what is wrong there: ``make gallery``."""
