# tlu logic --turing, and tlu logic run --turing or --tape: reports, networks in files, tapes; every
# step on random machines against tests/turing.py; every file in tests/data/turing is refused with
# its sentence, in NAME.expected.
. "$TLU_SOURCE/tests/prelude.sh"
machines=$TLU_SOURCE/examples/turing

# ---- The whole report, which a person can check.
cat >expected.txt <<'END'
states     3 in the file, 3 reachable, starting in right
symbols    _ 0 1; the first is the blank
rows       6

state  _          0          1          delays
right  _ L carry  0 R right  1 R right  100
carry  1 S halt   1 S halt   0 L carry  010
halt   halt       halt       halt       001

network    14 units, 3 delays, 3 inputs, 6 outputs
proof      equal: 3 pairs of a state and delays x 3 symbols checked
END
"$TLU" logic --turing "$machines/increment.tm" --encoding onehot >output.txt || complain "--turing: exit code $?"
cmp -s expected.txt output.txt || complain "the report: $(diff expected.txt output.txt)"

# A unit per row, an OR per symbol, move and next state unless it is of one row, and a unit that fires
# if no row does.
printf '%s\n' 'blank 0' 'go 0 1 R back' 'back 0 0 L go' 'go 1 1 S accept' >small.tm
cat >expected.txt <<'END'
inputs read_0 read_1
delay go = back_0 start 1
delay back = next_back start 0
delay accept = next_accept start 0
unit go_0 = 1 read_0 + 1 go >= 2
unit go_1 = 1 read_1 + 1 go >= 2
unit back_0 = 1 read_0 + 1 back >= 2
unit write_1 = 1 go_0 + 1 go_1 >= 1
unit no_row = -1 go_0 - 1 go_1 - 1 back_0 >= 0
unit back_stays = 1 back + 1 no_row >= 2
unit next_back = 1 go_0 + 1 back_stays >= 1
unit next_accept = 1 accept + 1 go_1 >= 1
output write_0 = back_0
output write_1 = write_1
output left = back_0
output right = go_0
output halt = no_row
output accept = accept
END
"$TLU" logic --turing small.tm --encoding onehot --as text >output.txt || complain "--as text: exit code $?"
cmp -s expected.txt output.txt || complain "the network: $(diff expected.txt output.txt)"
"$TLU" logic --turing - <small.tm >output.txt || complain "--turing -: exit code $?"
grep -qx 'rows       3; 1 pair of a state and a symbol without a row: the machine halts there' output.txt ||
    complain "a missing row: $(cat output.txt)"

# ---- Tapes.
runs() # STATUS LINES WORDS...
{
    local status=$1 expected=$2 found code=0
    shift 2
    found=$("$TLU" logic run "$@" 2>errors.txt) || code=$?
    [ $code = "$status" ] || complain "run $*: exit code $code, not $status: $(cat errors.txt)"
    [ "$found" = "$expected" ] || complain "run $*: '$found', not '$expected'"
}
runs 0 'step  state  head  tape    delays
   0  right     0  [1]1    100
   1  right     1  1[1]    100
   2  right     2  11[_]   100
   3  carry     1  1[1]_   010
   4  carry     0  [1]0_   010
   5  carry    -1  [_]00_  010
   6  halt     -1  [1]00_  001
halted     after 6 steps in state halt
tape       100
cells      -1 to 1, 3 not blank' --turing "$machines/increment.tm" --tape 11 --encoding onehot
runs 0 'halted     after 107 steps in state halt
tape       10111111111111
cells      -10 to 3, 13 not blank' --turing "$machines/busy-beaver-4.tm" --quiet
runs 0 'halted     after 107 steps in state halt
tape       10111111111111
cells      -10 to 3, 13 not blank' --turing "$machines/busy-beaver-4.tm" --quiet --steps 107
"$TLU" logic run --turing "$machines/busy-beaver-4.tm" --quiet --steps 106 >output.txt 2>errors.txt
[ $? = 4 ] || complain "not halted: exit code $?"
[ "$(cat errors.txt)" = 'not halted after 106 steps; --steps N allows more' ] || complain "$(cat errors.txt)"
grep -qx 'running    after 106 steps in state C' output.txt || complain "not halted: $(cat output.txt)"
runs 0 'halted     after 15 steps in state accept: accepted
tape       blank' --turing "$machines/palindrome.tm" --tape abba --quiet
runs 1 'halted     after 4 steps in state reject: not accepted
tape       b
cells      1 to 1, 1 not blank' --turing "$machines/palindrome.tm" --tape ab --quiet
runs 0 '{"steps": 1, "halted": true, "accepted": true, "state": "accept", "head": 0, "first": 0, "tape": "1", "not_blank": 1}' \
    --turing small.tm --tape 1 --quiet --json
