# tlu learn --journal under 2,000 SIGKILLs and 500 full disks, with three replays after each.
set -eu
command -v python3 >/dev/null || exit 77
python3 "$TLU_SOURCE/tests/storm_learn.py" "$TLU" "$TLU_SHIM" 2000 500
