# tlu train under mpirun: one process is like none, the same bits on a second run and as a loop with
# tlu mix, the bound on mistakes, accuracy, --learner auto, unlike and malformed parts, killed
# processes; predict and eval print what one process does; the folds of cv. With TLU_LONG more learners, numbers of processes and conflicts.
. "$TLU_SOURCE/tests/prelude.sh"
need mpirun python3 pgrep
[ -e "$(dirname "$TLU")/tlu-mpi.so" ] || {
    echo "skipped: tlu was built without MPI"
    exit 77
}
is_sanitized && {
    echo "skipped: a sanitizer cannot look into MPI"
    exit 77
}
set -e
data=$TLU_SOURCE/examples/data
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export HWLOC_HIDE_ERRORS=2 # where no /sys is mounted it would complain
export RES_OPTIONS=attempts:0 # mpirun looks up the host, and would wait 5 s for a nameserver that is out of reach
members() # JOB: the processes that mpirun, the child of the job, has started; none after its end
{
    local starter
    starter=$(pgrep -P "$1") && pgrep -P "$starter" || true
}

mpi() # N WORDS...: that many processes of tlu
{
    local count=$1
    shift
    timeout 60 mpirun --oversubscribe --bind-to none -q -n "$count" "$TLU" "$@" < /dev/null
}

long() # WORDS...: these with TLU_LONG, else none
{
    [ ! "${TLU_LONG:-}" ] || printf '%s\n' "$@"
}

accuracy() # MODEL DATA
{
    "$TLU" eval "$1" "$2" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["accuracy"])'
}

# ---- the same bits

cp "$data/digits-train.svm" digits.svm
long "--learner arow --epochs 3" "--learner perceptron --decide last" "--hash 12 --scale none" > more.txt
{ echo; cat more.txt; } > options.txt
while IFS= read -r options; do
    "$TLU" train digits.svm $options -q -o alone.tlu
    mpi 1 train digits.svm $options -q -o one.tlu
    cmp alone.tlu one.tlu || complain "$options: one process"
    mpi 3 train digits.svm $options -q -o three.tlu
    mpi 3 train digits.svm $options -q -o again.tlu
    cmp three.tlu again.tlu || complain "$options: a second run"
    python3 -c "import sys; sys.exit(not $(accuracy three.tlu "$data/digits-test.svm") > $(accuracy alone.tlu "$data/digits-test.svm") - 0.03)" ||
        complain "$options: three processes are worse"
done < options.txt
"$TLU" generate sparse --rows 3000 --features 800 --nonzeros 12 --seed 4 -o sparse.svm
for learner in arow $(long perceptron pa1 alma scw1 logistic romma); do
    options="--learner $learner --shuffle none --scale none"
    mpi 3 train sparse.svm $options --epochs 3 --stop epochs -q -o three.tlu
    for turn in 1 2 3; do
        for part in 1 2 3; do
            start="$options --epochs 1"
            [ $turn = 1 ] || start="--start mixed.tlu"
            "$TLU" train sparse.svm --part $part/3 $start -q -o part$part.tlu
        done
        "$TLU" mix part2.tlu part1.tlu part3.tlu -q -o mixed.tlu
    done
    "$TLU" inspect three.tlu --weights | sort > three.weights
    "$TLU" inspect mixed.tlu --weights | sort | cmp - three.weights || complain "$learner: the loop differs"
done
mpi 3 train sparse.svm --learner perceptron --mix-every 100 --epochs 2 --json -o often.tlu > often.json
python3 - <<'PYTHON' || complain "--mix-every"
import json
mixed = json.load(open('often.json'))['mixed']
assert mixed['processes'] == 3 and 20 <= mixed['mixtures'] <= 26, mixed # a part has 1,000 rows, about
PYTHON

# Processes that learn from different features: by cells, the weights of all are those of each alone.
python3 - <<'PYTHON'
import random
draw = random.Random(6)
for part in 0, 1:
    with open(f'part{part}.svm', 'w') as file:
        for i in range(200):
            print(draw.choice('+-') + '1', *(f'{20 * part + f}:{draw.randint(1, 9)}' for f in sorted(draw.sample(range(1, 20), 4))), file=file)
