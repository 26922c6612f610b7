// What the fuzz targets of automata share: what was read becomes a network, proven equal, by which
// strings run as by the automaton.
#ifndef TLU_TESTS_FUZZ_AUTOMATA_H
#define TLU_TESTS_FUZZ_AUTOMATA_H

#include "tlu.h"
#include "tlu_logic.h"

#include <stdlib.h>
#include <string.h>

static inline void expect(int condition)
{
    if (!condition)
        abort();
}

static inline void prove(const tlu_automaton *automaton, const char *encoding, const char *letters)
{
    tlu_network *network;
    tlu_equivalence *walk;
    tlu_error error;
    expect(tlu_network_from_automaton(automaton, encoding, letters, &network, &error) == TLU_OK);
    expect(tlu_equivalence_check(automaton, network, &walk, &error) == TLU_OK);
    expect(walk->equal && walk->pairs >= tlu_automaton_get_facts(automaton)->states);
    tlu_equivalence_free(walk);
    tlu_network_free(network);
}

// Takes the automaton, or the error.
static inline void look_at(tlu_status status, tlu_automaton *automaton, const tlu_error *error)
{
    if (status != TLU_OK) {
        expect(status == TLU_ERROR_INPUT && error->text[0] && !automaton);
        return;
    }
    const tlu_automaton_facts *facts = tlu_automaton_get_facts(automaton);
    expect(facts->states >= 1 && facts->states <= facts->states_deterministic);
    for (size_t i = 0; i < facts->states; i++)
        for (size_t letter = 0; letter < facts->symbols; letter++)
            expect(tlu_automaton_next(automaton, i, letter) < facts->states);
    if (facts->states * facts->symbols <= 3000) {
        prove(automaton, "onehot", NULL);
        prove(automaton, "binary", facts->outputs ? NULL : "binary");
    }
    tlu_automaton_free(automaton);
}

#endif
