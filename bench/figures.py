"""What follows from several runs. Speeds are in bytes per second; what was not measured is None."""
import statistics

from ours import LEVELS


class Runs:
    def __init__(self, jobs):
        self.jobs = {(job.group, job.name, job.level): job for job in jobs}

    def job(self, group, name, level=''):
        return self.jobs.get((group, name, level))

    def printed(self, name, key, level=''):
        """The median of what a program of the bench has printed."""
        job = self.job('limit', name, level)
        return job and statistics.median(line[key] for line in job.printed())

    def between(self, less, more, of):
        """The median of what one command takes more than another, by a function of a run's number."""
        return statistics.median(of(more, number) - of(less, number)
                                 for number in range(min(len(less.runs), len(more.runs))))


def total_seconds(job, number):
    return job.printed()[number]['seconds']['total']


def pass_seconds(runs, level, names):
    """Seconds of a pass in memory: an eighth of what ten passes take more than two."""
    few, many = (runs.job('pass', names.format(epochs), level) for epochs in (2, 10))
    return runs.between(few, many, total_seconds) / 8


def at_level(runs, level, counts):
    def ngram(name, count):
        pair = [runs.job('ngrams', f'tlu --ngrams {length}, {name}', level) for length in (1, 2)]
        return runs.between(*pair, lambda job, number: job.runs[number]['cpu_seconds']) / count
    return {
        'pass': pass_seconds(runs, level, 'tlu --shuffle none --epochs {}') / counts['nonzeros'],
        'shuffled_pass': pass_seconds(runs, level, 'tlu --shuffle later --epochs {}') /
        counts['nonzeros'],
        'classes_pass': pass_seconds(runs, level, 'tlu, 10 classes, --epochs {}') /
        counts['classes_nonzeros'] / 10,
        'ngram': {name: ngram(name, count) for name, count in counts['ngrams'].items()}}


def figures(jobs, counts, formats):
    """counts: how much of what the files hold; formats: the kinds of files."""
    runs = Runs(jobs)
    few = runs.job('pass', 'tlu --shuffle none --epochs 2')
    kept = few.median('memory') - runs.job('train', 'tlu --epochs 1').median('memory')
    read = {name: runs.printed(f'read, {name}', 'seconds') for name in formats}
    return {
        'levels': {level: at_level(runs, level, counts) for level in LEVELS},
        'parse': {name: {level: runs.printed(f'parse, {name}', 'bytes_per_second', level)
                         for level in [*LEVELS, 'plain']} for name in formats},
        'read': {name: seconds and runs.job('limit', f'read, {name}').bytes / seconds
                 for name, seconds in read.items()},
        'kept_bytes_per_nonzero': kept / counts['nonzeros'],
        **{key: runs.printed('bandwidth', key)
           for key in ('memory_one_thread', 'memory_all_threads', 'read_one_thread')}}
