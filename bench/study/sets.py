#!/usr/bin/python3
"""The data of the study: sets.py WORK TLU DATA writes WORK/sets/NAME.svm and WORK/sets.json.

Three sources: the training parts of the sets in DATA (never the test parts), the classic sets that
Debian packages carry (r-cran-mlbench, r-cran-mass, r-cran-kernlab, weka, python3-sklearn), and data
made here. What is not installed is left out. Every set is written as LIBSVM by `tlu convert`, so
that all programs learn from the same features; large ones are sampled down to ROWS rows. Texts are
kept as labelled text beside it (WORK/sets/NAME.txt, the same rows in the same order): tlu learns from
the text, LIBLINEAR from the counts of its words.

Sets of one family (the same people, the same texts) stay together. Of the families, in alphabetical
order, every third is held out: nothing was decided by them. Families that came later (LATER) do not
change which of the others are held out.
"""
import ast
import glob
import json
import math
import os
import random
import re
import subprocess
import sys

ROWS = 6000
HERE = os.path.dirname(os.path.abspath(__file__))
WORK, TLU, DATA = sys.argv[1:4]
WEKA = os.environ.get("TLU_STUDY_WEKA", "/usr/share/doc/weka/examples")
LATER = {"debian": False, "made-phrases": False, "python-docs": True}  # family: held out
sets = {}


def for_liblinear(line, labels):
    """Labels as numbers, indices in ascending order."""
    label, *entries = line.split()
    entries.sort(key=lambda entry: int(entry.split(":")[0]))
    return " ".join([str(labels.index(label))] + entries) + "\n"


def convert(name, family, source, kind, *options, text=None, ordered=False):
    """One set: `source` is a file, or `text` its contents."""
    path = f"{WORK}/sets/{name}.svm"
    command = [TLU, "convert", source or "-", "--to", "libsvm", "--quiet", "-o", path, *options]
    done = subprocess.run(command, input=text, text=True, capture_output=True)
    if done.returncode:
        sys.exit(f"{name}: {done.stderr}")
    with open(path) as file:
        lines = [line for line in file if line.strip()]
    texts = None
    if "text" in options:
        if text is None:
            with open(source, encoding="utf-8") as file:
                text = file.read()
        texts = [line for line in text.split("\n") if line.strip()]
        if len(texts) != len(lines):
            sys.exit(f"{name}: {len(texts)} texts and {len(lines)} rows")
    order = list(range(len(lines)))
    random.Random(name).shuffle(order)
    order = order[:ROWS]
    counts = {}
    for i in order:
        label = lines[i].split(None, 1)[0]
        counts[label] = counts.get(label, 0) + 1
    order = [i for i in order if counts[lines[i].split(None, 1)[0]] >= 5]
    labels = sorted({lines[i].split(None, 1)[0] for i in order})
    lines = [for_liblinear(lines[i], labels) for i in order]
    with open(path, "w") as file:
        file.writelines(lines)
    if texts:
        with open(f"{WORK}/sets/{name}.txt", "w") as file:
            for line, i in zip(lines, order):
                file.write(f"{line.split()[0]}\t{texts[i].split(chr(9), 1)[1]}\n")
    nonzeros = sum(line.count(":") for line in lines)
    features = max((int(line.rsplit(":", 1)[0].rsplit(None, 1)[-1]) for line in lines if ":" in line), default=0)
    classes = len({line.split(None, 1)[0] for line in lines})
    sets[name] = {"family": family, "kind": kind, "rows": len(lines), "features": features,
                  "classes": classes, "nonzeros": nonzeros, "sorted": ordered, "text": bool(texts)}