PYTHON
for learner in perceptron arow; do
    options="--learner $learner --decide last --no-bias --scale none --shuffle none --epochs 2 --stop epochs"
    mpi 2 train part0.svm part1.svm $options --mix-weights cells --mix-every 50 -q -o cells.tlu
    for part in 0 1; do
        "$TLU" train part$part.svm $options -q -o part$part.tlu
        "$TLU" inspect part$part.tlu --weights
    done | sort > parts.weights
    "$TLU" inspect cells.tlu --weights | sort | cmp - parts.weights || complain "$learner --mix-weights cells"
done

# ---- separable data: McDonald, Hall and Mann 2010, theorem 3. With examples of length at most R and
# a unit vector with margin g, the mistakes of each pass, weighted by the weights of the mixture, add
# up to at most R^2 / g^2 over all passes. With weights 1/n their sum is at most n R^2 / g^2.

python3 - <<'PYTHON'
import random
draw = random.Random(3)
u = [draw.gauss(0, 1) for _ in range(20)]
length = sum(x * x for x in u) ** 0.5
rows = []
while len(rows) < 2000:
    x = [draw.randint(-3, 3) for _ in u]
    margin = sum(a * b for a, b in zip(u, x)) / length
    if abs(margin) > 0.5:
        rows.append((1 if margin > 0 else -1, x, abs(margin)))
with open('separable.svm', 'w') as file:
    for y, x, _ in rows:
        print(y, *(f'{i + 1}:{v}' for i, v in enumerate(x) if v), file=file)
with open('bound', 'w') as file:
    print(max(sum(v * v for v in x) for _, x, _ in rows) / min(m for *_, m in rows) ** 2, file=file)
PYTHON
for n in 2 $(long 4); do
    mpi $n train separable.svm --learner perceptron --decide last --no-bias --shuffle none --scale none \
        --epochs 1000 --json -o separable.tlu > separable.json
    python3 - $n <<'PYTHON' || complain "the bound on mistakes"
import json, sys
report, bound = json.load(open('separable.json')), float(open('bound').read())
assert report['stopped'] == 'converged', report
assert sum(report['mistakes']) <= int(sys.argv[1]) * bound, (report['mistakes'], bound)
PYTHON
    test "$(accuracy separable.tlu separable.svm)" = 1 || test "$(accuracy separable.tlu separable.svm)" = 1.0 ||
        complain "separable data is not separated"
done

# ---- parts that are not alike

printf 'spam\toffer now\nham\tlunch soon\nham\tsee you\nspam\tbig prize\n' > a.tsv
printf 'eggs\tbreakfast now\neggs\tbreakfast soon\n' > b.tsv
mpi 2 train a.tsv b.tsv --format text --learner perceptron -q -o unlike.tlu
test "$(printf '\toffer\n\tbreakfast\n\tlunch\n' | "$TLU" predict unlike.tlu - | tr '\n' ' ')" = 'spam eggs ham ' ||
    complain "a class of one part alone"
head -2 a.tsv > few.tsv
mpi 4 train few.tsv --format text -q -o few.tlu || complain "more processes than rows"
"$TLU" train "$data/iris.csv" --learner perceptron -q -o iris.tlu
mpi 3 train "$data/iris.csv" -q -o iris3.tlu
python3 -c "import sys; sys.exit(not $(accuracy iris3.tlu "$data/iris.csv") > 0.9)" || complain "iris"

{ head -900 digits.svm; echo '3 1:1 2:x 4:1'; tail -n +901 digits.svm; } > bad.svm
rm -f bad.tlu
code=0
mpi 3 train bad.svm -q -o bad.tlu 2> bad.log || code=$?
test $code = 2 || complain "a malformed row: exit code $code"
test "$(grep -c '^tlu: ' bad.log)" = 1 || complain "a malformed row: $(cat bad.log)"
grep -q '^tlu: bad.svm:901:' bad.log || complain "a malformed row: $(cat bad.log)"
test ! -e bad.tlu || complain "a malformed row: a model"
long "--decide vote" "--learner svm" "--learner mlp" "--scale online" > more.txt
{ echo "--kernel linear"; cat more.txt; } > options.txt
while IFS= read -r options; do
    code=0
    mpi 2 train digits.svm $options -q -o refused.tlu 2> refused.log || code=$?
    test $code = 2 || complain "$options: exit code $code"
    grep -q 'cannot be combined with mixing\|mixing cannot\|cannot be combined with' refused.log ||
        complain "$options: $(cat refused.log)"
done < options.txt

