# tlu logic with --regex, --automaton and --kiss2, and tlu logic run: what is printed, networks in
# files, strings; every file in tests/data/automata is refused with its sentence, in NAME.expected.
. "$TLU_SOURCE/tests/prelude.sh"

# ---- The whole report, which a person can check.
cat >expected.txt <<'END'
states     8 of the expression, 3 made deterministic, 3 minimal
symbols    a b c other (any other character)

state  a     b c   other  accept  delays
q0     q1    dead  dead   no      10
q1     dead  q1    dead   yes     01
dead   dead  dead  dead   no      00

network    4 units, 2 delays, 4 inputs
delays     q0, 1 at the start: 1 in q0
           q1: 1 in q1
proof      equal: 3 pairs of a state and delays x 4 symbols checked
END
"$TLU" logic --regex 'a(b|c)*' >output.txt || complain "--regex: exit code $?"
cmp -s expected.txt output.txt || complain "the report: $(diff expected.txt output.txt)"

# The construction of the notes, word for word: a delay per state, units for state and symbol, a
# unit that joins them.
cat >expected.txt <<'END'
inputs a b c other
delay q0 = next_q0 start 1
delay q1 = next_q1 start 0
unit to_q1_1 = 1 a + 1 q0 >= 2
unit to_q1_2 = 1 b + 1 c + 1 q1 >= 2
unit next_q0 = 0 >= 1
unit next_q1 = 1 to_q1_1 + 1 to_q1_2 >= 1
output accept = q1
END
"$TLU" logic --regex 'a(b|c)*' --as text >output.txt || complain "--as text: exit code $?"
cmp -s expected.txt output.txt || complain "the network: $(diff expected.txt output.txt)"

# ---- Strings.
runs() # STATUS LINES WORDS...
{
    local status=$1 expected=$2 found code=0
    shift 2
    found=$("$TLU" logic run "$@" 2>errors.txt) || code=$?
    [ $code = "$status" ] || complain "run $*: exit code $code, not $status: $(cat errors.txt)"
    [ "$found" = "$expected" ] || complain "run $*: '$found', not '$expected'"
}
runs 0 'abc: accepted, state q1' --regex 'a(b|c)*' abc
runs 1 'ca: not accepted, state dead' --regex 'a(b|c)*' ca
runs 1 '(empty): not accepted, state q0' --regex 'a(b|c)*' ''
runs 0 $'a: accepted, state q1\nb: not accepted, state dead' --regex 'a(b|c)*' a b
printf 'ab\n\nabab' >lines.txt
runs 0 $'ab: accepted, state q2\n(empty): not accepted, state q0\nabab: accepted, state q2' \
    --regex '(ab)+' <lines.txt
runs 0 '  step  symbol          state           delays  accept
     0                  q0              10      no
     1  [0-9]           q1              01      yes
     2  [0-9]           q1              01      yes
42: accepted, state q1' --regex '[0-9]+' --trace 42
runs 0 '{"string": "a", "letters": 1, "strayed": false, "accepted": true, "state": "q1", "delays": "01"}' \
    --regex a --json a

# ---- Networks in files: strings, and the proof that they are right, or are not.
for encoding in onehot binary; do
    for letters in onehot binary; do
        for expression in 'a(b|c)*' '(a|b)*abb' '[^a-c]{2}' '.*' '()'; do
            "$TLU" logic --regex "$expression" --encoding $encoding --letters $letters \
                -o net.txt --quiet >output.txt || complain "$expression: exit code $?"
            grep -q '^equal: ' output.txt || complain "$expression: $(cat output.txt)"
            "$TLU" logic --regex "$expression" --check net.txt >output.txt ||
                complain "--check of '$expression', $encoding, $letters: $(cat output.txt)"
            "$TLU" logic eval net.txt --as json -o net.json || complain "eval --as json: $?"
            "$TLU" logic --regex "$expression" --check net.json >output.txt ||
                complain "--check of JSON: $(cat output.txt)"
        done
    done
done
"$TLU" logic --regex '(a|[0-9]\.)+' -o net.txt --quiet >output.txt
runs 0 'a7.a: accepted' net.txt a7.a
runs 1 'a7: not accepted' net.txt a7
sed 's/start 1/start 0/' net.txt >damaged.txt
cmp -s net.txt damaged.txt && complain "nothing was damaged"
"$TLU" logic --regex '(a|[0-9]\.)+' --check damaged.txt >output.txt
[ $? = 1 ] || complain "--check of a damaged network: exit code $?"
[ "$(cat output.txt)" = "different: after 'a' the output accept is 0 and should be 1" ] ||
    complain "--check says '$(cat output.txt)'"
refuses "the network has no input 'b'; add it" "$TLU" logic --regex ab --check net.txt

# ---- Transition tables: by words, and the states' own names.
printf '%s\n' 'start locked' 'accept open # at the end' '' 'locked coin open' 'open coin open' \
    'open push locked' >turnstile.txt
