#include "data/batch.h"

#include "base/memory.h"
#include "data/large.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct batch *batch_new(void)
{
    struct batch *batch = memory_new(1, sizeof *batch);
    if (!batch || !batch_reserve(batch, 1, 1)) {
        batch_free(batch);
        return NULL;
    }
    batch_clear(batch);
    return batch;
}

static void free_entries(struct batch *batch)
{
    if (batch->memory.lent_entries)
        return;
    memory_free(batch->offsets);
    memory_free(batch->indices);
    memory_free(batch->values);
}

// Frees what only parsers and schema_merge use.
static void free_scratch(struct batch *batch)
{
    struct batch_scratch *scratch = &batch->scratch;
    void *arrays[] = {scratch->exact.values, scratch->exact.texts, scratch->text,
                      scratch->csv_quick,    scratch->places,      scratch->starts,
                      scratch->source,       scratch->set_of,      batch->hashed.items,
                      batch->large.items};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        memory_free(arrays[i]);
    table_free(&scratch->compared);
    *scratch = (struct batch_scratch){0};
    batch->hashed = (struct hashed_names){0};
    batch->large = (struct large_names){0};
    table_free(&batch->names);
    table_free(&batch->classes);
}

void batch_free(struct batch *batch)
{
    if (!batch)
        return;
    free_entries(batch);
    if (!batch->memory.lent_rows) {
        memory_free(batch->labels);
        memory_free(batch->sets);
        memory_free(batch->line);
        memory_free(batch->weights);
    }
    memory_free(batch->memory.block);
    free_scratch(batch);
    if (batch->memory.made.result)
        batch->memory.made.free(batch->memory.made.result);
    memory_free(batch);
}

void batch_clear(struct batch *batch)
{
    table_clear(&batch->names);
    batch->large.count = 0;
    table_clear(&batch->classes);
    table_clear(&batch->scratch.compared);
    batch->rows = 0;
    batch->set_cells = 0;
    batch->alike = false;
    batch->offsets[0] = 0;
    batch->ones = true;
    batch->weighted = false;
    batch->held_out = NULL;
    batch->direct = NO_INDICES;
    batch->first_row = 0;
    batch->place = (struct batch_place){0};
    batch->counts = (struct batch_counts){0};
    batch->hashed.count = 0;
    batch->scratch.exact.size = 0;
    batch->scratch.large = false;
    batch->scratch.source_size = 0;
    batch->scratch.starts_count = 0;
}

void batch_drop_entries(struct batch *batch)
{
    table_clear(&batch->names);
    batch->large.count = 0;
    batch->direct = NO_INDICES;
    memset(batch->offsets, 0, (batch->rows + 1) * sizeof *batch->offsets);
}

bool batch_reserve_entries(struct batch *batch, size_t count)
{
    struct batch_memory *memory = &batch->memory;
    return count < UINT32_MAX && // offsets are 32 bits wide
           memory_reserve(&batch->indices, &memory->indices_capacity, count,
                          sizeof *batch->indices) &&
           memory_reserve(&batch->values, &memory->values_capacity, count, sizeof *batch->values);
}

bool batch_reserve(struct batch *batch, size_t rows, size_t nonzeros)
{
    struct batch_memory *memory = &batch->memory;
    rows += batch->rows;
    return memory_reserve(&batch->offsets, &memory->offsets_capacity, rows + 1,
                          sizeof *batch->offsets) &&
           memory_reserve(&batch->labels, &memory->labels_capacity, rows, sizeof *batch->labels) &&
           memory_reserve(&batch->line, &memory->line_capacity, rows, sizeof *batch->line) &&
           batch_reserve_entries(batch, batch_nonzeros(batch) + nonzeros);
}

bool subset_has(const struct subset *subset, uint64_t row)
{
    uint64_t block = row / SUBSET_BLOCK;
    if (subset->share_count && block % subset->share_count != subset->share)
        return false;
    if (!subset->part)
        return true;
    if (subset->share_count)
        row = block / subset->share_count * SUBSET_BLOCK + row % SUBSET_BLOCK;
    // A row past the end can only be one that was not there when the parts were dealt out.
    uint32_t part = row < subset->rows ? subset->part[row] : subset->chosen + 1;
    return part != SUBSET_NONE && (part == subset->chosen) != subset->others;
}

