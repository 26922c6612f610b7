#!/usr/bin/env python3
"""json_shapes.py NAME: NAME.csv as JSON lines in NAME.jsonl, as an array in NAME-line.json and, with many
lines, in NAME-pretty.json, and as objects one after the other in NAME-objects.json. Numbers are numbers,
an empty field is null.
"""
import csv
import json
import sys


def value(text):
    for kind in int, float:
        try:
            return kind(text)
        except ValueError:
            pass
    return text or None


name = sys.argv[1]
rows = [{key: value(text) for key, text in row.items()} for row in csv.DictReader(open(name + ".csv"))]
with open(name + ".jsonl", "w") as out:
    out.writelines(json.dumps(row) + "\n" for row in rows)
with open(name + "-objects.json", "w") as out:
    out.writelines(json.dumps(row, indent=1) + "\n" for row in rows)
with open(name + "-line.json", "w") as out:
    json.dump(rows, out)
with open(name + "-pretty.json", "w") as out:
    json.dump(rows, out, indent=4)
