# --learner auto: the learner and its options for each kind of data, as docs/learners.md has them; that
# they are stored, that options given win, and that everything goes on from such a model.
. "$TLU_SOURCE/tests/prelude.sh"
need python3

python3 - <<'END'
import json, random
random.seed(5)
def put(name, rows):
    with open(name, "w") as file:
        file.writelines(row + "\n" for row in rows)
vocabulary = [f"w{i}" for i in range(400)]
def text(i):  # labels 0, 1
    words = random.choices(vocabulary, k=12) + (["Good", "fine"] if i % 2 else ["bad", "Poor"])
    random.shuffle(words)
    return " ".join(words)
texts = [text(i) for i in range(300)]
put("text.tsv", [f"{'pos' if i % 2 else 'neg'}\t{t}" for i, t in enumerate(texts)])
put("text.ft", [f"__label__{i % 2} {t}" for i, t in enumerate(texts)])
put("text.jsonl", [json.dumps({"label": str(i % 2), "text": t}) for i, t in enumerate(texts)])
put("text.csv", ["message,label"] + [f"{t},{'yn'[i % 2]}" for i, t in enumerate(texts)])
put("features.jsonl", [json.dumps({"label": str(i % 2), "text": t, "features": {"n": random.random()}})
                       for i, t in enumerate(texts)])
put("mixed.csv", ["length,price,message,label"] + [f"{random.randint(1, 99)},{random.random():.3f},{t},{'yn'[i % 2]}"
                                             for i, t in enumerate(texts)])
put("table.csv", ["a,b,c"] + [f"{random.gauss(i % 2, 1):.4f},{random.gauss(0, 100):.4f},{'yn'[i % 2]}" for i in range(200)])
put("table.svm", [f"{i % 3} " + " ".join(f"{k}:{random.gauss(i % 3, 1):.4f}" for k in range(1, 6)) for i in range(200)])
put("colours.csv", ["colour,size,label"] + [f"{random.choice(['red', 'green', 'blue'])},{random.choice('SML')},{'yn'[i % 2]}"
                                          for i in range(200)])
def sparse(k, of, value):
    return " ".join(f"{f}:{value()}" for f in sorted(random.sample(range(1, of), k)))
put("counts.svm", [f"{i % 3} " + sparse(12, 500, lambda: random.randint(1, 9)) for i in range(200)])
put("tfidf.svm", [f"{i % 2} " + sparse(12, 500, lambda: f"{random.random():.4f}") for i in range(200)])
put("flags.svm", [f"{i % 2} " + sparse(12, 500, lambda: 1) for i in range(200)])
put("dense-flags.svm", [f"{i % 2} " + sparse(12, 100, lambda: 1) for i in range(200)])
put("pixels.svm", [f"{i % 3} " + sparse(20, 100, lambda: random.randint(1, 255)) for i in range(300)])
put("words.vw", [f"{'1' if i % 2 else '-1'} | {t.replace(':', '')}" for i, t in enumerate(texts)])
END

cat >report.py <<'END'
import json, sys
model, report = json.load(sys.stdin), json.load(open("learned.json"))
options = model["options"]
assert model["learner"] == report["learner"] == options["learner"] and report["learner_reason"]
names = ("ngrams", "lowercase", "tfidf", "normalize", "epochs")
text = {True: "yes", False: "no"}
print(model["learner"], *(f"{n}={text.get(options[n], options[n])}" for n in names if n in options))
END

learned() # FILE OPTIONS...: the learner, and options that are not its defaults
{
    "$TLU" train "$1" -o learned.tlu --json "${@:2}" >learned.json || complain "train $*"
    "$TLU" inspect learned.tlu --json | python3 report.py || complain "$*: no report"
}
is() # EXPECTED FILE OPTIONS...
{
    local found
    found=$(learned "${@:2}")
    [ "$found" = "$1" ] || complain "${*:2}: $found, not $1"
}

# ---- the table ----

texts="hinge lowercase=yes tfidf=yes normalize=yes"
is "$texts" text.tsv
is "$texts" text.ft
is "$texts" text.jsonl
is "$texts" text.csv
is "alma" table.csv
is "alma epochs=50" table.svm
is "alma" colours.csv
is "logistic epochs=5" counts.svm
is "logistic epochs=5" tfidf.svm
is "logistic epochs=5" flags.svm
is "alma" dense-flags.svm
is "alma" pixels.svm
is "alma" mixed.csv # a table of numbers, with a text among its columns
is "logistic epochs=5" words.vw
is "alma" features.jsonl
is "alma" "$TLU_SOURCE/examples/data/weather.csv"
is "alma epochs=50" "$TLU_SOURCE/examples/data/digits-train.svm"

# ---- options that are given win ----

is "hinge tfidf=yes normalize=yes" text.tsv --lowercase=no
is "hinge lowercase=yes" text.tsv --tfidf=no --normalize=no
is "hinge ngrams=2 lowercase=yes tfidf=yes normalize=yes epochs=3" text.tsv --ngrams 2 --epochs 3
is "logistic" counts.svm --epochs 10
is "$texts" text.tsv --hash 12
is "hinge lowercase=yes normalize=yes" text.csv --hash 12
is "alma" text.tsv --kernel poly:2
is "alma" counts.svm --kernel poly:2
is "hinge" table.csv --rate 0.5
is "hinge" table.csv --l2 0.01
is "alma" counts.svm --alpha 0.5
is "alma lowercase=yes tfidf=yes normalize=yes" text.tsv --alpha 0.5
is "hinge lowercase=yes epochs=1" text.tsv --max-features 100 --epochs 1
is "hinge lowercase=yes" text.tsv --scale online
is "$texts" text.tsv --learner auto
is "logistic" table.csv --solver dual
for refused in "--smoothing 2" "--C 0.5" "--hidden 5"; do
    # shellcheck disable=SC2086
    "$TLU" train text.tsv $refused -o none.tlu 2>refused.txt && complain "$refused is taken"
    grep -q "has no option ${refused% *}: .*; name a learner with --learner" refused.txt || complain "$(cat refused.txt)"
