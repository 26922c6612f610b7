# tlu learn --journal under 2,000 SIGKILLs, 500 full disks, 500 file size limits and 500 models
# that are replaced, with three replays after each.
. "$TLU_SOURCE/tests/prelude.sh"
set -e
need python3
python3 "$TLU_SOURCE/tests/stress_stream.py" "$TLU" "$TLU_SHIM" 2000 500 500 500
