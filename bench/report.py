"""Tables and pictures of the results, printed and put into docs/performance.md."""
import json
import pathlib
import re
import textwrap

import picture
from measure import SOURCE

TITLES = {'train': 'Training on the sparse file', 'predict': 'Prediction, the same file',
          'csv': 'Training on a CSV file of numbers', 'mnist': 'Training on MNIST (19% not zero)',
          'small': 'A file small enough for svm-train', 'stream': 'A stream, the sparse file',
          'short': 'A stream of short rows (5 non-zeros)'}


def seconds(value):
    return f'{value:.3f}' if value < 10 else f'{value:.1f}'


def megabytes(value):
    return f'{value / 1e6:.0f}' if value >= 1e7 else f'{value / 1e6:.1f}'


def table(header, rows):
    """Markdown that is also readable as it stands."""
    cells = [header, *rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    lines = ['| ' + ' | '.join(cell.ljust(width) for cell, width in zip(row, widths)) + ' |'
             for row in cells]
    lines.insert(1, '| ' + ' | '.join('-' * width for width in widths) + ' |')
    return '\n'.join(lines)


def run_tables(results):
    """One table a group; the first row of a group is what the ratios are against."""
    texts = []
    for group, title in TITLES.items():
        runs = [run for run in results['runs'] if run['group'] == group]
        if not runs:
            continue
        base = runs[0]['median_seconds']
        rows = []
        for run in runs:
            accuracy = run['accuracy']
            limit = '> ' if run['stopped_at_limit'] else ''
            rows.append([run['name'], limit + seconds(run['median_seconds']),
                         seconds(run['cpu_seconds']),
                         limit + f'{run["median_seconds"] / base:.2f}',
                         '' if accuracy is None else f'{100 * accuracy:.2f}%',
                         megabytes(run['memory']),
                         f'{run["bytes"] / run["median_seconds"] / 1e6:.0f}', run['note']])
        texts.append(f'**{title}** ({megabytes(runs[0]["bytes"])} MB)\n\n' + table(
            ['tool', 'seconds', 'CPU', 'ratio', 'held-out', 'peak MB', 'MB/s', 'what it does'], rows))
    return '\n\n'.join(texts)


def median_of(results, group, name):
    for run in results['runs']:
        if (run['group'], run['name']) == (group, name):
            return run['median_seconds']
    return None


def target_rows(results):
    """(work, target, found, whether it is met; None: not measured) for the table of targets."""
    figures, rows = results['figures'], []

    def at_least(work, target, value, form):
        rows.append((work, f'at least {form(target)}', value and form(value),
                     value and value >= target))

    def at_most(work, target, value, form, word='at most'):
        rows.append((work, f'{word} {form(target)}', value and form(value),
                     value and value <= target))

    def times(value):
        digits = 2 if value < 2 else 1
        return f'{value:.{digits}f}'.rstrip('0').rstrip('.') + ' times'

    def speed(value):
        return f'{value / 1e6:.0f} MB/s'

    def ratio(slow, fast):
        return slow / fast if slow and fast else None

    five, one = (median_of(results, 'train', f'tlu --epochs {n}') for n in (5, 1))
    equal = next(run for run in results['runs']
                 if run['group'] == 'train' and run['name'].startswith('tlu --margin'))
    liblinear = median_of(results, 'train', 'liblinear-train -s 1')
    at_least('`train --epochs 5` against `liblinear-train -s 1`', 25, ratio(liblinear, five), times)
    at_least(f'`train {equal["name"][4:]}`, of at least equal accuracy, against the same', 25,
             ratio(liblinear, equal['median_seconds']), times)
    at_least('`train --epochs 5` against scikit-learn', 40,
             ratio(median_of(results, 'train', 'scikit-learn'), five), times)
    at_most('`train --epochs 1` against `wc -l`', 3, ratio(one, median_of(results, 'train', 'wc -l')),
            times)
    at_least('`predict` against `liblinear-predict`', 15,
             ratio(median_of(results, 'predict', 'liblinear-predict'),
                   median_of(results, 'predict', 'tlu predict')), times)
    for format, what, target in (('libsvm', 'LIBSVM', 1e9), ('csv', 'CSV of numbers', 7e8)):
        at_least(f'parsing alone, one thread, {what}', target,
                 figures[f'{format}_parse'] or figures[f'{format}_read'], speed)
    for order, key in (('in the order of the file', 'pass'), ('in a random order', 'shuffled')):
        at_most(f'a training pass in memory, {order}', 1.5e-9, figures[f'{key}_seconds_per_nonzero'],
                lambda value: f'{value * 1e9:.2f} ns per non-zero')
    at_most('memory kept for several passes', 10, figures['kept_bytes_per_nonzero'],
            lambda value: f'{value:.1f} bytes per non-zero')
    for group, what in (('stream', ''), ('short', ', short rows')):
        at_most(f'`learn` with answers to a file against `train --epochs 1`{what}', 1.5,
                ratio(median_of(results, group, 'tlu learn < FILE'),
                      median_of(results, group, 'tlu train --epochs 1')), times)
    for where, what in ((', one core', 'programs on one core'), ('', 'on any')):
        at_most(f'`learn`: a row in, its answer out, {what} (an echo: '
                f'{figures["latency"]["echo" + where] * 1e6:.1f} µs), median', 20e-6,
                figures['latency']['learn' + where], lambda value: f'{value * 1e6:.1f} µs', 'under')
    largest = results['sizes'][-1]
    at_most(f'memory of one pass over {megabytes(largest["bytes"])} MB, without the model', 64e6,
            largest['memory'] - largest['model'], lambda value: f'{megabytes(value)} MB', 'under')
    line = picture.fit(results['sizes'])
    at_least(f'time grows with rows, {megabytes(results["sizes"][0]["bytes"])} MB to '
             f'{megabytes(largest["bytes"])} MB', 0.99, line['r2'],
             lambda value: f'R² {value:.4f} of a straight line')
    at_most('start-up: `train` on four rows', 5e-3, results['start_up']['tlu'],
            lambda value: f'{value * 1e3:.2f} ms', 'under')
    return rows


def target_table(results):
    return table(['work', 'target', 'found', 'met'],
                 [[work, target, found or 'not measured',
                   '' if met is None else 'yes' if met else 'no']
                  for work, target, found, met in target_rows(results)])


def limit_table(results):
    figures, data = results['figures'], results['data']
    one = median_of(results, 'train', 'tlu --epochs 1')
    rows = [('sum over memory, all threads', figures['memory_all_threads']),
            ('sum over memory, one thread', figures['memory_one_thread']),
            ('`read` from the page cache, one thread', figures['read_one_thread']),
            ('`wc -l`', data['bytes'] / median_of(results, 'train', 'wc -l')),
            ('`train --epochs 1`, the whole program', data['bytes'] / one),
            ('parsing LIBSVM, one thread', figures['libsvm_parse']),
            ('parsing CSV, one thread', figures['csv_parse']),
            ('reading, cutting and parsing LIBSVM, one thread', figures['libsvm_read']),
            ('reading, cutting and parsing CSV, one thread', figures['csv_read']),
            ('a pass in memory, by its 8 bytes per non-zero',
             8 * data['nonzeros'] / figures['pass_seconds'])]
    return table(['what', 'GB/s', 'of one thread\'s memory'],
                 [[name, f'{value / 1e9:.2f}', f'{100 * value / figures["memory_one_thread"]:.0f}%']
                  for name, value in rows if value])


def instruction_table(results):
    found = results['instructions']
    if not found:
        return 'Not measured in this run.'
    names = {'libsvm_read_per_byte': 'reading LIBSVM, per byte', 'csv_read_per_byte':
             'reading CSV, per byte', 'pass_per_nonzero': 'a pass in memory, per non-zero'}
    profile_names = {'libsvm_read': 'reading LIBSVM', 'csv_read': 'reading CSV',
                     'pass': 'a pass in memory'}
    counts = table(['instructions', 'count'], [[names[key], f'{value:.1f}']
                                               for key, value in found['counts'].items()])
    profile = table(['where they are', 'function', 'file', 'share'],
                    [[profile_names[key], f'`{name}`', file, f'{share:.0f}%']
                     for key, lines in found['profiles'].items() for name, file, share in lines])
    return f'Kernels under callgrind: {found["kernels"]}.\n\n{counts}\n\n{profile}'


def machine_text(results):
    about, data = results['machine'], results['data']
    versions = ', '.join(f'{name} {version}' for name, version in results['versions'].items())
    text = (f'{about["date"]}: {about["cpu"]}, {about["cores"]} cores, '
            f'{about["memory"] / 1e9:.0f} GB, {about["kernel"]}, {about["compiler"]}; {versions}. '
            f'Medians of {results["rounds"]} rounds; the load was {about["load_at_start"]:.1f} before them '
            f'(0 is a quiet machine, and only that gives figures to quote). The sparse file has {data["rows"]} rows, '
            f'{data["features"]} features, {data["nonzeros"]} non-zeros and '
            f'{megabytes(data["bytes"])} MB; {data["held_out_rows"]} more rows are held out.')
    return textwrap.fill(text, 120, break_on_hyphens=False)


def fill(text, name, content):
    """Puts the content between <!-- name --> and <!-- /name -->."""
    pattern = re.compile(f'(<!-- {name} -->\n).*?(<!-- /{name} -->)', re.S)
    if not pattern.search(text):
        raise ValueError(f'docs/performance.md has no markers for {name}')
    return pattern.sub(lambda found: f'{found.group(1)}\n{content}\n\n{found.group(2)}', text)


def write(results, out):
    parts = {'targets': target_table(results), 'tools': run_tables(results),
             'limits': limit_table(results), 'instructions': instruction_table(results),
             'machine': machine_text(results)}
    for name in ('machine', 'tools', 'targets', 'limits', 'instructions'):
        print(parts[name] + '\n')
    results['targets'] = [{'work': work, 'target': target, 'found': found, 'met': met}
                          for work, target, found, met in target_rows(results)]
    results['line'] = picture.fit(results['sizes'])

    page = out / 'docs/performance.md'
    text = (page if page.exists() else SOURCE / 'docs/performance.md').read_text()
    for name, content in parts.items():
        text = fill(text, name, content)
    for folder in ('bench', 'docs'):
        pathlib.Path(out / folder).mkdir(parents=True, exist_ok=True)
    page.write_text(text)
    (out / 'bench/results.json').write_text(json.dumps(results, indent=1) + '\n')
    (out / 'docs/performance.svg').write_text(picture.bars(results))
    (out / 'docs/performance-size.svg').write_text(picture.line(results['sizes']))
