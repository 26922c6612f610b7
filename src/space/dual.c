#include "space/dual_internal.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void dual_free(struct dual *dual)
{
    if (!dual)
        return;
    for (size_t i = 0; i < DUAL_THREADS; i++)
        panel_free(&dual->panels[i]);
    dual_small_free(&dual->small);
    memory_free(dual->row);
    memory_free(dual->norm);
    memory_free(dual->scores);
    memory_free(dual->pass.order);
    memory_free(dual->pass.blocks);
    memory_free(dual->pass.support_of);
    memory_free(dual->pass.supports);
    memory_free(dual->pass.delta);
    memory_free(dual->pass.changes);
    memory_free(dual);
}

// Counts the rows. *features: the number of features that a panel needs.
static size_t count_rows(struct batch *const *batches, size_t batch_count, size_t *features)
{
    size_t rows = 0;
    *features = 0;
    for (size_t b = 0; b < batch_count; b++) {
        rows += batches[b]->rows;
        for (size_t r = 0; r < batches[b]->rows; r++) {
            tlu_row row = batch_row(batches[b], r);
            for (size_t i = 0; i < row.count; i++)
                if (row_feature(&row, i) >= *features)
                    *features = (size_t)row_feature(&row, i) + 1;
        }
    }
    return rows;
}

static void take_rows(struct dual *dual, struct batch *const *batches, size_t batch_count)
{
    for (size_t b = 0, id = 0; b < batch_count; b++)
        for (size_t i = 0; i < batches[b]->rows; i++, id++) {
            dual->row[id] = batch_row(batches[b], i);
            dual->norm[id] = panel_norm(&dual->row[id]);
        }
}

tlu_status dual_new(struct dual **out, const struct kernel *kernel, struct batch *const *batches,
                    size_t batch_count, uint32_t columns, size_t threads, tlu_error *error)
{
    *out = NULL;
    size_t features, rows = count_rows(batches, batch_count, &features);
    if (rows >= DUAL_NONE)
        return error_input(error, "--kernel takes fewer than 2^32 rows");
    struct dual *dual = memory_new(1, sizeof *dual);
    if (!dual)
        return error_memory(error);
    dual->kernel = *kernel;
    dual->columns = columns;
    dual->rows = rows;
    dual->row = memory_new(rows, sizeof *dual->row);
    dual->norm = memory_new(rows, sizeof *dual->norm);
    dual->pass.order = memory_new(rows, sizeof *dual->pass.order);
    dual->pass.support_of = memory_new(rows, sizeof *dual->pass.support_of);
    dual->scores = rows <= SIZE_MAX / columns ? memory_new(rows * columns, sizeof(double)) : NULL;
    bool fine =
        dual->row && dual->norm && dual->pass.order && dual->pass.support_of && dual->scores;
    dual->threads = threads > DUAL_THREADS ? DUAL_THREADS : threads;
    if (fine)
        take_rows(dual, batches, batch_count);
    fine = fine && dual_small_init(dual, features);
    for (size_t t = 0; fine && !dual->small.on && t < dual->threads; t++)
        fine = panel_init(&dual->panels[t], features);
    if (!fine) {
        dual_free(dual);
        return error_memory(error);
    }
    *out = dual;
    return TLU_OK;
}

// ---- bringing scores up to date ----

static void sparse_free(struct sparse_delta *sparse)
{
    memory_free(sparse->supports);
    memory_free(sparse->starts);
    memory_free(sparse->entries);
}

static bool sparse_make(struct sparse_delta *sparse, const struct dual *dual)
{
    size_t cells = dual->pass.support_count * dual->columns, used = 0;
    for (size_t i = 0; i < cells; i++)
        used += dual->pass.delta[i] != 0;
    *sparse = (struct sparse_delta){0};
    sparse->supports = memory_new(dual->pass.support_count, sizeof *sparse->supports);
    sparse->starts = memory_new(dual->pass.support_count + 1, sizeof *sparse->starts);
    sparse->entries = memory_new(used, sizeof *sparse->entries);
    if (!sparse->supports || !sparse->starts || !sparse->entries) {
        sparse_free(sparse);
        return false;
    }
    size_t n = 0;
    for (size_t s = 0; s < dual->pass.support_count; s++) {
        size_t start = n;
        for (uint32_t c = 0; c < dual->columns; c++)
            if (dual->pass.delta[s * dual->columns + c] != 0)
                sparse->entries[n++] =
                    (struct dual_change){0, c, dual->pass.delta[s * dual->columns + c]};
        if (n > start) {
            sparse->supports[sparse->count++] = dual->pass.supports[s];
            sparse->starts[sparse->count] = n;
        }
    }
    return true;
}

