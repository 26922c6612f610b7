#!/usr/bin/python3
"""Measures configurations on the sets of the study: run.py WORK TLU held|open NAME... < CONFIGS

CONFIGS has one configuration per line: its name, a tab, and the options of `tlu train`, or of
`liblinear-train` if the options begin with "liblinear". Results are kept in WORK/results.jsonl
and not measured again; max-margin is measured below SLOW_ROWS rows alone. Both halves of the test
rows are measured, so that the best on one half can be compared on the other. Rows are dealt out by
class to folds that are the same for everybody: five for sets below 1,000 rows, three below 2,500,
two of three for larger ones. Texts are dealt out in the same way, as texts (FOLD.train.txt), which
`tlu train` gets.
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

WORK, TLU, WHICH = sys.argv[1:4]
ONLY = sys.argv[4:]
SLOW_ROWS = 1000  # max-margin would take minutes


def folds_of(rows):
    """Number of folds, and how many of them are measured on."""
    return (5, 5) if rows < 1000 else (3, 3) if rows < 2500 else (3, 2)


def deal_out(name, about):
    """Files FOLD.train and FOLD.test of a set."""
    count, used = folds_of(about["rows"])
    folder = f"{WORK}/folds/{name}"
    if not os.path.isdir(folder):
        os.makedirs(folder + ".new", exist_ok=True)
        with open(f"{WORK}/sets/{name}.svm") as file:
            lines = list(enumerate(file))
        random.Random(1).shuffle(lines)
        lines.sort(key=lambda line: line[1].split(None, 1)[0])
        texts = []
        if about["text"]:
            with open(f"{WORK}/sets/{name}.txt") as file:
                texts = file.readlines()
        fold = [i % count for i in range(len(lines))]
        order = list(range(len(lines)))
        if not about["sorted"]:
            random.Random(2).shuffle(order)
        for f in range(used):
            for part, inside in (("train", False), ("test", True)):
                chosen = [lines[i] for i in order if (fold[i] == f) == inside]
                with open(f"{folder}.new/{f}.{part}", "w") as file:
                    file.writelines(line for _, line in chosen)
                if texts:
                    with open(f"{folder}.new/{f}.{part}.txt", "w") as file:
                        file.writelines(texts[number] for number, _ in chosen)
        os.rename(folder + ".new", folder)
    return [f"{folder}/{f}" for f in range(used)]


def halves_of(test, scratch):
    """Files with every second row of the test part, beginning with the first and with the second."""
    with open(test) as file:
        rows = file.readlines()
    halves = []
    for half in (0, 1):
        halves.append(f"{scratch}/half{half}{os.path.splitext(test)[1]}")
        with open(halves[-1], "w") as file:
            file.writelines(rows[half::2])
    return halves


def liblinear(fold, options, scratch):
    train = ["liblinear-train", "-q", *options, fold + ".train", scratch + "/model"]
    subprocess.run(train, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    results = []
    for half in halves_of(fold + ".test", scratch):
        out = subprocess.run(["liblinear-predict", half, scratch + "/model", scratch + "/out"],
                             check=True, capture_output=True, text=True).stdout
        right, rows = re.search(r"\((\d+)/(\d+)\)", out).groups()
        results.append((int(right), int(rows)))
    return results


def tlu(fold, options, scratch):
    model = scratch + "/model.tlu"
    ending = ".txt" if os.path.exists(fold + ".train.txt") else ""
    if ending:
        options = ["--format", "text", *options]
    command = [TLU, "train", fold + ".train" + ending, "-o", model, "--quiet", "--threads", "1", *options]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        return None
    results = []
    for half in halves_of(fold + ".test" + ending, scratch):
        out = subprocess.run([TLU, "eval", model, half, "--json", "--threads", "1", *options[:2 if ending else 0]],
                             check=True, capture_output=True, text=True).stdout
        result = json.loads(out)
        results.append((result["correct"], result["examples"]))
    return results


def measure(task):
    name, about, config, options = task
    halves = [[0, 0], [0, 0]]
    started = time.time()
    with tempfile.TemporaryDirectory() as scratch:
        for fold in deal_out(name, about):
            if options[:1] == ["liblinear"]:
                result = liblinear(fold, options[1:], scratch)
            else:
                result = tlu(fold, options, scratch)
            if result is None:
                return None
            for half, (right, rows) in zip(halves, result):
                half[0] += right
                half[1] += rows
    return {"set": name, "config": config, "options": " ".join(options), "right": sum(right for right, _ in halves),
            "rows": sum(rows for _, rows in halves), "halves": halves, "seconds": round(time.time() - started, 3)}


def main():
    with open(f"{WORK}/sets.json") as file:
        sets = json.load(file)
    done = set()
    path = f"{WORK}/results.jsonl"
    if os.path.exists(path):
        with open(path) as file:
            done = {(r["set"], r["options"]) for r in map(json.loads, file)}
    tasks = []
    for line in sys.stdin:
        if not line.strip() or line.startswith("#"):
            continue
        config, options = line.rstrip("\n").split("\t")
        for name, about in sets.items():
            if about["held_out"] != (WHICH == "held") or (ONLY and name not in ONLY):
                continue
            if "max-margin" in options and about["rows"] >= SLOW_ROWS:
                continue
            if (name, options) not in done:
                tasks.append((name, about, config, options.split()))
    for name, about, _, _ in tasks:
        deal_out(name, about)
    with open(path, "a") as file, ThreadPoolExecutor(2) as pool:
        for result in pool.map(measure, tasks):
            if result:
                file.write(json.dumps(result) + "\n")
                file.flush()


main()
