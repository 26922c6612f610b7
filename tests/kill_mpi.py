"""kill_mpi.py TLU KILLS: kills processes of tlu train under mpirun, rank 0 included, at random moments.

The job ends in bounded time with a message, the checkpoint is whole, and the resumed job has the bits
of one that was left alone. A process that is stopped for 30 s delays the others, and nothing is lost.
Prints figures; ends with 1 if something is wrong."""
import filecmp
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time

TLU, KILLS = sys.argv[1], int(sys.argv[2])
PROCESSES = 3
ENDS_IN = 20  # seconds
TRAIN = [TLU, 'train', 'sparse.svm', '--learner', 'arow', '--epochs', '60', '--stop', 'epochs',
         '--checkpoint', '0.01', '-q']
ERRORS = []


def complain(text):
    ERRORS.append(text)
    print(text, file=sys.stderr, flush=True)


def start(model, *options):
    # mpirun waits for its standard error to be closed, so this is a file.
    return subprocess.Popen(['mpirun', '--oversubscribe', '--bind-to', 'none', '-n', str(PROCESSES),
                             *TRAIN, '-o', model, *options],
                            stdin=subprocess.DEVNULL, stderr=open('messages', 'w'))


def ranks(job):
    """{rank: pid} of the processes that the job has started."""
    found = {}
    for folder in pathlib.Path('/proc').glob('[0-9]*'):
        try:
            parent = int((folder / 'stat').read_text().rsplit(')', 1)[1].split()[1])
            rank = re.search(rb'\0OMPI_COMM_WORLD_RANK=(\d+)', b'\0' + (folder / 'environ').read_bytes())
        except (OSError, ValueError):
            continue  # it has ended
        if parent == job.pid and rank:
            found[int(rank[1])] = int(folder.name)
    return found


def end(job):
    """The exit code and the seconds."""
    started = time.monotonic()
    try:
        return job.wait(ENDS_IN), time.monotonic() - started
    except subprocess.TimeoutExpired:
        complain(f'the job has not ended in {ENDS_IN} s')
        job.kill()
        return job.wait(), ENDS_IN


def finish(model, *options):
    job = start(model, *options)
    if job.wait(120) != 0:
        complain(f'exit code {job.returncode}: {open("messages").read()}')


def kill_once(draw, usual, counts):
    """Whether a process was killed before the job was complete."""
    victim = draw.randrange(PROCESSES)
    pathlib.Path('killed.tlu').unlink(missing_ok=True)
    job = start('killed.tlu')
    time.sleep(draw.uniform(0, usual))
    target = ranks(job).get(victim)
    if target is None:
        job.wait(60)
        return False
    os.kill(target, signal.SIGKILL)
    code, seconds = end(job)
    messages = open('messages').read()
    if code == 0:  # it had done all its work
        return False
    counts['longest'] = max(counts['longest'], seconds)
    counts['rank 0'] += victim == 0
    own = re.search(r'^tlu: (process \d of \d: )?the job was ended', messages, re.M)
    counts['message of tlu'] += own is not None
    if not own and 'mpirun noticed' not in messages:
        complain(f'process {victim} killed: no message: {messages}')
    there = os.path.exists('killed.tlu')
    if there and subprocess.run([TLU, 'inspect', 'killed.tlu'], stdout=subprocess.DEVNULL).returncode:
        complain(f'process {victim} killed: the checkpoint is damaged')
    if own and there and '--resume goes on' not in messages:
        counts['no advice'] += 1
    counts['resumed'] += there
    finish('killed.tlu', *(['--resume'] if there else []))
    if not filecmp.cmp('killed.tlu', 'whole.tlu', shallow=False):
        complain(f'process {victim} killed: the resumed job has other bits')
    return True


def stop_once(seconds):
    job = start('stopped.tlu')
    found = {}
    while len(found) < PROCESSES and job.poll() is None:
        found = ranks(job)
    while job.poll() is None and not os.path.exists('stopped.tlu'):
        time.sleep(0.01)
    os.kill(found[1], signal.SIGSTOP)
    time.sleep(seconds)
    waits = job.poll() is None
    os.kill(found[1], signal.SIGCONT)
    if job.wait(120) != 0 or not waits:
        complain(f'a stopped process: {job.returncode}, {open("messages").read()}')
    if not filecmp.cmp('stopped.tlu', 'whole.tlu', shallow=False):
        complain('a stopped process: other bits')


def main():
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT='1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1', RES_OPTIONS='attempts:0')
    subprocess.run([TLU, 'generate', 'sparse', '--rows', '20000', '--features', '2000', '--nonzeros',
                    '30', '--seed', '4', '-o', 'sparse.svm'], check=True)
    started = time.monotonic()
    finish('whole.tlu')
    usual = time.monotonic() - started
    draw = random.Random(1)
    counts = dict.fromkeys(('kills', 'rank 0', 'message of tlu', 'no advice', 'resumed', 'longest'), 0)
    for _ in range(3 * KILLS):
        if counts['kills'] == KILLS or len(ERRORS) > 5:
            break
        counts['kills'] += kill_once(draw, usual, counts)
    stop_once(30)
    print(f'a job takes {usual:.1f} s;', ', '.join(f'{name} {n:.3g}' for name, n in counts.items()))
    if counts['kills'] < KILLS and not ERRORS:
        complain('too few processes could be killed in time')
    sys.exit(bool(ERRORS))


main()
