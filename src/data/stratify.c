#include "data/stratify.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

struct due_class {
    uint32_t class_index;
    double priority;
};

static int by_priority(const void *a, const void *b)
{
    const struct due_class *one = a, *other = b;
    if (one->priority != other->priority)
        return one->priority > other->priority ? -1 : 1;
    return one->class_index < other->class_index ? -1 : 1;
}

tlu_status shares_round(struct class_share *shares, uint32_t classes, uint64_t wanted,
                        uint64_t *missing, tlu_error *error)
{
    struct due_class *candidates = memory_new(classes, sizeof *candidates);
    TRY(enough_memory(candidates, error));
    size_t count = 0;
    uint64_t chosen = 0;
    for (uint32_t c = 0; c < classes; c++) {
        struct class_share *share = &shares[c];
        double remainder = share->exact - floor(share->exact);
        share->chosen = (uint64_t)floor(share->exact);
        if (share->chosen >= share->rows)
            share->chosen = share->rows ? share->rows - 1 : 0;
        chosen += share->chosen;
        // A class whose number is a whole one is the last to get another row.
        if (share->chosen + 1 < share->rows)
            candidates[count++] =
                (struct due_class){c, remainder > 0 ? remainder + share->carry : -2};
    }
    qsort(candidates, count, sizeof *candidates, by_priority);
    for (size_t i = 0; i < count && chosen < wanted; i++, chosen++)
        shares[candidates[i].class_index].chosen++;
    memory_free(candidates);
    *missing = chosen < wanted ? wanted - chosen : 0;
    return TLU_OK;
}

bool share_draw(struct class_share *share, struct random *random)
{
    bool chosen = random_below(random, share->rows--) < share->chosen;
    share->chosen -= chosen;
    return chosen;
}
