# tlu stream when rows come faster than they are learned from: other threads read and parse, and
# nothing else changes.
. "$TLU_SOURCE/tests/prelude.sh"
set -e
"$TLU" generate sparse --rows 6000 --features 2000 --nonzeros 40 -o rows.svm
"$TLU" stream one.tlu --threads 1 --quiet <rows.svm >one.out
[ "$(wc -l <one.out)" = 6000 ]
same() { cmp one.tlu "$1.tlu" && cmp one.out "$1.out"; }
for threads in 2 8; do
    "$TLU" stream "file$threads.tlu" --threads $threads --quiet <rows.svm >"file$threads.out"
    same "file$threads"
done
cat rows.svm | "$TLU" stream pipe.tlu --threads 2 --checkpoint 0.01 --quiet >pipe.out
same pipe
"$TLU" stream journal.tlu --threads 2 --journal --quiet <rows.svm >journal.out
same journal
# by turns much and a little
{ head -n 2000 rows.svm; sleep 0.1; sed -n 2001,2003p rows.svm; sleep 0.1; tail -n +2004 rows.svm; } |
    "$TLU" stream turns.tlu --threads 2 --quiet >turns.out
same turns