def shared():
    def at(path):
        return f"{DATA}/{path}"
    if not os.path.isdir(DATA):
        return print(f"no data at {DATA}: left out", file=sys.stderr)
    convert("a9a", "adult", at("a9a/a9a"), "binary")
    convert("adult", "adult", at("adult/adult.data"), "mixed", "--missing", "indicator", "--header", "no")
    convert("news20", "news20", at("news20/news20"), "counts")
    convert("imdb", "imdb", at("imdb/train.bow.svm.gz"), "counts")
    convert("rcv1-small", "rcv1", at("rcv1-small/train.svm"), "tf-idf")
    convert("rcv1-classes", "rcv1", at("vw/rcv1_multiclass.dat"), "tf-idf", "--format", "vw")
    convert("mnist", "mnist", at("mnist/train.svm.gz"), "pixels")
    convert("mushrooms", "mushrooms", at("mushrooms/mushrooms"), "binary")
    convert("sms", "sms", at("sms/train.tsv"), "text", "--format", "text")
    convert("rt-text", "rt", at("rt-polarity/train.tsv"), "text", "--format", "text")
    convert("rt-tfidf", "rt", at("rt-polarity/train.tfidf.svm"), "tf-idf")
    convert("elec2", "elec2", at("elec2/elec.csv"), "dense")
    convert("iris", "iris", at("iris/iris.csv"), "dense")
    convert("sonar", "sonar", at("sonar/sonar.csv"), "dense")
    convert("wdbc", "wdbc", at("wdbc/wdbc.data"), "dense", "--label", "2", "--ignore", "1")
    convert("titanic", "titanic", at("titanic/titanic.csv"), "mixed", "--label", "Survived", "--missing", "indicator",
            "--ignore", "PassengerId,Name,Ticket,Cabin")
    for name in ("diabetes_scale", "fourclass", "heart_scale", "svmguide1"):
        convert(name, {"diabetes_scale": "pima"}.get(name, name), at(f"small/{name}"), "dense")
    convert("vowel-scaled", "vowel", at("small/vowel.scale"), "dense")


def classics():
    if subprocess.run(["Rscript", f"{HERE}/sets.R", f"{WORK}/raw"]).returncode:
        print("no R: its sets are left out", file=sys.stderr)
    kinds = {"dna": "binary", "votes": "categories", "soybean": "categories", "income": "categories",
             "promoter": "categories", "tic": "categories", "breast-w": "categories", "spam": "dense"}
    for path in sorted(glob.glob(f"{WORK}/raw/*.csv")):
        name = os.path.basename(path)[:-4]
        convert(name, name.split("-")[0] if name.startswith("crabs") else name, path, kinds.get(name, "dense"),
                "--missing", "indicator", "--label", "label")


def arff(path):
    """Names of columns and rows of an ARFF file without dates and sparse rows."""
    names, rows, inside = [], [], False
    import csv
    with open(path, encoding="latin-1") as file:
        for line in file:
            line = line.strip()
            if not line or line.startswith("%"):
                continue
            if inside:
                line = line.replace("\\n", " ")
                rows.append(next(csv.reader([line], quotechar="'", escapechar="\\", skipinitialspace=True)))
            elif line.lower().startswith("@data"):
                inside = True
            elif line.lower().startswith("@attribute"):
                numeric = line.lower().rstrip().endswith(("numeric", "real", "integer"))
                names.append("number" if numeric else "category")
    return names, rows


def weka():
    if not os.path.isdir(WEKA):
        return print("no weka: its sets are left out", file=sys.stderr)
    for name in ("supermarket", "credit-g", "segment-challenge", "breast-cancer", "labor", "unbalanced"):
        kinds, rows = arff(f"{WEKA}/{name}.arff")
        lines = []
        for row in rows:
            cells = [c if k == "number" or c == "?" else "v" + c.strip().replace(",", "_").replace('"', "")
                     for k, c in zip(kinds, row)]
            lines.append(",".join(cells))
        header = ",".join([f"c{i}" for i in range(len(kinds) - 1)] + ["label"])
        convert(f"weka-{name}", name, None, "mixed", "--format", "csv", "--missing", "indicator", "--label", "label",
                text="\n".join([header] + lines) + "\n")
    for name in ("ReutersCorn", "ReutersGrain"):
        _, rows = arff(f"{WEKA}/{name}-train.arff")
        text = "".join(f"{row[1]}\t{' '.join(row[0].split())}\n" for row in rows)
        convert(f"weka-{name}", "reuters", None, "text", "--format", "text", text=text)