# Without a row it halts, and does not accept: go writes 1 and steps to the right, back reads 1.
runs 1 'halted     after 1 step in state back: not accepted
tape       11
cells      0 to 1, 2 not blank' --turing small.tm --tape 01 --quiet
printf '%s\n' 'up a b R up' 'up bb a L down # words' 'down b a S halt' >words.tm
runs 0 'step  state  head  tape    delays
   0  up        0  [a] bb  100
   1  up        1  b [bb]  100
   2  down      0  [b] a   010
   3  halt      0  [a] a   001
halted     after 3 steps in state halt
tape       a a
cells      0 to 1, 2 not blank' --turing words.tm --tape ' a  bb' --encoding onehot
runs 0 'step,state,head,tape,delays
0,up,0,[a] bb,100
1,up,1,b [bb],100
2,down,0,[b] a,010
3,halt,0,[a] a,001' --turing words.tm --tape 'a bb' --encoding onehot --as csv

# ---- Networks in files: a tape, and the proof that they are right, or are not.
for encoding in onehot binary; do
    for machine in increment palindrome busy-beaver-4; do
        "$TLU" logic --turing "$machines/$machine.tm" --encoding $encoding -o net.txt --quiet >output.txt ||
            complain "$machine: exit code $?"
        grep -q '^equal: ' output.txt || complain "$machine: $(cat output.txt)"
        "$TLU" logic eval net.txt --as json -o net.json || complain "eval --as json: $?"
        for net in net.txt net.json; do
            "$TLU" logic --turing "$machines/$machine.tm" --check $net >output.txt ||
                complain "--check of $machine, $encoding: $(cat output.txt)"
        done
        for language in dot verilog c; do
            "$TLU" logic --turing "$machines/$machine.tm" --encoding $encoding --as $language >net.$language ||
                complain "$machine --as $language: exit code $?"
            [ -s net.$language ] || complain "$machine --as $language is empty"
        done
        if command -v cc >/dev/null; then
            cc -std=c11 -Wall -Wextra -Werror -c net.c -o net.o 2>errors.txt || complain "C: $(cat errors.txt)"
        fi
    done
done
"$TLU" logic --turing "$machines/increment.tm" --encoding onehot -o net.txt --quiet >output.txt
runs 0 'halted     after 8 steps
tape       1100
cells      0 to 3, 4 not blank' net.txt --tape 1011 --quiet
runs 0 'step  head  tape  delays
   0     0  [_]   100
   1    -1  [_]_  010
   2    -1  [1]_  001
halted     after 2 steps
tape       1
cells      -1 to -1, 1 not blank' net.txt --tape ''
sed 's/^unit carry_0 = .*/unit carry_0 = 1 read_1 + 1 carry >= 2/' net.txt >damaged.txt
cmp -s net.txt damaged.txt && complain "nothing was damaged"
"$TLU" logic --turing "$machines/increment.tm" --check damaged.txt >output.txt
[ $? = 1 ] || complain "--check of a damaged network: exit code $?"
[ "$(cat output.txt)" = "different: in state 'carry', reading '0', after reading '_', the output halt is 1 and should be 0" ] ||
    complain "--check says '$(cat output.txt)'"
refuses "the network has no input 'read_a'; add it" "$TLU" logic --turing "$machines/palindrome.tm" --check net.txt
"$TLU" logic 'a & b' -o and.txt --quiet >output.txt
refuses_with "the input 'a' of the network is not a symbol of a Turing machine" "$TLU" logic run and.txt --tape 1

# Output that cannot be written ends an endless run.
if [ -e /dev/full ]; then
    printf '%s\n' 'a _ _ R a' >endless.tm
    timeout 20 "$TLU" logic run --turing endless.tm --steps 9000000000000 >/dev/full 2>errors.txt
    status=$?
    [ $status = 3 ] || complain "run to a full disk: exit code $status: $(cat errors.txt)"
