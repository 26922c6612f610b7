"""What the tests of the command that are written in Python share: `from prelude import *`.

tests/prelude.sh says where it is found. A test that has complained fails, however it ends.
"""

import atexit
import json
import os
import subprocess
import sys

TLU, SOURCE = os.environ['TLU'], os.environ['TLU_SOURCE']
DATA = f'{SOURCE}/examples/data'
IRIS, WEATHER = f'{DATA}/iris.csv', f'{DATA}/weather.csv'

failures = 0


def complain(text):
    """The test has failed, and goes on."""
    global failures
    failures += 1
    print('FAILED:', text, file=sys.stderr)
    if failures == 20:
        sys.exit('and so on')


@atexit.register
def tell():
    if failures:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(1)


def equal(found, expected, what):
    if found != expected:
        complain(f'{what}: found {found}, expected {expected}')


def near(found, expected, what, size=1.0):
    if found is None or not abs(found - expected) <= 1e-9 * max(size, abs(expected), 1):
        complain(f'{what}: found {found}, expected {expected}')


def run(*words, stdin=None):
    return subprocess.run([TLU, *map(str, words)], input=stdin, capture_output=True, text=True)


def tlu(*words, stdin=None):
    """What a command prints that must succeed."""
    done = run(*words, stdin=stdin)
    if done.returncode:
        complain(f'{words} gives {done.returncode}: {done.stderr}')
    return done.stdout


def refused(part, *words, stdin=None):
    """Exit code 2, nothing printed, and a message that has this part."""
    done = run(*words, stdin=stdin)
    if done.returncode != 2 or part not in done.stderr or done.stdout:
        complain(f'{words} gives {done.returncode}: {done.stderr}')


def parsed(text, what='JSON'):
    """JSON as strict readers take it: no NaN, no key twice."""
    def unique(pairs):
        keys = [key for key, _ in pairs]
        if len(set(keys)) != len(keys):
            complain(f'{what}: a key twice among {keys}')
        return dict(pairs)

    def refuse(constant):
        complain(f'{what}: {constant} in JSON')

    try:
        return json.loads(text, object_pairs_hook=unique, parse_constant=refuse)
    except ValueError as error:
        complain(f'{what}: {error}: {text[:200]}')
        sys.exit(1)


def write(path, lines):
    """A text, or lines of it."""
    with open(path, 'w') as file:
        file.writelines(lines)
    return path
