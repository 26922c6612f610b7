"""Running commands under a clock, and what the machine is."""
import datetime
import json
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent
TLU = pathlib.Path(os.environ.get('TLU', SOURCE / 'build/release/tlu')).resolve()
PROGRAMS = TLU.parent / 'bench'  # timed, read, bandwidth, parse
WORK = pathlib.Path(os.environ.get('BENCH_WORK', SOURCE / 'build/bench')).resolve()
REAL = pathlib.Path(os.environ.get('TLU_DATA', SOURCE / '../shared/data'))  # real data, if it is there
LONG = 15  # seconds: what takes longer runs once, not in every round


class Failed(Exception):
    pass


def output_of(command):
    """What a command prints; Failed with its last lines if it fails."""
    done = subprocess.run([str(word) for word in command], cwd=WORK, capture_output=True, text=True)
    if done.returncode:
        raise Failed(f'{short(command)} gives {done.returncode}: {(done.stderr or done.stdout)[-400:]}')
    return done.stdout


def short(command):
    """A command as a reader wants it, without the folders of this machine."""
    return ' '.join(pathlib.Path(word).name if os.path.isabs(word) else word
                    for word in map(str, command))


def with_simd(level):
    """The environment in which tlu uses no more than the instructions of a level; '': all it can."""
    return {**os.environ, 'TLU_SIMD': level} if level else None


def timed(command, limit=600, level=''):
    """Runs a command: {'seconds', 'cpu_seconds', 'memory', 'exit_code', 'output'}."""
    result = WORK / 'timed.json'
    log = WORK / 'timed.log'
    with open(log, 'wb') as output:
        subprocess.run([PROGRAMS / 'timed', result, str(limit), *map(str, command)], cwd=WORK,
                       stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, check=True,
                       env=with_simd(level))
    figures = json.loads(result.read_text())
    figures['output'] = log.read_text(errors='replace')
    if figures['exit_code'] > 0:
        raise Failed(f'{short(command)} gives {figures["exit_code"]}: {figures["output"][-400:]}')
    return figures


class Job:
    """A command to be run once a round."""

    def __init__(self, group, name, command, bytes=0, accuracy=None, note='', limit=600, level='',
                 optional=False):
        self.group, self.name, self.command, self.bytes = group, name, command, bytes
        self.measure_accuracy, self.note, self.limit, self.level = accuracy, note, limit, level
        self.optional = optional  # left out if it fails, as the other tools are
        self.runs, self.accuracy, self.stopped = [], None, False

    def run(self):
        if self.stopped or (self.runs and self.runs[0]['seconds'] > LONG):
            return
        figures = timed(self.command, self.limit, self.level)
        self.stopped = figures['exit_code'] < 0
        self.runs.append(figures)
        if self.measure_accuracy and self.accuracy is None and not self.stopped:
            self.accuracy = self.measure_accuracy()

    def median(self, key='seconds'):
        return statistics.median(run[key] for run in self.runs)

    def printed(self):
        """The JSON object that each run printed."""
        return [json.loads(run['output'].splitlines()[-1]) for run in self.runs]

    def record(self):
        keys = ('seconds', 'cpu_seconds', 'memory')
        return {'group': self.group, 'name': self.name, 'kernels': self.level, 'note': self.note,
                'command': short(self.command), 'bytes': self.bytes, 'accuracy': self.accuracy,
                'stopped_at_limit': self.stopped, 'median_seconds': self.median(),
                'cpu_seconds': self.median('cpu_seconds'),
                'memory': self.median('memory'),
                **{key + '_of_runs': [run[key] for run in self.runs] for key in keys}}


def interleave(jobs, rounds, say):
    """Runs every job once a round. Another tool that fails is left out, with a word about it."""
    for number in range(rounds):
        for job in list(jobs):
            say(f'round {number + 1} of {rounds}: {job.group}, {job.name} {job.level}')
            try:
                job.run()
            except Failed as failure:
                if os.path.isabs(job.command[0]) and not job.optional:  # our own
                    raise
                print(f'left out: {failure}', file=sys.stderr)
                jobs.remove(job)


def first_line(command, pattern):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(pattern, done.stdout + done.stderr)
    return found.group(1).strip() if found else None


def package_version(package):
    """The version of a Debian package, for tools that do not tell their own."""
    if not shutil.which('dpkg-query'):
        return None
    return first_line(['dpkg-query', '-W', '-f=${Version}\n', package], r'(\S+)')


def machine():
    """The machine without its name."""
    text = pathlib.Path('/proc/cpuinfo')
    model = re.search(r'model name\s*:\s*(.*)', text.read_text()) if text.exists() else None
    cache = first_line(['getconf', 'LEVEL2_CACHE_SIZE'], r'(\d+)')
    return {'cpu': model.group(1) if model else platform.machine(), 'cores': os.cpu_count(),
            'second_level_cache': int(cache or 0),
            'memory': os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES'),
            'kernel': f'{platform.system()} {platform.release()}',
            'compiler': first_line(['cc', '--version'], r'(.*)'),
            'date': datetime.date.today().isoformat(), 'load_at_start': os.getloadavg()[0]}


def available_memory():
    found = re.search(r'MemAvailable:\s*(\d+) kB', pathlib.Path('/proc/meminfo').read_text())
    return int(found.group(1)) * 1024 if found else 0