def rows_of(matrix, labels):
    return "".join(f"{y} " + " ".join(f"{i + 1}:{v:.6g}" for i, v in enumerate(x) if v) + "\n"
                   for x, y in zip(matrix, labels))


def learned():
    try:
        import numpy
        from sklearn import datasets
    except ImportError:
        return print("no scikit-learn: its sets are left out", file=sys.stderr)
    for name, load in (("digits", datasets.load_digits), ("wine", datasets.load_wine)):
        x, y = load(return_X_y=True)
        convert(name, name, None, "pixels" if name == "digits" else "dense", "--format", "libsvm", text=rows_of(x, y))
    made = [  # name, rows, features, informative, redundant, classes, noise, other
        ("small", 200, 10, 4, 2, 2, 0.05, {}), ("small-wide", 150, 200, 10, 20, 2, 0.02, {}),
        ("noisy", 3000, 20, 10, 5, 2, 0.2, {}), ("clean", 2000, 30, 15, 0, 2, 0, {"class_sep": 2}),
        ("many-classes", 4000, 40, 20, 10, 12, 0.02, {"n_clusters_per_class": 1}),
        ("five-classes", 1500, 20, 10, 5, 5, 0.05, {}), ("large", 20000, 50, 20, 10, 2, 0.05, {}),
        ("imbalanced", 3000, 20, 8, 4, 2, 0.01, {"weights": [0.95]}),
        ("imbalanced-classes", 3000, 20, 8, 4, 4, 0.01, {"weights": [0.85, 0.05, 0.05], "n_clusters_per_class": 1}),
        ("irrelevant", 800, 300, 6, 0, 2, 0.02, {}), ("correlated", 1000, 60, 5, 50, 2, 0.02, {}),
        ("sorted", 2000, 20, 10, 5, 4, 0.05, {"n_clusters_per_class": 1})]
    for number, (name, rows, features, informative, redundant, classes, noise, other) in enumerate(made):
        x, y = datasets.make_classification(rows, features, n_informative=informative, n_redundant=redundant,
                                            n_classes=classes, flip_y=noise, random_state=number, **other)
        convert(f"made-{name}", f"made-{name}", None, "made", "--format", "libsvm", text=rows_of(x, y),
                ordered=name == "sorted")
    random_state = numpy.random.RandomState(7)
    for name, rows, classes, spread in (("wild", 1500, 2, 4), ("wild-classes", 2000, 5, 3), ("shifted", 1500, 3, 1)):
        x, y = datasets.make_classification(rows, 15, n_informative=8, n_redundant=2, n_classes=classes,
                                            n_clusters_per_class=1, flip_y=0.03, random_state=rows)
        x = (x + (5 if name == "shifted" else 1) * random_state.randn(15)) * 10 ** random_state.uniform(-spread, spread, 15)
        convert(f"made-{name}", f"made-{name}", None, "made wild", "--format", "libsvm", text=rows_of(x, y))
    # Counts of words that depend on the class, by a Zipf law: short texts.
    for name, rows, classes, words in (("topics", 3000, 8, 60), ("mood", 2000, 2, 25)):
        chance = 1 / (1 + numpy.arange(5000.0))
        lines = []
        tilt = numpy.exp(random_state.randn(classes, 5000) * 0.5)
        odds = chance * tilt
        odds /= odds.sum(1, keepdims=True)
        for _ in range(rows):
            y = random_state.randint(classes)
            found, count = numpy.unique(random_state.choice(5000, words, p=odds[y]), return_counts=True)
            lines.append(f"{y} " + " ".join(f"{f + 1}:{c}" for f, c in zip(found, count)))
        convert(f"made-{name}", f"made-{name}", None, "made counts", "--format", "libsvm", text="\n".join(lines) + "\n")


