// Any bytes as a regular expression: a sentence, or an automaton and its networks.
#include "automata.h"
#include "tlu_logic.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    tlu_automaton *automaton;
    tlu_error error;
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, bytes, size);
    text[size] = '\0';
    tlu_status status = tlu_automaton_from_regex(text, &automaton, &error);
    look_at(status, automaton, &error);
    free(text);
    return 0;
}
