# Small stacks, of the first thread and of all others (`ulimit -s` is the default of both): every
# verb that reads data, in every format, does as with large ones.
. "$TLU_SOURCE/tests/prelude.sh"
set -eo pipefail
kilobytes=100
if is_sanitized; then # whose frames are larger, and not what users get
    kilobytes=2000
fi
tlu=$TLU

# Enough for several chunks, so that there are threads.
"$tlu" generate sparse --rows 7000 --features 500 --nonzeros 20 --seed 1 -o data.svm
"$tlu" generate blobs --classes 3 --rows 25000 --features 8 --seed 2 --format csv -o data.csv
sed 's/^\([^ ]*\) /\1 | /' data.svm >data.vw
sed 's/^\([^ ]*\) \(.*\)/__label__\1 \2/; s/:/_/g' data.svm >data.fasttext
sed 's/^\([^ ]*\) \(.*\)/\1\t\2/; s/:/_/g' data.svm >data.text
sed 's/^\([^ ]*\) \(.*\)/{"label": "\1", "text": "\2"}/; s/\([0-9]\):/\1_/g' data.svm >data.jsonl
"$tlu" convert data.svm --to binary -o data.binary >/dev/null 2>&1
gzip -c data.svm >data.gz
zstd -q data.csv

small() { # the same command with small stacks
    (ulimit -s $kilobytes && exec "$@")
}

for kind in svm:libsvm csv:csv vw:vw fasttext:fasttext text:text jsonl:jsonl binary:auto gz:libsvm csv.zst:csv; do
    file=data.${kind%:*}
    options=(--format "${kind#*:}" --threads 2)
    "$tlu" train "$file" "${options[@]}" --epochs 1 -o large.tlu >/dev/null 2>&1
    "$tlu" predict large.tlu "$file" --scores >large.out 2>/dev/null
    for threads in 1 2; do
        small "$tlu" train "$file" "${options[@]}" --epochs 1 --threads $threads -o small.tlu \
            >output 2>&1 || fail "train $file: status $?: $(tail -n 3 output)"
        cmp large.tlu small.tlu || fail "train $file: another model"
        small "$tlu" predict small.tlu "$file" --scores --threads $threads >small.out 2>output ||
            fail "predict $file: status $?: $(tail -n 3 output)"
        cmp large.out small.out || fail "predict $file"
    done
    if [[ $file == *.gz || $file == *.zst ]]; then continue; fi
    small "$tlu" train "$file" "${options[@]}" --hash 12 --epochs 2 --shuffle all -o small.tlu \
        >output 2>&1 || fail "train --hash $file: status $?: $(tail -n 3 output)"
    small "$tlu" convert "$file" --to binary -o small.binary >output 2>&1 || fail "convert $file: status $?"
    if [ "$file" = data.binary ]; then continue; fi
    rm -f live.tlu
    small "$tlu" stream live.tlu "${options[@]}" --journal --quiet <"$file" >small.out 2>output ||
        fail "learn $file: status $?: $(tail -n 3 output)"
    rows=$("$tlu" convert "$file" "${options[@]}" --to libsvm 2>/dev/null | wc -l)
    [ "$(wc -l <small.out)" = "$rows" ] || fail "learn $file: $(wc -l <small.out) answers, $rows rows"
done

# Other things that threads do.
"$tlu" generate moons --rows 500 -o moons.svm
for settings in "--kernel rbf:1" "--learner max-margin --C 1" "--learner arow --scale standard" "--decide vote"; do
    small "$tlu" train moons.svm $settings --threads 2 -o small.tlu >output 2>&1 || fail "$settings: status $?"
    small "$tlu" eval small.tlu moons.svm --threads 2 >output 2>&1 || fail "eval $settings: status $?"
done
small "$tlu" cv moons.svm --threads 2 >output 2>&1 || fail "cv: status $?"