done
"$TLU" train text.tsv -o text.tlu 2>summary.txt
grep -qx 'learner   hinge, for texts, with --lowercase --tfidf --normalize (--learner auto)' summary.txt ||
    complain "$(cat summary.txt)"
"$TLU" train text.tsv --learner hinge -o none.tlu 2>summary.txt
grep -q '^learner' summary.txt && complain "a learner that was named has a reason"

# ---- the options of the choice reproduce its bits, for any number of threads ----

same() # FILE AUTO... -- NAMED...: both trainings make the same file
{
    local file=$1 auto=()
    shift
    while [ "$1" != -- ]; do
        auto+=("$1")
        shift
    done
    shift
    "$TLU" train "$file" "${auto[@]}" -o auto.tlu --quiet || complain "$file ${auto[*]}"
    "$TLU" train "$file" "$@" -o named.tlu --quiet || complain "$file $*"
    cmp auto.tlu named.tlu || complain "$file: --learner auto is not $*"
}
as_text="--learner hinge --lowercase --tfidf --normalize"
# shellcheck disable=SC2086
{
    for file in text.tsv text.jsonl text.csv; do
        for threads in 1 2 7; do
            same $file --threads $threads -- $as_text
        done
    done
    same text.tsv --holdout 0.2 -- $as_text --holdout 0.2
    same text.tsv --calibrate sigmoid -- $as_text --calibrate sigmoid
    same text.tsv --class-weight balanced --shuffle all -- $as_text --class-weight balanced --shuffle all
    for file in counts.svm flags.svm words.vw; do
        same $file --threads 3 -- --learner logistic --epochs 5
    done
    same counts.svm --holdout 0.2 -- --learner logistic --epochs 5 --holdout 0.2
    for file in table.csv table.svm colours.csv mixed.csv pixels.svm; do
        same $file --threads 3 -- --learner alma
    done
    same table.svm --rate 0.5 -- --learner hinge --rate 0.5
    same text.tsv --kernel poly:2 -- --learner alma --kernel poly:2
}
weights() { "$TLU" inspect "$1" --weights; }
"$TLU" train - -o pipe.tlu --quiet <text.tsv
cmp <(weights pipe.tlu) <(weights text.tlu) || complain "a pipe: other weights"
"$TLU" convert text.tsv --to binary --lowercase -o text.tlud --quiet
"$TLU" train text.tlud -o binary.tlu --quiet
cmp <(weights binary.tlu) <(weights text.tlu) || complain "binary data: other weights"

# ---- going on ----

# shellcheck disable=SC2086
{
    "$TLU" train text.tsv --epochs 2 -o more.tlu --quiet
    "$TLU" train text.tsv --epochs 4 --learner auto --resume -o more.tlu --quiet || complain "resume"
    "$TLU" train text.tsv --epochs 4 $as_text -o all.tlu --quiet
    cmp <(weights more.tlu) <(weights all.tlu) || complain "resume: other weights"
    "$TLU" train counts.svm --epochs 2 -o more.tlu --quiet
    "$TLU" train counts.svm --epochs 5 --resume -o more.tlu --quiet || complain "resume of counts"
    "$TLU" train counts.svm -o all.tlu --quiet
    cmp <(weights more.tlu) <(weights all.tlu) || complain "resume of counts: other weights"
}
"$TLU" train text.tsv --checkpoint 0.001 -o checked.tlu --quiet || complain "a checkpoint"
cmp checked.tlu text.tlu || complain "a checkpoint changes the model"
for data in text.tsv counts.svm table.csv; do
    "$TLU" train $data -o before.tlu --quiet
    cp before.tlu stream.tlu
    "$TLU" stream stream.tlu --quiet <$data >answers.txt || complain "$data: no stream goes on from the model"
    [ "$(wc -l <answers.txt)" -ge 200 ] || complain "$data: $(wc -l <answers.txt) answers"
    cmp -s <(weights before.tlu) <(weights stream.tlu) && complain "$data: the stream learned nothing"
    learner() { "$TLU" inspect "$1" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["learner"])'; }
    [ "$(learner stream.tlu)" = "$(learner before.tlu)" ] || complain "$data: $(learner stream.tlu) in the stream"
done
"$TLU" stream new.tlu --learner auto --quiet <text.tsv >/dev/null || complain "a stream of its own"
[ "$(learner new.tlu)" = pa2 ] || complain "a stream: $(learner new.tlu)"

# ---- cross-validation trains as train does ----

cv() { "$TLU" cv "$@" -k 3 --json | python3 -c 'import json, sys; r = json.load(sys.stdin); print(r["learner"], r["accuracy"])'; }
# shellcheck disable=SC2086
for data in text.tsv text.csv; do
    [ "$(cv $data)" = "$(cv $data $as_text)" ] || complain "cv of $data: $(cv $data), not $(cv $data $as_text)"
done
[ "$(cv counts.svm)" = "$(cv counts.svm --learner logistic --epochs 5)" ] || complain "cv of counts"
"$TLU" cv text.tsv -k 3 | grep -q '^learner   hinge, for texts, with' || complain "cv does not say the learner"
