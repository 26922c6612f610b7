# Files without an end, and large files of another kind: the first bytes are enough to refuse them,
# or a limit that is documented. 250 MB and 5 s of CPU must do for every verb.
. "$TLU_SOURCE/tests/prelude.sh"

within() # COMMAND...
{
    (if ! is_sanitized; then ulimit -v 250000; fi && ulimit -t 5 && "$@")
}

printf '1 1:1\n-1 2:1\n' >data.svm
"$TLU" train data.svm -o model.tlu -q || complain "train gives $?"
"$TLU" logic 'a & b' -o net.txt -q || complain "logic gives $?"
printf 'tlu proof 1\n' >proof

no_model='/dev/zero: not a tlu model'
for verb in inspect 'predict /dev/zero' 'eval /dev/zero' 'explain /dev/zero' 'distance /dev/zero' 'logic from'; do
    case $verb in
    */dev/zero) refuses "$no_model" within "$TLU" $verb data.svm ;;
    *) refuses "$no_model" within "$TLU" $verb /dev/zero ;;
    esac
done
refuses "standard input: not a tlu model" within "$TLU" inspect - </dev/zero
refuses_with "not a tlu model, but text" within "$TLU" inspect <(yes)
refuses "$no_model" within "$TLU" train data.svm --resume -o /dev/zero

# A model that has its right start, and no end.
refuses "standard input: is damaged: it is longer than its start says" \
    within "$TLU" inspect - < <(cat model.tlu /dev/zero)
refuses "standard input: the model is damaged: 2 bytes follow its end; copy it again" \
    within "$TLU" inspect - < <(cat model.tlu && echo x)
cat model.tlu | "$TLU" inspect - >output.txt || complain "a model in a pipe gives $?"

refuses_with "'/dev/zero' is not a proof" within "$TLU" check /dev/zero data.svm
refuses "/dev/zero: this is not text: it has a byte 0" within "$TLU" check proof /dev/zero

no_text='/dev/zero:1:1: this is not text: it has a byte 0'
refuses "$no_text" within "$TLU" logic --pla /dev/zero
refuses "$no_text" within "$TLU" logic --kiss2 /dev/zero
refuses "$no_text" within "$TLU" logic --automaton /dev/zero
refuses "$no_text" within "$TLU" logic --turing /dev/zero
refuses "$no_text" within "$TLU" logic --regex 'a*' --check /dev/zero
refuses "$no_text" within "$TLU" logic eval /dev/zero
refuses "$no_text" within "$TLU" logic run /dev/zero
refuses_with "$no_text" within "$TLU" eval model.tlu data.svm --costs /dev/zero
refuses "standard input: this is not text: it has a byte 0" within "$TLU" logic - </dev/zero
refuses_with "/dev/zero:1:1: not a log of tlu stream --log" within "$TLU" plot --progress /dev/zero -o x.svg

# Lines without an end.
for verb in 'logic eval net.txt -' 'logic run net.txt' game; do
    refuses "standard input: a line has more than 67108864 bytes; give shorter ones" \
        within "$TLU" $verb </dev/zero
done

# Data that is read more than once, and so kept.
for verb in cv compare 'plot -o x.svg'; do
    refuses "/dev/zero: is not data: it begins with zeros" within "$TLU" $verb /dev/zero
done
