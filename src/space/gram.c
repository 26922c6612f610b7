#include "space/gram.h"

#include "base/memory.h"
#include "vector/lanes.h"

#include <assert.h>
#include <string.h>

void gram_free(struct gram *gram)
{
    if (!gram)
        return;
    postings_free(&gram->postings);
    small_rows_free(&gram->small);
    memory_free(gram->small_starts);
    memory_free(gram);
}

static bool are_small(const struct gram *gram)
{
    bool small = small_features_fit(gram->features);
    for (size_t r = 0; small && r < gram->count; r++)
        small = small_row_fits(&gram->rows[r], gram->norms[r]);
    return small;
}

static bool make_small(struct gram *gram)
{
    gram->way = GRAM_SMALL;
    gram->small_starts = memory_new(gram->count + 1, sizeof *gram->small_starts);
    if (!gram->small_starts)
        return false;
    for (size_t r = 0; r < gram->count; r++) {
        if (small_rows_add(&gram->small, &gram->rows[r]) == SIZE_MAX)
            return false;
        gram->small_starts[r + 1] = gram->small.count;
    }
    return true;
}

static bool choose(struct gram *gram)
{
    bool small = are_small(gram), fine = true;
    size_t *occurrences = postings_count(gram->rows, gram->count, gram->features);
    if (!occurrences)
        return false;
    if (postings_pay(gram->rows, gram->norms, gram->count, occurrences, gram->features, small)) {
        gram->way = GRAM_POSTINGS;
        fine = postings_make(&gram->postings, gram->rows, gram->norms, gram->count, occurrences,
                             gram->features);
    } else if (small) {
        fine = make_small(gram);
    }
    memory_free(occurrences);
    return fine;
}

struct gram *gram_new(const struct kernel *kernel, const tlu_row *rows, const double *norms,
                      size_t count, size_t features)
{
    struct gram *gram = memory_new(1, sizeof *gram);
    if (!gram)
        return NULL;
    *gram = (struct gram){
        .kernel = *kernel, .rows = rows, .norms = norms, .count = count, .features = features};
    if (gram->kernel.kind == KERNEL_NONE)
        gram->kernel.kind = KERNEL_LINEAR;
    return gram;
}

struct gram *gram_faster(const struct gram *gram)
{
    struct gram *faster =
        gram_new(&gram->kernel, gram->rows, gram->norms, gram->count, gram->features);
    if (!faster || choose(faster))
        return faster;
    gram_free(faster);
    return NULL;
}

// ---- rows that are compared with them ----

void gram_scratch_free(struct gram_scratch *scratch)
{
    panel_free(&scratch->panel);
    small_panel_free(&scratch->small);
    postings_rows_free(&scratch->postings);
    memory_free(scratch->dots);
    memory_free(scratch->values);
    memory_free(scratch->sums);
    *scratch = (struct gram_scratch){0};
}

// Reserves `count` numbers and sets them to 0; false: out of memory.
static bool clear(double **array, size_t *capacity, size_t count)
{
    if (!memory_reserve(array, capacity, count, sizeof **array))
        return false;
    if (count)
        memset(*array, 0, count * sizeof **array);
    return true;
}

// Whether the method of the kept rows can be used for these rows.
static bool can_go(const struct gram *gram, const tlu_row *rows, const double *norms, size_t count)
{
    bool fine = gram->way != GRAM_PANEL;
    for (size_t i = 0; fine && i < count; i++)
        fine = gram->way == GRAM_POSTINGS ? postings_take(&gram->postings, &rows[i])
                                          : small_row_fits(&rows[i], norms[i]);
    return fine;
}

size_t gram_rows_at_once(const struct gram *gram, const tlu_row *rows, size_t count)
{
    count = count < GRAM_ROWS ? count : GRAM_ROWS;
    if (count > GRAM_LANES && !(gram->way == GRAM_POSTINGS && can_go(gram, rows, NULL, count)))
        return GRAM_LANES;
    return count;
}

