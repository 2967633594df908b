"""A local crowdsourcing marketplace that speaks the MTurk requester protocol, for drills, lessons and tests.

A product of its own: own process, settings, database, templates. It imports nothing of the rest of the project and
nothing of the rest imports it; the two meet over HTTP only, as with the real service.
"""