fi

# ---- What cannot be combined, and what is not there.
refuses '--regex cannot be combined with --turing; remove one' "$TLU" logic --turing small.tm --regex a
refuses '--table cannot be combined with --turing; remove one' "$TLU" logic --turing small.tm --table 01
refuses '--effort cannot be combined with --turing; remove one' "$TLU" logic --turing small.tm --effort 2
refuses 'an expression cannot be combined with --turing; remove one' "$TLU" logic --turing small.tm 'a & b'
refuses_with '--check reads a network and writes none' "$TLU" logic --turing small.tm --check net.txt --as c
refuses_with 'small.tm' "$TLU" logic --turing small.tm -o small.tm
refuses_with 'nowhere.tm' "$TLU" logic --turing nowhere.tm
refuses '--encoding needs --regex, --automaton, --kiss2 or --turing' "$TLU" logic 'a & b' --encoding onehot
refuses '--trace cannot be combined with --turing; remove one' "$TLU" logic run --turing small.tm --trace
refuses '--kiss2 cannot be combined with --turing; remove one' "$TLU" logic run --turing small.tm --kiss2 x
refuses 'a string cannot be combined with --turing; give the symbols with --tape TEXT' "$TLU" logic run --turing small.tm 01
refuses 'a string cannot be combined with --tape; give the symbols with --tape TEXT' "$TLU" logic run net.txt 01 --tape 1
refuses '--encoding needs --turing, because NET has its own encoding; remove it' "$TLU" logic run net.txt --tape 1 --encoding onehot
refuses_with '--tape needs --turing FILE, or NET' "$TLU" logic run --tape 1
refuses '--json is the same as --as json; remove one of them' "$TLU" logic run --turing small.tm --json --as csv
refuses '--quiet cannot be combined with --as csv, which prints the steps' "$TLU" logic run --turing small.tm --quiet --as csv
refuses '--steps needs --turing or --tape; add one' "$TLU" logic run --regex a --steps 3 a
refuses "the tape, symbol 3: '2' is not a symbol of the machine; use those of its rows" \
    "$TLU" logic run --turing small.tm --tape 012
refuses "the tape, symbol 2: ' ' is not a symbol of the machine; use those of its rows" \
    "$TLU" logic run --turing small.tm --tape '0 1'
refuses "the tape, symbol 2: 'c' is not a symbol of the machine; use those of its rows, with blanks between them" \
    "$TLU" logic run --turing words.tm --tape 'a c'

files=0
for expected in "$TLU_SOURCE"/tests/data/turing/*.expected; do
    file=${expected%.expected}
    files=$((files + 1))
    for verb in '' run; do
        "$TLU" logic $verb --turing "$file" >output.txt 2>errors.txt
        [ $? = 2 ] || complain "$file: exit code $?"
        [ -s output.txt ] && complain "$file: prints on standard output"
        sed "s|$TLU_SOURCE/tests/data/turing/||" errors.txt | cmp -s - <(sed 's/^/tlu: /' "$expected") ||
            complain "$(basename "$file"): expected '$(cat "$expected")', found '$(cat errors.txt)'"
    done
done
[ $files -ge 19 ] || complain "only $files files were looked at"

# ---- Every step of random machines, and the busy beaver of five states (Marxen and Buntrock 1990).
if command -v python3 >/dev/null; then
    python3 "$TLU_SOURCE/tests/turing.py" || complain "random machines differ from tests/turing.py"
fi
if [ "${TLU_LONG:-}" ]; then
    printf '%s\n' 'blank 0' 'A 0 1 R B' 'A 1 1 L C' 'B 0 1 R C' 'B 1 1 R B' 'C 0 1 R D' 'C 1 0 L E' 'D 0 1 L A' \
        'D 1 1 L D' 'E 0 1 R halt' 'E 1 0 L A' >beaver.tm
    "$TLU" logic run --turing beaver.tm --quiet --json --steps 50000000 >output.txt || complain "BB(5): exit code $?"
    grep -q '"steps": 47176870, "halted": true' output.txt && grep -q '"not_blank": 4098}' output.txt ||
        complain "BB(5): $(cut -c 1-200 output.txt)"
fi
