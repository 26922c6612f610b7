"""Progress of long calls: a function of the caller, tqdm where it is installed, or a line."""

import sys


class _Line:
    """Progress on one line of standard error."""

    def __init__(self, name):
        self.name = name

    def show(self, done, text):
        share = f" {done:4.0%}" if done is not None else ""
        sys.stderr.write(f"\r{self.name}{share} {text}\033[K" if sys.stderr.isatty() else "")
        sys.stderr.flush()

    def close(self):
        if sys.stderr.isatty():
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


class _Tqdm:
    def __init__(self, name, tqdm):
        self.bar = tqdm(total=1.0, desc=name, leave=False, bar_format="{desc} {percentage:3.0f}%|{bar}|{postfix}")

    def show(self, done, text):
        self.bar.set_postfix_str(text, refresh=False)
        if done is not None:
            self.bar.n = done
        self.bar.refresh()

    def close(self):
        self.bar.close()


def _describe(now):
    """The share that is done, or None, and a text."""
    if "stage" in now and "best" in now:
        best = f"{now['best']} {now['score']:.4f}" if now["best"] else "first fold"
        total = now["seconds"] + now["seconds_left"]
        return (now["seconds"] / total if now["seconds_left"] >= 0 and total > 0 else None), best
    if "stage" in now:
        return None, f"{now['stage']} {now['seconds']:.0f} s"
    if "value" in now:
        return None, f"fold {now['repeat']}.{now['fold']}: {now['value']:.4f}"
    done = now["work"] / now["work_expected"] if now["work_expected"] > 0 else None
    return (None if done is None else min(1.0, done)), f"pass {now['pass']}, {now['mistakes']} mistakes"


class Progress:
    """A context whose `function` the extension calls: None, the caller's, or one that draws."""

    def __init__(self, wanted, name):
        self.display = None
        self.function = None
        if callable(wanted):
            self.function = wanted
        elif wanted is True:
            try:
                from tqdm.auto import tqdm

                self.display = _Tqdm(name, tqdm)
            except ImportError:
                self.display = _Line(name)
            self.function = self._show
        elif wanted not in (None, False):
            raise TypeError("progress is True, False, None or a function")

    def _show(self, now):
        self.display.show(*_describe(now))

    def __enter__(self):
        return self.function

    def close(self):
        if self.display:
            self.display.close()

    def __exit__(self, *error):
        self.close()


def as_function(progress, name="fit"):
    """(function or None, finish) of a Progress, for calls that are not in a `with` block."""
    shown = Progress(progress, name)
    return shown.function, shown.close


def finish(result):
    """The result of a call that may have ended early: an interruption carries it as `result`."""
    value, exception = result
    if exception is not None:
        exception.result = value
        raise exception
    return value
