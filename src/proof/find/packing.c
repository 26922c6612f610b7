// Contradictions that share no row: every plane has a row of each on the wrong side.
#include "proof/built.h"
#ifdef TLU_PROVES
#include "base/memory.h"
#include "proof/find/mistakes.h"

struct contradiction *sets_add(struct sets *sets)
{
    if (!memory_reserve(&sets->items, &sets->capacity, sets->count + 1, sizeof *sets->items))
        return NULL;
    struct contradiction *set = &sets->items[sets->count++];
    *set = (struct contradiction){0, NULL, NULL};
    return set;
}

void sets_free(struct sets *sets)
{
    for (size_t i = 0; i < sets->count; i++)
        contradiction_free(&sets->items[i]);
    memory_free(sets->items);
    *sets = (struct sets){NULL, 0, 0};
}

static bool all_gone(const struct task *task)
{
    for (size_t i = 0; i < task->examples->count; i++)
        if (!task->gone[i])
            return false;
    return true;
}

enum finding pack(const struct task *task, struct program *program, bool *gone, struct sets *sets,
                  struct found *found)
{
    struct task rest = *task;
    rest.gone = gone;
    for (;;) {
        size_t count;
        if (all_gone(&rest)) // any weights will do
            return witness_init(&found->weights, task->dims) ? FOUND_WEIGHTS : FOUND_NO_MEMORY;
        enum finding finding = program_run(program, &rest, found);
        if (finding == FOUND_NOTHING && !is_late(task->patience)) {
            const size_t *basis = program_basis(program, &count);
            finding = find_exactly(&rest, basis, count, found);
        }
        if (finding != FOUND_CONTRADICTION)
            return finding;
        struct contradiction *set = sets_add(sets);
        if (!set)
            return FOUND_NO_MEMORY;
        *set = found->contradiction;
        found->contradiction = (struct contradiction){0, NULL, NULL};
        for (size_t i = 0; i < set->count; i++)
            gone[case_row(task, set->cases[i])] = true;
    }
}
#endif
