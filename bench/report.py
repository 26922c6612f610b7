"""Tables and pictures of the results, printed and put into docs/performance.md and README.md."""
import json
import pathlib
import re
import textwrap

import picture
from aims import LEVEL_NAMES, Found, aims_record, both_tables
from measure import SOURCE
from tables import megabytes, seconds, table

TITLES = {'train': 'Training on the sparse file', 'predict': 'Prediction, the same file',
          'words': 'Words, one pass', 'predict words': 'Prediction of words',
          'some words': 'Raw text, a part of it, one pass',
          'csv': 'Training on a CSV file of numbers', 'weka': 'A small table of categories',
          'mnist': 'Training on MNIST (19% not zero)',
          'small': 'A file small enough for svm-train', 'stream': 'A stream, the sparse file',
          'short': 'A stream of short rows (5 non-zeros)'}


def level_name(results, level):
    return LEVEL_NAMES.get(level or results['machine']['kernels'], level)


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
            level = f' ({level_name(results, run["kernels"])})' if run['kernels'] else ''
            rows.append([run['name'] + level, limit + seconds(run['median_seconds']),
                         seconds(run['cpu_seconds']),
                         limit + f'{run["median_seconds"] / base:.2f}',
                         '' if accuracy is None else f'{100 * accuracy:.2f}%',
                         megabytes(run['memory']),
                         f'{run["bytes"] / run["median_seconds"] / 1e6:.0f}', run['note']])
        texts.append(f'**{title}** ({megabytes(runs[0]["bytes"])} MB)\n\n' + table(
            ['tool', 'seconds', 'CPU', 'ratio', 'held-out', 'peak MB', 'MB/s', 'what it does'], rows))
    return '\n\n'.join(texts)


def format_table(results):
    """One pass over every kind of file, on each level; instructions where they are counted."""
    found, levels = Found(results), list(results['figures']['levels'])
    cat = found.run('train', 'cat')
    header = ['kind of file', 'MB', 'item']
    for level in levels:
        header += [f'{level_name(results, level)}: s', 'MB/s per thread', 'ns per item',
                   'one thread: MB/s']
    header += ['times `cat`', 'instructions per byte', 'per item']
    rows = []
    for name, item in results['data']['item_names'].items():
        first = found.run('formats', name, levels[0])
        cells = [name, megabytes(first['bytes']), item]
        for level in levels:
            run, alone = (found.run('formats', name + rest, level) for rest in ('', ', one thread'))
            cells += [seconds(run['median_seconds']),
                      f'{found.format(name, level, "speed") / 1e6:.0f}',
                      f'{found.format(name, level, "item") * 1e9:.1f}',
                      f'{alone["bytes"] / alone["median_seconds"] / 1e6:.0f}']
        reading = cat and first['bytes'] * cat['median_seconds'] / cat['bytes']
        counted = [found.instructions(f'{name}, one pass, per {unit}') for unit in ('byte', item)]
        rows.append([*cells, f'{first["median_seconds"] / reading:.1f}' if reading else '',
                     *(f'{value:.1f}' if value else '' for value in counted)])
    return table(header, rows)


def limit_table(results):
    figures, found = results['figures'], Found(results)
    levels = list(figures['levels'])
    size = results['data']['bytes']

    def whole(name, level=''):
        taken = found.seconds('train', name, level)
        return taken and size / taken
    rows = [('sum over memory, all threads', figures['memory_all_threads']),
            ('sum over memory, one thread', figures['memory_one_thread']),
            ('`read` from the page cache, one thread', figures['read_one_thread']),
            ('`cat FILE >/dev/null`', whole('cat')), ('`wc -l`', whole('wc -l'))]
    for level in levels:
        rows.append((f'`train --epochs 1` of LIBSVM, the whole program, {level_name(results, level)}',
                     whole('tlu --epochs 1', level)))
    for name, by_level in figures['parse'].items():
        rows += [(f'parsing {name}, one thread, {level_name(results, level)}', by_level.get(level))
                 for level in levels]
    rows += [(f'reading, cutting and parsing {name}, one thread', value)
             for name, value in figures['read'].items()]
    rows += [(f'a pass in memory, by 8 bytes per non-zero, {level_name(results, level)}',
              8 / figures['levels'][level]['pass']) for level in levels]
    return table(['what', 'GB/s', 'of one thread\'s memory'],
                 [[name, f'{value / 1e9:.2f}', f'{100 * value / figures["memory_one_thread"]:.0f}%']
                  for name, value in rows if value])


def instruction_table(results):
    found = results['instructions']
    if not found:
        return 'Not measured in this run.'
    works = {}
    for name, value in found['counts'].items():
        work, unit = name.rsplit(', per ', 1)
        works.setdefault(work, {})['byte' if unit == 'byte' else 'item'] = (value, unit)
    rows = []
    for work, values in works.items():
        byte, item = values.get('byte'), values.get('item')
        rows.append([work, f'{byte[0]:.1f}' if byte else '', f'{item[0]:.1f}', item[1],
                     ', '.join(f'`{name}` {share:.0f}%'
                               for name, _, share in found['profiles'][work][:4])])
    counts = table(['work', 'per byte', 'per item', 'item', 'where they are'], rows)
    return f'SIMD routines under callgrind: {found["kernels"]}.\n\n{counts}'


