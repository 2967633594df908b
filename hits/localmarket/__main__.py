"""How is the marketplace started? ``python -m hits.localmarket --host 127.0.0.1 --port 8010``."""

import argparse
import os
import sys


def main() -> None:
    """Migrate the database, then serve until told to stop."""
    parser = argparse.ArgumentParser(
        prog="python -m hits.localmarket", description="A local crowdsourcing marketplace."
    )
    parser.add_argument("--host", help="the address to bind (LOCALMARKET_HOST, 127.0.0.1)")
    parser.add_argument("--port", type=int, help="the port to listen on (LOCALMARKET_PORT, 8010)")
    options = parser.parse_args()
    os.environ["DJANGO_SETTINGS_MODULE"] = "hits.localmarket.settings"
    for name in ("host", "port"):
        if getattr(options, name) is not None:
            os.environ[f"LOCALMARKET_{name.upper()}"] = str(getattr(options, name))
    serve()


def serve() -> None:
    """Prepare and run the server with the settings of the environment."""
    import django
    import uvicorn
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import call_command

    try:
        django.setup()
    except ImproperlyConfigured as error:
        sys.exit(str(error))
    from hits.localmarket import seeding, service

    service.model()  # says so now if this botocore has no such model
    call_command("migrate", verbosity=0)
    seeding.seed()
    from django.db import connection

    connection.close()
    print(f"Requesters: {settings.PUBLIC_URL}/   Workers: {settings.PUBLIC_URL}/worker/   "
          f"Control: {settings.PUBLIC_URL}/control/", flush=True)  # fmt: skip
    from hits.localmarket.asgi import application

    uvicorn.run(
        application,
        host=settings.HOST,
        port=settings.PORT,
        log_level=settings.LOG_LEVEL.lower(),
        access_log=False,
        lifespan="on",
        server_header=False,
        timeout_graceful_shutdown=5,
    )


if __name__ == "__main__":
    main()
