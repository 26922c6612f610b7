#!/usr/bin/python3
"""The study as a section of docs/accuracy.md: report.py WORK, from words.md, WORK/results.jsonl and
sets.json, of the configurations in configs.txt."""
import collections
import json
import os
import statistics
import sys

WORK = sys.argv[1]
HERE = os.path.dirname(os.path.abspath(__file__))
with open(f"{WORK}/sets.json") as file:
    sets = json.load(file)
with open(f"{HERE}/configs.txt") as file:
    names_of = {options: name for name, options in (line.rstrip("\n").split("\t") for line in file)}
results = collections.defaultdict(dict)
halves = collections.defaultdict(dict)  # accuracy on both halves of the test rows
with open(f"{WORK}/results.jsonl") as file:
    for line in file:
        r = json.loads(line)
        if r["options"] in names_of:
            results[names_of[r["options"]]][r["set"]] = (100 * r["right"] / r["rows"], r["seconds"])
            halves[names_of[r["options"]]][r["set"]] = [100 * right / rows for right, rows in r["halves"]]

# The best learner for a set: of all learners by their names, as they are without options.
PLAIN = [c for c in results if "," not in c and "liblinear" not in c and c != "default"]


def peer(name, of):
    """LIBLINEAR's accuracy: the better of its solvers."""
    return max(results[c][name][0] for c in of if name in results[c])


PEERS = (("liblinear",), ("liblinear -B 1", "liblinear -s 0 -B 1"))


def row(config, names, best):
    found = results[config]
    names = [n for n in names if n in found]
    gap = sum(best[n] - found[n][0] for n in names) / len(names)
    cells = [f"{gap:.2f}"]
    for of in PEERS:
        cells.append(f"{100 * sum(found[n][0] >= peer(n, of) - 1e-9 for n in names) / len(names):.0f}%")
    cells.append(f"{sum(found[n][1] for n in names):.0f}")
    return gap, f"| {config} | " + " | ".join(cells) + f" | {len(names)} |"


def best_of(names):
    return {n: max(results[c][n][0] for c in PLAIN if n in results[c]) for n in names}


def table(title, names):
    best = best_of(names)
    print(f"\n### {title}: {len(names)}\n")
    print("| | behind the best | at or above liblinear | at or above liblinear -B 1, -s 0 or -s 1 | seconds | sets |")
    print("| --- | --- | --- | --- | --- | --- |")
    measured = [c for c in results if 3 * sum(n in results[c] for n in names) >= len(names)]  # not texts alone
    for _, text in sorted(row(c, names, best) for c in measured):
        print(text)


def chosen_on_a_half(name, of):
    """What the default lacks on one half of the test rows to the best of some configurations on the other half, for
    both halves, and whether it is at or above; the mean of several that are equally good."""
    of = [c for c in of if name in halves[c]]
    lacking = reached = 0
    for half in (0, 1):
        most = max(halves[c][name][half] for c in of)
        best = [halves[c][name][1 - half] for c in of if halves[c][name][half] > most - 1e-9]
        own = halves["default"][name][1 - half]
        lacking += sum(other - own for other in best) / len(best) / 2
        reached += sum(own >= other - 1e-9 for other in best) / len(best) / 2
    return lacking, reached


def without_hindsight(names):
    lacking = [chosen_on_a_half(n, PLAIN)[0] for n in names]
    reached = sum(chosen_on_a_half(n, PEERS[1])[1] for n in names) / len(names)
    error = statistics.stdev(lacking) / len(names) ** 0.5
    return f"{statistics.mean(lacking):.2f} ± {error:.2f}", f"{100 * reached:.0f}%"


groups = []
for title, held in (("Sets used to choose the defaults", False), ("Sets held out", True)):
    names = [n for n in sets if sets[n]["held_out"] == held and n in results["default"]]
    groups += [(title, names), (title.replace("Sets", "Texts"), [n for n in names if sets[n]["text"]])]


def before_and_after():
    lines = ["| | sets | behind the best, before | now | without hindsight | at or above LIBLINEAR, before | now | "
             "without hindsight |", "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for title, names in groups:
        best, cells = best_of(names), []
        for config in ("alma", "default"):
            _, text = row(config, names, best)
            cells.append(text.split(" | "))
        lacking, reached = without_hindsight(names)
        lines.append(f"| {title} | {len(names)} | {cells[0][1]} | {cells[1][1]} | {lacking} | {cells[0][3]} | "
                     f"{cells[1][3]} | {reached} |")
    return "\n".join(lines)


with open(f"{HERE}/words.md") as file:
    print(file.read().replace("<!-- before -->", before_and_after()), end="")
for title, names in groups:
    table(title, names)
print("\n### Set by set\n")
print("| set | rows | features | classes | default | alma | best learner | liblinear -B 1, -s 0 or -s 1 |")
print("| --- | --- | --- | --- | --- | --- | --- | --- |")
for name, about in sets.items():
    if name in results["default"]:
        best = max((c for c in PLAIN if name in results[c]), key=lambda c: results[c][name][0])
        print(f"| {name}{' (held out)' if about['held_out'] else ''} | {about['rows']} | {about['features']} | "
              f"{about['classes']} | {results['default'][name][0]:.1f} | {results['alma'][name][0]:.1f} | "
              f"{results[best][name][0]:.1f} {best} | {peer(name, PEERS[1]):.1f} |")
