// The shortest contradiction: two equal rows of different classes. Rows are sorted by hash, and
// rows with equal hashes are compared.
#include "proof/built.h"
#ifdef TLU_PROVES
#include "base/memory.h"
#include "proof/exact.h"
#include "proof/find/mistakes.h"

#include <stdlib.h>
#include <string.h>

struct hashed {
    uint64_t hash;
    size_t row;
};

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

static uint64_t hash_row(const struct examples *examples, size_t i)
{
    uint64_t hash = mix(mix(1, (uint32_t)examples->scale[i].ten), (uint32_t)examples->scale[i].two);
    for (size_t k = examples->offsets[i]; k < examples->offsets[i + 1]; k++) {
        hash = mix(hash, examples->columns[k]);
        hash = mix(hash, examples->large[i] ? mpz_get_ui(examples->big[examples->whole[k]])
                                            : (uint64_t)examples->whole[k]);
    }
    return hash;
}

static bool are_equal(const struct examples *examples, size_t a, size_t b)
{
    size_t at = examples->offsets[a], bt = examples->offsets[b];
    size_t count = examples->offsets[a + 1] - at;
    if (count != examples->offsets[b + 1] - bt || examples->large[a] != examples->large[b] ||
        examples->scale[a].ten != examples->scale[b].ten ||
        examples->scale[a].two != examples->scale[b].two)
        return false;
    for (size_t k = 0; k < count; k++) {
        if (examples->columns[at + k] != examples->columns[bt + k])
            return false;
        int64_t x = examples->whole[at + k], y = examples->whole[bt + k];
        if (examples->large[a] ? mpz_cmp(examples->big[x], examples->big[y]) != 0 : x != y)
            return false;
    }
    return true;
}

static int by_hash(const void *a, const void *b)
{
    const struct hashed *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->row < y->row ? -1 : 1;
}

// The case of a row against the class of another.
static size_t case_against(const struct separation_task *task, size_t row, size_t other)
{
    uint32_t own = task->examples->group[row], rival = task->examples->group[other];
    if (task->blocks == 1)
        return row;
    return row * task->rivals + (rival < own ? rival : rival - 1);
}

static void contradict_pair(const struct separation_task *task, size_t a, size_t b,
                            struct contradiction *c)
{
    contradiction_init(c, 2);
    c->cases[0] = case_against(task, a, b);
    c->cases[1] = case_against(task, b, a);
    mpz_set_ui(c->lambda[0], 1);
    mpz_set_ui(c->lambda[1], 1);
    contradiction_settle(task, c);
}

// The rows sorted by hash, so that equal rows are adjacent.
static struct hashed *sort_rows(const struct examples *examples)
{
    struct hashed *rows = exact_new(examples->count, sizeof *rows);
    for (size_t i = 0; i < examples->count; i++)
        rows[i] = (struct hashed){hash_row(examples, i), i};
    qsort(rows, examples->count, sizeof *rows, by_hash);
    return rows;
}

enum finding find_repeats(const struct separation_task *task, struct certificate *found)
{
    const struct examples *examples = task->examples;
    struct hashed *rows = sort_rows(examples);
    enum finding finding = FOUND_NOTHING;
    // If any two rows of a run of equal rows differ in class, so do two neighbours.
    for (size_t i = 1; finding == FOUND_NOTHING && i < examples->count; i++)
        if (rows[i].hash == rows[i - 1].hash &&
            examples->group[rows[i].row] != examples->group[rows[i - 1].row] &&
            are_equal(examples, rows[i - 1].row, rows[i].row)) {
            contradict_pair(task, rows[i - 1].row, rows[i].row, &found->contradiction);
            finding = FOUND_CONTRADICTION;
        }
    memory_free(rows);
    return finding;
}

// Among equal rows, those without a partner wait. All of them have one class: the next row of
// another class becomes the partner of one of them.
void pack_repeats(const struct separation_task *task, bool *gone, struct contradictions *sets)
{
    const struct examples *examples = task->examples;
    struct hashed *rows = sort_rows(examples);
    size_t *waiting = exact_new(examples->count, sizeof *waiting), count = 0;
    for (size_t i = 0; i < examples->count; i++) {
        size_t row = rows[i].row;
        if (count && !are_equal(examples, waiting[0], row))
            count = 0;
        if (!count || examples->group[waiting[0]] == examples->group[row]) {
            waiting[count++] = row;
            continue;
        }
        contradict_pair(task, waiting[--count], row, sets_add(sets));
        gone[row] = gone[waiting[count]] = true;
    }
    memory_free(rows);
    memory_free(waiting);
}
#endif
