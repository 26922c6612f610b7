# The same bits from every set of instructions: TLU_SIMD forces one, in all formats, at the sizes
# where blocks of 8 to 64 bytes begin and end, and the golden models come out as they are.
. "$TLU_SOURCE/tests/prelude.sh"

"$TLU" generate sparse --rows 1500 --features 40000 --nonzeros 40 -o sparse.svm || complain generate
"$TLU" generate sparse --rows 300 --features 5000000 --nonzeros 20 -o high.svm || complain generate
"$TLU" generate blobs --rows 2000 --features 7 --classes 5 --noise 0.3 --format csv -o numbers.csv ||
    complain generate
python3 - <<'END'
import json
import random
draw = random.Random(12)
words = ['a', 'it', "don't", 'Été', 'naïve', 'x' * 15, 'y' * 16, 'z' * 17, 'слово', '漢字', '42', '!?', 'w' * 70] + \
    [f'{"Ab"[i % 2]}{i}{"c" * (i % 23)}' for i in range(3000)]
with open('text.tsv', 'w') as text, open('text.ft', 'w') as fast, open('text.vw', 'w') as vw, \
        open('text.jsonl', 'w') as lines, open('words.csv', 'w') as table:
    print('first,second,size,label', file=table)
    for _ in range(2500):
        row = draw.choices(words, k=draw.randint(1, 60))
        label = ['in', 'out'][len(row) % 2]
        line = draw.choice([' ', '  ', ', ']).join(row)
        print(label, line, sep='\t', file=text)
        print('__label__' + label, line, file=fast)
        print([-1, 1][len(row) % 2], '|', *row[:9], '|n', *(f'{w}:{draw.random():.5g}' for w in row[9:]), file=vw)
        features = {'n': len(row), 'first': row[0], 'inner': {word: draw.random() for word in row[1:7]}}
        print(json.dumps({'label': label, 'features': features}, ensure_ascii=draw.random() < 0.5),
              file=lines)
        print(row[0], json.dumps(row[-1], ensure_ascii=False), f'{draw.gauss(0, 100):.6g}', label, sep=',',
              file=table)
END

learners=('--epochs 2' '--learner perceptron' '--hash 12')
if is_sanitized && [ ! "${TLU_LONG:-}" ]; then
    learners=('--epochs 2') # reading, learning and predicting by every set; the release build does all
fi
levels=0
for level in plain sse2 neon avx2 avx512; do
    export TLU_SIMD=$level
    [ "$("$TLU" --version 2>/dev/null | sed -n 's/^SIMD: //p')" = $level ] || continue # this CPU lacks it
    levels=$((levels + 1))
    bash "$TLU_SOURCE/tests/cli/golden.sh" || complain "$level: golden models"
    for data in sparse.svm high.svm numbers.csv words.csv text.tsv text.ft text.vw text.jsonl; do
        for options in "${learners[@]}"; do
            name=$data-${options//[^a-z0-9]/}
            "$TLU" train "$data" $options --quiet --seed 3 -o "$name.$level" 2>errors.txt ||
                complain "$level: train $data $options: $(cat errors.txt)"
            "$TLU" predict "$name.$level" "$data" --scores --quiet >"$name.$level.out" ||
                complain "$level: predict $data $options gives $?"
            [ -e "$name.first" ] || cp "$name.$level" "$name.first"
            [ -e "$name.first.out" ] || cp "$name.$level.out" "$name.first.out"
            cmp "$name.first" "$name.$level" || complain "$level: another model of $data $options"
            cmp "$name.first.out" "$name.$level.out" || complain "$level: other scores of $data $options"
        done
    done
done
[ $levels -ge 1 ] || complain 'no routines at all'
echo "$levels levels"

TLU_SIMD=avx3 refuses "TLU_SIMD is 'avx3', which this machine does not have; expected plain, sse2, neon, avx2 or avx512, up to what tlu --version prints without it" \
    "$TLU" train sparse.svm -o m
TLU_SIMD=avx3 refuses "TLU_SIMD is 'avx3', which this machine does not have; expected plain, sse2, neon, avx2 or avx512, up to what tlu --version prints without it" \
    "$TLU" --version
TLU_KERNELS=plain refuses 'TLU_KERNELS is now TLU_SIMD' "$TLU" --version
