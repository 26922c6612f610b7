"""Proofs about small data sets, written by hand: what tests/cli/check.sh gives to tlu check.

The format is that of docs/proof-format.md; arithmetic is Python's, exact.
"""

from fractions import Fraction


def checksum(text):
    """FNV-1a with 64 bits, as 16 hexadecimal digits."""
    value = 0xcbf29ce484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001b3 % 2**64
    return f'{value:016x}'


def sealed(lines):
    """The lines of a proof with the last one, which has the checksum."""
    text = ''.join(line + '\n' for line in lines)
    return text + f'end {checksum(text)}\n'


def libsvm(rows):
    """Rows (label, values) as LIBSVM; values of 0 are left out."""
    return ''.join(label + ''.join(f' {i}:{value}' for i, value in enumerate(values, 1) if value)
                   + '\n' for label, values in rows)


def head(rows, classes=2, bias=1, digits=0, labels=('1 +1', '2 -1'), data='libsvm'):
    return ['tlu proof 1', f'data {data}', f'question {digits} {bias} {rows} {classes}',
            *(f'label {label}' for label in labels)]


def margin_low(rows, weights, offset):
    """The square of the smallest distance to the plane; rows have y as +1 or -1."""
    least = min(y * (sum(w * Fraction(v) for w, v in zip(weights, x)) + offset) for y, x in rows)
    return least**2 / sum(w * w for w in weights)


def margin_high(rows, coefficients):
    """The square of half the distance of two points of the hulls; [(coefficient, row)]."""
    total = sum(coefficients.values())
    width = len(rows[0][1])
    sums = [sum(c * rows[i][0] * Fraction(rows[i][1][f]) for i, c in coefficients.items())
            for f in range(width)]
    return sum(s * s for s in sums) / Fraction(total)**2


def ratio(value):
    value = Fraction(value)
    return str(value.numerator) if value.denominator == 1 else f'{value.numerator}/{value.denominator}'
