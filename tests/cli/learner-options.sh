# Options by learner: the help and `inspect` know the defaults of each learner, which are those that
# training takes; options that change nothing are told; and the remark about answering always the
# same names the right remedy.
. "$TLU_SOURCE/tests/prelude.sh"
need python3

data=$TLU_SOURCE/examples/data

# ---- Defaults. What a learner takes if nothing is given gives the same bytes, but for the record
# that it was given, as giving what the help says; `inspect` shows neither.
cat >defaults.py <<'END'
import json, os, re, subprocess, sys
tlu, data = os.environ["TLU"], sys.argv[1]
def run(*words):
    return subprocess.run([tlu, *words], check=True, capture_output=True, text=True).stdout
def helped(*words):
    """The defaults that a help prints, by option."""
    entries = re.split(r"\n(?= +(?:-\w, )?--)", run("train", *words, "--help"))
    found = (re.match(r" +(?:-\w, )?--([\w-]+) .*\(default ([^)]*)\)", re.sub(r"\s+", " ", e)) for e in entries)
    return {m[1]: m[2] for m in found if m}
everybody = helped()
learners = json.loads(run("learners", "--json"))
for row in learners:
    name, own = row["name"], dict(word.split("=") for word in row["defaults"])
    shown = helped("--learner", name)
    for option in row["options"]:
        if own.get(option) == "-":
            assert option not in shown, (name, option, shown[option])
        elif option in own:
            assert shown[option] == own[option], (name, option, shown.get(option))
    assert shown["decide"] == row["decisions"][0], (name, shown["decide"])
    for other in ("rate", "C", "schedule", "smoothing", "alpha"):
        assert other in row["options"] or other not in shown, (name, other)
    # The help for all has it too: the usual one first, then "names: value".
    for option in row["options"]:
        if option not in own and option not in everybody:
            continue
        parts = everybody[option].split("; ")
        mine = [part.split(": ")[1] for part in parts[1:] if name in part.split(": ")[0].split(", ")]
        value = mine[0] if mine else parts[0]
        assert value == {"-": "none"}.get(own.get(option), own.get(option, value)), (name, option, value)
        assert value == shown.get(option, "none"), (name, option, value, shown)
    # As training has it.
    model, again = name + ".tlu", name + "-again.tlu"
    run("train", data, "--learner", name, "-o", model, "--no-shuffle", "-q")
    given = [w for o in row["options"] if o in shown for w in ("--" + o, shown[o])]
    run("train", data, "--learner", name, "-o", again, "--no-shuffle", "-q", *given)
    if name == "mlp":  # which has no weights to print
        assert run("predict", model, data, "--scores") == run("predict", again, data, "--scores"), name
    else:
        assert run("inspect", model, "--weights") == run("inspect", again, "--weights"), name
    default = everybody["learner"] == name
    expected = {} if default else {"learner": name}
    for m in (model, again):
        options = json.loads(run("inspect", m, "--json"))["options"]
        options.pop("shuffle", None)
        assert options == expected, (name, options)
run("train", data, "--learner", "logistic", "--rate", "0.125", "--schedule", "sqrt", "-o", "l.tlu", "-q")
assert json.loads(run("inspect", "l.tlu", "--json"))["options"] == \
    {"learner": "logistic", "rate": "0.125", "schedule": "sqrt"}
END
printf 'a 1:1 2:1\nb 1:1 3:1\na 1:1 4:1\nb 3:1\n' >small.svm
python3 defaults.py small.svm || complain 'the defaults'

# ---- Options that change nothing.
for learner in rocchio multinomial-bayes max-margin; do
    says "note: --epochs has no effect with $learner, which looks at all rows at once" \
        "$TLU" train small.svm --learner $learner --epochs 5 -o x.tlu
done
says 'note: --shuffle has no effect with rocchio, which looks at all rows at once' \
    "$TLU" train small.svm --learner rocchio --shuffle all -o x.tlu
says 'note: --seed has no effect with rocchio, which draws no random numbers' \
    "$TLU" train small.svm --learner rocchio --seed 7 -o x.tlu
keeps_silent_about '--seed' "$TLU" train small.svm --learner rocchio --seed 7 --holdout 0.5 -o x.tlu
says 'note: --patience has no effect with rocchio' \
    "$TLU" train small.svm --learner rocchio --patience 2 --holdout 0.5 -o x.tlu
says 'note: --seed has no effect, as nothing is drawn at random' \
    "$TLU" train small.svm --no-shuffle --seed 7 -o x.tlu
keeps_silent_about 'no effect' "$TLU" train small.svm --epochs 5 --shuffle all --seed 7 -o x.tlu
says 'note: --class-weight has no effect with max-margin' \
    "$TLU" train small.svm --learner max-margin --class-weight a=2 -o x.tlu
keeps_silent_about 'no effect' \
    "$TLU" train small.svm --learner max-margin --class-weight a=2 --C 1 -o x.tlu
says 'note: --rate has no effect with romma' "$TLU" train small.svm --learner romma --rate 1 -o x.tlu
"$TLU" train small.svm --learner rocchio --epochs 5 -o x.tlu --json |
    grep -qF '"notices": ["--epochs has no effect with rocchio' || complain 'the notices in --json'
says 'note: --epochs has no effect with rocchio' \
    "$TLU" cv small.svm -k 2 --learner rocchio --epochs 5 --seed 3
grep -q -e '--seed' errors.txt && complain 'cv: the folds are drawn by --seed'

# ---- "Always answering".
awk 'BEGIN { srand(4); for (i = 0; i < 1000; i++)
    printf "%s 1:%.3f 2:%.3f\n", i % 20 ? "no" : "yes", rand(), rand() }' >skewed.svm
says 'few rows are of another class; --class-weight balanced gives the classes equal weight' \
    "$TLU" train skewed.svm -o x.tlu --learner perceptron --decide last
grep -q 'always predicting' errors.txt || complain 'not the remark'
grep -q -e '--scale' errors.txt && complain "scaling is blamed: $(cat errors.txt)"
keeps_silent_about 'always predicting' "$TLU" train skewed.svm -o x.tlu --class-weight balanced
keeps_silent_about 'always predicting' "$TLU" train skewed.svm -o x.tlu --class-weight yes=9
awk 'BEGIN { srand(5); for (i = 0; i < 200; i++)
    printf "%s 1:%.3f 2:%.3f\n", i % 2 ? "no" : "yes", rand(), rand() }' >even.svm
for seed in 1 2 3 4 5; do
    "$TLU" train even.svm -o x.tlu --seed $seed --learner perceptron 2>>even.txt
done
! grep 'always predicting' even.txt | grep -q 'class-weight' || complain 'even classes are called uneven'
