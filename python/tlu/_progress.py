"""Progress of a training: a user's function, or a bar of tqdm."""

import sys


def as_function(progress):
    """(function or None, finish): `progress` is None, False, True (a bar, or lines where tqdm is not installed), or a
    function that gets a dict and may return True to stop."""
    if progress is None or progress is False:
        return None, lambda: None
    if callable(progress):
        return progress, lambda: None
    if progress is not True:
        raise TypeError("progress is True, False, None or a function")
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _print, lambda: print(file=sys.stderr)
    bar = tqdm(total=100, unit="%", bar_format="{l_bar}{bar}| {elapsed}<{remaining}{postfix}", leave=False)

    def update(state):
        if state["work_expected"]:
            bar.n = min(100, 100 * state["work"] / state["work_expected"])
        bar.set_postfix_str(f"pass {state['pass']} of {state['passes']}")

    return update, bar.close


def _print(state):
    share = f", {100 * state['work'] / state['work_expected']:.0f}%" if state["work_expected"] else ""
    print(f"\rpass {state['pass']} of {state['passes']}{share}", end="", file=sys.stderr, flush=True)
