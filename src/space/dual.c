#include "space/dual.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "space/panel.h"

#include <math.h>
#include <string.h>

#define NONE UINT32_MAX
#define THREADS_MOST 64

struct change { // alpha[support][column] += amount
    uint32_t support, column;
    double amount;
};

struct block {
    size_t first, count;  // of order
    size_t changes_after; // where in the pass's list of changes the block ended
};

struct dual {
    struct kernel kernel;
    uint32_t columns;
    size_t threads;
    size_t rows;
    tlu_row *row;                      // [rows]
    double *norm;                      // [rows] x . x
    double *scores;                    // [rows][columns] S
    struct panel panels[THREADS_MOST]; // one a thread

    // This pass.
    uint64_t *order; // [rows] the rows in the order of the blocks
    size_t ordered;
    struct block *blocks;
    size_t block_count, block_capacity;
    uint32_t *support_of; // [rows] number among the supports of this pass, or NONE
    uint32_t *supports;   // [support_count] rows
    size_t support_count, support_capacity;
    double *delta; // [support_count][columns] changes, summed up
    size_t delta_capacity;
    struct change *changes;
    size_t change_count, change_capacity;

    // This block.
    uint64_t current; // the row that was updated last
    bool has_values;
    double values[DUAL_BLOCK]; // K(current, rows of the block)
    bool no_memory;
    double work;
};

void dual_free(struct dual *dual)
{
    if (!dual)
        return;
    for (size_t i = 0; i < dual->threads; i++)
        panel_free(&dual->panels[i]);
    memory_free(dual->row);
    memory_free(dual->norm);
    memory_free(dual->scores);
    memory_free(dual->order);
    memory_free(dual->blocks);
    memory_free(dual->support_of);
    memory_free(dual->supports);
    memory_free(dual->delta);
    memory_free(dual->changes);
    memory_free(dual);
}

// Widest row: features that a panel needs.
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

tlu_status dual_new(struct dual **out, const struct kernel *kernel, struct batch *const *batches,
                    size_t batch_count, uint32_t columns, size_t threads, tlu_error *error)
{
    *out = NULL;
    size_t features, rows = count_rows(batches, batch_count, &features);
    if (rows >= NONE)
        return error_input(error, "--kernel takes fewer than 2^32 rows");
    struct dual *dual = memory_new(1, sizeof *dual);
    if (!dual)
        return error_memory(error);
    dual->kernel = *kernel;
    dual->columns = columns;
    dual->rows = rows;
    dual->row = memory_new(rows, sizeof *dual->row);
    dual->norm = memory_new(rows, sizeof *dual->norm);
    dual->order = memory_new(rows, sizeof *dual->order);
    dual->support_of = memory_new(rows, sizeof *dual->support_of);
    dual->scores = rows <= SIZE_MAX / columns ? memory_new(rows * columns, sizeof(double)) : NULL;
    bool fine = dual->row && dual->norm && dual->order && dual->support_of && dual->scores;
    threads = threads > THREADS_MOST ? THREADS_MOST : threads;
    for (; fine && dual->threads < threads; dual->threads++)
        fine = panel_init(&dual->panels[dual->threads], features);
    if (!fine) {
        dual_free(dual);
        return error_memory(error);
    }
    for (size_t b = 0, id = 0; b < batch_count; b++)
        for (size_t i = 0; i < batches[b]->rows; i++, id++) {
            dual->row[id] = batch_row(batches[b], i);
            dual->norm[id] = panel_norm(&dual->row[id]);
        }
    *out = dual;
    return TLU_OK;
}

// ---- bringing scores up to date ----

// Changes of some supports, by support: only those that are not zero.
struct sparse_delta {
    uint32_t *supports; // [count] rows
    size_t *starts;     // [count + 1]
    struct change *entries;
    size_t count;
};

static void sparse_free(struct sparse_delta *sparse)
{
    memory_free(sparse->supports);
    memory_free(sparse->starts);
    memory_free(sparse->entries);
}

static bool sparse_make(struct sparse_delta *sparse, const struct dual *dual)
{
    size_t cells = dual->support_count * dual->columns, used = 0;
    for (size_t i = 0; i < cells; i++)
        used += dual->delta[i] != 0;
    *sparse = (struct sparse_delta){0};
    sparse->supports = memory_new(dual->support_count, sizeof *sparse->supports);
    sparse->starts = memory_new(dual->support_count + 1, sizeof *sparse->starts);
    sparse->entries = memory_new(used, sizeof *sparse->entries);
    if (!sparse->supports || !sparse->starts || !sparse->entries) {
        sparse_free(sparse);
        return false;
    }
    size_t n = 0;
    for (size_t s = 0; s < dual->support_count; s++) {
        size_t start = n;
        for (uint32_t c = 0; c < dual->columns; c++)
            if (dual->delta[s * dual->columns + c] != 0)
                sparse->entries[n++] = (struct change){0, c, dual->delta[s * dual->columns + c]};
        if (n > start) {
            sparse->supports[sparse->count++] = dual->supports[s];
            sparse->starts[sparse->count] = n;
        }
    }
    return true;
}

struct job {
    struct dual *dual;
    const struct sparse_delta *sparse;
    const uint64_t *ids;
    size_t per_thread; // which panel a range belongs to
};