# Each process has its own part; a run goes on in the processes that it has begun in.
refused() # N TEXT WORDS...
{
    local count=$1 text=$2 code=0
    shift 2
    mpi $count "$@" 2> refused.log || code=$?
    test $code = 2 || complain "$*: exit code $code"
    grep -q -e "$text" refused.log || complain "$*: $(cat refused.log)"
}
refused 2 'leave it out' train digits.svm --part 1/2 -o refused.tlu
refused 2 'several processes trained it' train digits.svm --resume --epochs 99 -o three.tlu
refused 1 'several processes trained it' train digits.svm --resume --epochs 99 -o three.tlu

# ---- predict and eval print what one process does

same() # N WORDS...
{
    local count=$1 code=0 expected=0
    shift
    "$TLU" "$@" > one.out 2> one.err || expected=$?
    mpi $count "$@" > team.out 2> team.err || code=$?
    test $code = $expected || complain "$*: exit code $code, not $expected"
    cmp -s one.out team.out || complain "$*: $count processes print something else"
    cmp -s one.err team.err || complain "$*: $(cat team.err)"
}
cp "$data/digits-test.svm" test.svm
"$TLU" train digits.svm --learner logistic -q -o logistic.tlu
"$TLU" train sparse.svm --learner perceptron -q -o sparse.tlu
{ head -200 test.svm; echo '3 1:1 2:x'; tail -n +201 test.svm; } > bad.svm
printf '1,2,0.5,0.2,oak\n' | cat "$data/iris.csv" - > oak.csv
cat > same.txt <<WORDS
2 predict logistic.tlu test.svm --scores --ambiguous
3 predict iris.tlu oak.csv --id species --column-names
2 eval logistic.tlu bad.svm --skip-bad --json
2 eval logistic.tlu bad.svm
2 eval sparse.tlu sparse.svm --metric all --weighted
3 eval iris.tlu oak.csv
2 eval iris.tlu test.svm
WORDS
while read -r words; do
    same $words
done < same.txt
rm -f one.csv team.csv
"$TLU" eval sparse.tlu sparse.svm --curve roc one.csv > /dev/null
mpi 3 eval sparse.tlu sparse.svm --curve roc team.csv > /dev/null
cmp one.csv team.csv || complain "the curve of three processes"
"$TLU" predict logistic.tlu test.svm -o one.out
mpi 3 predict logistic.tlu test.svm -o team.out
cmp one.out team.out || complain "predict -o in three processes"
refused 2 'run it in one' eval logistic.tlu test.svm --errors 3
refused 2 'standard input cannot be read in parts' predict logistic.tlu -
refused 2 'start it without mpirun' tune digits.svm
refused 2 'split runs in one process' split digits.svm -o part
test ! -e part-train.svm || complain 'split under mpirun has written files'
# Processes with work of their own may do it.
timeout 60 mpirun --oversubscribe --bind-to none -q -n 2 sh -c \
    '"$TLU" convert test.svm --part "$((OMPI_COMM_WORLD_RANK + 1))/2" --to csv -o "own.$OMPI_COMM_WORLD_RANK.csv" -q' ||
    complain 'convert of a part for each process'
test -s own.0.csv -a -s own.1.csv || complain 'convert: a part is missing'
# No note about a learner that was wrong for twice the rows.
"$TLU" generate margin --rows 2000 --noise 0.2 --seed 4 -o noisy.svm
mpi 3 train noisy.svm --learner perceptron --epochs 2 -o noisy.tlu 2> noisy.err || complain 'noisy.svm'
! grep -q 'always predicting' noisy.err || complain "noisy.svm: $(cat noisy.err)"
timeout 60 mpirun --oversubscribe --bind-to none -q -n 2 sh -c \
    '"$TLU" tune digits.svm 2> /dev/null; echo $? > "code.$OMPI_COMM_WORLD_RANK"'
test "$(cat code.0 code.1 | tr '\n' ' ')" = '2 2 ' || complain "tune: exit codes $(cat code.0 code.1 | tr '\n' ' ')"
code=0 # else the answers of all processes but one would be lost
timeout 60 mpirun --oversubscribe --bind-to none -q -n 2 sh -c \
    '"$TLU" predict logistic.tlu test.svm -o "own.$OMPI_COMM_WORLD_RANK"' 2> own.err || code=$?
