# The README and the pages of docs/ cannot go stale: every command in a console block runs and prints
# what the page says, and every piece of C compiles.
#
#     $ command            a line like this in a ```console block, run by bash
#     what it prints       on standard output and standard error, up to the next command
#
# Blocks that begin with ```console data use real data in the folder data/: they run where ../shared/data is.
# Times and the sizes of model files may differ. Each page has a folder of its own, with examples/ and
# an empty build/ in it; its commands run there one after the other.
. "$TLU_SOURCE/tests/prelude.sh"

# Every page with commands or C, but docs/notes.md, which cli/notes.sh tests. scripts/pages has the same list.
pages=$(cd "$TLU_SOURCE" && grep -lE '^```(console( data)?|c)$' README.md docs/*.md | grep -vx docs/notes.md)

scratch=$(pwd)
data=$TLU_SOURCE/../shared/data
mkdir -p bin
ln -sf "$TLU" bin/tlu
PATH=$scratch/bin:$PATH
export LC_ALL=C
built_with=$("$TLU" --version)

mask()
{
    sed -E -e '/^training /s/[0-9.]+ s\b/TIME/g' \
        -e '/^model  /s/\([0-9.]+ (bytes|kB|MB)\)/(SIZE)/' \
        -e 's/"(read|learn|total)": [0-9.e+-]+/"\1": TIME/g' \
        -e 's/^SIMD: .*/SIMD: ROUTINES/'
}

# Runs $command in the page's folder and compares with expected.txt, which is emptied.
check()
{
    # Proofs need libraries that a build may lack.
    if [[ $command =~ tlu\ (separable|check|bound) && ! $built_with =~ gmp.*clp ]]; then
        : >expected.txt
        return
    fi
    if [[ $command =~ tlu\ plot && ! $built_with =~ cairo.*giflib ]]; then
        : >expected.txt
        return
    fi
    (cd "$folder" && bash -o pipefail -c "$command") </dev/null >output.txt 2>&1
    mask <output.txt >actual.masked
    mask <expected.txt >expected.masked
    diff -u --label "$page says" --label "it prints" expected.masked actual.masked >diff.txt ||
        complain "$page, line $line_number: \$ $command
$(cat diff.txt)"
    : >expected.txt
    commands=$((commands + 1))
}

check_console()
{
    local line block=no
    commands=0 command= number=0
    : >expected.txt
    while IFS= read -r line || [ -n "$line" ]; do
        number=$((number + 1))
        if [ $block = no ]; then
            case $line in
            '```console') block=yes ;;
            '```console data') [ ! -d "$data" ] || block=yes ;;
            esac
            continue
        fi
        case $line in
        '$ '* | '```')
            [ -n "$command" ] && check
            command=${line#'$ '} line_number=$number
            if [ "$line" = '```' ]; then
                command= block=no
            fi
            ;;
        *) printf '%s\n' "$line" >>expected.txt ;;
        esac
    done <"$TLU_SOURCE/$page"
    [ $block = no ] || complain "$page: a console block is never closed"
}

# Blocks of C: whole programs if they include something, else pieces of a function in which the
# usual names are declared.
check_c()
{
    local piece
    rm -f piece-*.c
    awk '/^```c$/ { inside = 1; n++; next } /^```$/ { inside = 0 }
         inside { print > ("piece-" n ".c") }' "$TLU_SOURCE/$page"
    for piece in piece-*.c; do
        [ -e "$piece" ] || continue
        pieces=$((pieces + 1))
        if grep -q '^#include' "$piece"; then
            cp "$piece" source.c
        else
            {
                echo '#include <stdio.h>'
                echo '#include <stdlib.h>'
                for header in tlu tlu_logic tlu_plot tlu_proof; do echo "#include <$header.h>"; done
                echo 'int piece(tlu_model *model, tlu_learner *learner, tlu_row row);'
                echo 'int piece(tlu_model *model, tlu_learner *learner, tlu_row row) {'
                echo 'tlu_error error; (void)model; (void)learner; (void)row; (void)error;'
                cat "$piece"
                echo 'return 0; }'
            } >source.c
        fi
        ${CC:-cc} -std=c11 -Wall -Wextra -Wno-unused-variable -Wno-unused-but-set-variable -Werror \
            -fsyntax-only -I "$TLU_SOURCE/include" source.c 2>errors.txt ||
            complain "$page: its piece of C number ${piece//[!0-9]/} does not compile:
$(cat errors.txt)"
    done
}

