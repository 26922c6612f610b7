# tlu plot where a library that draws cannot be loaded: what is said, and what goes on without it.
. "$TLU_SOURCE/tests/prelude.sh"
"$TLU" --version | grep -q ' cairo.* giflib' || {
    echo "skipped: without cairo and giflib nothing can be missing"
    exit 77
}
weather=$TLU_SOURCE/examples/data/weather.csv

fails_with() # PART COMMAND...: exit code 3 and a message that has this part, no picture
{
    local part=$1 status=0
    shift
    "$@" >output.txt 2>errors.txt || status=$?
    [ $status = 3 ] || complain "'$*' gives $status, not 3"
    grep -qF -e "$part" errors.txt || complain "'$*' says '$(cat errors.txt)', not '$part'"
    [ ! -e picture.svg ] && [ ! -e picture.gif ] || complain "'$*' leaves a picture"
}

mkdir no-cairo no-giflib
echo "no library" | tee no-cairo/libcairo.so.2 >no-giflib/libgif.so.7
for ending in svg gif; do
    LD_LIBRARY_PATH=no-cairo fails_with "pictures need cairo" \
        "$TLU" plot --run "$weather" -o picture.$ending
done
LD_LIBRARY_PATH=no-cairo "$TLU" plot --run "$weather" --term --size 60x20 >term.txt ||
    complain "--term without cairo gives $?"
[ -s term.txt ] || complain "--term without cairo draws nothing"
LD_LIBRARY_PATH=no-giflib fails_with "giflib, which makes animations, cannot be loaded" \
    "$TLU" plot --run "$weather" -o picture.gif
LD_LIBRARY_PATH=no-giflib "$TLU" plot --run "$weather" -o strip.svg --quiet ||
    complain "SVG without giflib gives $?"

# Without any font cairo has simple letters of its own.
cat >fonts.conf <<'XML'
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="cwd">nowhere</dir><cachedir prefix="cwd">cache</cachedir></fontconfig>
XML
FONTCONFIG_FILE=$PWD/fonts.conf "$TLU" plot --run "$weather" -o letters.svg --quiet ||
    complain "without fonts it gives $?"
grep -q '<use xlink:href="#glyph' letters.svg || complain "without fonts there are no letters"
