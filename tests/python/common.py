"""What the tests of the Python package share. A test is a file test_NAME.py with functions test_*; each runs alone:
python3 tests/python/test_NAME.py [FUNCTION...]. Exit code 77 means skipped."""

import os
import subprocess
import sys
import time
import traceback
import warnings

SOURCE = os.environ.get("TLU_SOURCE", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
TLU = os.environ.get("TLU", os.path.join(SOURCE, "build", "release", "tlu"))
DATA = os.path.join(SOURCE, "..", "shared", "data")
SANITIZED = bool(os.environ.get("TLU_SANITIZED"))
LONG = bool(os.environ.get("TLU_LONG"))


class Skip(Exception):
    pass


def need(*modules):
    """Skips the whole file where a module is missing."""
    for module in modules:
        try:
            __import__(module)
        except ImportError as error:
            print(f"SKIPPED: Python's {module} is not there ({error})")
            sys.exit(77)


def need_data(name):
    path = os.path.join(DATA, name)
    if not os.path.exists(path):
        raise Skip(f"{name} is not there")
    return path


def command(*arguments):
    return subprocess.run([TLU, *arguments], check=True, capture_output=True, text=True).stdout


def raises(kind, function, *words):
    """The exception of a kind that the function raises; its text has the words."""
    try:
        function()
    except kind as error:
        for word in words:
            assert word in str(error), f"'{word}' is not in: {error}"
        return error
    raise AssertionError(f"no {kind.__name__}")


def main(names):
    """Runs the functions test_* of the module that calls it."""
    tests = {name: f for name, f in names.items() if name.startswith("test_") and callable(f)}
    chosen = sys.argv[1:] or list(tests)
    failed = skipped = 0
    for name in chosen:
        start = time.monotonic()
        outcome = "ok"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tests[name]()
        except Skip as reason:
            skipped += 1
            outcome = f"skipped: {reason}"
        except Exception:
            failed += 1
            outcome = "FAILED"
            traceback.print_exc()
        print(f"{name}: {outcome} ({time.monotonic() - start:.1f} s)", flush=True)
    sys.exit(1 if failed else 77 if skipped == len(chosen) else 0)
