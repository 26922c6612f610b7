// Any bytes as the table of a Turing machine, and as a tape: a sentence, or a machine whose
// networks are equal to it, and run on the tape as its table does.
#include "automata.h"
#include "tlu_logic.h"

#define STEPS 200

static void run_on(const tlu_turing *machine, const tlu_network *network, const char *tape,
                   size_t size)
{
    tlu_turing_run *run;
    tlu_error error;
    expect(tlu_turing_run_new(machine, network, &run, &error) == TLU_OK);
    tlu_status status = tlu_turing_run_set_tape(run, tape, size, &error);
    expect(status == TLU_OK || (status == TLU_ERROR_INPUT && error.text[0]));
    for (int i = 0; i < STEPS; i++)
        expect(tlu_turing_run_step(run, &error) == TLU_OK); // compares with the table
    const tlu_turing_run_state *state = tlu_turing_run_get_state(run);
    expect(state->steps <= STEPS && state->first <= state->head && state->head <= state->last);
    expect(strcmp(tlu_turing_run_cell(run, state->head), state->symbol) == 0);
    expect(state->halted || state->steps == STEPS);
    tlu_turing_run_free(run);
}

static void look_at_encoding(const tlu_turing *machine, const char *encoding, const char *tape,
                             size_t size)
{
    tlu_network *network;
    tlu_turing_equivalence *walk;
    tlu_error error;
    expect(tlu_network_from_turing(machine, encoding, &network, &error) == TLU_OK);
    expect(tlu_turing_equivalence_check(machine, network, &walk, &error) == TLU_OK);
    expect(walk->equal && walk->pairs == tlu_turing_get_facts(machine)->states);
    tlu_turing_equivalence_free(walk);
    run_on(machine, network, tape, size);
    tlu_network_free(network);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    tlu_turing *machine;
    tlu_error error;
    const char *text = (const char *)bytes;
    // The tape is what comes after the last newline.
    size_t rows = size;
    while (rows > 0 && text[rows - 1] != '\n')
        rows--;
    tlu_status status = tlu_turing_parse(text, rows, "fuzz", &machine, &error);
    if (status != TLU_OK) {
        expect(status == TLU_ERROR_INPUT && error.text[0] && !machine);
        return 0;
    }
    const tlu_turing_facts *facts = tlu_turing_get_facts(machine);
    expect(facts->states >= 1 && facts->states <= facts->states_given && facts->symbols >= 1);
    for (size_t i = 0; i < facts->states; i++)
        for (size_t symbol = 0; symbol < facts->symbols; symbol++) {
            size_t next = tlu_turing_next(machine, i, symbol);
            expect(next == TLU_NONE || next < facts->states);
            expect((next == TLU_NONE) ==
                   (tlu_turing_written(machine, i, symbol) >= facts->symbols));
        }
    if (facts->states * facts->symbols <= 2000) {
        look_at_encoding(machine, "onehot", text + rows, size - rows);
        look_at_encoding(machine, "binary", text + rows, size - rows);
    }
    tlu_turing_free(machine);
    return 0;
}