def debian():
    """One line about each package: which section it is in, and whether it is a graphical program."""
    done = subprocess.run(["apt-cache", "dumpavail"], capture_output=True, text=True)
    sections, interfaces = [], []
    for package in sorted(set(done.stdout.split("\n\n"))):
        fields = dict(re.findall(r"^(Section|Description|Tag): (.*(?:\n .*)*)", package, re.MULTILINE))
        text = fields.get("Description", "").split("\n")[0]
        section, tags = fields.get("Section", ""), fields.get("Tag", "")
        if text and section in ("admin", "devel", "doc", "fonts", "games", "graphics", "math", "net", "science",
                                "sound", "text", "utils", "video", "web"):
            sections.append(f"{section}\t{text}\n")
        kinds = [kind for kind in ("x11", "commandline") if f"interface::{kind}" in tags]
        if text and len(kinds) == 1:
            interfaces.append(f"{kinds[0]}\t{text}\n")
    if not interfaces:
        return print("no list of Debian's packages: its sets are left out", file=sys.stderr)
    convert("debian-sections", "debian", None, "text", "--format", "text", text="".join(sections))
    convert("debian-interface", "debian", None, "text", "--format", "text", text="".join(interfaces))


def docstrings():
    """First paragraphs of docstrings: which package they are from."""
    rows = set()
    roots = {name: f"/usr/lib/python3/dist-packages/{name}" for name in ("numpy", "scipy", "sklearn")}
    roots["python"] = os.path.dirname(os.__file__)
    for label, root in roots.items():
        for path in sorted(glob.glob(f"{root}/**/*.py", recursive=True)):
            if "/test" in path or "/dist-packages/" in path[len(root):] or "/site-packages/" in path:
                continue
            try:
                with open(path, encoding="utf-8") as file:
                    tree = ast.parse(file.read())
            except (SyntaxError, UnicodeDecodeError):
                continue
            for node in ast.walk(tree):
                if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                    text = " ".join((ast.get_docstring(node) or "").split("\n\n")[0].split())
                    if len(text.split()) >= 4:
                        rows.add(f"{label}\t{text}\n")
    convert("python-docs", "python-docs", None, "text", "--format", "text", text="".join(sorted(rows)))


def phrases():
    """Made texts in which pairs of words tell the class, besides the words themselves."""
    draw = random.Random(11)
    words = [f"w{i}" for i in range(3000)]
    weights = [1 / (1 + i) for i in range(3000)]
    mood = {word: draw.gauss(0, 0.6) for word in words[20:]}
    lines = []
    for _ in range(4000):
        row = draw.choices(words, weights, k=draw.randint(5, 30))
        score, turned = 0, False
        for i, word in enumerate(row):
            if i and draw.random() < 0.1:
                row[i - 1] = "not"
            turned = i > 0 and row[i - 1] == "not"
            score += (-1 if turned else 1) * mood.get(word, 0)
        row = [word.capitalize() if i == 0 else word for i, word in enumerate(row)]
        lines.append(f"{'good' if score + draw.gauss(0, 0.5) > 0 else 'bad'}\t{' '.join(row)}\n")
    convert("made-phrases", "made-phrases", None, "text", "--format", "text", text="".join(lines))


def generated():
    for name, *options in (("sparse", "sparse", "--rows", "5000", "--noise", "0.1"),
                           ("sparse-clean", "sparse", "--rows", "3000"),
                           ("margin", "margin", "--rows", "2000", "--margin", "0.05"),
                           ("blobs", "blobs", "--rows", "2000", "--classes", "8", "--features", "6"),
                           ("moons", "moons", "--rows", "1000"), ("line", "line", "--rows", "500", "--noise", "0.1")):
        text = subprocess.run([TLU, "generate", *options], capture_output=True, text=True, check=True).stdout
        convert(f"tlu-{name}", f"tlu-{name.split('-')[0]}", None, "made", text=text)


def main():
    os.makedirs(f"{WORK}/sets", exist_ok=True)
    os.makedirs(f"{WORK}/raw", exist_ok=True)
    for part in (shared, classics, weka, learned, debian, docstrings, phrases, generated):
        part()
    families = sorted({about["family"] for about in sets.values()} - set(LATER))
    for about in sets.values():
        family = about["family"]
        about["held_out"] = LATER[family] if family in LATER else families.index(family) % 3 == 2
    with open(f"{WORK}/sets.json", "w") as file:
        json.dump(dict(sorted(sets.items())), file, indent=1)
    print(f"{len(sets)} sets, {sum(a['held_out'] for a in sets.values())} held out")


main()
