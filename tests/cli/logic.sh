# tlu logic: answers that are known, the languages of its networks, --learn; every file in
# tests/data/logic is refused with its sentence, in NAME.expected.
. "$TLU_SOURCE/tests/prelude.sh"

answers() # STATUS FIRST-LINE WORDS...: the answer's first line, with --quiet
{
    local status=$1 expected=$2 found code=0
    shift 2
    found=$("$TLU" logic --quiet "$@" 2>errors.txt) || code=$?
    [ $code = "$status" ] || complain "logic $*: exit code $code, not $status: $(cat errors.txt)"
    [ "$found" = "$expected" ] || complain "logic $*: '$found', not '$expected'"
}

# ---- The functions of the notes, by hand: AND with threshold 2, OR with 1, NOT; XOR has none.
answers 0 'threshold function: f is 1 if a + b >= 2, else 0' 'a & b' --smallest
answers 0 'threshold function: f is 1 if a + b >= 1, else 0' 'a | b' --smallest
answers 0 'threshold function: f is 1 if -a >= 0, else 0' '!a' --smallest
answers 0 'threshold function: f is 1 if -a + b >= 0, else 0' 'a -> b' --smallest
answers 0 'threshold function: f is 1 if 2 a + b - c >= 2, else 0' 'a & (b | !c)' --smallest
answers 0 'threshold function: f is 1 if a + b + c + d >= 3, else 0' 'atleast(3; a, b, c, d)' --smallest
answers 0 'threshold function: f is 1 if a + b + c >= 2, else 0' 'maj(a, b, c)' --smallest
answers 0 'threshold function: f is 1 if 0 >= 0, which is always' 'a | !a' --smallest
answers 0 'threshold function: f is 1 if 0 >= 1, which is never' false --smallest
answers 1 'not a threshold function: these rows of f contradict each other' 'a ^ b'
answers 1 'not a threshold function: these rows of f contradict each other' 'a <-> b'
answers 1 'not a threshold function: these rows of f contradict each other' --table 0110
# A row that does not matter makes XOR a NAND or an OR.
answers 0 'threshold function: f is 1 if x1 + x2 >= 1, else 0' --table 011x --smallest
answers 0 'threshold function: f is 1 if p + q >= 1, else 0' --table '01 1-' --names p,q --smallest
# An expression that is longer than a command line may be.
[ "$({ printf '%0100000d' 0 | tr 0 '('; printf a; printf '%0100000d' 0 | tr 0 ')'; } |
    "$TLU" logic - --quiet)" = 'threshold function: f is 1 if a >= 1, else 0' ] ||
    complain "100,000 parentheses"

# ---- What a person can add up: XOR, in full.
cat >expected.txt <<'END'
a b | f
0 0 | 0
0 1 | 1
1 0 | 1
1 1 | 0

not a threshold function: these rows of f contradict each other
  f = 1     a b
       1 x  0 1
       1 x  1 0
       2    1 1  in all
  f = 0     a b
       1 x  0 0
       1 x  1 1
       2    1 1  in all
END
"$TLU" logic 'a ^ b' >output.txt 2>&1
[ $? = 1 ] || complain "XOR does not give 1"
head -n 15 output.txt | cmp -s - expected.txt || complain "XOR: $(diff output.txt expected.txt)"
grep -q '^network   2 hidden units and one on top, checked on all 4 rows; two layers need as many$' output.txt ||
    complain "XOR has no network of 2 hidden units"
"$TLU" logic 'a & b | a & !b | c & !c' >output.txt || complain "a in disguise"
grep -q '^unneeded  b, c: it can be computed without$' output.txt || complain "b and c are needed"

# ---- A full adder as PLA file: the sum is no threshold function, the carry is the majority.
printf '%s\n' '.i 3' '.o 2' '.ilb a b c' '.ob sum carry' '.p 7' '001 10' '010 10' '100 10' '111 10' \
    '11- 01' '1-1 01' '-11 01' .e >adder.pla
"$TLU" logic --pla adder.pla --quiet >output.txt
[ $? = 1 ] || complain "the adder does not give 1"
printf '%s\n' 'not a threshold function: these rows of sum contradict each other' \
    'threshold function: carry is 1 if a + b + c >= 2, else 0' | cmp -s - output.txt ||
    complain "the adder: $(cat output.txt)"
"$TLU" logic --pla - <adder.pla --as text >adder.txt || complain "no network of the adder"
grep -q '^output sum = ' adder.txt && grep -q '^output carry = ' adder.txt || complain "$(cat adder.txt)"

# ---- Networks are asked for: then the exit code is 0, and a file has the same as standard output.
for language in text json dot verilog c; do
    "$TLU" logic 'a ^ b' --as $language >net.$language || complain "--as $language gives $?"
    "$TLU" logic 'a ^ b' --as $language -o file.$language >output.txt || complain "-o gives $?"
    cmp -s net.$language file.$language || complain "--as $language -o differs"
    grep -q '^not a threshold function' output.txt || complain "-o takes the answer away"
done
"$TLU" logic 'a ^ b' -o file.net >/dev/null && cmp -s file.net net.text || complain "-o without --as is not text"
"$TLU" logic 'a & b' --as text >net.and && grep -q '^unit u1 = 1 a + 1 b >= 2$' net.and || complain "$(cat net.and)"

