#include "train/run.h"

#include "base/memory.h"

#include <string.h>

bool run_copy(struct run *to, const struct run *from)
{
    run_free(to);
    size_t passes = (size_t)from->pass, marks = from->shuffles.mark_count;
    *to = (struct run){.pass = from->pass,
                       .now = from->now,
                       .mistakes_capacity = passes,
                       .accuracy_capacity = from->accuracy ? passes : 0,
                       .best_pass = from->best_pass,
                       .best_updates = from->best_updates,
                       .seen = {.pass = from->seen.pass},
                       .shuffles = {.count = from->shuffles.count,
                                    .after = from->shuffles.after,
                                    .mark_count = marks,
                                    .mark_capacity = marks}};
    to->mistakes = memory_copy(from->mistakes, passes, sizeof *to->mistakes);
    if (from->accuracy)
        to->accuracy = memory_copy(from->accuracy, passes, sizeof *to->accuracy);
    to->shuffles.marks = memory_copy(from->shuffles.marks, marks, sizeof *to->shuffles.marks);
    return to->mistakes && (to->accuracy || !from->accuracy) && to->shuffles.marks;
}

void run_free(struct run *run)
{
    memory_free(run->mistakes);
    memory_free(run->accuracy);
    weights_free(&run->best);
    net_free(run->best_net);
    memory_free(run->seen.cells);
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
