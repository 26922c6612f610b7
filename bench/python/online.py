"""online.py [A9A]: learn_one against perceptrons over dicts in plain Python, in nanoseconds per row.

Both learn the same rows in the same order: those of a9a if its file is given, rows of 20 numbers with
the names of a table, and bags of words. "minimal" is the shortest perceptron that learns from two classes;
"averaged" is the averaged perceptron with weights per class, as it is usually written for dicts. The best of
five runs counts.
"""

import random
import sys
import time

import tlu


class Minimal:
    def __init__(self):
        self.weights, self.bias = {}, 0.0

    def learn_one(self, x, y):
        weights, score = self.weights, self.bias
        for name, value in x.items():
            if name in weights:
                score += weights[name] * value
        if (score >= 0) != y:
            step = 1.0 if y else -1.0
            for name, value in x.items():
                weights[name] = weights.get(name, 0.0) + step * value
            self.bias += step


class Averaged:
    def __init__(self):
        self.weights, self.totals, self.times, self.classes, self.now = {}, {}, {}, set(), 0

    def predict_one(self, x):
        scores = dict.fromkeys(self.classes, 0.0)
        for name, value in x.items():
            for label, weight in self.weights.get(name, {}).items():
                scores[label] += value * weight
        return max(self.classes, key=lambda label: (scores[label], label)) if scores else None

    def change(self, label, name, step):
        weights, key = self.weights.setdefault(name, {}), (name, label)
        weight = weights.get(label, 0.0)
        self.totals[key] = self.totals.get(key, 0.0) + (self.now - self.times.get(key, 0)) * weight
        self.times[key] = self.now
        weights[label] = weight + step

    def learn_one(self, x, y):
        self.now += 1
        self.classes.add(y)
        winner = self.predict_one(x)
        if winner != y:
            for name, value in x.items():
                self.change(y, name, value)
                self.change(winner, name, -value)


def a9a(path):
    with open(path) as file:
        for line in file:
            label, *entries = line.split()
            yield {sys.intern(name): float(value) for name, value in (entry.split(":") for entry in entries)}, label == "+1"


def table():
    draw = random.Random(1)
    names = [f"column{i}" for i in range(20)]
    truth = [draw.gauss(0, 1) for _ in names]
    for _ in range(5000):
        values = [draw.gauss(0, 1) for _ in names]
        yield dict(zip(names, values)), sum(a * b for a, b in zip(truth, values)) + draw.gauss(0, 2) > 0


def words():
    draw = random.Random(2)
    names = [f"word{i}" for i in range(20000)]
    for _ in range(2000):
        y = draw.random() < 0.5
        yield {names[int(20000 * draw.random() ** 3) // (2 if y else 1)]: 1.0 for _ in range(150)}, y


def best(make, rows):
    times = []
    for _ in range(5):
        learn = make().learn_one
        start = time.perf_counter()
        for x, y in rows:
            learn(x, y)
        times.append(time.perf_counter() - start)
    return min(times) / len(rows) * 1e9


def main():
    data = {"table": list(table()), "words": list(words())}
    if len(sys.argv) > 1:
        data = {"a9a": list(a9a(sys.argv[1]))[:10000], **data}
    print(f"{'rows':8} {'names':>6} {'minimal':>9} {'averaged':>9} {'last':>9} {'average':>9} {'default':>9} "
          f"{'minimal/last':>13} {'averaged/average':>17}")
    for name, rows in data.items():
        minimal, averaged = best(Minimal, rows), best(Averaged, rows)
        last = best(lambda: tlu.Learner("perceptron", decide="last", scale="none"), rows)
        average = best(lambda: tlu.Learner("perceptron", decide="average", scale="none"), rows)
        default = best(tlu.Learner, rows)
        width = sum(len(x) for x, _ in rows) / len(rows)
        print(f"{name:8} {width:6.0f} {minimal:9.0f} {averaged:9.0f} {last:9.0f} {average:9.0f} {default:9.0f} "
              f"{minimal / last:13.1f} {averaged / average:17.1f}")


if __name__ == "__main__":
    main()
