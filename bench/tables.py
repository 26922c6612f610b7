"""Tables as Markdown, and numbers in them."""


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
