# tlu learn needs no more memory after many rows than after some: bench/soak in small. A sanitizer
# keeps what was freed, and is no measure.
set -eu
command -v python3 >/dev/null || exit 77
[ -r /proc/self/status ] || exit 77
if nm "$TLU" 2>/dev/null | grep -Eq '__(asan|tsan)_init'; then exit 77; fi
"$TLU_SOURCE/bench/soak" "$TLU" 300000 50000
"$TLU_SOURCE/bench/soak" "$TLU" 600000 300000 --journal --checkpoint 0.01
