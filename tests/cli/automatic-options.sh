# What the data decides: --scale auto, --multiclass auto, the rates of tables; and that models of before
# keep what they were made with.
. "$TLU_SOURCE/tests/prelude.sh"

shown() # file, options...: "learner scheme scaled"
{
    "$TLU" train "$1" -o shown.tlu --quiet "${@:2}" || complain "train $*"
    "$TLU" inspect shown.tlu --json | python3 -c '
import json, sys
model = json.load(sys.stdin)
print(model["learner"], model["scheme"], model["scaled"])'
}
is() # expected, file, options...
{
    local found
    found=$(shown "${@:2}")
    [ "$found" = "$1" ] || complain "${*:2}: $found, not $1"
}

python3 - <<'END'
import random
random.seed(1)
def put(name, rows):
    with open(name, "w") as file:
        file.writelines(rows)
def table(label, scale):
    return f"{label} " + " ".join(f"{i + 1}:{scale ** i * random.gauss(label, 1)}" for i in range(5)) + "\n"
put("table.svm", [table(i % 4, 1) for i in range(200)])
put("many.svm", [table(i % 40, 1) for i in range(400)])
put("wild.svm", [table(i % 2, 100) for i in range(200)])
words = lambda k: sorted(random.sample(range(1, 500), k))
put("binary.svm", [f"{i % 3} " + " ".join(f"{f}:1" for f in words(12)) + "\n" for i in range(200)])
put("counts.svm", [f"{i % 3} " + " ".join(f"{f}:{random.randint(1, 9)}" for f in words(12)) + "\n" for i in range(200)])
# Words, and one column of numbers whose range is a thousand times that of another: a table after all.
put("mixed.svm", [f"{i % 2} 1:{random.random() * 5000} 2:{random.random()} " +
                  " ".join(f"{f + 2}:{random.randint(1, 3)}" for f in words(12)) + "\n" for i in range(200)])
END
is "alma ovo True" table.svm
is "alma wta True" many.svm # too many pairs
is "alma two True" wild.svm
is "alma two True" mixed.svm
is "logistic wta False" binary.svm
is "logistic wta False" counts.svm
is "alma wta False" table.svm --scale none --multiclass wta
is "alma ovr True" table.svm --multiclass ovr
is "perceptron wta False" table.svm --learner perceptron
is "pa wta False" table.svm --learner pa
is "max-margin ovo False" table.svm --learner max-margin --C 1
is "max-margin ovr False" counts.svm --learner max-margin --C 1

# Of a table with several classes, unless it is large or --epochs is given, alma makes 50 passes.
passes() # how many, file, options...
{
    "$TLU" train "$2" -o passes.tlu --quiet "${@:3}" || complain "train ${*:2}"
    "$TLU" inspect passes.tlu --json | python3 -c '
import json, sys
epochs = json.load(sys.stdin)["options"].get("epochs", "10")
sys.exit(str(epochs) != sys.argv[1])' "$1" || complain "${*:2}: not $1 passes"
}
if ! is_sanitized || [ "${TLU_LONG:-}" ]; then # it is the number of rows that matters here
    "$TLU" generate blobs --classes 3 --rows 100000 --noise 0.2 -o large.svm
    "$TLU" generate blobs --classes 3 --rows 100001 --noise 0.2 -o larger.svm
    passes 50 large.svm --threads 1
    cp passes.tlu large.tlu
    passes 50 - --threads 2 <large.svm
    cmp <("$TLU" inspect large.tlu --weights) <("$TLU" inspect passes.tlu --weights) ||
        complain "a pipe and two threads: other weights"
    passes 10 larger.svm
fi
passes 50 table.svm
passes 7 table.svm --epochs 7
passes 10 table.svm --epochs 10
passes 10 wild.svm
passes 5 counts.svm
passes 10 counts.svm --learner alma
passes 10 table.svm --learner perceptron
passes 10 table.svm --learner logistic

# The rate of tables, unless one is given.
for rate in "table.svm:4" "counts.svm:0.5"; do
    "$TLU" train "${rate%:*}" --learner logistic -o default.tlu --quiet
    "$TLU" train "${rate%:*}" --learner logistic --rate "${rate#*:}" -o given.tlu --quiet
    cmp -s <("$TLU" inspect default.tlu --weights) <("$TLU" inspect given.tlu --weights) || complain "rate $rate"
done

# Standardised by hand it is the same model, up to rounding to floats.
python3 - <<'END'
import math
rows = [line.split() for line in open("wild.svm")]
x = [[float(e.split(":")[1]) for e in row[1:]] for row in rows]
means = [sum(c) / len(c) for c in zip(*x)]
devs = [math.sqrt(sum((v - m) ** 2 for v in c) / len(c)) for c, m in zip(zip(*x), means)]
with open("by-hand.svm", "w") as file:
    for row, values in zip(rows, x):
        file.write(row[0] + " " + " ".join(f"{i + 1}:{(v - m) / d!r}" for i, (v, m, d) in
                                          enumerate(zip(values, means, devs))) + "\n")
END
"$TLU" train wild.svm -o wild.tlu --quiet
"$TLU" train by-hand.svm --scale none --multiclass wta -o by-hand.tlu --quiet
paste <("$TLU" predict wild.tlu wild.svm --scores --quiet) <("$TLU" predict by-hand.tlu by-hand.svm --scores --quiet) |
    python3 -c '
import sys
for line in sys.stdin:
    cells = line.split()
    a, b = float(cells[1]), float(cells[3])
    if abs(a - b) > 1e-4 * (1 + abs(a)):
        sys.exit(f"{a} and, by hand, {b}")' || complain "scaled by hand"

# A model of before goes on as it was made.
cp "$TLU_SOURCE/tests/golden/v1-alma.tlu" old.tlu
"$TLU" train "$TLU_SOURCE/tests/golden/v1-alma.csv" --resume -o old.tlu --epochs 5 --quiet || complain "an old model"
"$TLU" train "$TLU_SOURCE/tests/golden/v1-alma.csv" --learner alma --scale none --multiclass wta --epochs 5 -o new.tlu --quiet
cmp -s <("$TLU" inspect old.tlu --weights) <("$TLU" inspect new.tlu --weights) || complain "an old model goes on otherwise"