struct dual_job {
    struct dual *dual;
    const struct sparse_delta *sparse;
    const uint64_t *ids;
    size_t per_thread; // rows per thread: row / per_thread is the number of the panel
};

// S of rows ids[first..last-1] += sum of the changes times kernel values.
static void apply_part(void *context, size_t first, size_t last)
{
    struct dual_job *job = context;
    struct dual *dual = job->dual;
    const struct sparse_delta *sparse = job->sparse;
    struct panel *panel = &dual->panels[job->per_thread ? first / job->per_thread : 0];
    double values[PANEL_LANES];
    for (size_t s = 0; s < sparse->count; s += panel->lanes) {
        for (size_t k = s; k < sparse->count && panel->count < panel->lanes; k++)
            panel_add(panel, &dual->row[sparse->supports[k]], dual->norm[sparse->supports[k]]);
        for (size_t i = first; i < last; i++) {
            uint64_t id = job->ids[i];
            double *scores = dual->scores + id * dual->columns;
            panel_values(panel, &dual->kernel, &dual->row[id], dual->norm[id], values);
            for (size_t k = 0; k < panel->count; k++)
                for (size_t e = sparse->starts[s + k]; e < sparse->starts[s + k + 1]; e++)
                    scores[sparse->entries[e].column] += sparse->entries[e].amount * values[k];
        }
        panel_clear(panel);
    }
}

// Each thread gets the same number of rows, rounded up, so that the first row determines the panel.
struct shares {
    struct dual_job job;
    size_t count;
};

static void run_shares(void *context, size_t first, size_t last)
{
    struct shares *shares = context;
    for (size_t share = first; share < last; share++) {
        size_t start = share * shares->job.per_thread, end = start + shares->job.per_thread;
        if (start < shares->count)
            apply_part(&shares->job, start, end < shares->count ? end : shares->count);
    }
}

static void apply_shares(struct dual *dual, const struct sparse_delta *sparse, const uint64_t *ids,
                         size_t count)
{
    struct shares shares = {{dual, sparse, ids, (count + dual->threads - 1) / dual->threads},
                            count};
    bool small = (double)count * (double)sparse->count < 4096; // not worth a thread
    if (small)
        shares.job.per_thread = count;
    parallel_run(small ? 1 : dual->threads, small ? 1 : dual->threads, run_shares, &shares);
}

static bool apply(struct dual *dual, const uint64_t *ids, size_t count)
{
    struct sparse_delta sparse;
    if (!sparse_make(&sparse, dual))
        return false;
    dual->work += ceil((double)sparse.count / PANEL_LANES) * (double)count;
    if (dual->small.on)
        dual_small_apply(dual, &sparse, ids, count);
    else if (sparse.count)
        apply_shares(dual, &sparse, ids, count);
    sparse_free(&sparse);
    return true;
}

// ---- a pass ----

void dual_pass_begin(struct dual *dual)
{
    memset(dual->pass.support_of, 0xFF, dual->rows * sizeof *dual->pass.support_of); // DUAL_NONE
    dual->pass.ordered = dual->pass.block_count = dual->pass.support_count =
        dual->pass.change_count = 0;
}

static void end_block(struct dual *dual)
{
    if (dual->pass.block_count)
        dual->pass.blocks[dual->pass.block_count - 1].changes_after = dual->pass.change_count;
}

bool dual_add_block(struct dual *dual, const uint64_t *ids, size_t count)
{
    assert(count <= DUAL_BLOCK && dual->pass.ordered + count <= dual->rows);
    end_block(dual);
    if (!memory_reserve(&dual->pass.blocks, &dual->pass.block_capacity, dual->pass.block_count + 1,
                        sizeof *dual->pass.blocks))
        return false;
    dual->pass.blocks[dual->pass.block_count++] = (struct dual_rows){dual->pass.ordered, count, 0};
    memcpy(dual->pass.order + dual->pass.ordered, ids, count * sizeof *ids);
    dual->pass.ordered += count;
    dual->updated.known = false;
    return true;
}

tlu_status dual_block(struct dual *dual, const uint64_t *ids, size_t count, tlu_error *error)
{
    return enough_memory(dual_add_block(dual, ids, count) && apply(dual, ids, count), error);
}

