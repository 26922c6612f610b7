# tlu plot --progress: the figures are those of the log that tlu stream has written, the curves go where
# they should, restarts go on, and a line that is being written is left out with a note.
. "$TLU_SOURCE/tests/prelude.sh"
need python3

figures() # LOG: as JSON in figures.json
{
    "$TLU" plot --progress "$1" --term --json >"${2:-figures.json}" || complain "$1: exit code $?"
}

# A real stream, and then another: what the model has learned goes on, the examples begin again.
"$TLU" generate moons --rows 3000 -o first.svm
"$TLU" generate moons --rows 700 --seed 2 -o second.svm
"$TLU" stream moons.tlu --log real.log --window 200 --quiet <first.svm >/dev/null || complain "learn: exit code $?"
figures real.log one.json
cp real.log live.log
"$TLU" stream moons.tlu --log real.log --window 200 --quiet <second.svm >/dev/null || complain "learn: exit code $?"
figures real.log two.json
# While a line is being written: as if it were not there.
head -c 60 real.log >>live.log
figures live.log live.json
# A model that has learned before the log begins.
"$TLU" stream moons.tlu --log later.log --window 200 --quiet <second.svm >/dev/null
figures later.log later.json

# Made by hand, evenly: the sliding accuracy is 1, that of all is 0.
for ((i = 100; i <= 1000; i += 100)); do
    echo "{\"examples\": $i, \"accuracy\": 0, \"window\": 100, \"window_accuracy\": 1, \"learned\": $i}"
done >even.log
figures even.log even.json
"$TLU" plot --progress even.log --size 80x24 -o even.txt --quiet || complain "even.txt: exit code $?"
"$TLU" plot --progress even.log --term --size 80x24 >even-term.txt || complain "--term: exit code $?"
cmp even.txt even-term.txt || complain "-o FILE.txt and --term differ"
head -n 1 even.log >single.log
"$TLU" plot --progress single.log --size 80x24 -o single.txt --quiet || complain "single.txt: exit code $?"
"$TLU" plot --progress - --term <even.log >standard-input.txt || complain "standard input: exit code $?"

if "$TLU" --version | grep -q cairo; then
    "$TLU" plot --progress real.log -o real.svg --quiet || complain "real.svg: exit code $?"
fi

python3 - <<'EOF' || complain "the pictures are not what the logs say"
import json
import os
import xml.dom.minidom


def told(name):
    return json.load(open(name))


def check(what, found, expected):
    assert found == expected, f"{what}: {found}, expected {expected}"


reports = [json.loads(line) for line in open("real.log")]
end = max(i for i, report in enumerate(reports) if report["rows"] == 0)  # where the second run begins
assert 0 < end < len(reports)
for name, last, runs, count in (("one.json", reports[end - 1], 1, reports[:end]), ("two.json", reports[-1], 2, reports),
                                ("live.json", reports[end - 1], 1, reports[:end])):
    picture = told(name)
    for field in ("examples", "accuracy", "window", "window_accuracy", "learned"):
        check(f"{name} {field}", picture["figures"][field], last[field])
    check(f"{name} runs", picture["figures"]["runs"], runs)
    check(f"{name} reports", picture["figures"]["reports"], sum(report["examples"] > 0 for report in count))
    check(f"{name} note", "incomplete" in picture["caption"], name == "live.json")
    percent = f"{100 * last['window_accuracy']:.2f}% on the last {last['window']:,} "
    assert percent in picture["caption"], picture["caption"]
check("one.json logarithmic", told("one.json")["figures"]["logarithmic"], 1)  # 1, 2, 4, 8, ...
check("even.json logarithmic", told("even.json")["figures"]["logarithmic"], 0)
check("learned", told("two.json")["figures"]["learned"], 3700)
assert "had already been trained on 3,700 rows" in told("later.json")["caption"]


def row(lines, label):
    """What is in the area of a chart beside a number, by column."""
    return next(line[len(label) + 1:] for line in lines if line[:len(label) + 1] in (label + "│", label + "┤"))


lines = open("even.txt", encoding="utf-8").read().split("\n")
top, bottom = row(lines, "100%").split("●", 1)[1][:40], row(lines, "  0%").split("■", 1)[1][:40]
assert "■" not in top and "●" in top and "●" not in bottom and "■" in bottom, (top, bottom)
# The ten reports are evenly apart: 0 to 1000 is the width of the area, which ends with the axis.
width = len(next(line for line in lines if "└" in line).split("└")[1].rstrip())
places = [i for i, letter in enumerate(row(lines, "100%")[:width]) if letter == "●"]
check("dots", len(places), 10)
for i, place in enumerate(places):
    assert abs(place - (i + 1) * width / 10) <= 1, (i, place, width)
assert all(len(line) <= 80 for line in lines)
single = open("single.txt", encoding="utf-8").read()
check("one report", (single.count("●"), single.count("■")), (2, 2))  # and those of the legend

if os.path.exists("real.svg"):
    document = xml.dom.minidom.parse("real.svg")
    check("title", document.getElementsByTagName("title")[0].firstChild.data, "Accuracy of a stream")
    assert "2 runs" in document.getElementsByTagName("desc")[0].firstChild.data
EOF

refuses "nowhere.log: cannot open: No such file or directory" "$TLU" plot --progress nowhere.log --term
refuses_with "needs the log" "$TLU" plot --progress --term
