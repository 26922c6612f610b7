"""The lecture notes as plain Python: a second implementation, written from the notes alone.

E is Elkan, P Palagi, K Kun, H Honavar, C Cohen (docs/notes.md). Nothing here is fast, and nothing is
clever: T passes are T passes, a sum is a loop. Numbers are whole numbers and fractions wherever the
data allows it, so that results are exact. Run as a program, it compares itself with values that were
worked out by hand; the calculations are in the comments.

A row is (x, label), x a tuple of numbers. Of two classes the labels are -1 and 1.
"""

import itertools
import math
from fractions import Fraction


def dot(a, b):
    return sum(p * q for p, q in zip(a, b))


def add(a, b, factor=1):
    return tuple(p + factor * q for p, q in zip(a, b))


def with_one(rows):
    """The bias as one more input that is always 1 (E page 2, P "convergence proof", C section 1)."""
    return [((*x, 1), label) for x, label in rows]


# ---- Two classes ---------------------------------------------------------------------------------

def predicted(score, tie):
    """C: sign(0) = +1; P: the same; H: -1. E, P and K call 0 a mistake when they train."""
    if score == 0:
        return -1 if tie == 'negative' else 1
    return 1 if score > 0 else -1


def is_mistake(score, y, tie):
    if tie == 'mistake':
        return y * score <= 0
    return predicted(score, tie) != y


class Run:
    """What exactly T passes of the perceptron over rows do, in file order.

    vectors[k]   v_k of C, w_(k+1) of E: the guess after k mistakes; vectors[0] is 0
    used[k]      m_k of C 3.5: the examples that were predicted with v_k, that of its mistake included
    survived[k]  c_n of E: 1 for the example that made it (v_0: none), 1 more for each right answer
    wrong[k]     1 if v_k made a mistake, else 0 (a guess is replaced at its first mistake)
    causes[k]    the number of the row, from 0, that turned v_(k-1) into v_k; causes[0] is None
    sums         C 3.6: the sum over all steps of v after the step
    steps        (pass, row, v before, score, mistake, v after)
    mistakes     per pass
    """

    def __init__(self, rows, epochs, tie='mistake', rate=1):
        zero = tuple(0 for _ in rows[0][0])
        self.rows, self.epochs, self.tie = rows, epochs, tie
        self.vectors, self.used, self.survived = [zero], [0], [0]
        self.wrong, self.causes, self.steps, self.mistakes = [0], [None], [], []
        self.states = [zero]  # before the first pass, after the first, ...
        v, self.sums = zero, zero
        for epoch in range(epochs):
            self.mistakes.append(0)
            for number, (x, y) in enumerate(rows):
                before, score = v, dot(v, x)
                mistake = is_mistake(score, y, tie)
                self.used[-1] += 1
                if mistake:
                    self.wrong[-1] = 1
                    v = add(v, x, rate * y)
                    self.mistakes[-1] += 1
                    self.vectors.append(v)
                    self.used.append(0)
                    self.survived.append(1)
                    self.wrong.append(0)
                    self.causes.append(number)
                else:
                    self.survived[-1] += 1
                self.sums = add(self.sums, v)
                self.steps.append((epoch, number, before, score, mistake, v))
            self.states.append(v)
        self.last = v

    def average(self):
        """C 3.6: 1/(Km) times the sum; the update comes before the vector is added."""
        total = len(self.rows) * self.epochs
        return tuple(Fraction(s) / total for s in self.sums)

    def average_of_used(self):
        """C 3.5: the sum of m_k/m v_k."""
        total = tuple(0 for _ in self.last)
        for v, m in zip(self.vectors, self.used):
            total = add(total, v, m)
        return tuple(Fraction(t) / sum(self.used) for t in total)

    def average_of_survived(self):
        """E: the sum of c_n w_n, here divided by the sum of c_n."""
        total = tuple(0 for _ in self.last)
        for v, c in zip(self.vectors, self.survived):
            total = add(total, v, c)
        return tuple(Fraction(t) / sum(self.survived) for t in total)

    def vote(self, x):
        """E: the sum of c_n sign(w_n . x), here as a share of all votes."""
        total = sum(c * predicted(dot(v, x), self.tie) for v, c in zip(self.vectors, self.survived))
        return Fraction(total, sum(self.survived))

    def picks(self):
        """C 3.5: v_k is picked with probability m_k/m."""
        return [Fraction(m, sum(self.used)) for m in self.used]

    def best(self):
        """C 3.5: the guess that was right most often before its mistake; of equals the first."""
        right = [m - w for m, w in zip(self.used, self.wrong)]
        return self.vectors[right.index(max(right))]

    def cycle(self):
        """(passes before, passes in the cycle) of the first repeated state, or None.

        A converged run has no cycle: its state is repeated by a pass without a mistake."""
        for end in range(1, len(self.states)):
            for start in range(end):
                if self.states[start] == self.states[end]:
                    return None if self.mistakes[end - 1] == 0 and start == end - 1 else (start, end - start)
        return None

    def converged_after(self):
        """The number of the first pass without a mistake, from 1, or None."""
        return next((i + 1 for i, n in enumerate(self.mistakes) if n == 0), None)


