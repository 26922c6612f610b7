# Proofs with little memory: a run ends with an answer or with exit code 3 and a true message. It
# neither hangs, as OpenBLAS does if it cannot map a buffer, nor aborts, as GMP does.
. "$TLU_SOURCE/tests/prelude.sh"
if is_sanitized; then
    echo "skipped: a sanitizer needs more address space than the limits here leave"
    exit 77
fi
"$TLU" --version | grep -q ' gmp clp' || {
    echo "skipped: without GMP and Clp there are no proofs"
    exit 77
}
data=$TLU_SOURCE/examples/data
step=40 # MB
[ ! "${TLU_LONG:-}" ] || step=5

limited() # KB COMMAND...: runs it with so much address space and 10 seconds of CPU time
{
    local kilobytes=$1 status=0
    shift
    (
        ulimit -v "$kilobytes" && ulimit -t 10 && exec timeout -s KILL 120 "$@"
    ) >output.txt 2>errors.txt </dev/null || status=$?
    case $status in
    0 | 1 | 4) [ ! -s errors.txt ] || complain "'$*' with $kilobytes KB: $(cat errors.txt)" ;;
    3) grep -qE '^tlu: (.*: )?(out of memory|pictures need cairo.* cannot be loaded|Cannot allocate memory)' errors.txt ||
        complain "'$*' with $kilobytes KB says '$(cat errors.txt)'" ;;
    127) grep -q 'shared' errors.txt || complain "'$*' with $kilobytes KB gives 127" ;; # not even loaded
    *) complain "'$*' with $kilobytes KB gives $status: $(cat errors.txt)" ;;
    esac
    return $status
}

# The answer is the same with any memory, if there is one.
answers() # STATUS COMMAND...
{
    local expected=$1 megabytes status
    shift
    for megabytes in $(seq 30 $step 250); do
        limited $((megabytes * 1000)) "$@"
        status=$?
        [ $status = "$expected" ] || [ $status = 3 ] ||
            complain "'$*' with $megabytes MB gives $status, not $expected"
    done
    status=0
    limited 1000000 "$@" || status=$?
    [ $status = "$expected" ] || complain "'$*' with 1000 MB gives $status: $(cat errors.txt)"
}

# Exclusive or: no line separates it, and no step of a perceptron can show that.
printf '0 1:0 2:0\n1 1:0 2:1\n1 1:1 2:0\n0 1:1 2:1\n' >xor.svm
answers 1 "$TLU" separable xor.svm --quiet
limited 100000 "$TLU" separable xor.svm --quiet
[ "$(cat output.txt)" = "not separable: these 4 rows contradict each other" ] ||
    complain "xor with 100 MB: $(cat output.txt errors.txt)"
answers 1 "$TLU" separable xor.svm --approximate --quiet
answers 0 "$TLU" bound "$data/iris.csv" --only setosa,versicolor --quiet
! "$TLU" --version | grep -q ' cairo' ||
    answers 0 "$TLU" plot --bounds "$data/weather.csv" -o bounds.svg --quiet
"$TLU" separable xor.svm --proof xor.proof --quiet >output.txt
answers 0 "$TLU" check xor.proof xor.svm
"$TLU" train xor.svm --learner perceptron -o xor.tlu --quiet
answers 0 "$TLU" distance xor.tlu xor.svm --quiet
answers 0 "$TLU" game --gamma 0.25 --adversary

# Weights of 99,000 digits: GMP itself runs out of memory at some of these limits.
python3 - <<'END'
body = "tlu proof 1\ndata libsvm\nquestion 0 1 2 2\nlabel 1 +1\nlabel 2 -1\nclaim separable\n"
body += "".join(f"weight {'7' * 99000} 1 {j}\n" for j in range(1, 21))
seal = 0xcbf29ce484222325
for byte in body.encode():
    seal = (seal ^ byte) * 0x100000001b3 & (1 << 64) - 1
open("giant.proof", "w").write(f"{body}end {seal:016x}\n")
open("giant.svm", "w").write("".join(f"{y:+d} " + " ".join(f"{j}:{y}" for j in range(1, 21)) + "\n" for y in (1, -1)))
END
tried=0 refused=0
for kilobytes in $(seq 9000 $((step * 10)) 20000); do
    tried=$((tried + 1))
    limited "$kilobytes" "$TLU" check giant.proof giant.svm || refused=$((refused + 1))
done
[ $refused -gt 0 ] && [ $refused -lt $tried ] || complain "$refused of $tried limits are too low"
