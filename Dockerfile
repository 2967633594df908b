# The product in one image; docker-compose.yml runs its processes from it. Two stages: what builds the environment
# stays behind. Nothing in it is written while it runs but the volumes and /tmp.

FROM python:3.11.14-slim-bookworm AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/venv
COPY requirements/run.txt /tmp/run.txt
RUN /opt/venv/bin/pip install --requirement /tmp/run.txt

FROM python:3.11.14-slim-bookworm
ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 VAR_DIR=/var/lib/collector
# Of any patch level: pg_dump must be as new as the server, and security fixes come as new levels.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends postgresql-client \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --system --gid 10001 collector \
    && useradd --system --uid 10001 --gid 10001 --no-create-home --home-dir /nonexistent collector \
    && install -d -o collector -g collector -m 750 /var/lib/collector /var/lib/collector/media /var/lib/collector/static
COPY --from=build /opt/venv /opt/venv
WORKDIR /opt/collector
COPY manage.py ./
COPY collector collector
COPY chat chat
COPY hits hits
COPY static static
RUN python -m compileall -q collector chat hits
USER 10001:10001
EXPOSE 8000
CMD ["python", "-m", "collector.web", "--host", "0.0.0.0", "--port", "8000"]
