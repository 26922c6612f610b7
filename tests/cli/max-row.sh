# A row that is longer than --max-row is an error with its line, in every format and verb, wherever
# it is cut and however it comes; and memory stays near the limit.
. "$TLU_SOURCE/tests/prelude.sh"
set -eo pipefail

refused() { # line of the file, limit, command...
    local line=$1 limit=$2 status=0
    shift 2
    "$@" >output 2>errors || status=$?
    [ $status = 2 ] || fail "$*: status $status: $(tail -n 2 errors)"
    grep -q ":$line: the row has more than $limit bytes.*--max-row" errors ||
        fail "$*: expected line $line and limit $limit, found: $(head -c 300 errors)"
}

# Rows of a format: row 3 of 5 has exactly 400 bytes, without its newline.
pad() { # text before, text after: makes it 400 bytes long
    local length=$((400 - ${#1} - ${#2}))
    printf '%s%0*d%s\n' "$1" $length 1 "$2"
}
rows() { # format: lines 1 and 2 may be a header and a row
    case $1 in
    libsvm) printf '+1 1:1\n-1 2:1\n'; pad '+1 3:' ''; printf '+1 1:1\n-1 2:1\n' ;;
    csv) printf 'a,b,class\n1,u,x\n'; pad '2,"p
q",' ''; printf '3,u,x\n4,v,y\n' ;;
    vw) printf '1 | a\n2 | b\n'; pad '1 | a:' ''; printf '1 | a\n2 | b\n' ;;
    fasttext) printf '__label__a p\n__label__b q\n'; pad '__label__a ' ''; printf '__label__a p\n' ;;
    text) printf 'a\tp\nb\tq\n'; pad $'a\tp' ''; printf 'a\tp\n' ;;
    jsonl) printf '{"label": "a", "text": "p"}\n{"label": "b", "text": "q"}\n'
        pad '{"label": "a", "text": "' '"}'; printf '{"label": "b", "text": "q"}\n' ;;
    esac
}

for format in libsvm csv vw fasttext text jsonl; do
    rows $format >data
    "$TLU" train data --format $format --epochs 1 --max-row 400 -o model.tlu >/dev/null 2>errors ||
        fail "$format: a row of 400 bytes: $(cat errors)"
    for threads in 1 2; do
        refused 3 399 "$TLU" train data --format $format --max-row 399 --threads $threads -o x.tlu
    done
    refused 3 399 "$TLU" train - --format $format --max-row 399 -o x.tlu <data
    for verb in predict eval explain; do
        refused 3 399 "$TLU" $verb model.tlu data --format $format --max-row 399
        "$TLU" $verb model.tlu data --format $format --max-row 400 >/dev/null 2>&1 || fail "$verb $format"
    done
    refused 3 399 "$TLU" convert data --format $format --to binary --max-row 399 -o x.binary
    refused 3 399 "$TLU" trace data --format $format --max-row 399
    refused 3 399 "$TLU" cv data --folds 2 --format $format --max-row 399
    # A stream: at once, and byte by byte; rows before it are answered and learned from.
    answers=2
    if [ $format = csv ]; then answers=1; fi
    for way in cat 'dd bs=1 status=none'; do
        rm -f live.tlu
        status=0
        $way <data | "$TLU" stream live.tlu --format $format --max-row 399 --quiet >output 2>errors || status=$?
        [ $status = 2 ] || fail "learn $format: status $status: $(cat errors)"
        grep -q 'input:3: the row has more than 399 bytes' errors || fail "learn $format: $(cat errors)"
        [ "$(wc -l <output)" = $answers ] || fail "learn $format: $(wc -l <output) answers"
        rm -f live.tlu
        $way <data | "$TLU" stream live.tlu --format $format --max-row 400 --quiet >output 2>errors ||
            fail "learn $format --max-row 400: $(cat errors)"
    done
done

# A stream whose row is not at its end yet is refused as soon as it is too long.
{ printf '+1 1:1\n-1 2:1\n+1 3:'; head -c 1000 /dev/zero | tr '\0' 1; sleep 12; } 2>/dev/null |
    "$TLU" stream live2.tlu --max-row 500 --quiet >output 2>errors &
learner=$!
for _ in $(seq 100); do
    grep -q 'has more than 500' errors 2>/dev/null && break
    sleep 0.1
done
grep -q 'input:3: the row has more than 500 bytes' errors || fail "an open stream: $(cat errors)"
kill $learner 2>/dev/null || true

"$TLU" train data --max-row 2G -o x.tlu >output 2>errors && fail "--max-row 2G"
grep -q 'at most 1073741824' errors || fail "--max-row 2G: $(cat errors)"

# One row that never ends: nothing but ones, or a quote that nobody closes. The limit on memory
# (kB) is that of the whole process.
endless() { # what goes before, bytes of it
    printf "$1"
    head -c "$2" /dev/zero | tr '\0' 1
}
sanitized=
if is_sanitized; then sanitized=yes; fi
size=200000000 # bytes: enough to see that they are not all kept
if [ "${TLU_LONG:-}" ]; then size=3000000000; fi
within() { # kB of memory, command...
    local most=$1
    shift
    (
        if [ ! "$sanitized" ]; then ulimit -v "$most"; fi
        exec "$@"
    )
}
for start in '' '+1 1:1\n-1 2:1\n+1 3:' 'a,b\n1,x\n2,y\n3,"'; do
    line=1
    case $start in +1*) line=3 ;; a*) line=4 ;; esac
    endless "$start" $size | zstd -q -f -o endless.zst
    [ "$(wc -c <endless.zst)" -lt 2000000 ] || fail "not packed"
    for limit in 64M:67108864 1M:1048576; do
        # 64 MB of text, not twice that and much less than 200 MB; the rest is the process itself.
        most=300000
        if [ $limit = 1M:1048576 ]; then most=150000; fi
        refused $line ${limit#*:} within $most "$TLU" train endless.zst --max-row ${limit%:*} --threads 2 -o x.tlu
    done
done
