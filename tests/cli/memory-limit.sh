# --memory is a bound: what a training takes for each row besides its entries, its place in the order
# and its norm, is within it or in the cache file. ulimit -d is what a process may have of memory that
# is not a file's.
. "$TLU_SOURCE/tests/prelude.sh"

if is_sanitized; then exit 77; fi # which takes memory of its own
awk 'BEGIN { for (i = 0; i < 1500000; i++) print i % 3 ? "+1 1:1" : "-1 2:1" }' >tiny.svm
for options in '--holdout 0.5' '--shuffle all --scale standard' '--learner rocchio'; do
    (ulimit -d 22000 && "$TLU" train tiny.svm --memory 1M --threads 1 --epochs 2 $options -o small.tlu -q) ||
        complain "22 MB are not enough for $options: exit code $?"
    "$TLU" train tiny.svm --threads 1 --epochs 2 $options -o large.tlu -q
    cmp small.tlu large.tlu || complain "$options: --memory makes another model"
done
