// The dual form for rows of small whole numbers (small.h): the rows of a block are in panels, and
// the rows that were updated are lists of pairs of features.
#include "base/memory.h"
#include "base/parallel.h"
#include "space/dual_internal.h"
#include "vector/lanes.h"

#include <string.h>

#define CHUNK 64 // supports that are applied to all panels while they are in the cache

void dual_small_free(struct dual_small *small)
{
    for (size_t p = 0; p < DUAL_PANELS; p++)
        small_panel_free(&small->panels[p]);
    small_rows_free(&small->supports);
    memory_free(small->starts);
    memory_free(small->pairs);
    memory_free(small->sums);
    *small = (struct dual_small){0};
}

bool dual_small_init(struct dual *dual, size_t features)
{
    struct dual_small *small = &dual->small;
    bool fits = small_features_fit(features);
    for (size_t id = 0; fits && id < dual->rows; id++)
        fits = small_row_fits(&dual->row[id], dual->norm[id]);
    if (!fits)
        return true;
    small->on = true;
    small->starts = memory_new(dual->rows, sizeof *small->starts);
    small->pairs = memory_new(dual->rows, sizeof *small->pairs);
    small->sums = memory_new((size_t)DUAL_BLOCK * dual->columns, sizeof *small->sums);
    bool fine = small->starts && small->pairs && small->sums;
    for (size_t p = 0; fine && p < DUAL_PANELS; p++)
        fine = small_panel_init(&small->panels[p], features);
    return fine;
}

bool dual_small_add(struct dual *dual, uint64_t id)
{
    struct dual_small *small = &dual->small;
    if (!small->on || small->pairs[id])
        return true;
    small->starts[id] = small->supports.count;
    size_t pairs = small_rows_add(&small->supports, &dual->row[id]);
    small->pairs[id] = pairs == SIZE_MAX ? 0 : (uint32_t)pairs;
    return pairs != SIZE_MAX;
}

static void find_values(const struct dual *dual, size_t panel, uint64_t id, double *values)
{
    const struct dual_small *small = &dual->small;
    small_values(&small->panels[panel], &dual->kernel, small->supports.pairs + small->starts[id],
                 small->pairs[id], dual->norm[id], values);
}

void dual_small_values(const struct dual *dual, uint64_t id, double *values)
{
    double all[SMALL_LANES];
    for (size_t p = 0; p < DUAL_PANELS; p++) {
        size_t count = dual->small.panels[p].count;
        if (count)
            find_values(dual, p, id, all);
        memcpy(values + p * SMALL_LANES, all, count * sizeof *values);
    }
}

// ---- bringing scores up to date ----

// The rows of a panel, of `count` in all.
struct slots_of {
    const uint64_t *ids;
    size_t count;
};

static struct slots_of slots_of(const struct dual_small_job *job, size_t panel)
{
    size_t first = panel * SMALL_LANES, left = first < job->count ? job->count - first : 0;
    return (struct slots_of){job->ids + first, left < SMALL_LANES ? left : SMALL_LANES};
}

// The scores of a panel's rows: [columns][SMALL_LANES].
static double *sums_of(const struct dual *dual, size_t panel)
{
    return dual->small.sums + panel * SMALL_LANES * dual->columns;
}

static void slot(struct dual *dual, const struct dual_small_job *job, size_t panel)
{
    struct slots_of slots = slots_of(job, panel);
    double *sums = sums_of(dual, panel);
    small_panel_clear(&dual->small.panels[panel]);
    for (size_t i = 0; i < slots.count; i++) {
        uint64_t id = slots.ids[i];
        small_panel_add(&dual->small.panels[panel], &dual->row[id], dual->norm[id]);
        for (uint32_t c = 0; c < dual->columns; c++)
            sums[c * SMALL_LANES + i] = dual->scores[id * dual->columns + c];
    }
}

static void give_scores(struct dual *dual, const struct dual_small_job *job, size_t panel)
{
    struct slots_of slots = slots_of(job, panel);
    const double *sums = sums_of(dual, panel);
    for (size_t i = 0; i < slots.count; i++)
        for (uint32_t c = 0; c < dual->columns; c++)
            dual->scores[slots.ids[i] * dual->columns + c] = sums[c * SMALL_LANES + i];
}

LANES_BODY void add(double *sums, const struct dual_change *changes, size_t count,
                    const double *values)
{
    for (size_t e = 0; e < count; e++) {
        double *to = sums + (size_t)changes[e].column * SMALL_LANES;
        for (size_t i = 0; i < SMALL_LANES; i += 4)
            *(four *)(to + i) += changes[e].amount * *(const four *)(values + i);
    }
}

LANES_AVX2 static void add_avx2(double *sums, const struct dual_change *changes, size_t count,
                                const double *values)
{
    add(sums, changes, count, values);
}

// Applies the changes of supports `first` to `last` - 1 to the rows of a panel.
static void apply_chunk(struct dual *dual, const struct sparse_delta *delta, size_t first,
                        size_t last, size_t panel)
{
    double values[SMALL_LANES], *sums = sums_of(dual, panel);
    for (size_t s = first; s < last; s++) {
        const struct dual_change *changes = delta->entries + delta->starts[s];
        size_t count = delta->starts[s + 1] - delta->starts[s];
        find_values(dual, panel, delta->supports[s], values);
        if (lanes_have_avx2())
            add_avx2(sums, changes, count, values);
        else
            add(sums, changes, count, values);
    }
}

static void apply_panels(void *context, size_t first, size_t last)
{
    const struct dual_small_job *job = context;
    const struct sparse_delta *delta = job->delta;
    for (size_t p = first; p < last; p++)
        slot(job->dual, job, p);
    for (size_t s = 0; s < delta->count; s += CHUNK)
        for (size_t p = first; p < last; p++)
            if (slots_of(job, p).count)
                apply_chunk(job->dual, delta, s,
                            s + CHUNK < delta->count ? s + CHUNK : delta->count, p);
    for (size_t p = first; p < last; p++)
        give_scores(job->dual, job, p);
}

void dual_small_apply(struct dual *dual, const struct sparse_delta *delta, const uint64_t *ids,
                      size_t count)
{
    for (size_t i = 0; i < count; i += DUAL_BLOCK) {
        size_t rows = count - i < DUAL_BLOCK ? count - i : DUAL_BLOCK;
        struct dual_small_job job = {dual, delta, ids + i, rows};
        bool few = rows * delta->count < 16384; // not worth a thread
        parallel_run(few ? 1 : dual->threads, DUAL_PANELS, apply_panels, &job);
    }
}
