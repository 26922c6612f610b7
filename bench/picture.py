"""The pictures of docs/performance.md as SVG."""
import html
import math

WIDTH = 820
OURS, THEIRS, INK, FAINT = '#1f6f8b', '#c8803c', '#222222', '#dddddd'


def text(x, y, words, anchor='start', size=13, colour=INK):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" '
            f'fill="{colour}">{html.escape(words)}</text>')


def rule(x1, y1, x2, y2, colour=FAINT, width=1.0):
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
            f'stroke-width="{width}"/>')


def svg(height, shapes, title):
    body = '\n'.join(shapes)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height:.0f}" '
            f'viewBox="0 0 {WIDTH} {height:.0f}" font-family="sans-serif" role="img">\n'
            f'<title>{html.escape(title)}</title>\n'
            f'<rect width="100%" height="100%" fill="white"/>\n{body}\n</svg>\n')


def bars(results):
    """Seconds of training on the sparse file, on a logarithmic scale."""
    runs = sorted((run for run in results['runs'] if run['group'] == 'train'),
                  key=lambda run: run['median_seconds'])
    left, right, top, step = 400, 100, 50, 30
    low = 10 ** math.floor(math.log10(runs[0]['median_seconds'] * 0.8))
    high = 10 ** math.ceil(math.log10(runs[-1]['median_seconds']))
    bottom = top + step * len(runs)

    def place(value):
        return left + (WIDTH - left - right) * math.log(value / low) / math.log(high / low)

    title = 'Training on the sparse file: seconds (logarithmic), and held-out accuracy'
    shapes = [text(20, 28, title, size=15)]
    tick = low
    while tick <= high * 1.01:
        shapes.append(rule(place(tick), top - 6, place(tick), bottom))
        shapes.append(text(place(tick), bottom + 18, f'{tick:g} s', 'middle', 12))
        tick *= 10
    for number, run in enumerate(runs):
        y, value = top + step * number, run['median_seconds']
        colour = OURS if run['name'].startswith('tlu') else THEIRS
        name = run['name'] if len(run['name']) <= 66 else run['name'][:65] + '…'
        shapes.append(text(left - 10, y + 16, name, 'end', 11))
        shapes.append(f'<rect x="{left}" y="{y + 3}" width="{place(value) - left:.1f}" '
                      f'height="{step - 10}" fill="{colour}"/>')
        accuracy = '' if run['accuracy'] is None else f', {100 * run["accuracy"]:.1f}%'
        shapes.append(text(place(value) + 6, y + 16, f'{value:.3g} s{accuracy}', size=12))
    return svg(bottom + 34, shapes, title)


def fit(points):
    """The line with the least relative squares: seconds = start + slope bytes, and its R²."""
    # Weighted by 1 / seconds²: a file of 10 MB has as much say as one of 2 GB.
    w = [1 / point['seconds'] ** 2 for point in points]
    x, y = [point['bytes'] for point in points], [point['seconds'] for point in points]
    total = sum(w)
    mean_x = sum(a * b for a, b in zip(w, x)) / total
    mean_y = sum(a * b for a, b in zip(w, y)) / total
    spread = sum(a * (b - mean_x) ** 2 for a, b in zip(w, x))
    slope = sum(a * (b - mean_x) * (c - mean_y) for a, b, c in zip(w, x, y)) / spread if spread else 0
    start = mean_y - slope * mean_x
    left_over = sum((c - start - slope * b) ** 2 for b, c in zip(x, y))
    plain = sum((c - sum(y) / len(y)) ** 2 for c in y)
    return {'start': start, 'slope': slope, 'r2': 1 - left_over / plain if plain else 1.0}


def line(points):
    """Seconds of one pass against the size of the file, both logarithmic, with the fitted line."""
    left, right, top, height = 80, 40, 60, 380
    found = fit(points)
    xs, ys = [point['bytes'] for point in points], [point['seconds'] for point in points]
    x_low, x_high = min(xs) * 0.7, max(xs) * 1.4
    y_low, y_high = min(ys) * 0.6, max(ys) * 1.7

    def across(value):
        return left + (WIDTH - left - right) * math.log(value / x_low) / math.log(x_high / x_low)

    def up(value):
        return top + height - height * math.log(value / y_low) / math.log(y_high / y_low)

    def ticks(low, high):
        for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1):
            for digit in (1, 2, 5):
                if low <= digit * 10 ** power <= high:
                    yield digit * 10 ** power

    title = 'One pass, time against the size of the file'
    formula = (f'line: {found["start"] * 1e3:.1f} ms + {found["slope"] * 1e9:.2f} s a GB '
               f'(R² {found["r2"]:.4f})')
    shapes = [text(20, 26, title, size=15), text(20, 46, formula, size=12)]
    for tick in ticks(x_low, x_high):
        shapes.append(rule(across(tick), top, across(tick), top + height))
        shapes.append(text(across(tick), top + height + 18, f'{tick / 1e6:g} MB', 'middle', 12))
    for tick in ticks(y_low, y_high):
        shapes.append(rule(left, up(tick), WIDTH - right, up(tick)))
        shapes.append(text(left - 8, up(tick) + 4, f'{tick:g} s', 'end', 12))
    steps = [x_low * (x_high / x_low) ** (i / 60) for i in range(61)]
    curve = [(across(x), up(found['start'] + found['slope'] * x)) for x in steps
             if y_low <= found['start'] + found['slope'] * x <= y_high]
    shapes.append('<polyline fill="none" stroke="%s" stroke-width="1.5" points="%s"/>' % (
        THEIRS, ' '.join(f'{x:.1f},{y:.1f}' for x, y in curve)))
    shapes += [f'<circle cx="{across(x):.1f}" cy="{up(y):.1f}" r="4.5" fill="{OURS}"/>'
               for x, y in zip(xs, ys)]
    return svg(top + height + 34, shapes, title)