// The text's number in another table; false: out of memory.
static bool renumber(struct table *to, const struct table *from, uint32_t *number)
{
    *number = table_add(to, table_text(from, *number), table_length(from, *number));
    return *number != TABLE_NONE;
}

// A feature's number in the new tables for the one in the batch's; false: out of memory.
static bool renumber_name(struct batch *to, const struct batch *from, uint32_t *feature)
{
    uint32_t number = *feature & ~BATCH_LOCAL;
    if (from->large.count) {
        *feature = large_put(to, from->large.items[number]);
        return *feature != SCHEMA_NONE;
    }
    bool fine = renumber(&to->names, &from->names, &number);
    *feature = number | BATCH_LOCAL;
    return fine;
}

// ---- sets of labels ----

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

void batch_sort_set(uint32_t *set)
{
    if (set[0] > 1)
        qsort(set + 1, set[0], sizeof *set, by_number);
}

void batch_renumber_sets(struct batch *batch, const uint32_t *numbers)
{
    for (size_t at = 0; at < batch->set_cells; at += 1 + batch->sets[at]) {
        for (uint32_t i = 1; i <= batch->sets[at]; i++)
            batch->sets[at + i] = numbers[batch->sets[at + i]];
        batch_sort_set(batch->sets + at);
    }
}

// The sets of the rows that are there, each its own, with the numbers that their labels have in
// another table; NULL: with the same numbers. False: out of memory.
static bool retell_sets(struct batch *batch, struct table *classes)
{
    uint32_t *sets = NULL;
    size_t cells = 0, capacity = 0;
    bool fine = true;
    for (size_t i = 0; fine && i < batch->rows; i++) {
        if (batch->labels[i] == TLU_NO_LABEL)
            continue;
        const uint32_t *set = batch->sets + batch->labels[i];
        fine = memory_reserve(&sets, &capacity, cells + set[0] + 1, sizeof *sets);
        if (!fine)
            break;
        memcpy(sets + cells, set, (set[0] + 1) * sizeof *sets);
        for (uint32_t k = 1; fine && classes && k <= set[0]; k++)
            fine = renumber(classes, &batch->classes, &sets[cells + k]);
        batch->counts.unknown_labels += set[0] && set[set[0]] == TLU_UNKNOWN_LABEL;
        batch->labels[i] = (uint32_t)cells;
        cells += set[0] + 1;
    }
    memory_free(batch->sets);
    batch->sets = sets;
    batch->memory.sets_capacity = capacity;
    batch->set_cells = cells;
    return fine;
}

// The batch's tables again, from the rows that are there: in the order of their first use, as a
// parser would have filled them.
static bool retell(struct batch *batch)
{
    struct batch new = {0}; // its tables alone
    bool fine = true, named = batch_names(batch) > 0;
    bool labelled = batch->classes.count > 0;
    batch->direct = NO_INDICES;
    batch->counts.unknown_labels = 0;
    if (batch->set_cells)
        fine = retell_sets(batch, labelled ? &new.classes : NULL);
    for (size_t i = 0; fine && !batch->set_cells && i < batch->rows; i++) {
        batch->counts.unknown_labels += batch->labels[i] == TLU_UNKNOWN_LABEL;
        if (labelled && batch->labels[i] != TLU_NO_LABEL)
            fine = renumber(&new.classes, &batch->classes, &batch->labels[i]);
    }
    for (size_t k = 0, n = batch_nonzeros(batch); fine && k < n; k++) {
        if (named && batch->indices[k] & BATCH_LOCAL)
            fine = renumber_name(&new, batch, &batch->indices[k]);
        else if (batch->indices[k] < SCHEMA_DIRECT)
            index_range_add(&batch->direct, batch->indices[k]);
    }
    table_free(&batch->names);
    memory_free(batch->large.items);
    table_free(&batch->classes);
    batch->names = new.names;
    batch->large = new.large;
    batch->classes = new.classes;
    return fine;
}

