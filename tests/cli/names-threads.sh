# Names that come up while other threads look them up: the same model with any number of threads.
. "$TLU_SOURCE/tests/prelude.sh"

rows=4000 counts='2 3 2 8' names=300000
is_sanitized && rows=2500 counts=8 names=30000 # still several chunks; twenty times as slow
# Several chunks; many words are new in each, and come again in the same row and in later ones.
awk -v rows=$rows 'BEGIN {
    srand(12)
    for (i = 0; i < rows; i++) {
        row = rand() < 0.5 ? "up" : "low"
        row = row "\t"
        for (k = 0; k < 150; k++) {
            word = "w" int(exp(12 * rand()))
            row = row (rand() < 0.2 ? toupper(word) ", " word " " : word " ")
        }
        print row
    }
}' >words.tsv
sed 's/^\([a-z]*\)\t/__label__\1 /' words.tsv >words.ft
sed 's/^up\t/1 | /; s/^low\t/-1 |n /' words.tsv >words.vw
sed 's/\t/","text":"/; s/^/{"label":"/; s/$/"}/' words.tsv >words.jsonl

for data in words.tsv words.vw words.ft words.jsonl 'words.tsv --ngrams 2 --lowercase'; do
    is_sanitized && [[ $data != words.tsv && $data != words.vw ]] && continue # the same look-ups
    "$TLU" train $data -o one.tlu --epochs 1 --quiet --threads 1 || complain "$data: exit code $?"
    for threads in $counts; do
        "$TLU" train $data -o more.tlu --epochs 1 --quiet --threads $threads ||
            complain "$data, $threads threads: exit code $?"
        cmp -s one.tlu more.tlu || complain "$data: another model with $threads threads"
    done
done

# A row of very many names, each twice: it must not take the square of their number.
awk -v names=$names 'BEGIN {
    printf "1 |"
    for (i = 0; i < 2 * names; i++)
        printf " f%d", i % names
    print "\n-1 | f1"
}' >long.vw
"$TLU" train long.vw -o long.tlu --learner perceptron --epochs 1 --quiet || complain "a long row: exit code $?"
"$TLU" inspect long.tlu --json | grep -q "\"features\": $names" || complain "a long row: not $names features"
