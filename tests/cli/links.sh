# Links in the documentation lead to files and headings that exist, and scripts/check-links finds those that do not.
. "$TLU_SOURCE/tests/prelude.sh"
need python3

mkdir -p pages/docs
cat >pages/README.md <<'END'
# A page
[file](DOCS/there.md), [heading](DOCS/there.md#two-words-and-code), [here](#a-page), [web](https://example.org/x#y)
![picture](DOCS/there.md) and `[code](nowhere.md)`
```sh
[fenced](nowhere.md)
```
END
printf '%s\n' '# Two words: and `code`!' '## Again' '## Again' '[second](#again-1) [up](../README.md#a-page)' >pages/docs/there.md
echo '// DOCS/there.md#again says why' >pages/a.c
sed -i s/DOCS/docs/g pages/README.md pages/a.c
"$TLU_SOURCE/scripts/check-links" pages >output.txt 2>&1 || complain "good links: $(cat output.txt)"
gives '7 links, 0 wrong' cat output.txt

# Each of these lines has one wrong link; a line per link says so.
printf '%s\n' '[file](DOCS/missing.md)' '[heading](DOCS/there.md#missing)' '[here](#missing)' '[third](DOCS/there.md#again-2)' \
    '<img src="DOCS/missing.svg">' >>pages/README.md
echo '// DOCS/missing.md' >>pages/a.c
sed -i s/DOCS/docs/g pages/README.md pages/a.c
"$TLU_SOURCE/scripts/check-links" pages >output.txt 2>&1 && complain "wrong links are accepted"
[ "$(grep -c missing output.txt)" = 5 ] && grep -q 'README.md:10: no heading for .*#again-2' output.txt &&
    grep -q '^a.c:2: there is no .*/missing.md$' output.txt || complain "wrong links: $(cat output.txt)"

"$TLU_SOURCE/scripts/check-links" || complain "the links of the documentation"
