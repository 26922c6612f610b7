// Any bytes as a transition table: a sentence, or an automaton and its networks.
#include "automata.h"
#include "tlu_logic.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    tlu_automaton *automaton;
    tlu_error error;
    tlu_status status =
        tlu_automaton_parse((const char *)bytes, size, "fuzz", "table", &automaton, &error);
    look_at(status, automaton, &error);
    return 0;
}
