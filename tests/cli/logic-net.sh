# tlu logic eval: truth tables, rows, steps, two networks, languages; every file in tests/data/networks
# is refused with the message in NAME.expected.
. "$TLU_SOURCE/tests/prelude.sh"
eval() # WORDS...
{
    "$TLU" logic eval "$@"
}

folder=$TLU_SOURCE/tests/data/networks
files=0
for file in "$folder"/*.net "$folder"/*.json; do
    files=$((files + 1))
    eval "$file" >output.txt 2>errors.txt
    code=$?
    [ $code -eq 2 ] || complain "$file: the exit code is $code"
    [ ! -s output.txt ] || complain "$file: prints on standard output"
    sed "s|^tlu: $folder/||" errors.txt | cmp -s - "$file.expected" ||
        complain "expected '$(cat "$file.expected")', found '$(cat errors.txt)'"
done
[ $files -ge 50 ] || complain "only $files files were looked at"

# Exclusive or, with an output that is an input and one that is always 1.
cat >xor.net <<'END'
inputs a bb
unit both = a + bb >= 2
unit odd = a + bb - 2 both >= 1
unit one = 0 >= 0
output x = odd
output a = a
output yes = one
END
gives 'a bb | x a yes
0  0 | 0 0   1
0  1 | 1 0   1
1  0 | 1 1   1
1  1 | 0 1   1' eval xor.net
gives '{"inputs": ["a", "bb"], "outputs": ["x", "a", "yes"], "rows": [{"inputs": "00", "outputs": "001"}, {"inputs": "01", "outputs": "101"}, {"inputs": "10", "outputs": "111"}, {"inputs": "11", "outputs": "011"}]}' eval xor.net --json
gives '101
011' eval xor.net '01,1 1'
gives '{"row": 1, "inputs": "01", "outputs": "101"}' eval xor.net bb=1 --json
gives '011
101' eval xor.net - <<<$'bb=1 a=1\n01'
gives 011 eval - 11 <xor.net
refuses 'row 2: a row has 2 inputs here, and this one has 3' eval xor.net 01,011
refuses "row 1: expected 0 or 1 for each input, found '2'" eval xor.net 02
refuses "row 1: there is no input 'b'" eval xor.net 'a=1 b=1'
refuses "row 1: expected NAME=0 or NAME=1, found 'a=2'" eval xor.net 'a=2'
refuses "row 1: the input 'a' is there twice; remove one" eval xor.net 'a=1 a=0'
if [ -e /dev/full ]; then
    yes 11 | timeout 20 "$TLU" logic eval xor.net - >/dev/full 2>errors.txt
    status=${PIPESTATUS[1]}
    [ "$status" = 3 ] || complain "rows to a full disk: exit code $status"
fi
refuses 'NET and ROWS cannot both be standard input (-); name a file for one of them' eval - -
refuses '--as takes no rows; remove them' eval xor.net 01 --as c
refuses '--output needs --as LANGUAGE; add it' eval xor.net -o x.c
refuses "no-such.net: cannot open: No such file or directory" eval no-such.net
refuses_with 'would overwrite the input' eval xor.net --as text -o xor.net

# Another network for the same function, with its inputs in another order; and one that differs.
cat >other.net <<'END'
inputs bb a
output x = u
unit u = 2 some - 2 both >= 1
unit some = a + bb >= 1
unit both = a + bb >= 2
output yes = one
output a = a
unit one = 0 >= -5
END
gives 'the same for 4 input rows' eval xor.net --against other.net
sed 's/some - 2/some - 1/' other.net >differs.net
for json in '' --json; do
    eval xor.net --against differs.net $json >output.txt
    [ $? = 1 ] || complain "networks that differ do not give 1"
    cat output.txt
done >answers.txt
[ "$(cat answers.txt)" = 'different for a=1 bb=1: x is 0 and 1
{"same": false, "inputs": "11", "outputs": "011"}' ] || complain "a difference: $(cat answers.txt)"
sed 's/\<a\>/c/g' other.net >names.net
refuses_with 'only one of the networks has an input' eval xor.net --against names.net

# A delay: whether the ones so far are odd.
cat >parity.net <<'END'
inputs a
delay q = odd start 0
unit both = a + q >= 2
unit odd = a + q - 2 both >= 1
output odd = odd
END
gives '1
1
0
0
1' eval parity.net 1,0,1,0,1
gives '1
0
1' eval parity.net - <<<$'1\n1\n\n1'
refuses 'a network with delays has no truth table; give it rows, one per step' eval parity.net
refuses_with 'has no truth table' eval parity.net --against parity.net
{ echo inputs x{1..21}; echo output f = x1; } >large.net
refuses 'a truth table has at most 20 inputs, and this network has 21; give it rows' eval large.net
refuses "row 1: there is no input 'xx1'; did you mean 'x1'?" eval large.net xx1=1
gives 1 eval large.net 100000000000000000000

# Text and JSON say the same; C, Verilog and dot are for logic-net-c.sh and logic-net-verilog.sh.
eval parity.net --as json -o parity.json || complain "--as json"
eval parity.json --as text -o parity.txt || complain "--as text"
gives 'inputs a
delay q = odd start 0
unit both = 1 a + 1 q >= 2
unit odd = 1 a + 1 q - 2 both >= 1
output odd = odd' cat parity.txt
gives 'digraph network {
    rankdir=LR;
    node [shape=circle];
    { rank=source; node [shape=plaintext];
        i1 [label="a"];
    }
    d1 [shape=box, label="q\nstarts as 0"];
    u2 -> d1 [constraint=false];
    u1 [label="both\n>= 2"];
    i1 -> u1;
    d1 -> u1;
    u2 [label="odd\n>= 1"];
    i1 -> u2;
    d1 -> u2;
    u1 -> u2 [label="-2", style=dashed];
    { rank=sink; node [shape=plaintext];
        o1 [label="odd"];
    }
    u2 -> o1;
}' eval parity.json --as dot
if command -v dot >/dev/null; then
    eval parity.net --as dot | dot -Tsvg >drawing.svg || complain "dot does not read it"
fi
