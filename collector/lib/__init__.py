"""What everything may use: no models, imports no app."""
