# Several files and parts of files by the command; the scripts of examples/cluster, which give the
# same weights; the simulation of docs/cluster.md.
. "$TLU_SOURCE/tests/prelude.sh"
export TLU
data=$TLU_SOURCE/examples/data

# Files one after the other are the file.
split -n l/3 "$data/digits-train.svm" part-
cp "$data/digits-train.svm" whole.svm
"$TLU" train whole.svm -o whole.tlu --quiet
"$TLU" train part-aa part-ab part-ac -o files.tlu --quiet
"$TLU" train --shards 'part-a?' -o shards.tlu --quiet
for model in files shards; do
    "$TLU" inspect whole.tlu --json | sed '/"data"/d;s/"data": "[^"]*"//' >expected
    "$TLU" inspect "$model.tlu" --json | sed '/"data"/d;s/"data": "[^"]*"//' >found
    cmp -s expected found || complain "$model.tlu is not the model of the whole file"
done
"$TLU" predict whole.tlu "$data/digits-test.svm" >expected
split -n l/4 "$data/digits-test.svm" test-
"$TLU" predict whole.tlu test-aa test-ab test-ac test-ad >found
cmp -s expected found || complain 'predictions of several files differ from those of one'
"$TLU" predict whole.tlu --shards 'test-a*' >found
cmp -s expected found || complain 'predictions of a pattern differ from those of one file'
: >found
for k in 1 2 3; do
    "$TLU" predict whole.tlu "$data/digits-test.svm" --part $k/3 >>found
done
cmp -s expected found || complain 'predictions of the parts differ from those of the file'
[ "$("$TLU" eval whole.tlu test-a?)" = "$("$TLU" eval whole.tlu "$data/digits-test.svm")" ] ||
    complain 'eval of several files differs'
[ "$("$TLU" cv part-a? -k 3 --quiet | head -1)" = "$("$TLU" cv whole.svm -k 3 --quiet | head -1)" ] ||
    complain 'cv of several files differs'

# The command that tune prints, the name of several files, files that do not match.
command=$("$TLU" tune --shards 'part-a?' --learners perceptron --budget 20 -o best.tlu | tail -1)
rm best.tlu
sh -c "\"\$TLU\"${command#tlu} --quiet" && [ -e best.tlu ] || complain "tune --shards prints: $command"
"$TLU" train part-aa --shards 'part-a[bc]' -o best.tlu 2>&1 | grep -q '^data *part-aa and more files: ' ||
    complain 'the name of a file and a pattern'
"$TLU" train part-aa part-ab part-ac -o best.tlu 2>&1 | grep -q '^data *part-aa and 2 more files: ' ||
    complain 'the name of three files'
code=0
"$TLU" train whole.svm "$data/iris.csv" -o other.tlu 2>message || code=$?
[ $code = 2 ] && grep -q 'iris.csv: is CSV, and whole.svm is LIBSVM' message ||
    complain "files of two formats: $code, $(cat message)"
printf '1\n' >single.svm
"$TLU" train whole.svm single.svm -q -o other.tlu || complain 'a file of one row without features'

# Nothing is overwritten that is read.
"$TLU" train part-aa part-ab -o part-ab 2>message && complain 'a file of the data was overwritten'
grep -q 'would overwrite the input' message || complain "overwriting: $(cat message)"
"$TLU" train --shards 'part-*' -o part-ab 2>message && complain 'a shard was overwritten'

python3 "$TLU_SOURCE/bench/cluster/simulate.py" --check >/dev/null ||
    complain 'the simulation differs from the formulas of docs/cluster.md'

# The engines. Slurm's script runs as a loop where there is no sbatch.
"$TLU" mix --help >/dev/null 2>&1 || { echo 'skipped: this tlu has no mix'; exit "${failed:-0}"; }
export TLU
scripts=$TLU_SOURCE/examples/cluster
sh "$scripts/slurm.sh" whole.svm 3 2 >/dev/null 2>&1 || complain 'slurm.sh failed'
cp cluster.tlu expected
"$TLU" eval cluster.tlu "$data/digits-test.svm" >/dev/null || complain 'slurm.sh left no model'
if command -v parallel >/dev/null; then
    sh "$scripts/parallel.sh" whole.svm 3 2 >/dev/null 2>&1 || complain 'parallel.sh failed'
    cmp -s expected cluster.tlu || complain 'parallel.sh has other weights than slurm.sh'
else
    echo 'skipped: GNU parallel is not installed'
fi
dask=
export PYTHONPATH=$(dirname "$TLU")/python:$PYTHONPATH
for python in python3 /usr/bin/python3; do
    "$python" -c 'import dask.distributed, tlu' 2>/dev/null && dask=$python
done
if [ -n "$dask" ]; then
    "$dask" "$scripts/dask_train.py" whole.svm 3 2 >/dev/null 2>message ||
        complain "dask_train.py failed: $(tail -1 message)"
    cmp -s expected cluster.tlu || complain 'dask_train.py has other weights than slurm.sh'
else
    echo 'skipped: dask.distributed or the Python package is missing'
fi