test $code = 2 && grep -q 'have different arguments' own.err || complain "own outputs: $code, $(cat own.err)"
# One process that a starter has started ends by a signal as any other does.
mkfifo slow
OMPI_COMM_WORLD_RANK=0 "$TLU" predict logistic.tlu - < slow > alone.out 2> alone.err &
pid=$!
exec 8> slow
sleep 0.5
kill -TERM $pid
code=0
wait $pid || code=$?
exec 8>&-
test $code = 143 || complain "SIGTERM, one process of a starter: $code, $(cat alone.err)"

# ---- cv: the folds of one process; a fold is what training and measuring it by hand gives

gzip -kc digits.svm > digits.svm.gz
cv() # FILE N WORDS...: the report without times
{
    local file=$1 count=$2
    shift 2
    mpi $count cv "$@" --json > cv.json 2> cv.log || complain "cv $*: $(cat cv.log)"
    python3 -c 'import json
report = json.load(open("cv.json"))
for fold in report["folds"]:
    del fold["seconds"]
print(json.dumps(report))' > "$file"
}
"$TLU" cv digits.svm -k 3 --learner arow --json > cv.json
cv one.json 1 digits.svm -k 3 --learner arow
python3 -c 'import json
alone, one = json.load(open("cv.json")), json.load(open("one.json"))
for fold in alone["folds"]:
    del fold["seconds"]
assert alone == one' || complain "cv: one process"
for data in digits.svm $(long "iris.csv"); do
    [ $data = digits.svm ] || cp "$TLU_SOURCE/examples/data/$data" .
    gzip -kcf $data > $data.gz
    cv one.json 1 $data -k 3 --repeat 2
    cv three.json 3 $data -k 3 --repeat 2
    cv again.json 3 $data -k 3 --repeat 2
    cmp three.json again.json || complain "cv $data: a second run"
    cv packed.json 3 $data.gz -k 3 --repeat 2
    python3 -c '
import json
one, *others = (json.load(open(name + ".json")) for name in ("one", "three", "packed"))
for other in others:
    assert abs(other["accuracy"] - one["accuracy"]) < 0.05, (other["accuracy"], one["accuracy"])
    for key in "repeat", "fold", "learned", "examples", "rows":
        assert [f[key] for f in one["folds"]] == [f[key] for f in other["folds"]], key' ||
        complain "cv $data: three processes"
done
options="--learner perceptron --shuffle none --scale none"
head -700 digits.svm > a.svm
tail -n +701 digits.svm > b.svm
cv two.json 2 a.svm b.svm -k 4 $options --epochs 3 --stop epochs
python3 - <<'PYTHON'
import json
fold = json.load(open('two.json'))['folds'][1]
rows, inside = open('digits.svm').readlines(), {row - 1 for row in fold['rows']}
for name, chosen in ('test', inside), ('a1', set(range(700)) - inside), ('b1', set(range(700, len(rows))) - inside):
    with open(name + '.svm', 'w') as file:
        file.writelines(rows[i] for i in sorted(chosen))
open('correct', 'w').write(str(fold['correct']))
PYTHON
for turn in 1 2 3; do
    start="$options --epochs 1"
    [ $turn = 1 ] || start="--start mixed.tlu"
    "$TLU" train a1.svm $start -q -o part1.tlu
    "$TLU" train b1.svm $start -q -o part2.tlu
    "$TLU" mix part1.tlu part2.tlu -q -o mixed.tlu
done
test "$("$TLU" eval mixed.tlu test.svm --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["correct"])')" = "$(cat correct)" ||
    complain "cv: a fold by hand"
{ head -900 digits.svm; echo '3 1:1 2:x 4:1'; tail -n +901 digits.svm; } > bad.svm
refused 3 '^tlu: bad.svm:901:' cv bad.svm
test "$(grep -c '^tlu: ' refused.log)" = 1 || complain "cv of a malformed row: $(cat refused.log)"
refused 2 'calibrate cannot be combined with several processes' cv digits.svm --calibrate sigmoid

# ---- --learner auto: all processes choose what the first one with rows does; a model that is trained
# further keeps its learner

python3 - <<'PYTHON'
import random
draw = random.Random(9)
words = [f'w{i}' for i in range(200)]
with open('texts.tsv', 'w') as file:
    for i in range(300):
        print('spam' if i % 2 else 'ham', ' '.join(draw.choices(words, k=9) + ['Offer' if i % 2 else 'Lunch']), sep='\t', file=file)
