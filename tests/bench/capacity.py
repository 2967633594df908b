"""How many dialogs at once does a machine carry? Measured through the proxy with TLS, at the pace of people.

``make capacity`` measures two things on the installation that ``docker-compose.yml`` describes, with a durable
PostgreSQL, and writes them into ``docs/capacity.md``: a crowd of pairs that talk to the end, and climbs in steps with
one, two and four web processes. ``python -m tests.bench.capacity pairs --pairs 100`` measures a part and writes
nothing.
"""

import argparse
import contextlib
import itertools
import resource
import subprocess
import sys
from collections.abc import Iterator

import msgspec

from tests import services
from tests.bench import capacity_page, servers
from tests.bench.capacity_page import Measured
from tests.bench.ramp import Ramp, Step
from tests.bench.usage import Meter, memories, pids_of
from tests.drill import deployed
from tests.drill.deployed import Deployment
from tests.product import BASE_DIR

THINK, FAST = 10.0, 2.0
"""Seconds before a text, within 50 %: each of two people writes one about every twenty seconds, or every four."""
ROUNDS, MOST_ROUNDS = 10, 50
"""Those of a crowd, as a study has them; those of a climb, so that nobody has finished before its end."""
SECONDS = 15.0
"""For which each step of a climb is measured."""
PARTS = ["pairs", "people", "fast"]
_numbers = itertools.count(1)


@contextlib.contextmanager
def installation(webs: int, rounds: int) -> Iterator[Deployment]:
    """Run an installation with an open study; errors in its logs are shown."""
    folder = services.temporary_folder() / f"capacity-{next(_numbers)}"
    made = deployed.start(folder, lambda place: None, postgres=servers.Durable, webs=webs)
    try:
        prepare(made, "study", rounds)
        yield made
        errors = [line for line in made.logs().splitlines() if '"ERROR"' in line or not line.startswith("{")]
        print(f"  {len(errors)} errors in logs. {' '.join(errors[:2])[:600]}", flush=True)
    finally:
        made.stop()


def prepare(deployment: Deployment, what: str, number: int) -> list[str]:
    """Put something into the database; return the tokens that were printed, if any."""
    done = deployment.run(["python", "-m", "tests.bench.preparing", what, str(number)])
    if done.returncode:
        raise RuntimeError(done.stderr)
    return list(msgspec.json.decode(done.stdout)) if done.stdout else []


@contextlib.contextmanager
def crowd(ramp: Ramp) -> Iterator[subprocess.Popen[str]]:
    """Start the process of the simulated workers."""
    command = [sys.executable, "-m", "tests.bench.ramp"]
    process = subprocess.Popen(command, cwd=BASE_DIR, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        tell(process, msgspec.json.encode(ramp).decode())
        yield process
    finally:
        with contextlib.suppress(subprocess.TimeoutExpired, OSError):
            process.communicate(timeout=30)
        process.kill()
        process.wait()


def tell(process: subprocess.Popen[str], line: str) -> None:
    """Write a line to the simulated workers."""
    assert process.stdin
    process.stdin.write(f"{line}\n")
    process.stdin.flush()


def heard(process: subprocess.Popen[str]) -> str:
    """Read a line of theirs."""
    assert process.stdout
    if not (line := process.stdout.readline()):
        raise RuntimeError("The simulated workers have ended; their error stands above.")
    return line


def climb(
    webs: int, sizes: list[int], rounds: int, arrive: float, measure: float, think: float = THINK
) -> Iterator[Measured]:
    """Yield what each step came to; whoever stops asking ends it. Dialogs of ``ROUNDS`` are seen to their end then."""
    with installation(webs, rounds) as deployment:
        tokens = prepare(deployment, "workers", 2 * sum(sizes))
        assert deployment.proxy
        ramp = Ramp(deployment.proxy.port, deployment.proxy.authority, tokens, sizes, think, arrive, 3.0, measure)
        with crowd(ramp) as process:
            pids = pids_of(deployment, process.pid)
            before = memories(pids)
            for number in range(len(sizes)):
                if number:
                    tell(process, "more")
                assert heard(process).strip() == "begin"
                meter = Meter(pids)
                step = msgspec.json.decode(heard(process), type=Step)
                yield Measured(webs, step, meter.read(), before, measure)
            if rounds == ROUNDS:
                meter = Meter(pids)
                tell(process, "finish")
                step = msgspec.json.decode(heard(process), type=Step)
                yield Measured(webs, step, meter.read(), before, measure)


def pairs(number: int) -> list[Measured]:
    """Let a crowd of pairs arrive within a minute and talk to the end; return both halves of it."""
    found = []
    for each in climb(2, [number], ROUNDS, arrive=number * 0.05, measure=100.0):
        found.append(each)
        print(capacity_page.line(each), flush=True)
    return found


def steps(webs: list[int], size: int, most: int, think: float = THINK) -> list[Measured]:
    """Climb with each number of web processes until a step is not carried."""
    found = []
    for count in webs:
        for each in climb(count, [size] * (most // size), MOST_ROUNDS, size * 0.016, SECONDS, think):
            found.append(each)
            print(capacity_page.line(each), flush=True)
            if capacity_page.objection(each):
                break
    return found


def check_files(most: int) -> None:
    """See to it that a process may open a socket for each worker, and two for the proxy; stop where it may not."""
    wanted = 4 * most + 500
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft >= wanted:
        return
    if hard != resource.RLIM_INFINITY and hard < wanted:
        sys.exit(
            f"{most} pairs need {wanted} open files in the proxy, and no process may have more than {hard} here. "
            f"Raise the limit (ulimit -n {wanted}), or ask for fewer pairs."
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def main() -> None:
    """Measure what was asked for, and print it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)}; all without any")
    parser.add_argument("--pairs", type=int, default=1000, help="of the crowd (default 1000)")
    parser.add_argument("--webs", type=int, nargs="+", default=[1, 2, 4], help="web processes to climb with at speed")
    parser.add_argument("--most", type=int, default=4500, help="pairs at which a climb ends (default 4500)")
    parser.add_argument("--write", action="store_true", help="write docs/capacity.md, too")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    parts = options.parts or PARTS
    check_files(max(options.pairs if "pairs" in parts else 0, 0 if parts == ["pairs"] else options.most))
    for part in parts:
        if part == "pairs":
            text = capacity_page.of_pairs(pairs(options.pairs))
        elif part == "people":
            text = capacity_page.of_steps(steps([1], options.most // 3, options.most))
        else:
            text = capacity_page.of_steps(steps(options.webs, options.most // 9, options.most, FAST))
        print(f"\n{text}\n", flush=True)
        if options.write:
            capacity_page.write(part, text)


if __name__ == "__main__":
    main()