def table_of_mistakes(run):
    """One entry per guess v_k: what C's section 3 says about it. u and gamma are the best there are;
    without a separator the columns about them are None."""
    z = [tuple(y * p for p in x) for x, y in run.rows]
    nearest = nearest_to_origin(z) if mistake_bound(run.rows) else None
    squared_radius = max(dot(x, x) for x, _ in run.rows)
    table = []
    for k, v in enumerate(run.vectors):
        entry = {'k': k, 'row': None if k == 0 else run.causes[k] + 1, 'v': v, 'm': run.used[k],
                 'c': run.survived[k], 'probability': Fraction(run.used[k], sum(run.used)),
                 'error': Fraction(run.wrong[k], run.used[k]) if run.used[k] else None,
                 'squared': dot(v, v), 'k_squared_radius': k * squared_radius,
                 'projection': None, 'k_gamma': None, 'angle': None}
        if nearest:
            gamma = math.sqrt(dot(nearest, nearest))
            entry['projection'] = float(dot(v, nearest)) / gamma
            entry['k_gamma'] = k * gamma
            if dot(v, v):
                cosine = entry['projection'] / math.sqrt(dot(v, v))
                entry['angle'] = math.degrees(math.acos(max(-1.0, min(1.0, cosine))))
        table.append(entry)
    return table


def dual(rows, epochs, tie='mistake'):
    """K: one count alpha_i per row and a bias; the vector is never formed."""
    alpha, b, mistakes = [0] * len(rows), 0, 0
    for _ in range(epochs):
        for i, (x, y) in enumerate(rows):
            score = sum(a * label * dot(p, x) for a, (p, label) in zip(alpha, rows)) + b
            if is_mistake(score, y, tie):
                alpha[i] += 1
                b += y
                mistakes += 1
    return alpha, b, mistakes


def rocchio(rows):
    """E's quiz: the averages u of the positive and v of the negative rows; w = u - v."""
    def mean(of):
        xs = [x for x, y in rows if y == of]
        return tuple(sum(Fraction(x[i]) for x in xs) / len(xs) for i in range(len(xs[0])))
    return mean(1), mean(-1)


# ---- Several classes -----------------------------------------------------------------------------

def winners(scores):
    """The classes with the highest score, in label order."""
    top = max(scores.values())
    return [k for k in sorted(scores) if scores[k] == top]


def winner(scores, tie):
    """One class: of equals the last with `positive`, else the first."""
    tied = winners(scores)
    return tied[-1] if tie == 'positive' else tied[0]


class WinnerTakesAll:
    """H "Training WTA Classifiers", exactly T passes.

    tie 'mistake': a tie for the first place is a mistake. What then happens is `tie_update`:
      'label'  H's slide: the true class is raised, and nothing else
      'both'   a step along a vector of E': the true class is raised, and the first of the tied rivals
               in label order is lowered
    tie 'positive', 'negative': the last or the first of the tied classes is the prediction; a wrong one
    is lowered and the true class raised.
    """

    def __init__(self, rows, epochs, tie='mistake', tie_update='both', rate=1):
        self.classes = sorted({label for _, label in rows})
        self.rows, self.epochs, self.tie = rows, epochs, tie
        zero = tuple(0 for _ in rows[0][0])
        w = {k: zero for k in self.classes}
        self.sums = dict(w)
        self.steps, self.mistakes, self.states = [], [], [dict(w)]
        self.sequence = [(dict(w), 0, 0)]  # weights, m_k, c_k
        for epoch in range(epochs):
            self.mistakes.append(0)
            for number, (x, label) in enumerate(rows):
                before = dict(w)
                scores = {k: dot(w[k], x) for k in self.classes}
                tied = winners(scores)
                if tie == 'mistake':
                    mistake = tied != [label]
                    rivals = [k for k in tied if k != label]
                    lowered = rivals[0] if rivals and (len(tied) == 1 or tie_update == 'both') else None
                else:
                    mistake = winner(scores, tie) != label
                    lowered = winner(scores, tie)
                weights, m, c = self.sequence[-1]
                self.sequence[-1] = (weights, m + 1, c if mistake else c + 1)
                if mistake:
                    self.mistakes[-1] += 1
                    w[label] = add(w[label], x, rate)
                    if lowered is not None:
                        w[lowered] = add(w[lowered], x, -rate)
                    self.sequence.append((dict(w), 0, 1))
                for k in self.classes:
                    self.sums[k] = add(self.sums[k], w[k])
                self.steps.append((epoch, number, before, scores, tied, mistake, dict(w)))
            self.states.append(dict(w))
        self.last = w

    def average(self):
        total = len(self.rows) * self.epochs
        return {k: tuple(Fraction(s) / total for s in self.sums[k]) for k in self.classes}

    def vote(self, x):
        """The share of the votes of each class."""
        votes = {k: 0 for k in self.classes}
        for weights, _, c in self.sequence:
            votes[winner({k: dot(weights[k], x) for k in self.classes}, self.tie)] += c
        return {k: Fraction(n, sum(votes.values())) for k, n in votes.items()}

    def picks(self):
        total = sum(m for _, m, _ in self.sequence)
        return [(weights, Fraction(m, total)) for weights, m, _ in self.sequence]