static bool load_small(const struct gram *gram, struct gram_scratch *scratch, const tlu_row *rows)
{
    if (!scratch->small.cells && !small_panel_init(&scratch->small, gram->features))
        return false;
    for (size_t i = 0; i < scratch->count; i++)
        small_panel_add(&scratch->small, &rows[i], scratch->norms[i]);
    return true;
}

// Several rows use a panel of all lanes, so that the last few rows of a file need no other panel. A
// single row uses a panel of one lane.
static bool load_panel(const struct gram *gram, struct gram_scratch *scratch, const tlu_row *rows)
{
    if (!panel_prepare(&scratch->panel, gram->features, scratch->lanes))
        return false;
    for (size_t i = 0; i < scratch->count; i++)
        panel_add(&scratch->panel, &rows[i], scratch->norms[i]);
    return true;
}

bool gram_load(const struct gram *gram, struct gram_scratch *scratch, const tlu_row *rows,
               size_t count, size_t tile)
{
    assert(count <= GRAM_ROWS);
    scratch->count = count;
    scratch->lanes = count > 1 ? GRAM_LANES : 1;
    if (tile > SIZE_MAX / GRAM_LANES ||
        !clear(&scratch->values, &scratch->values_capacity, tile * scratch->lanes))
        return false;
    for (size_t i = 0; i < count; i++)
        scratch->norms[i] = panel_norm(&rows[i]);
    scratch->way = can_go(gram, rows, scratch->norms, count) ? gram->way : GRAM_PANEL;
    if (scratch->way == GRAM_SMALL)
        return load_small(gram, scratch, rows);
    if (scratch->way == GRAM_PANEL)
        return load_panel(gram, scratch, rows);
    return memory_reserve(&scratch->dots, &scratch->dots_capacity, 8 * GRAM_TILE,
                          sizeof *scratch->dots) &&
           postings_load(&gram->postings, &scratch->postings, rows, count);
}

void gram_unload(struct gram_scratch *scratch)
{
    small_panel_clear(&scratch->small);
    panel_clear(&scratch->panel);
}

// ---- values ----

static void values_by_panel(const struct gram *gram, struct gram_scratch *scratch, size_t first,
                            size_t last, double *values)
{
    for (size_t s = first; s < last; s++)
        panel_values(&scratch->panel, &gram->kernel, &gram->rows[s], gram->norms[s],
                     values + (s - first) * scratch->lanes);
}

static void values_of_small(const struct gram *gram, struct gram_scratch *scratch, size_t first,
                            size_t last, double *values)
{
    double all[SMALL_LANES];
    for (size_t s = first; s < last; s++) {
        double *to = scratch->lanes == SMALL_LANES ? values + (s - first) * SMALL_LANES : all;
        small_values(&scratch->small, &gram->kernel, gram->small.pairs + gram->small_starts[s],
                     gram->small_starts[s + 1] - gram->small_starts[s], gram->norms[s], to);
        if (scratch->lanes == 1)
            values[s - first] = all[0];
    }
}

// Computes the dot products of a tile, eight rows at a time, and then its kernel values.
static void tile_by_postings(const struct gram *gram, struct gram_scratch *scratch, size_t start,
                             size_t first, size_t last, double *values)
{
    size_t count = last - first, lanes = scratch->lanes, rows = scratch->count - start;
    rows = rows < lanes ? rows : lanes;
    for (size_t i = 0; lanes > 1 && i < rows; i += 8) {
        for (size_t k = i; k < i + 8 && k < rows; k++)
            postings_dots(&scratch->postings, start + k, first, last,
                          scratch->dots + (k - i) * GRAM_TILE);
        lanes_transpose(scratch->dots, GRAM_TILE, count, values + i, lanes);
    }
    if (lanes == 1)
        postings_dots(&scratch->postings, start, first, last, values);
    for (size_t s = 0; gram->kernel.kind != KERNEL_LINEAR && s < count; s++)
        kernel_values(&gram->kernel, values + s * lanes, rows, gram->norms[first + s],
                      scratch->norms + start, values + s * lanes);
}

