"""The command on a pseudo terminal. Tests that import it begin with `need_terminal` (tests/prelude.sh)."""

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios

TLU = os.environ['TLU']


def on_terminal(*words, columns=100, lines=30, interrupt_after=None, stderr=subprocess.DEVNULL, stdin=None, **environment):
    """The bytes that a terminal gets, and the exit code. interrupt_after: Ctrl-C after so many lines.
    stderr=subprocess.STDOUT: messages go to the terminal, too."""
    here, there = pty.openpty()
    fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack('HHHH', lines, columns, 0, 0))
    kept = {name: value for name, value in os.environ.items()
            if name not in ('NO_COLOR', 'COLUMNS', 'LINES', 'TERM', 'COLORFGBG')}
    process = subprocess.Popen([TLU, *words], stdin=stdin, stdout=there, stderr=stderr,
                               env={**kept, 'TERM': 'xterm-256color', **environment})
    os.close(there)
    seen = b''
    while True:
        try:
            piece = os.read(here, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        seen += piece
        if interrupt_after and seen.count(b'\n') >= interrupt_after:
            process.send_signal(signal.SIGINT)
            interrupt_after = None
    os.close(here)
    return seen.replace(b'\r\n', b'\n'), process.wait(timeout=60)


def without_sequences(text):
    """Text without the escape sequences that move the cursor and set colours."""
    return re.sub('\x1b\\[[0-9;?]*[A-Za-z]', '', text)