def one_versus_rest(rows, epochs, tie='mistake'):
    """H: a perceptron per class. Returns {class: Run}."""
    return {k: Run([(x, 1 if label == k else -1) for x, label in rows], epochs, tie)
            for k in sorted({label for _, label in rows})}


def one_versus_one(rows, epochs, tie='mistake'):
    """H: a perceptron per pair of classes, on the rows of the two; the later class is positive.
    Returns {(earlier, later): Run}."""
    classes = sorted({label for _, label in rows})
    return {(j, k): Run([(x, 1 if label == k else -1) for x, label in rows if label in (j, k)], epochs, tie)
            for j, k in itertools.combinations(classes, 2)}


def pairs_won(weights, x, tie):
    """weights: {(earlier, later): w}. How many pairs each class wins."""
    won = {k: 0 for pair in weights for k in pair}
    for (j, k), w in weights.items():
        won[k if predicted(dot(w, x), tie) == 1 else j] += 1
    return won


def kesler(rows):
    """H "WTA Convergence Theorem": E'. For each row and each other class one example, label 1: the row
    in the block of its class, minus the row in that of the other, 0 elsewhere."""
    classes = sorted({label for _, label in rows})
    out = []
    for x, label in rows:
        for other in classes:
            if other == label:
                continue
            z = []
            for k in classes:
                z += x if k == label else [-p for p in x] if k == other else [0] * len(x)
            out.append((tuple(z), 1))
    return out


# ---- Bounds --------------------------------------------------------------------------------------

def solve(matrix, right):
    """Gauss; None if the matrix is singular."""
    n = len(matrix)
    m = [[Fraction(v) for v in row] + [Fraction(r)] for row, r in zip(matrix, right)]
    for i in range(n):
        pivot = next((r for r in range(i, n) if m[r][i]), None)
        if pivot is None:
            return None
        m[i], m[pivot] = m[pivot], m[i]
        m[i] = [v / m[i][i] for v in m[i]]
        for r in range(n):
            if r != i and m[r][i]:
                m[r] = [a - m[r][i] * b for a, b in zip(m[r], m[i])]
    return [row[-1] for row in m]


def nearest_to_origin(points):
    """The point of the convex hull nearest to 0, by trying every set of supports; None if 0 is in it.

    For points z = y x it is delta u: the best separator through the origin u and its margin delta."""
    points = sorted({tuple(Fraction(v) for v in p) for p in points})
    for size in range(1, min(len(points), len(points[0])) + 1):
        for chosen in itertools.combinations(points, size):
            # Minimise |sum a_i z_i|^2 with sum a_i = 1: the Gram matrix, and a row for the sum.
            matrix = [[dot(p, q) for q in chosen] + [1] for p in chosen] + [[1] * size + [0]]
            solution = solve(matrix, [0] * size + [1])
            if solution is None or min(solution[:-1]) < 0:
                continue
            z = tuple(sum(a * p[i] for a, p in zip(solution, chosen)) for i in range(len(chosen[0])))
            if dot(z, z) > 0 and all(dot(z, p) >= dot(z, z) for p in points):
                return z
    return None