bool batch_select(struct batch *batch, const struct subset *subset, uint64_t first)
{
    size_t rows = 0, kept = 0;
    for (size_t i = 0; !subset_is_all(subset) && i < batch->rows; i++) {
        if (!subset_has(subset, first + i))
            continue;
        uint32_t start = batch->offsets[i], count = batch->offsets[i + 1] - start;
        memmove(batch->indices + kept, batch->indices + start, count * sizeof *batch->indices);
        if (!batch->ones)
            memmove(batch->values + kept, batch->values + start, count * sizeof *batch->values);
        batch->labels[rows] = batch->labels[i];
        batch->line[rows] = batch->line[i];
        if (batch->scratch.starts_count)
            batch->scratch.starts[rows] = batch->scratch.starts[i];
        if (batch->weighted)
            batch->weights[rows] = batch->weights[i];
        kept += count;
        // Never past what is still to be read: rows does not overtake i.
        batch->offsets[++rows] = (uint32_t)kept;
    }
    if (subset_is_all(subset) || rows == batch->rows)
        return true;
    batch->rows = rows;
    return retell(batch);
}

// All arrays have items of four bytes.
static void shrink(void *array_pointer, size_t *capacity, size_t count)
{
    void **array = array_pointer;
    void *smaller = count < *capacity ? memory_resize(*array, count, 4) : NULL;
    if (smaller) { // else: it stays as large as it is
        *array = smaller;
        *capacity = count;
    }
}

void batch_shrink(struct batch *batch)
{
    struct batch_memory *memory = &batch->memory;
    size_t rows = batch->rows, nonzeros = batch_nonzeros(batch);
    if (!memory->lent_entries) {
        shrink(&batch->offsets, &memory->offsets_capacity, rows + 1);
        shrink(&batch->indices, &memory->indices_capacity, nonzeros);
        if (batch->ones) {
            memory_free(batch->values);
            batch->values = NULL;
            memory->values_capacity = 0;
        } else {
            shrink(&batch->values, &memory->values_capacity, nonzeros);
        }
    }
    if (!memory->lent_rows) {
        shrink(&batch->labels, &memory->labels_capacity, rows);
        shrink(&batch->sets, &memory->sets_capacity, batch->set_cells);
        shrink(&batch->line, &memory->line_capacity, rows);
        shrink(&batch->weights, &memory->weights_capacity, batch->weighted ? rows : 0);
    }
    free_scratch(batch);
}

bool batch_is_alike(const struct batch *batch)
{
    const uint32_t *first = batch->indices;
    size_t width = batch->rows ? batch->offsets[1] : 0;
    if (batch->rows < 2 || width == 0)
        return false;
    for (size_t i = 1; i < batch->rows; i++)
        if (batch->offsets[i + 1] - batch->offsets[i] != width ||
            memcmp(first + i * width, first, width * sizeof *first) != 0)
            return false;
    return true;
}

void batch_share(struct batch *batch)
{
    uint32_t *first = batch->indices;
    if (batch->alike || !batch_is_alike(batch))
        return;
    size_t width = batch->offsets[1];
    batch->alike = true;
    size_t run = 0;
    while (run < width && first[run] == run)
        run++;
    if (run < width) {
        if (!batch->memory.lent_entries)
            shrink(&batch->indices, &batch->memory.indices_capacity, width);
        return;
    }
    if (!batch->memory.lent_entries)
        memory_free(batch->indices);
    batch->indices = NULL;
    batch->memory.indices_capacity = 0;
}

void batch_take_entries(struct batch *batch, struct batch *from)
{
    assert(from->rows == batch->rows && !from->memory.lent_entries);
    free_entries(batch);
    batch->memory.lent_entries = false;
    batch->offsets = from->offsets;
    batch->memory.offsets_capacity = from->memory.offsets_capacity;
    batch->indices = from->indices;
    batch->memory.indices_capacity = from->memory.indices_capacity;
    batch->alike = from->alike;
    batch->values = from->values;
    batch->memory.values_capacity = from->memory.values_capacity;
    batch->ones = from->ones;
    from->offsets = from->indices = NULL;
    from->values = NULL;
    batch_free(from);
}

size_t batch_bytes(const struct batch *batch)
{
    const struct batch_memory *memory = &batch->memory;
    size_t entries = memory->offsets_capacity + memory->indices_capacity + memory->values_capacity;
    size_t rows = memory->labels_capacity + memory->sets_capacity + memory->line_capacity +
                  memory->weights_capacity;
    return 4 * ((memory->lent_entries ? 0 : entries) + (memory->lent_rows ? 0 : rows)) +
           memory->block_size;
}