pieces=0
total=0
: >written.txt
: >options.all
for page in $pages; do
    folder=$scratch/pages/${page//\//-}
    mkdir -p "$folder/build"
    cp -r "$TLU_SOURCE/examples" "$folder/"
    [ ! -d "$data" ] || ln -s "$data" "$folder/data"
    check_console
    check_c
    total=$((total + commands))
    # Whoever follows two pages in one folder should not find the files of the other.
    for file in $(ls "$folder/build"); do
        other=$(grep -s "^$file " written.txt | cut -d ' ' -f 2)
        [ -z "$other" ] || complain "both $other and $page write build/$file"
        echo "$file $page" >>written.txt
    done
done
[ $total -ge 25 ] || complain "only $total commands were found"
[ $pieces -ge 5 ] || complain "only $pieces pieces of C were found"

# docs/command.md has all options and learners, and no others: a part of it is printed by the command.
"$TLU" --reference >reference.txt || complain "tlu --reference gives $?"
sed -n '/^<!-- begin: tlu --reference -->$/,/^<!-- end: tlu --reference -->$/p' \
    "$TLU_SOURCE/docs/command.md" | sed '1d;$d' >section.txt
diff -u --label "docs/command.md has" section.txt --label "tlu --reference prints" reference.txt ||
    complain "docs/command.md is not up to date: scripts/pages renews it"
# And what the command prints is what --help and learners say, both ways.
sed -n 's/^| \(`-[a-z]`, \)\?`\(--[A-Za-z0-9-]*\).*/\2/p' section.txt | sort -u >options.page
for verb in $("$TLU" --verbs); do
    "$TLU" "$verb" --help | sed -n 's/^  \(-[a-z], \)\?\(--[A-Za-z0-9-]*\).*/\2/p' >>options.all
    sed -n "/^### Options of ${verb//-/ } alone\$/,/^###/p" section.txt | grep -q '^| .*`--' ||
        complain "docs/command.md: no options of $verb"
done
grep -v '^--help$' options.all | sort -u >options.help
diff options.help options.page || complain "docs/command.md and --help have other options"
"$TLU" learners | grep '^[a-z]' | sort >learners.command
sed -n '/^### Learners$/,$s/^| `\([a-z0-9-]*\)`.*/\1/p' section.txt | sort >learners.page
diff learners.command learners.page || complain "docs/command.md and tlu learners have others"
[ "$(wc -l <options.page)" -ge 50 ] && [ "$(wc -l <learners.page)" -ge 17 ] ||
    complain "this test does not find the options in docs/command.md"

# The program of docs/howto-c.md, linked and run. A library with a sanitizer in it needs more than that.
library=$(dirname "$TLU")/libtlu.so
if [ -e "$library" ] && ! grep -q __asan_ "$library"; then
    page=docs/howto-c.md
    check_c
    machine=
    ! is_32_bit || machine=-m32
    ${CC:-cc} $machine -I "$TLU_SOURCE/include" piece-1.c -o hello "$library" \
        -Wl,-rpath,"$(dirname "$TLU")" || complain "the program of docs/howto-c.md does not link"
    said=$(cd "$TLU_SOURCE" && "$scratch/hello")
    [ "$said" = 'sunny, but mild: yes' ] || complain "the program of docs/howto-c.md says '$said'"
fi

# docs/README.md leads to every page, and README.md says nothing twice.
for page in $(cd "$TLU_SOURCE/docs" && ls -- *.md | grep -vx README.md); do
    grep -qF "]($page)" "$TLU_SOURCE/docs/README.md" || complain "docs/README.md: no link to $page"
done
grep '^| [^-]' "$TLU_SOURCE/README.md" | sort | uniq -d >twice.txt
[ ! -s twice.txt ] || complain "README.md has rows twice: $(cat twice.txt)"

# What README.md says of the accuracy without an option is in docs/accuracy.md, in the row of the sets held out (the last cell is without hindsight).
read -r sets share < <(sed -nE 's/^\| Sets held out \| ([0-9]+) \|.* ([0-9]+%) \| [0-9]+% \|$/\1 \2/p' "$TLU_SOURCE/docs/accuracy.md")
grep -q "LIBLINEAR solvers on ${share:-missing} of ${sets:-missing} data sets held out" "$TLU_SOURCE/README.md" ||
    complain "README.md: the default is at or above LIBLINEAR on ${share:-?} of ${sets:-?} sets, by docs/accuracy.md"