def mistake_bound(rows):
    """(R^2, delta^2, (R/delta)^2) of E's theorem, exactly; None if nothing separates the rows. The rows
    have their 1 already, if there is a bias."""
    if Run(rows, 100).cycle():  # the y x of a cycle's mistakes add up to 0: nothing separates them
        return None
    nearest = nearest_to_origin([tuple(y * p for p in x) for x, y in rows])
    if nearest is None:
        return None
    squared_radius = max(dot(x, x) for x, _ in rows)
    return (Fraction(squared_radius), dot(nearest, nearest), Fraction(squared_radius) / dot(nearest, nearest))


def bound_with_rates(rows, low, high):
    """H's exercise. u . W_t >= t low delta and |W_t|^2 <= t high^2 R^2 give t <= (high/low)^2 (R/delta)^2."""
    return Fraction(high) ** 2 / Fraction(low) ** 2 * mistake_bound(rows)[2]


def generalisation_bound(m, k):
    """E's theorem (Freund and Schapire 1999, theorem 3): with m independent examples and k mistakes
    expected in one pass over m + 1, the vote is wrong about another one with probability at most
    2k/(m+1); k is at most (R/delta)^2 if the examples are separable."""
    return Fraction(2 * Fraction(k), m + 1)


def area_between(a, b):
    """K's picture of the regions: the share of the unit square where a x + b y > 1 and x + y > 1 differ, for
    positive a and b."""
    def height(x):  # of the line a x + b y = 1 in the square
        return min(max((1 - a * x) / b, Fraction(0)), Fraction(1))

    # Between these places both lines are straight and do not cross.
    places = [Fraction(0), Fraction(1), 1 / Fraction(a), (1 - Fraction(b)) / a]
    if a != b:
        places.append((1 - Fraction(b)) / (Fraction(a) - b))
    places = sorted({x for x in places if 0 <= x <= 1})
    area = Fraction(0)
    for left, right in zip(places, places[1:]):
        area += (right - left) * abs(height(left) - (1 - left) + height(right) - (1 - right)) / 2
    return area


# ---- Naive Bayes, logic, machines ----------------------------------------------------------------

def naive_bayes(rows, smoothing, base=math.e):
    """C section 2: p_i, q_i, w_i = p_i - q_i, the prior and w_0 = sum q_i + prior."""
    positive = [x for x, y in rows if y == 1]
    negative = [x for x, y in rows if y == -1]

    def share(xs, i, value):
        return (sum(x[i] == value for x in xs) + smoothing) / (len(xs) + 2 * smoothing)

    def log(value):
        return math.log(value) / math.log(base)

    p = [log(share(positive, i, 1) / share(negative, i, 1)) for i in range(len(rows[0][0]))]
    q = [log(share(positive, i, 0) / share(negative, i, 0)) for i in range(len(rows[0][0]))]
    prior = log(len(positive) / len(negative))
    return p, q, [a - b for a, b in zip(p, q)], prior, sum(q) + prior


def turing(table, tape, start, halt, blank='_', limit=10000):
    """H's remark. table: {(state, symbol): (state, symbol, -1 | 0 | 1)}. Returns (tape, steps)."""
    cells, place, state, steps = dict(enumerate(tape)), 0, start, 0
    while state != halt and steps < limit:
        state, cells[place], move = table[state, cells.get(place, blank)]
        place += move
        steps += 1
    used = [i for i, symbol in cells.items() if symbol != blank]
    text = ''.join(cells.get(i, blank) for i in range(min(used), max(used) + 1)) if used else ''
    return text, steps


# ---- By hand -------------------------------------------------------------------------------------