# ---- --learn
"$TLU" logic 'a & b' --learn >output.txt || complain "--learn gives $?"
grep -q '^learned   3 a + 2 b - 4 > 0 is f$' output.txt || complain "AND is not learned: $(tail -n 2 output.txt)"
"$TLU" logic 'a ^ b' --learn >output.txt
[ $? = 1 ] || complain "--learn of XOR does not give 1"
grep -q '^cycling   the weights repeat after 1 pass' output.txt || complain "XOR does not cycle"
grep -q '^It never stops' output.txt && grep -q '^       2    1 1  in all$' output.txt ||
    complain "--learn does not say why"
"$TLU" logic 'maj(a,b,c,d,e)' --learn --json >learn.json || complain "--learn --json"
refuses '--learn needs rows with 0 and rows with 1: the function is constant' "$TLU" logic 'a | 1' --learn
refuses '--learn is for a function with one output, not 2' "$TLU" logic --pla adder.pla --learn

# ---- What does not go together, and what is missing
refuses_with 'logic needs one function' "$TLU" logic
refuses_with 'logic needs one function' "$TLU" logic a --table 01
refuses '--names cannot be combined with --pla: a PLA file has them in .ilb; remove --names' "$TLU" logic --pla adder.pla --names a,b,c
refuses '--names has 2 names, but the function has 3 inputs' "$TLU" logic --table 01101001 --names a,b
refuses "--names has 'a' twice" "$TLU" logic --table 0110 --names a,a
refuses '--names has an empty name: expected a,b,c' "$TLU" logic --table 0110 --names a,
refuses "expression:1:5: 'c' is not one of the names that were given; add it to --names" "$TLU" logic 'a & c' --names a,b
refuses '--learn cannot be combined with --as or --output; leave these out' "$TLU" logic 'a & b' --learn --as c
refuses '--rate needs --learn; add it' "$TLU" logic 'a & b' --rate 2
refuses "the output 'adder.pla' would overwrite the input; name another file" "$TLU" logic --pla adder.pla -o adder.pla
refuses_with 'none.pla' "$TLU" logic --pla none.pla

# ---- Small malformed inputs, each with its sentence.
count=0
for expected in "$TLU_SOURCE"/tests/data/logic/*.expected; do
    file=${expected%.expected}
    count=$((count + 1))
    case $file in
    *.expr) words=("$(cat "$file"; echo .)") && words=("${words[0]%.}") ;;
    *.table) words=(--table "$(cat "$file")") ;;
    *.pla) words=(--pla "$file") ;;
    esac
    "$TLU" logic "${words[@]}" >output.txt 2>errors.txt
    [ $? = 2 ] || complain "$(basename "$file") does not give 2"
    [ ! -s output.txt ] || complain "$(basename "$file"): prints on standard output"
    sed "s|$file|FILE|" errors.txt | cmp -s - "$expected" || complain "$(basename "$file"): $(cat errors.txt)"
done
[ $count -ge 40 ] || complain "only $count malformed inputs were found"

# ---- JSON, the file's sums, and the C program, by Python.
"$TLU" logic 'a & (b | !c) & (d | !d)' --smallest --json >and.json || complain "--json"
"$TLU" logic 'a ^ b ^ c' --json >xor.json
python3 - <<'PYTHON' || complain "the JSON is not right"
import json
answer = json.load(open('and.json'))
assert answer['inputs'] == ['a', 'b', 'c', 'd'], answer
[f] = answer['outputs']
assert f['threshold_function'] and f['smallest'] and f['unneeded'] == ['d'], f
assert f['weights'] == [2, 1, -1, 0] and f['threshold'] == 2, f
assert f['table'] == ''.join(str(int(a and (b or not c))) for a in (0, 1) for b in (0, 1) for c in (0, 1) for d in (0, 1))
answer = json.load(open('xor.json'))
[f] = answer['outputs']
sums = {0: [0] * 4, 1: [0] * 4}
for row in f['contradiction']:
    bits = [int(bit) for bit in row['inputs']]
    assert row['value'] == sum(bits) % 2 and row['times'] > 0 and row['row'] == int(row['inputs'], 2), row
    sums[row['value']] = [s + row['times'] * x for s, x in zip(sums[row['value']], bits + [1])]
assert sums[0] == sums[1] and sums[0][3] > 0, sums
assert not f['threshold_function'] and answer['units'] == answer['hidden'] + 1, answer
names = answer['network']['inputs']
for row in range(8):
    values = {name: row >> (2 - i) & 1 for i, name in enumerate(names)}
    for unit in answer['network']['units']:
        values[unit['name']] = int(sum(w * values[n] for n, w in unit['weights'].items()) >= unit['threshold'])
    [output] = answer['network']['outputs']
    assert values[output['from']] == bin(row).count('1') % 2, row
learned = json.load(open('learn.json'))
assert learned['stopped'] == 'converged' and learned['learner'] == 'perceptron', learned['stopped']
PYTHON

# A function that takes more units than are looked for: the verdict and the contradiction all the same.
if [ "${TLU_LONG:-}" ] && ! is_sanitized; then
    python3 -c 'import random; random.seed(1); print("".join(random.choice("01") for _ in range(1 << 16)))' >table.txt
    "$TLU" logic --table "$(cat table.txt)" >told.txt 2>errors.txt
    [ $? -eq 1 ] || complain "a random function of 16 inputs: $(tail -n 2 errors.txt)"
    grep -q '^not a threshold function' told.txt || complain 'no verdict about 16 inputs'
    grep -q '^note: no network' errors.txt || complain "$(cat errors.txt)"
fi
