"""Is the installation well? Signs of life, readiness, metrics, logs: what whoever runs it asks, and needs no login."""
