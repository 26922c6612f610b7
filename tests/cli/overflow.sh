# Rows that would make a weight or a score overflow: refused with their place,
# before they change anything, and what was learned before them is kept.
. "$TLU_SOURCE/tests/prelude.sh"
set -e

# A weight that has grown on the smallest value there is meets the largest, is as much larger as
# these are apart (2.4e83), gets the row wrong and hands its size on to the next feature: 2.4e83,
# 5.9e166, and 1.4e250 in the sixth row.
{
    printf 'a 99:1\nb 98:1\n'
    printf 'a 1:1.4e-45\n'
    printf 'b 2:1.4e-45 1:3.4e38\n'
    printf 'a 3:1.4e-45 2:3.4e38\n'
    printf 'b 4:1.4e-45 3:3.4e38\n'
    printf 'a 99:1\nb 98:1\na 98:2\n'
} >chain.svm
head -n 5 chain.svm >before.svm
sed 6d chain.svm >without.svm
options='--learner pa --scale online'
said="would make the weight of feature '3' overflow"

refused() { # FILE WHAT COMMAND...: ends with 2 and says so
    local place=$1 what=$2 code=0
    shift 2
    "$@" >out 2>err || code=$?
    [ $code = 2 ] && grep -qF "$place" err && grep -qF "$what" err || { cat err; exit 1; }
    ! grep -qE 'nan|inf$' out
}

# ---- a stream: the rows before are answered and saved, nothing of the row itself is
refused 'standard input:6: ' "$said" "$TLU" stream a.tlu $options --scores --quiet <chain.svm
[ "$(wc -l <out)" = 5 ]
"$TLU" stream b.tlu $options --quiet <before.svm >/dev/null
cmp a.tlu b.tlu
refused 'standard input:1: ' "$said" "$TLU" stream a.tlu --quiet <<<"$(sed -n 6p chain.svm)"
cmp a.tlu b.tlu
tail -n 3 chain.svm | "$TLU" stream a.tlu --quiet >/dev/null
"$TLU" stream c.tlu $options --quiet <without.svm >/dev/null
cmp a.tlu c.tlu

# ---- left out and counted, as malformed rows are
"$TLU" stream d.tlu $options --skip-bad --scores <chain.svm >out 2>err
grep -q '1 malformed row left out' err
[ "$(wc -l <out)" = 8 ]
"$TLU" stream s.tlu $options --skip-bad --quiet <without.svm >/dev/null
cmp d.tlu s.tlu # which says that --skip-bad was given

# ---- with a journal: what was learned survives a kill, the row is not in the way
killed() { # OPTIONS: learns from the whole stream and is killed
    local rows=$1
    shift
    mkfifo in
    "$TLU" stream e.tlu --journal "$@" <in >answers 2>err &
    learner=$!
    exec 3>in
    cat chain.svm >&3
    for i in $(seq 200); do [ "$(wc -l <answers)" -ge $rows ] && break; sleep 0.05; done
    kill -KILL $learner
    wait $learner || true
    exec 3>&-
    rm in
}
killed 8 $options --skip-bad --checkpoint 0
[ ! -e e.tlu ]
"$TLU" stream e.tlu --journal --quiet </dev/null
cmp e.tlu s.tlu
rm e.tlu*
refused 'standard input:6: ' "$said" "$TLU" stream e.tlu $options --journal --quiet <chain.svm
cmp e.tlu b.tlu
tail -n 3 chain.svm | "$TLU" stream e.tlu --journal --quiet >/dev/null
cmp e.tlu c.tlu

# ---- a row to predict
printf 'a 1:1e-45\nb 1:-1e-45\n' | "$TLU" stream f.tlu --scale online --quiet >/dev/null
cp f.tlu g.tlu
refused 'standard input:2: the score of this row' 'overflow' \
    "$TLU" stream f.tlu --scores --quiet <<<$'1:1e-45\n1:3e38'
[ "$(wc -l <out)" = 1 ]
"$TLU" stream g.tlu --scores --quiet --skip-bad <<<$'1:1e-45\n1:3e38\n1:1e-45' >out
[ "$(wc -l <out)" = 2 ]

# ---- files: first and later passes, rows in memory, in any order, binary
for more in '--epochs 1' '--epochs 5' '--epochs 5 --memory 1' '--threads 2'; do
    refused 'chain.svm:6: ' "$said" "$TLU" train chain.svm -o t.tlu $options $more
    [ ! -e t.tlu ]
done
# Many such chains: in whatever order their rows come, one is likely to come in its own. The line
# that is named has the feature that is named.
seq 0 10 30000 | awk '{ n = $1; printf "a %d:1.4e-45\nb %d:3.4e38 %d:1.4e-45\n", n + 1, n + 1, n + 2;
    printf "a %d:3.4e38 %d:1.4e-45\nb %d:3.4e38\n", n + 2, n + 3, n + 3 }' >chains.svm
for shuffle in all none; do
    refused 'chains.svm:' 'overflow' \
        "$TLU" train chains.svm -o t.tlu $options --epochs 2 --shuffle $shuffle --threads 2
    line=$(sed -n 's/^tlu: chains.svm:\([0-9]*\): .*/\1/p' err)
    feature=$(sed -n "s/.*feature '\([0-9]*\)'.*/\1/p" err)
    sed -n "${line}p" chains.svm | grep -q " $feature:3.4e38"
done
"$TLU" convert chain.svm -o chain.tlud
refused 'chain.tlud: the row of line 6 of the text: ' "$said" \
    "$TLU" train chain.tlud -o t.tlu $options
"$TLU" train chain.svm -o t.tlu $options --epochs 1 --skip-bad >out
"$TLU" train without.svm -o u.tlu $options --epochs 1 >/dev/null
"$TLU" predict t.tlu chain.svm --scores >left
"$TLU" predict u.tlu chain.svm --scores >right
cmp left right

# ---- kernels
printf 'a 1:1\nb 1:-2\na 1:3e38\n' >huge.svm
refused 'huge.svm:3: ' 'overflow' \
    "$TLU" train huge.svm -o k.tlu --kernel poly:5
"$TLU" train huge.svm -o k.tlu --kernel poly:9 --skip-bad >/dev/null # (3e38)^9 is past 1e308
refused 'huge.svm:3: the score of this row' 'overflow' \
    "$TLU" predict k.tlu huge.svm --scores
[ "$(wc -l <out)" = 2 ]
refused 'huge.svm:3: the score of this row' 'overflow' \
    "$TLU" eval k.tlu huge.svm

# ---- |w|^2 times a score, before it is divided
printf '6 7:1e-45\n4 2:5 7:3.4e38\n5 2:-3.4e38\n' >squares.svm
for learner in romma aromma alma; do
    for decide in last average adaptive; do
        code=0
        rm -f squares.tlu
        "$TLU" stream squares.tlu --quiet --learner $learner --scale online --decide $decide \
            <squares.svm >out 2>err || code=$?
        [ $code = 0 ] || { [ $code = 2 ] && grep -q 'standard input:[0-9]*: ' err; } ||
            { cat err; exit 1; }
        [ -f squares.tlu ]
    done
    code=0
    "$TLU" train squares.svm -o squares2.tlu --quiet --learner $learner --scale online 2>err || code=$?
    [ $code = 0 ] || { [ $code = 2 ] && grep -q 'squares.svm:[0-9]*: ' err; } || { cat err; exit 1; }
done
