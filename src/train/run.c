#include "train/run.h"

#include "base/memory.h"

#include <string.h>

void run_free(struct run *run)
{
    memory_free(run->mistakes);
    memory_free(run->accuracy);
    weights_free(&run->best);
    net_free(run->best_net);
    memory_free(run->seen.cells);
    memory_free(run->seen.u);
    memory_free(run->shuffles.marks);
    *run = (struct run){0};
}

tlu_status run_mark_shuffle(struct run *run, const struct random *random, uint64_t seed,
                            tlu_error *error)
{
    struct shuffles *shuffles = &run->shuffles;
    if (shuffles->count == 0)
        random_seed(&shuffles->after, seed);
    if (memcmp(random, &shuffles->after, sizeof *random) != 0) {
        TRY(enough_memory(memory_reserve(&shuffles->marks, &shuffles->mark_capacity,
                                         shuffles->mark_count + 1, sizeof *shuffles->marks),
                          error));
        shuffles->marks[shuffles->mark_count++] = (struct shuffle_mark){shuffles->count, *random};
    }
    shuffles->count++;
    return TLU_OK;
}