void gram_values(const struct gram *gram, struct gram_scratch *scratch, size_t start, size_t first,
                 size_t last, double *values)
{
    if (scratch->way == GRAM_PANEL)
        values_by_panel(gram, scratch, first, last, values);
    else if (scratch->way == GRAM_SMALL)
        values_of_small(gram, scratch, first, last, values);
    else
        for (size_t s = first; s < last; s += GRAM_TILE)
            tile_by_postings(gram, scratch, start, s, last < s + GRAM_TILE ? last : s + GRAM_TILE,
                             values + (s - first) * scratch->lanes);
}

// ---- scores ----

// sums[columns][lanes] += amounts[column] values[lanes], for amounts that are not 0.
LANES_BODY void add(const double *values, size_t lanes, const double *amounts, uint32_t columns,
                    double *sums)
{
    for (uint32_t c = 0; c < columns; c++) {
        if (amounts[c] == 0)
            continue;
        for (size_t i = 0; i + 4 <= lanes; i += 4)
            *(four *)(sums + c * lanes + i) += amounts[c] * *(const four *)(values + i);
        if (lanes == 1)
            sums[c] += amounts[c] * values[0];
    }
}

LANES_AVX2 static void add_avx2(const double *values, size_t lanes, const double *amounts,
                                uint32_t columns, double *sums)
{
    add(values, lanes, amounts, columns, sums);
}

static void add_plain(const double *values, size_t lanes, const double *amounts, uint32_t columns,
                      double *sums)
{
    add(values, lanes, amounts, columns, sums);
}

// Computes the scores of rows that can be loaded at once.
static bool score_loaded(const struct gram *gram, const struct gram_weights *weights,
                         const tlu_row *rows, size_t count, double *scores,
                         struct gram_scratch *scratch)
{
    size_t columns = weights->columns, tile = gram->count < GRAM_TILE ? gram->count : GRAM_TILE;
    if (!gram_load(gram, scratch, rows, count, tile))
        return false;
    size_t lanes = scratch->lanes, cells = (count + lanes - 1) / lanes * lanes * columns;
    bool fine = clear(&scratch->sums, &scratch->sums_capacity, cells);
    for (size_t i = 0; fine && i < cells; i++)
        scratch->sums[i] = weights->bias[i / lanes % columns];
    for (size_t first = 0; fine && first < gram->count; first += GRAM_TILE) {
        size_t last = gram->count - first < GRAM_TILE ? gram->count : first + GRAM_TILE;
        for (size_t start = 0; start < count; start += lanes) {
            gram_values(gram, scratch, start, first, last, scratch->values);
            for (size_t s = first; s < last; s++)
                (lanes_have_avx2() ? add_avx2 : add_plain)(
                    scratch->values + (s - first) * lanes, lanes, weights->w + s * columns,
                    weights->columns, scratch->sums + start * columns);
        }
    }
    gram_unload(scratch);
    for (size_t i = 0; fine && i < count; i++)
        for (size_t c = 0; c < columns; c++)
            scores[i * columns + c] =
                scratch->sums[i / lanes * lanes * columns + c * lanes + i % lanes] /
                weights->divisor;
    return fine;
}

bool gram_scores(const struct gram *gram, const struct gram_weights *weights, const tlu_row *rows,
                 size_t count, double *scores, struct gram_scratch *scratch)
{
    bool fine = true;
    for (size_t i = 0, some; fine && i < count; i += some) {
        some = gram_rows_at_once(gram, rows + i, count - i);
        fine = score_loaded(gram, weights, rows + i, some, scores + i * weights->columns, scratch);
    }
    return fine;
}
