# What the tests of the command share; each tests/cli/*.sh begins with
#
#     . "$TLU_SOURCE/tests/prelude.sh"
#
# $TLU is the command, $TLU_SOURCE the source. A test fails if it ends with a status other than 0, and
# if it has complained; exit code 77 means skipped.
set -u
export PYTHONPATH=$TLU_SOURCE/tests PYTHONDONTWRITEBYTECODE=1 # tests/prelude.py
if [ "${TLU_PYTHON:-}" ]; then
    python3() { "$TLU_PYTHON" "$@"; }
fi
failures=0
trap 'status=$?; [ $failures = 0 ] || [ $status != 0 ] || exit 1' EXIT

complain() # WHAT...: the test has failed, and goes on
{
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

fail() # WHAT...: the test has failed, and ends
{
    complain "$@"
    exit 1
}

need() # PROGRAM...: without them the test is skipped
{
    local program
    for program; do
        command -v "$program" >/dev/null || {
            echo "skipped: there is no $program"
            exit 77
        }
    done
}

need_terminal() # without a pseudo terminal the test is skipped; tests/terminal.py opens them
{
    need python3
    python3 -c 'import pty; pty.openpty()' 2>/dev/null || {
        echo "skipped: no pseudo terminal can be opened (is /dev/pts mounted?)"
        exit 77
    }
}

is_sanitized() # whether a sanitizer is in the command, which takes memory and time of its own
{
    grep -q -e __asan_init -e __tsan_init "$TLU"
}

is_32_bit() # whether the command is for 32-bit machines, with 4 GB of address space
{
    [ "$(od -An -tu1 -j4 -N1 "$TLU" | tr -d ' ')" = 1 ]
}

gives() # OUTPUT COMMAND...: it succeeds and prints exactly this
{
    local expected=$1 found
    shift
    found=$("$@" 2>errors.txt) || complain "'$*' gives $?: $(cat errors.txt)"
    [ "$found" = "$expected" ] || complain "'$*' prints '$found', not '$expected'"
}

refuses() # MESSAGE COMMAND...: exit code 2 and exactly this message
{
    local message=$1 status=0
    shift
    "$@" >output.txt 2>errors.txt || status=$?
    [ $status = 2 ] || complain "'$*' gives $status, not 2"
    [ "$(cat errors.txt)" = "tlu: $message" ] || complain "'$*' says '$(cat errors.txt)', not '$message'"
}

refuses_with() # PART COMMAND...: exit code 2 and a message that has this part
{
    local part=$1 status=0
    shift
    "$@" >output.txt 2>errors.txt || status=$?
    [ $status = 2 ] || complain "'$*' gives $status, not 2"
    grep -qF -e "$part" errors.txt || complain "'$*' does not say '$part': $(cat errors.txt)"
}

says() # PART COMMAND...: it succeeds, and standard error has this part
{
    local part=$1
    shift
    "$@" >output.txt 2>errors.txt || complain "'$*' gives $?: $(cat errors.txt)"
    grep -qF -e "$part" errors.txt || complain "'$*' does not say '$part': $(cat errors.txt)"
}

keeps_silent_about() # PART COMMAND...: it succeeds, and standard error does not have this part
{
    local part=$1
    shift
    "$@" >output.txt 2>errors.txt || complain "'$*' gives $?: $(cat errors.txt)"
    ! grep -qF -e "$part" errors.txt || complain "'$*' says '$part'"
}

is_listening() # PID: whether it has a handler of SIGINT, which background processes ignore before
{
    local caught
    [ "$(cat "/proc/$1/comm" 2>/dev/null)" != bash ] || return # it has one until the command begins
    caught=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null)
    [ -n "$caught" ] && ((16#$caught & 2))
}

# make_table NAME SETS: a table with a text, and values that are missing; with SETS, rows have several labels.
make_table() {
    awk -v sets="$2" 'BEGIN {
        srand(7)
        print "size,place,note,label"
        for (i = 0; i < 6000; i++) {
            note = ""
            for (k = int(rand() * 12); k > 0; k--)
                note = note " w" int(rand() * rand() * 500)
            label = substr("abc", 1 + length(note) % 3, 1)
            if (sets && i % 3)
                label = label ";" (i % 2 ? "d" : "e")
            print (rand() < 0.2 ? "" : rand()) "," (rand() < 0.1 ? "?" : "u" int(rand() * 9)) "," note "," label
        }
    }' >"$1"
}
