# Calibrated probabilities on real data, a9a and imdb, trained with nothing but the learner and the
# calibration named: the expected calibration error (15 bins) is below 0.02, and the log loss no more
# than 1% above that of scikit-learn's LogisticRegression with its defaults.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
data=$TLU_SOURCE/../shared/data
[ -e $data/a9a/a9a ] && [ -e $data/imdb/train.bow.svm.gz ] || {
    echo 'skipped: there is no shared/data'
    exit 77
}

cat >check.py <<'END'
import gzip
import math
import sys

name, data, most = sys.argv[1], sys.argv[2], float(sys.argv[3])
lines = (gzip.open if data.endswith(".gz") else open)(data, "rt")
loss = rows = 0
bins = [[0, 0.0, 0] for _ in range(15)]
for line, guess in zip(lines, open(name)):
    hit = not line.startswith("-1")
    share = float(guess.split("\t")[2])
    loss -= math.log(max(share if hit else 1 - share, 1e-15))
    rows += 1
    found = bins[min(int(share * 15), 14)]
    found[0] += 1
    found[1] += share
    found[2] += hit
loss /= rows
error = sum(abs(shares - hits) for count, shares, hits in bins if count) / rows
print("%s: log loss %.4f, expected calibration error %.4f" % (name, loss, error))
sys.exit(not (rows > 16000 and loss <= most * 1.01 and error < 0.02))
END

# scikit-learn 1.2.1: LogisticRegression().fit(train).predict_proba(test)
check() # NAME TRAIN TEST LOSS
{
    "$TLU" train $data/$2 -o $1.tlu --quiet --learner logistic --calibrate isotonic || complain "train $1"
    "$TLU" predict $1.tlu $data/$3 --probabilities --quiet >$1 || complain "predict $1"
    python3 check.py $1 $data/$3 $4 || complain "$1: the probabilities are not good enough"
}
check a9a a9a/a9a a9a/a9a.t 0.32401
check imdb imdb/train.bow.svm.gz imdb/test.bow.svm.gz 0.43393
