# max-margin against svm-train (libsvm-tools) on generated data: the same soft margin, so the same
# objective and next to the same predictions. Skipped where svm-train is not there.
. "$TLU_SOURCE/tests/prelude.sh"
need svm-train svm-predict
# "bias" or a feature, and its weight, by lines: of the model of tlu, and of that of svm-train.
weights_of_tlu() # model
{
    "$TLU" inspect "$1" --weights | awk -F '\t' '{ print ($2 == "(bias)" ? "bias" : $2), $3 }'
}
weights_of_svm() # model; of its two labels it counts the first as positive, we +1 or 2
{
    awk '$1 == "rho" { bias = -$2 }
         $1 == "label" { sign = $2 > $3 ? 1 : -1 }
         rows { for (i = 2; i <= NF; i++) { split($i, p, ":"); w[p[1]] += $1 * p[2] } }
         $1 == "SV" { rows = 1 }
         END { printf "bias %.17g\n", sign * bias; for (f in w) printf "%s %.17g\n", f, sign * w[f] }' "$1"
}
# |w|^2 / 2 + C sum max(0, 1 - y (w . x + b))
objective() # weights, data, C
{
    awk -v C="$3" 'NR == FNR { if ($1 == "bias") b = $2; else { w[$1] = $2; square += $2 * $2 } next }
         { score = b
           for (i = 2; i <= NF; i++) { split($i, p, ":"); score += w[p[1]] * p[2] }
           lack = 1 - ($1 == "+1" || $1 == 2 ? score : -score)
           if (lack > 0) loss += lack }
         END { printf "%.12g\n", square / 2 + C * loss }' "$1" "$2"
}

"$TLU" generate sparse --rows 1500 --features 3000 --noise 0.1 --seed 5 >sparse.svm
"$TLU" generate blobs --rows 1200 --features 2 --classes 2 --seed 4 >blobs.svm
"$TLU" generate moons --rows 800 --seed 2 >moons.svm
for data in sparse blobs moons; do
    for C in 1 30; do
        "$TLU" train $data.svm --learner max-margin --C $C -o $data.tlu --quiet ||
            complain "$data: no model with C = $C"
        svm-train -q -t 0 -c $C -e 0.0001 $data.svm $data.model
        weights_of_tlu $data.tlu >ours.txt
        weights_of_svm $data.model >theirs.txt
        ours=$(objective ours.txt $data.svm $C)
        theirs=$(objective theirs.txt $data.svm $C)
        echo "$data, C = $C: $ours, svm-train $theirs"
        # Never worse than theirs by more than the gap that is promised, and near to it.
        awk -v a="$ours" -v b="$theirs" 'BEGIN { exit !(a > 0 && a <= b * 1.000002 && a >= b * 0.999) }' ||
            complain "$data, C = $C: the objective is $ours, that of svm-train $theirs"
        "$TLU" predict $data.tlu $data.svm >ours.txt 2>/dev/null
        svm-predict -q $data.svm $data.model theirs.txt
        differing=$(paste ours.txt theirs.txt | awk '$1 + 0 != $2 + 0' | wc -l)
        [ "$differing" -le 3 ] || complain "$data, C = $C: $differing predictions differ"
    done
done

# The hard margin of svm-train is a C that no row needs.
"$TLU" generate margin --rows 500 --margin 0.2 --features 6 --seed 3 >margin.svm
"$TLU" train margin.svm --learner max-margin -o margin.tlu --quiet || complain 'no hard margin'
svm-train -q -t 0 -c 1e7 -e 0.00001 margin.svm margin.model
weights_of_tlu margin.tlu >ours.txt
weights_of_svm margin.model >theirs.txt
ours=$(objective ours.txt margin.svm 1)
theirs=$(objective theirs.txt margin.svm 1)
echo "margin: $ours, svm-train $theirs"
awk -v a="$ours" -v b="$theirs" 'BEGIN { exit !(a <= b * 1.001 && a >= b * 0.999) }' ||
    complain "the hard margin's objective is $ours, that of svm-train $theirs"

# What cannot be separated is said to be so, as a mistake of the user's.
"$TLU" train moons.svm --learner max-margin -o none.tlu >out.txt 2>&1
[ $? = 2 ] || complain 'a hard margin of moons was found'
grep -q 'no hyperplane separates the classes.*--C 1 to allow errors' out.txt ||
    complain "the sentence is '$(cat out.txt)'"
