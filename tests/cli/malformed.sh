# Every file in tests/data/malformed is refused: exit code 2, the message in NAME.expected and
# nothing else, no model, and an older model of that name as it was.
#
# NAME.options are options for the command. NAME.train is data to train a model on that then
# predicts the file; without it the file itself is trained on. NAME.tlu is a model to inspect,
# NAME.log the log of a stream to draw.
. "$TLU_SOURCE/tests/prelude.sh"

folder=$TLU_SOURCE/tests/data/malformed
features=$("$TLU" --version | sed -n 's/^features: //p')
files=0
for expected in "$folder"/*.expected; do
    name=$(basename "$expected" .expected)
    file=
    for candidate in "$folder/$name".*; do
        case $candidate in
        *.expected | *.options | *.train) ;;
        *) file=$candidate ;;
        esac
    done
    case $file in
    '')
        complain "$name.expected belongs to no file"
        continue
        ;;
    *.gz) [[ $features == *gzip* ]] || continue ;;
    *.zst) [[ $features == *zstd* ]] || continue ;;
    esac
    files=$((files + 1))

    read -ra options < <(cat "$folder/$name.options" 2>/dev/null)
    rm -rf work
    mkdir work
    echo 'an older model' >work/model
    if [ -e "$folder/$name.train" ]; then
        "$TLU" train "$folder/$name.train" -o "$name.model" --quiet ||
            complain "$name.train: cannot train"
        words=(predict "$name.model" "$file")
    elif [[ $file == *.tlu ]]; then
        words=(inspect "$file")
    elif [[ $file == *.log ]]; then
        words=(plot --progress "$file" --term)
    else
        words=(train "$file" -o work/model)
    fi
    "$TLU" "${words[@]}" "${options[@]}" >output.txt 2>errors.txt
    code=$?
    [ $code -eq 2 ] || complain "$name: the exit code is $code"
    sed -e "s|^tlu: $folder/|tlu: |" errors.txt | cmp -s - <(sed 's/^/tlu: /' "$expected") ||
        complain "$name: expected '$(cat "$expected")', found '$(cat errors.txt)'"
    # What was predicted before the malformed row has gone out already; nothing else is printed.
    [ "${words[0]}" = predict ] || [ ! -s output.txt ] || complain "$name: prints on standard output"
    [ "$(cat work/model)" = 'an older model' ] || complain "$name: the older model has changed"
    [ "$(ls work)" = model ] || complain "$name: leaves files: $(ls work)"

    # Without an older model there is none afterwards either.
    if [ "${words[0]}" = train ]; then
        rm work/model
        "$TLU" "${words[@]}" "${options[@]}" >output.txt 2>errors.txt
        [ -z "$(ls -A work)" ] || complain "$name: leaves files: $(ls -A work)"
    fi
done
[ $files -ge 80 ] || complain "only $files files were looked at"
