# tlu stream needs no more memory after many rows than after some: bench/soak in small. A sanitizer
# keeps what was freed, and is no measure.
. "$TLU_SOURCE/tests/prelude.sh"
set -e
need python3
[ -r /proc/self/status ] || exit 77
if is_sanitized; then exit 77; fi
"$TLU_SOURCE/bench/soak" "$TLU" 300000 50000
"$TLU_SOURCE/bench/soak" "$TLU" 600000 300000 --journal --checkpoint 0.01
