# tlu learn --journal killed, or with a full disk, between system calls, in every format; and a gust
# of the storm. learn-crash-long.sh and learn-storm-long.sh have the whole of both.
. "$TLU_SOURCE/tests/prelude.sh"
set -e
need python3
python3 "$TLU_SOURCE/tests/crash_stream.py" "$TLU" "$TLU_SHIM"
python3 "$TLU_SOURCE/tests/stress_stream.py" "$TLU" "$TLU_SHIM" 20 8 6 6