// S of rows ids[first..last-1] += sum of the changes times kernel values.
static void apply_part(void *context, size_t first, size_t last)
{
    struct job *job = context;
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

// Rows are dealt out in equal shares, rounded up, so that a share's start names its panel.
struct shares {
    struct job job;
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

static bool apply(struct dual *dual, const uint64_t *ids, size_t count)
{
    struct sparse_delta sparse;
    if (!sparse_make(&sparse, dual))
        return false;
    if (sparse.count) {
        dual->work += ceil((double)sparse.count / PANEL_LANES) * (double)count;
        struct shares shares = {{dual, &sparse, ids, (count + dual->threads - 1) / dual->threads},
                                count};
        bool small = (double)count * (double)sparse.count < 4096; // not worth a thread
        if (small)
            shares.job.per_thread = count;
        parallel_run(small ? 1 : dual->threads, small ? 1 : dual->threads, run_shares, &shares);
    }
    sparse_free(&sparse);
    return true;
}

// ---- a pass ----

void dual_pass_begin(struct dual *dual)
{
    memset(dual->support_of, 0xFF, dual->rows * sizeof *dual->support_of); // NONE
    dual->ordered = dual->block_count = dual->support_count = dual->change_count = 0;
}

static void end_block(struct dual *dual)
{
    if (dual->block_count)
        dual->blocks[dual->block_count - 1].changes_after = dual->change_count;
}

tlu_status dual_block(struct dual *dual, const uint64_t *ids, size_t count, tlu_error *error)
{
    end_block(dual);
    if (!memory_reserve(&dual->blocks, &dual->block_capacity, dual->block_count + 1,
                        sizeof *dual->blocks))
        return error_memory(error);
    dual->blocks[dual->block_count++] = (struct block){dual->ordered, count, 0};
    memcpy(dual->order + dual->ordered, ids, count * sizeof *ids);
    dual->ordered += count;
    dual->has_values = false;
    return apply(dual, ids, count) ? TLU_OK : error_memory(error);
}

// From the last block to the first: each gets the changes that came after it.
tlu_status dual_pass_end(struct dual *dual, tlu_error *error)
{
    end_block(dual);
    memset(dual->delta, 0, dual->support_count * dual->columns * sizeof *dual->delta);
    size_t change = dual->change_count;
    // Blocks with the same changes after them are brought up to date together.
    for (size_t b = dual->block_count; b > 0;) {
        const struct block *last = &dual->blocks[b - 1];
        while (change > last->changes_after) {
            const struct change *c = &dual->changes[--change];
            dual->delta[(size_t)c->support * dual->columns + c->column] += c->amount;
        }
        size_t first = b - 1;
        while (first > 0 && dual->blocks[first - 1].changes_after == last->changes_after)
            first--;
        size_t start = dual->blocks[first].first;
        if (!apply(dual, dual->order + start, last->first + last->count - start))
            return error_memory(error);
        b = first;
    }
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

static bool add_change(struct dual *dual, uint64_t id, uint32_t column, double amount)
{
    if (dual->support_of[id] == NONE) {
        size_t cells = (dual->support_count + 1) * dual->columns;
        if (!memory_reserve(&dual->supports, &dual->support_capacity, dual->support_count + 1,
                            sizeof *dual->supports) ||
            !memory_reserve(&dual->delta, &dual->delta_capacity, cells, sizeof *dual->delta))
            return false;
        memset(dual->delta + cells - dual->columns, 0, dual->columns * sizeof *dual->delta);
        dual->supports[dual->support_count] = (uint32_t)id;
        dual->support_of[id] = (uint32_t)dual->support_count++;
    }
    if (!memory_reserve(&dual->changes, &dual->change_capacity, dual->change_count + 1,
                        sizeof *dual->changes))
        return false;
    uint32_t support = dual->support_of[id];
    dual->changes[dual->change_count++] = (struct change){support, column, amount};
    dual->delta[(size_t)support * dual->columns + column] += amount;
    return true;
}

// K of a row and those of the block.
static void find_values(struct dual *dual, const struct block *block, uint64_t id)
{
    struct panel *panel = &dual->panels[0];
    panel_add(panel, &dual->row[id], dual->norm[id]);
    for (size_t i = 0; i < block->count; i++) {
        uint64_t other = dual->order[block->first + i];
        double values[PANEL_LANES];
        panel_values(panel, &dual->kernel, &dual->row[other], dual->norm[other], values);
        dual->values[i] = values[0];
    }
    panel_clear(panel);
    dual->work += (double)block->count; // a panel of one row takes as long as a full one
    dual->current = id;
    dual->has_values = true;
}

void dual_update(struct dual *dual, uint64_t id, uint32_t column, double amount)
{
    const struct block *block = &dual->blocks[dual->block_count - 1];
    if (!add_change(dual, id, column, amount)) {
        dual->no_memory = true;
        return;
    }
    if (!dual->has_values || dual->current != id)
        find_values(dual, block, id);
    for (size_t i = 0; i < block->count; i++)
        dual->scores[dual->order[block->first + i] * dual->columns + column] +=
            amount * dual->values[i];
}

void dual_rescale(struct dual *dual, uint32_t column, double factor)
{
    for (size_t i = 0; i < dual->rows; i++)
        dual->scores[i * dual->columns + column] *= factor;
    for (size_t s = 0; s < dual->support_count; s++)
        dual->delta[s * dual->columns + column] *= factor;
    for (size_t i = 0; i < dual->change_count; i++)
        if (dual->changes[i].column == column)
            dual->changes[i].amount *= factor;
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
    return dual->support_count;
}

bool dual_failed(const struct dual *dual)
{
    return dual->no_memory;
}