for name, share in ('a', 100), ('b', 12): # sparse, and not: the parts would choose differently
    with open(name + '.svm', 'w') as file:
        for i in range(200):
            print(i % 2, *(f'{k}:{1 + (k + i) % 2}' for k in sorted(draw.sample(range(1, 10 * share), 10))), file=file)
PYTHON
chosen() # MODEL
{
    "$TLU" inspect "$1" --json | python3 -c '
import json, sys
options = json.load(sys.stdin)["options"]
print(*(options.get(name) for name in ("learner", "epochs", "lowercase", "tfidf", "normalize")))'
}
long "b.svm a.svm" > more.txt
{ printf '%s\n' texts.tsv "a.svm b.svm"; cat more.txt; } > files.txt
while IFS= read -r files; do
    "$TLU" train ${files% *} -q -o alone.tlu
    mpi 2 train $files -q -o auto.tlu
    test "$(chosen auto.tlu)" = "$(chosen alone.tlu)" || complain "$files: chose $(chosen auto.tlu), not $(chosen alone.tlu)"
done < files.txt
"$TLU" train a.svm -q -o a.tlu
"$TLU" train b.svm -q -o b.tlu
[ "$(chosen a.tlu | cut -d ' ' -f 1)" != "$(chosen b.tlu | cut -d ' ' -f 1)" ] ||
    complain "a.svm and b.svm do not differ for auto"
mpi 2 train b.svm --start a.tlu -q -o start.tlu || complain "--start under auto"
[ "$(chosen start.tlu | cut -d ' ' -f 1)" = "$(chosen a.tlu | cut -d ' ' -f 1)" ] || complain "--start chose a learner"
"$TLU" train b.svm --start a.tlu --learner auto -q -o start.tlu || complain "--start with --learner auto"
[ "$(chosen start.tlu | cut -d ' ' -f 1)" = "$(chosen a.tlu | cut -d ' ' -f 1)" ] ||
    complain "--start with --learner auto chose a learner"

# ---- killed processes: it ends soon, the checkpoint is whole, a resumed run has the same bits

options="sparse.svm --learner arow --epochs 120 --stop epochs --checkpoint 0.01 --mix-every 300"
mpi 3 train $options -q -o whole.tlu
for victim in 0 $(long 1 2); do
    processes=()
    for turn in 1 2 3 4 5; do # until it does not end before it is killed
        rm -f killed.tlu
        timeout 60 mpirun --oversubscribe --bind-to none -n 3 "$TLU" train $options -q -o killed.tlu 2> killed.log &
        job=$!
        for ((i = 0; i < 1000; i++)); do
            [ ! -e killed.tlu ] || break
            sleep 0.01
        done
        processes=($(members $job))
        [ ${#processes[@]} != 3 ] || break
        wait $job
    done
    [ ${#processes[@]} = 3 ] || fail "process $victim could not be killed in time"
    kill -9 "${processes[$victim]}"
    before=$SECONDS code=0
    wait $job || code=$?
    test $((SECONDS - before)) -lt 20 || complain "process $victim killed: it took $((SECONDS - before)) s"
    test $code != 0 || complain "process $victim killed: exit code 0"
    # mpirun may end the others before they have printed, or lose what they print.
    grep -q -e '^tlu: process . of 3: .*--resume' -e '^mpirun noticed that process rank' killed.log || complain "process $victim killed: $(cat killed.log)"
    "$TLU" inspect killed.tlu > /dev/null || complain "process $victim killed: a damaged checkpoint"
    if [ $victim = 0 ]; then
        refused 1 'resume it by the same mpirun' train $options -q -o killed.tlu --resume
    fi
    mpi 3 train $options -q -o killed.tlu --resume
    cmp killed.tlu whole.tlu || complain "process $victim killed: the resumed run differs"
done

# A process that is stopped for a while delays the others.
mpi 2 train sparse.svm --learner arow --epochs 100 -q -o whole.tlu
timeout 60 mpirun --oversubscribe --bind-to none -n 2 "$TLU" train sparse.svm --learner arow --epochs 100 -q -o stopped.tlu &
job=$!
sleep 0.4
processes=($(members $job))
for process in "${processes[@]:0:1}"; do
    kill -STOP "$process" && sleep 1 && kill -CONT "$process" || true
done
wait $job || complain "a stopped process"
cmp stopped.tlu whole.tlu || complain "a stopped process: other bits"