// Goes from the last block to the first, and applies to each the changes that were made after it.
tlu_status dual_pass_end(struct dual *dual, tlu_error *error)
{
    end_block(dual);
    if (dual->pass.support_count)
        memset(dual->pass.delta, 0,
               dual->pass.support_count * dual->columns * sizeof *dual->pass.delta);
    size_t change = dual->pass.change_count;
    // Blocks with the same changes after them are brought up to date together.
    for (size_t b = dual->pass.block_count; b > 0;) {
        const struct dual_rows *last = &dual->pass.blocks[b - 1];
        while (change > last->changes_after) {
            const struct dual_change *c = &dual->pass.changes[--change];
            dual->pass.delta[(size_t)c->support * dual->columns + c->column] += c->amount;
        }
        size_t first = b - 1;
        while (first > 0 && dual->pass.blocks[first - 1].changes_after == last->changes_after)
            first--;
        size_t start = dual->pass.blocks[first].first;
        if (change < dual->pass.change_count &&
            !apply(dual, dual->pass.order + start, last->first + last->count - start))
            return error_memory(error);
        b = first;
    }
    dual->pass.block_count = dual->pass.change_count = 0; // no changes are pending
    return TLU_OK;
}

// ---- one row ----

const double *dual_scores(const struct dual *dual, uint64_t id)
{
    return dual->scores + id * dual->columns;
}

const double *dual_all_scores(const struct dual *dual)
{
    return dual->scores;
}

double dual_norm(const struct dual *dual, uint64_t id)
{
    return kernel_value(&dual->kernel, dual->norm[id], dual->norm[id], dual->norm[id]);
}

bool dual_add_change(struct dual *dual, uint64_t id, uint32_t column, double amount)
{
    assert(id < dual->rows && column < dual->columns);
    if (dual->pass.support_of[id] == DUAL_NONE) {
        size_t cells = (dual->pass.support_count + 1) * dual->columns;
        if (!dual_small_add(dual, id) ||
            !memory_reserve(&dual->pass.supports, &dual->pass.support_capacity,
                            dual->pass.support_count + 1, sizeof *dual->pass.supports) ||
            !memory_reserve(&dual->pass.delta, &dual->pass.delta_capacity, cells,
                            sizeof *dual->pass.delta))
            return false;
        memset(dual->pass.delta + cells - dual->columns, 0,
               dual->columns * sizeof *dual->pass.delta);
        dual->pass.supports[dual->pass.support_count] = (uint32_t)id;
        dual->pass.support_of[id] = (uint32_t)dual->pass.support_count++;
    }
    if (!memory_reserve(&dual->pass.changes, &dual->pass.change_capacity,
                        dual->pass.change_count + 1, sizeof *dual->pass.changes))
        return false;
    uint32_t support = dual->pass.support_of[id];
    dual->pass.changes[dual->pass.change_count++] = (struct dual_change){support, column, amount};
    dual->pass.delta[(size_t)support * dual->columns + column] += amount;
    return true;
}

// Sets updated.values to K of a row and each row of the block.
static void find_values(struct dual *dual, const struct dual_rows *block, uint64_t id)
{
    struct panel *panel = &dual->panels[0];
    if (dual->small.on) {
        dual_small_values(dual, id, dual->updated.values);
    } else {
        panel_add(panel, &dual->row[id], dual->norm[id]);
        for (size_t i = 0; i < block->count; i++) {
            uint64_t other = dual->pass.order[block->first + i];
            double values[PANEL_LANES];
            panel_values(panel, &dual->kernel, &dual->row[other], dual->norm[other], values);
            dual->updated.values[i] = values[0];
        }
        panel_clear(panel);
    }
    dual->work += (double)block->count; // a panel of one row costs as much as a full one
    dual->updated.id = id;
    dual->updated.known = true;
}

void dual_update(struct dual *dual, uint64_t id, uint32_t column, double amount)
{
    assert(dual->pass.block_count > 0);
    const struct dual_rows *block = &dual->pass.blocks[dual->pass.block_count - 1];
    if (!dual_add_change(dual, id, column, amount)) {
        dual->no_memory = true;
        return;
    }
    if (!dual->updated.known || dual->updated.id != id)
        find_values(dual, block, id);
    for (size_t i = 0; i < block->count; i++)
        dual->scores[dual->pass.order[block->first + i] * dual->columns + column] +=
            amount * dual->updated.values[i];
}

void dual_rescale(struct dual *dual, uint32_t column, double factor)
{
    for (size_t i = 0; i < dual->rows; i++)
        dual->scores[i * dual->columns + column] *= factor;
    for (size_t s = 0; s < dual->pass.support_count; s++)
        dual->pass.delta[s * dual->columns + column] *= factor;
    for (size_t i = 0; i < dual->pass.change_count; i++)
        if (dual->pass.changes[i].column == column)
            dual->pass.changes[i].amount *= factor;
}

double dual_work(const struct dual *dual)
{
    return dual->work;
}

double dual_support_work(const struct dual *dual)
{
    return (double)dual->rows / PANEL_LANES + DUAL_BLOCK;
}

size_t dual_supports(const struct dual *dual)
{
    return dual->pass.support_count;
}

bool dual_failed(const struct dual *dual)
{
    return dual->no_memory;
}