def check():
    def equal(found, expected, what):
        if found != expected:
            raise SystemExit(f'FAILED: {what}: found {found}, expected {expected}')
        check.count += 1

    def near(found, expected, what):
        if abs(found - expected) > 1e-12 * max(1, abs(expected)):
            raise SystemExit(f'FAILED: {what}: found {found}, expected {expected}')
        check.count += 1

    check.count = 0

    # P "Logical OR". Her slide prints w and b after i = 1, 2 and 4; i = 3 is right.
    or_rows = with_one([((-1, 1), 1), ((1, -1), 1), ((1, 1), 1), ((-1, -1), -1)])
    run = Run(or_rows, 5)
    equal(run.vectors, [(0, 0, 0), (-1, 1, 1), (0, 0, 2), (1, 1, 1)], 'OR: w and b')
    equal(run.causes, [None, 0, 1, 3], 'OR: rows of the mistakes')
    equal(run.converged_after(), 2, 'OR: the second pass makes no mistake')
    # Five passes are 20 steps. After them v is (-1,1|1) once, (0,0|2) twice, (1,1|1) 17 times:
    # x1: (-1 + 17)/20 = 0.8; x2: (1 + 17)/20 = 0.9; b: (1 + 4 + 17)/20 = 1.1.
    equal(run.average(), (Fraction(4, 5), Fraction(9, 10), Fraction(11, 10)), 'OR: average of 5 passes')
    equal((run.survived, sum(run.survived)), ([0, 1, 2, 17], 20), 'OR: c_n and mT')
    equal(run.average_of_survived(), run.average(), 'OR: E and C 3.6 have the same average')
    # After two passes, as the run would stop: 8 steps, 1, 2 and 5 times:
    # ((-1 + 5)/8, (1 + 5)/8 | (1 + 4 + 5)/8) = (0.5, 0.75 | 1.25).
    equal(Run(or_rows, 2).average(), (Fraction(1, 2), Fraction(3, 4), Fraction(5, 4)), 'OR: 2 passes')
    # u = (a, a | b): the products are b, b, 2a + b, 2a - b. The least is largest if b = 2a - b, so a = b:
    # u = (1,1|1)/sqrt(3), delta = 1/sqrt(3), R^2 = 3: (R/delta)^2 = 9. There were 3 mistakes.
    equal(mistake_bound(or_rows), (3, Fraction(1, 3), 9), 'OR: bound')
    # Rates from 0.5 to 2: (2/0.5)^2 = 16 times as many.
    equal(bound_with_rates(or_rows, Fraction(1, 2), 2), 144, 'OR: bound with rates')

    # P's AND: (-1,1)- tie: (1,-1|-1). (1,-1)-: 1+1-1 = 1, wrong: (0,0|-2). (1,1)+: -2, wrong: (1,1|-1).
    # (-1,-1)-: -3, right. Pass 2: -1, -1, 1, -3: all right.
    run = Run(with_one([((-1, 1), -1), ((1, -1), -1), ((1, 1), 1), ((-1, -1), -1)]), 2)
    equal(run.vectors, [(0, 0, 0), (1, -1, -1), (0, 0, -2), (1, 1, -1)], 'AND')

    # H "Perceptron learning algorithm - Example": his table, seven rows; x0 = 1 comes first, no other
    # bias. eta (d - y) = 1/2 * 2 = 1.
    hon = [((1, 1, 1), 1), ((1, 1, -1), 1), ((1, 0, -1), 1), ((1, -1, -1), -1), ((1, -1, 1), -1), ((1, 0, 1), -1)]
    run = Run(hon, 3, 'negative')
    equal([(score, mistake, after) for _, _, _, score, mistake, after in run.steps[:7]],
          [(0, True, (1, 1, 1)), (1, False, (1, 1, 1)), (0, True, (2, 1, 0)), (1, True, (1, 2, 1)),
           (0, False, (1, 2, 1)), (2, True, (0, 2, 0)), (2, False, (0, 2, 0))], "H's table")
    # The pass goes on with (0,2,0): (1,1,-1) 2 right, (1,0,-1) 0: sign -1, wrong: (1,2,-1);
    # (1,-1,-1) 0: -1, right; (1,-1,1) -2, (1,0,1) 0: -1, right. Pass 3: 2, 4, 2, 0, -2, 0: no update.
    equal((run.last, run.mistakes), ((1, 2, -1), [4, 1, 0]), "H's run to its end")
    # With sign(0) = -1 that is right about all six rows; with sign(0) = +1 the fourth and the sixth are
    # wrong: 4 of 6.
    equal([sum(predicted(dot(run.last, x), tie) == y for x, y in hon) for tie in ('negative', 'positive')],
          [6, 4], "H's six rows")
    equal([sum(is_mistake(dot(run.last, x), y, tie) for x, y in hon) for tie in ('negative', 'mistake')],
          [0, 2], "H's six rows in training")

    # C 3.5, ten rows that give his table. v_1 = (1,0); row 4 (0,1) has the score 0: v_2 = (1,1); row 8
    # (1,0)- has 1: v_3 = (0,1); row 10 (-1,2)- has 2: v_4 = (1,-1).
    c35 = [((1, 0), 1)] * 3 + [((0, 1), 1)] + [((1, 1), 1)] * 3 + [((1, 0), -1), ((0, 1), 1), ((-1, 2), -1)]
    run = Run(c35, 1)
    equal(run.vectors, [(0, 0), (1, 0), (1, 1), (0, 1), (1, -1)], 'C: v_k')
    equal((run.used, run.survived), ([1, 3, 4, 2, 0], [0, 3, 4, 2, 1]), 'C: m_k and c_n')
    equal(run.picks(), [Fraction(n, 10) for n in (1, 3, 4, 2, 0)], 'C: 1/10, 3/10, 4/10, 2/10')
    equal(run.best(), (1, 1), 'C: v_2 is the most accurate guess')
    equal([row['error'] for row in table_of_mistakes(run)], [1, Fraction(1, 3), Fraction(1, 4), Fraction(1, 2), None],
          'C: v_2 has an error rate of 25%')
    equal(Fraction(sum(run.mistakes), 10), Fraction(4, 10), 'C: k/m')
    # 3.5: (3 (1,0) + 4 (1,1) + 2 (0,1)) / 10 = (0.7, 0.6); 3.6 has (1,-1) in the place of v_0 = 0.
    equal(run.average_of_used(), (Fraction(7, 10), Fraction(6, 10)), 'C 3.5')
    equal(run.average(), (Fraction(8, 10), Fraction(5, 10)), 'C 3.6')
    # The vote on (0,1): v_1 scores 0, which is +1; v_2 and v_3 say +1, v_4 -1: (3+4+2-1)/10; if 0 is -1:
    # (-3+4+2-1)/10.
    equal(run.vote((0, 1)), Fraction(8, 10), 'C: vote')
    # Three passes. Pass 2 begins with (1,-1): 3 right; (0,1)+ has -1: (1,0); 3 right; (1,0)- has 1: (0,0);
    # (0,1)+ has 0: (0,1); (-1,2)- has 2: (1,-1). So pass 3 is pass 2 again: a cycle of one pass.
    # Sum of pass 1: (8,5). Pass 2: 3 (1,-1) + 4 (1,0) + (0,0) + (0,1) + (1,-1) = (8,-3).
    # Two passes: (16,2)/20 = (0.8, 0.1). Three: (24,-1)/30 = (0.8, -1/30).
    run = Run(c35, 3)
    equal((run.cycle(), run.average()), ((1, 1), (Fraction(4, 5), Fraction(-1, 30))), 'C: cycle')
    equal(Run(c35, 2).average(), (Fraction(4, 5), Fraction(1, 10)), 'C: two passes')

    # av.csv: the last weights are right about all rows; the average over 20 passes is not, that over 50 is.
    # 24 mistakes or so are too many to write down: the check is what the average says about the rows.
    av = with_one([((2, 3), -1), ((3, 3), 1), ((2, -3), -1), ((2, 3), -1), ((2, 3), -1)])
    for epochs, right in ((20, 2), (50, 5)):
        run = Run(av, epochs)
        w = run.average()
        equal((sum(predicted(dot(w, x), 'mistake') == y for x, y in av), run.mistakes[-1]), (right, 0),
              f'av: average of {epochs} passes')
    equal(run.converged_after(), 20, 'av: the first pass without a mistake')

    # pal.csv with a bias: z = (0.1, 1) and (0.1, -1); the nearest point of the hull is (0.1, 0).
    # delta = 0.1, R^2 = 0.01 + 1: 101. The run: (0.1|1); -0.01 + 1 > 0, wrong: (0.2|0): 2 mistakes, and
    # P's R = max |x| = 0.1 would give a bound of 1.
    tenth = Fraction(1, 10)
    pal = with_one([((tenth,), 1), ((-tenth,), -1)])
    equal(mistake_bound(pal), (Fraction(101, 100), Fraction(1, 100), 101), 'pal: bound')
    equal((Run(pal, 2).last, Run(pal, 2).mistakes), ((2 * tenth, 0), [2, 0]), 'pal: run')

    # K: three points on a line, -1 + -1. In one dimension with a bias:
    # (-1)- tie: (1|-1). (0)+ -1 wrong: (1|0). (1)- 1 wrong: (0|-1). Pass 2: (-1)- -1 right. (0)+ wrong:
    # (0|0). (1)- tie: (-1|-1). Pass 3: (-1)- 0: wrong: (0|-2). (0)+ wrong: (0|-1). (1)- right: (0|-1),
    # as after pass 1: a cycle of two passes.
    three = with_one([((-1,), -1), ((0,), 1), ((1,), -1)])
    equal((Run(three, 9).cycle(), mistake_bound(three)), ((1, 2), None), 'three points')
    # K: XOR. (0,0)+ tie: (0,0|1). (1,1)+ 1 right. (1,0)- 1 wrong: (-1,0|0). (0,1)- 0 wrong: (-1,-1|-1).
    # Pass 2: (0,0)+ -1 wrong: (-1,-1|0). (1,1)+ -2 wrong: (0,0|1). Then as in pass 1: (-1,-1|-1).
    xor = with_one([((0, 0), 1), ((1, 1), 1), ((1, 0), -1), ((0, 1), -1)])
    equal((Run(xor, 9).cycle(), Run(xor, 9).vectors[3]), ((1, 1), (-1, -1, -1)), 'XOR')
    equal(mistake_bound(xor), None, 'XOR: not separable')

    # K: the dual form of OR: rows 1, 2 and 4 were wrong once each; b = 1 + 1 - 1; w = sum alpha l p =
    # (-1,1) + (1,-1) - (-1,-1) = (1,1).
    equal(dual([(x[:-1], y) for x, y in or_rows], 5), ([1, 1, 0, 1], 1, 3), 'dual')

    # H's WTA table: W1 = (1,-1,-1), W2 = (1,1,1), W3 = (2,0,0) on (1,x1,x2). Neuron 3 is XOR.
    weights = {1: (1, -1, -1), 2: (1, 1, 1), 3: (2, 0, 0)}
    inputs = [(1, -1, -1), (1, -1, 1), (1, 1, -1), (1, 1, 1)]
    equal([[dot(weights[k], x) for k in (1, 2, 3)] for x in inputs],
          [[3, -1, 2], [1, 1, 2], [1, 1, 2], [-1, 3, 2]], "H's WTA table")
    equal([winners({k: dot(w, x) for k, w in weights.items()}) for x in inputs], [[1], [3], [3], [2]], 'neuron 3')

    # Kesler for wta.csv (rows (-1,-1) A, (-1,1) C, (1,-1) C, (1,1) B, and the bias). By symmetry
    # W_A = (-a,-a|c), W_B = (a,a|c), W_C = (0,0|-2c), since the sum of the three may be taken as 0. Row A
    # against B: 4a >= 1, against C: 2a + 3c >= 1. Row C against A and B: -3c >= 1. So c = -1/3, a = 1;
    # |W|^2 = 2 (2 + 1/9) + 4/9 = 14/3, the margin is 1/|W|, and R^2 = 2 * 3 = 6: (R/delta)^2 = 28.
    wta = with_one([((-1, -1), 'A'), ((-1, 1), 'C'), ((1, -1), 'C'), ((1, 1), 'B')])
    equal(kesler(wta)[0], ((-1, -1, 1, 1, 1, -1, 0, 0, 0), 1), 'X_p12 = [X -X 0]')
    equal(kesler(wta)[2], ((1, -1, -1, 0, 0, 0, -1, 1, 1), 1), 'C against A')
    equal(len(kesler(wta)), 8, "|E'| = |E| (M - 1)")
    equal(mistake_bound(kesler(wta)), (6, Fraction(3, 14), 28), 'wta: bound')
    run = WinnerTakesAll(wta, 12)
    equal((run.mistakes[-1], sum(run.mistakes) <= 28), (0, True), 'wta: converges within the bound')

    # wta01.csv, the slide's rule. A (0,0): a tie: A = (0,0|1). C (0,1): A alone leads: C = (0,1|1),
    # A = (0,-1|0). C (1,0): A 0, B 0, C 1: right. B (1,1): C alone leads with 2: B = (1,1|1), C = (-1,0|0).
    wta01 = with_one([((0, 0), 'A'), ((0, 1), 'C'), ((1, 0), 'C'), ((1, 1), 'B')])
    slide = WinnerTakesAll(wta01, 200, tie_update='label')
    equal(slide.states[1], {'A': (0, -1, 0), 'B': (1, 1, 1), 'C': (-1, 0, 0)}, "wta01: the slide's first pass")
    # It is separable (A (-1,-1|1/2), B (1,1|-3/2), C 0: A leads at 0,0; B at 1,1; C else), and yet the
    # slide's rule never ends; the other rule ends within the bound of E'.
    theirs = {'A': (-2, -2, 1), 'B': (2, 2, -3), 'C': (0, 0, 0)}
    equal([winners({k: dot(w, x) for k, w in theirs.items()}) for x, _ in wta01], [['A'], ['C'], ['C'], ['B']],
          'wta01: separable')
    equal(min(slide.mistakes) > 0, True, 'wta01: the slide never ends')
    both = WinnerTakesAll(wta01, 200)
    equal((both.mistakes[-1], sum(both.mistakes) <= mistake_bound(kesler(wta01))[2]), (0, True), 'wta01: both')

    # One versus rest and one versus one: K and K(K-1)/2 classifiers.
    equal((len(one_versus_rest(wta, 3)), len(one_versus_one(wta, 3))), (3, 3), 'lines')
    # Pairs of H's WTA: at (-1,-1) A wins against B and C, C against B.
    equal(pairs_won({('A', 'B'): (0, 2, 2), ('A', 'C'): (1, 1, 1), ('B', 'C'): (1, -1, -1)}, (1, -1, -1), 'mistake'),
          {'A': 2, 'B': 0, 'C': 1}, 'pairs won')

    # E's quiz by hand: positive (0,0), (2,0); negative (0,2): u = (1,0), v = (0,2).
    equal(rocchio([((0, 0), 1), ((2, 0), 1), ((0, 2), -1)]), ((1, 0), (0, 2)), 'Rocchio')

    # C section 2 on nb.csv: a is 1 in 3 of 3 positive rows and 1 of 4 negative ones; with smoothing 1
    # P(a=1|+) = 4/5, P(a=1|-) = 2/6, P(a=0|+) = 1/5, P(a=0|-) = 4/6. b: 1 of 3 and 3 of 4: 2/5, 4/6; 3/5,
    # 2/6. c: 1 of 3 and 3 of 4 as well. So p_a = log(12/5), q_a = log(3/10), w_a = log 8;
    # p_b = p_c = log(3/5), q_b = q_c = log(9/5), w_b = w_c = log(1/3);
    # w_0 = log(3/10 * 9/5 * 9/5 * 3/4) = log 0.729.
    nb = [((1, 0, 1), 1), ((1, 1, 0), 1), ((1, 0, 0), 1), ((0, 1, 0), -1), ((0, 1, 1), -1), ((1, 1, 1), -1), ((0, 0, 1), -1)]
    p, q, w, prior, w0 = naive_bayes(nb, 1)
    for found, expected in zip((*p, *q, *w, prior, w0), (12 / 5, 3 / 5, 3 / 5, 3 / 10, 9 / 5, 9 / 5, 8, 1 / 3, 1 / 3, 3 / 4, 0.729)):
        near(found, math.log(expected), 'naive Bayes')
    near(naive_bayes(nb, 1, 2)[2][0], 3, 'base 2: 8 times as likely is 3')

    # The line 2x + y = 1 against x + y = 1: both start at (0, 1); the first ends at (1/2, 0), the second at
    # (1, 0). The triangle between them has the area 1/4. For 2x + 2y = 1: 1/2 - 1/8 = 3/8.
    equal((area_between(2, 1), area_between(2, 2)), (Fraction(1, 4), Fraction(3, 8)), 'regions')
    # K's run on line.csv ends with (1.08285, 0.947318 | -1): docs/notes.md, 88.
    near(round(float(area_between(Fraction('1.08285'), Fraction('0.947318'))), 6), 0.032841, 'regions of line.csv')

    # E's theorem: k = 4 mistakes in one pass over m = 10 rows: 2 * 4 / 11.
    equal(generalisation_bound(10, 4), Fraction(8, 11), 'generalisation')

    # Lemmas 1 and 2 for every guess of OR, and the last by hand: v_3 = (1,1|1) = sqrt(3) u.
    table = table_of_mistakes(Run(or_rows, 5))
    for row in table:
        equal(row['projection'] >= row['k_gamma'] - 1e-12 and row['squared'] <= row['k_squared_radius'], True, 'lemmas')
    near(table[3]['projection'], math.sqrt(3), 'v_3 . u')
    near(table[3]['k_gamma'], math.sqrt(3), '3 gamma')
    equal((table[3]['squared'], table[3]['k_squared_radius'], round(table[3]['angle'], 5)), (3, 9, 0), 'v_3')
    # v_1 = (-1,1|1): v_1 . u = 1/sqrt(3), |v_1| = sqrt(3): cos = 1/3, 70.528779 degrees.
    near(table[1]['angle'], math.degrees(math.acos(1 / 3)), 'angle of v_1')

    # A busy beaver of two states: 4 ones in 6 steps. Increment: 1011 + 1 = 1100.
    beaver = {('A', '_'): ('B', '1', 1), ('A', '1'): ('B', '1', -1), ('B', '_'): ('A', '1', -1), ('B', '1'): ('H', '1', 1)}
    equal(turing(beaver, '', 'A', 'H'), ('1111', 6), 'busy beaver')
    increment = {('R', '0'): ('R', '0', 1), ('R', '1'): ('R', '1', 1), ('R', '_'): ('C', '_', -1),
                 ('C', '1'): ('C', '0', -1), ('C', '0'): ('H', '1', 0), ('C', '_'): ('H', '1', 0)}
    equal([turing(increment, t, 'R', 'H')[0] for t in ('1011', '111', '0')], ['1100', '1000', '1'], 'increment')
    print(f'{check.count} values that were worked out by hand agree')


if __name__ == '__main__':
    check()