# For README.md: (work, group, run of tlu, run of the other tool, the tool).
SUMMARY = [('train to equal accuracy', 'train', 'tlu --margin 1 --epochs 10', 'liblinear-train -s 1', 'LIBLINEAR'),
           ('predict', 'predict', 'tlu predict', 'liblinear-predict', 'LIBLINEAR'),
           ('averaged perceptron, 5 passes', 'train', 'tlu --epochs 5', 'scikit-learn', 'scikit-learn'),
           ('the same on MNIST', 'mnist', 'tlu --epochs 5', 'scikit-learn', 'scikit-learn'),
           ('text, one pass', 'words', "tlu, fastText's format", 'fastText', 'fastText')]


def summary_table(results):
    """Seconds from file to model, and held-out accuracies, of tlu and the tool that the work is compared with."""
    found, rows = Found(results), []
    for work, group, name, other, tool in SUMMARY:
        ours, theirs = found.run(group, name), found.run(group, other)
        if ours and theirs:
            accuracies = [f'{100 * run["accuracy"]:.1f}%' for run in (theirs, ours) if run['accuracy'] is not None]
            rows.append([work, f'{tool}: {theirs["median_seconds"]:.2f} s', f'{ours["median_seconds"]:.2f} s',
                         f'{theirs["median_seconds"] / ours["median_seconds"]:.0f}×', ', '.join(accuracies)])
    if not rows:
        return 'No other tool was measured in this run.'
    about = results['machine']
    return table(['task', 'other tool', 'tlu', 'faster', 'accuracy: other, tlu'], rows) + '\n\n' + textwrap.fill(
        'Accuracy is on held-out rows. Times include starting the program, reading text and writing the model. Each tool runs an '
        'algorithm of its own: [performance](docs/performance.md) says which. '
        f'`make bench`, medians of {results["rounds"]} on {about["cores"]} cores of an {about["cpu"]}, {about["date"]}, load '
        f'{about["load_at_start"]:.1f}.', 128, break_on_hyphens=False)


def machine_text(results):
    about, data = results['machine'], results['data']
    versions = ', '.join(f'{name} {version}' for name, version in results['versions'].items())
    text = (f'{about["date"]}: {about["cpu"]}, {about["cores"]} cores, '
            f'{about["second_level_cache"] / 1024:.0f} kB of second-level cache, '
            f'{about["memory"] / 1e9:.0f} GB, {about["kernel"]}, {about["compiler"]}; {versions}; the '
            f'best instructions of the CPU: {level_name(results, "")}. '
            f'Medians of {results["rounds"]} round{"s" * (results["rounds"] > 1)}; the load was {about["load_at_start"]:.1f} before '
            f'them (0 is a quiet machine, and only that gives figures to quote). The sparse file has '
            f'{data["rows"]} rows, {data["features"]} features, {data["nonzeros"]} non-zeros and '
            f'{megabytes(data["bytes"])} MB; {data["held_out_rows"]} more rows are held out. The text '
            f'has {data["items"]["raw text"]} words. {data["real"]}')
    return textwrap.fill(text, 120, break_on_hyphens=False)


def fill(text, name, content):
    """Puts the content between <!-- name --> and <!-- /name -->."""
    pattern = re.compile(f'(<!-- {name} -->\n).*?(<!-- /{name} -->)', re.S)
    if not pattern.search(text):
        raise ValueError(f'the page has no markers for {name}')
    return pattern.sub(lambda found: f'{found.group(1)}\n{content}\n\n{found.group(2)}', text)


def write(results, out):
    aims, earlier = both_tables(results)
    results['aims'] = aims_record(results)
    parts = {'machine': machine_text(results), 'formats': format_table(results), 'aims': aims,
             'earlier': earlier, 'tools': run_tables(results), 'limits': limit_table(results),
             'instructions': instruction_table(results)}
    for content in parts.values():
        print(content + '\n')
    results['line'] = picture.fit(results['sizes'])

    page = out / 'docs/performance.md'
    text = (page if page.exists() else SOURCE / 'docs/performance.md').read_text()
    for name, content in parts.items():
        text = fill(text, name, content)
    for folder in ('bench', 'docs'):
        pathlib.Path(out / folder).mkdir(parents=True, exist_ok=True)
    page.write_text(text)
    front = out / 'README.md'
    text = (front if front.exists() else SOURCE / 'README.md').read_text()
    front.write_text(fill(text, 'measured', summary_table(results)))
    (out / 'bench/results.json').write_text(json.dumps(results, indent=1) + '\n')
    (out / 'docs/performance.svg').write_text(picture.bars(results))
    (out / 'docs/performance-size.svg').write_text(picture.line(results['sizes']))


if __name__ == '__main__':  # the tables again, of the last run
    write(json.loads((SOURCE / 'bench/results.json').read_text()), SOURCE)