runs 0 'coin push coin: accepted, state open' --automaton turnstile.txt 'coin push coin'
runs 1 'push: not accepted, state dead' --automaton turnstile.txt push
runs 1 'kick: not accepted, it has something that is not a symbol' --automaton turnstile.txt kick
"$TLU" logic --automaton - <turnstile.txt >output.txt || complain "--automaton -: exit code $?"
grep -qx 'open    open  locked  yes     01' output.txt || complain "turnstile: $(cat output.txt)"

# Input without an end, and output that cannot be written.
if [ -e /dev/full ]; then
    yes coin | timeout 20 "$TLU" logic run --automaton turnstile.txt >/dev/full 2>errors.txt
    status=${PIPESTATUS[1]}
    [ "$status" = 3 ] || complain "run to a full disk: exit code $status"
fi

# ---- KISS2.
printf '%s\n' '.i 1' '.o 1' '.s 3' '.p 5' '.r even' '0 even even 0' '1 even odd 1' '0 odd odd 1' \
    '1 odd again 0' '- again even 0' '.e' >parity.kiss2
# "again" shows 0 with both inputs, "even" 0 and 1: nothing is merged.
gives 'equal: 3 pairs of a state and delays x 2 classes of inputs checked' \
    "$TLU" logic --kiss2 parity.kiss2 --quiet
runs 0 '1 0 1 1: 1 1 0 0, state even' --kiss2 parity.kiss2 '1 0 1 1'
refuses_with "symbol 3 of '1 0 2 1' is not known to the machine" "$TLU" logic run --kiss2 parity.kiss2 '1 0 2 1'
refuses_with "symbol 1 of '11' is not known to the machine" "$TLU" logic run --kiss2 parity.kiss2 1 11
[ "$(cat output.txt)" = '1: 1, state odd' ] || complain "before what is no symbol: $(cat output.txt)"
"$TLU" logic run --kiss2 parity.kiss2 --json '1 2' 2>errors.txt | grep -q '"strayed": true, "outputs": "1",' ||
    complain 'what is no symbol has outputs'
"$TLU" logic --kiss2 parity.kiss2 -o net.txt --quiet >output.txt || complain "--kiss2 -o"
gives 'equal: 3 pairs of a state and delays x 2 classes of inputs checked' \
    "$TLU" logic --kiss2 parity.kiss2 --check net.txt
printf '%s\n' '.i 2' '.o 1' '11 a b 1' >open.kiss2
"$TLU" logic --kiss2 open.kiss2 >output.txt || complain "open.kiss2: exit code $?"
# Of a, the inputs 0- and 10; of b all three parts.
grep -q '^completed  5 pairs' output.txt || complain "open.kiss2: $(cat output.txt)"

# ---- A network in C runs as the automaton does.
if command -v cc >/dev/null; then
    "$TLU" logic --regex '(a|b)*abb' --as c >net.c || complain "--as c: exit code $?"
    cc -std=c11 -Wall -Wextra -Werror -c net.c -o net.o 2>errors.txt || complain "C: $(cat errors.txt)"
fi

# ---- JSON is JSON.
if command -v python3 >/dev/null; then
    "$TLU" logic --regex '(a|b)*abb' --json | python3 -c '
import json, sys
facts = json.load(sys.stdin)
assert facts["states_minimal"] == 5 and facts["proof"]["equal"], facts
state = 0
for letter in "babb":
    state = facts["states"][state]["next"][facts["letters"].index(letter)]
assert facts["states"][state]["accept"], facts' || complain "--json"
fi

# ---- What does not go together, and what is not there.
refuses '--table is about a function and cannot be combined with an automaton; remove one' "$TLU" logic --regex a --table 01
refuses 'an expression cannot be combined with an automaton; remove one' "$TLU" logic --regex a 'a & b'
refuses '--regex, --automaton and --kiss2 cannot be combined, because each gives an automaton; choose one' \
    "$TLU" logic --regex a --kiss2 parity.kiss2
refuses '--letters needs --regex, --automaton or --kiss2' "$TLU" logic 'a & b' --letters binary
refuses '--letters cannot be combined with --kiss2: the inputs are those of the machine; remove it' \
    "$TLU" logic --kiss2 parity.kiss2 --letters binary
refuses_with 'logic run needs NET, --regex, --automaton, --kiss2 or --turing' "$TLU" logic run
refuses_with 'nowhere.kiss2' "$TLU" logic --kiss2 nowhere.kiss2

files=0
for expected in "$TLU_SOURCE"/tests/data/automata/*.expected; do
    file=${expected%.expected}
    files=$((files + 1))
    case $file in
    *.regex) words=(--regex "$(cat "$file")") ;;
    *.table) words=(--automaton "$file") ;;
    *) words=(--kiss2 "$file") ;;
    esac
    "$TLU" logic "${words[@]}" >output.txt 2>errors.txt
    [ $? = 2 ] || complain "$file: exit code $?"
    [ -s output.txt ] && complain "$file: prints on standard output"
    sed "s|$TLU_SOURCE/tests/data/automata/||" errors.txt | cmp -s - <(sed 's/^/tlu: /' "$expected") ||
        complain "$(basename "$file"): expected '$(cat "$expected")', found '$(cat errors.txt)'"
done
[ $files -ge 35 ] || complain "only $files files were looked at"
