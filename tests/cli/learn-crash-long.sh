# tlu learn --journal killed, or with a full disk, between every pair of system calls, in every format.
. "$TLU_SOURCE/tests/prelude.sh"
set -e
need python3
TLU_LONG=1 python3 "$TLU_SOURCE/tests/crash_stream.py" "$TLU" "$TLU_SHIM"
