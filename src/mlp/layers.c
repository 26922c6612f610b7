#include "mlp/layers.h"

#include "base/memory.h"
#include "base/parallel.h"

#define BLAS_WEIGHTS 1000000 // from here on OpenBLAS is faster (docs/learners.md)
#define THREAD_WORK 1e6      // multiplications of a minibatch for which a thread is worth its start

void layers_free(struct layers *layers)
{
    if (!layers)
        return;
    if (layers->scratch.blas)
        blas_set_threads(layers->blas_threads);
    memory_free(layers->place);
    minibatch_free(&layers->batch);
    net_scratch_free(&layers->scratch);
    memory_free(layers->own);
    memory_free(layers);
}

// Marks in `place` the features that rows have (1), and that rows to learn from have (2).
static void mark_features(struct layers *layers, const struct schema *schema,
                          struct batch *const *batches, size_t batch_count)
{
    uint32_t *mark = layers->place;
    for (size_t f = schema->base; !schema->slots.bits && f < layers->features; f++)
        mark[f] = 1; // a model has all names
    for (size_t i = 0; schema->slots.bits && i < schema->column_count; i++)
        if (schema->columns[i].kind == COLUMN_NUMERIC)
            mark[schema->columns[i].feature] = 1;
    for (size_t b = 0; b < batch_count; b++)
        for (size_t i = 0; i < batches[b]->rows; i++) {
            tlu_row row = batch_row(batches[b], i);
            uint32_t known = batch_is_held_out(batches[b], i) ? 1 : 2;
            for (size_t k = 0; k < row.count; k++)
                mark[row_feature(&row, k)] |= known;
        }
}

// From marks to inputs, in the order of the features; `used` tells which have rows to learn from.
// Returns how many.
static size_t number_inputs(struct layers *layers, bool *used)
{
    size_t inputs = 0;
    for (size_t f = 0; f < layers->features; f++) {
        if (!layers->place[f])
            continue;
        used[inputs++] = layers->place[f] & 2;
        layers->place[f] = (uint32_t)inputs;
    }
    return inputs;
}

static bool make_net(struct layers *layers, const struct layers_plan *plan,
                     const struct schema *schema, struct batch *const *batches, size_t batch_count)
{
    struct net_shape shape = plan->shape;
    layers->features = schema_features(schema);
    layers->place = memory_new(layers->features, sizeof *layers->place);
    bool *used = memory_new(layers->features, sizeof *used);
    if (layers->place && used) {
        mark_features(layers, schema, batches, batch_count);
        shape.sizes[0] = number_inputs(layers, used);
        layers->net = net_new(&shape);
    }
    if (layers->net)
        net_start(layers->net, plan->seed, used);
    memory_free(used);
    return layers->net;
}

static bool reserve_scratch(struct layers *layers, const struct layers_plan *plan)
{
    struct net *net = layers->net;
    layers->own = memory_new(plan->batch_rows, sizeof *layers->own);
    return layers->own && minibatch_init(&layers->batch, net->shape.sizes[0], plan->batch_rows) &&
           net_scratch_reserve(&layers->scratch, net, plan->batch_rows, true);
}

// Whether the products of matrices are large: a first layer with sparse rows has none.
static bool is_large(const struct net_shape *shape, struct batch *const *batches,
                     size_t batch_count)
{
    double entries = 0, rows = 0;
    for (size_t b = 0; b < batch_count; b++) {
        entries += (double)batch_nonzeros(batches[b]);
        rows += (double)batches[b]->rows;
    }
    bool dense = entries >= MINIBATCH_DENSE * rows * (double)shape->sizes[0];
    uint64_t first = (uint64_t)shape->sizes[0] * shape->sizes[1];
    return net_weights(shape) - (dense ? 0 : first) >= BLAS_WEIGHTS;
}

tlu_status layers_new(struct layers **out, const struct layers_plan *plan,
                      const struct schema *schema, struct batch *const *batches, size_t batch_count,
                      tlu_error *error)
{
    struct layers *layers = *out = memory_new(1, sizeof *layers);
    if (!layers)
        return error_memory(error);
    if (!make_net(layers, plan, schema, batches, batch_count) || !reserve_scratch(layers, plan))
        return error_memory(error); // the learner frees it
    double work = (double)net_weights(&layers->net->shape) * (double)plan->batch_rows;
    layers->batch_rows = plan->batch_rows;
    layers->threads = work < THREAD_WORK ? 1 : plan->threads;
    layers->wants_blas = is_large(&layers->net->shape, batches, batch_count);
    layers->scratch.blas =
        plan->blas == LAYERS_BLAS_YES ||
        (plan->blas == LAYERS_BLAS_AUTO && layers->wants_blas && blas_check(NULL) == TLU_OK);
    bool fits = !layers->scratch.blas || blas_fits(layers->threads);
    if (!fits && plan->blas == LAYERS_BLAS_YES)
        return error_memory(error);
    layers->scratch.blas &= fits;
    if (layers->scratch.blas)
        layers->blas_threads = blas_set_threads((int)layers->threads);
    return TLU_OK;
}

static void score_rows(void *context, size_t first, size_t last)
{
    struct layers *layers = context;
    net_forward(layers->net, &layers->batch, &layers->scratch, first, last);
}

void layers_score(struct layers *layers)
{
    bool blas = layers->scratch.blas; // as a model does it: without
    layers->scratch.blas = false;
    layers->batch.is_dense = false;
    parallel_run(layers->threads, layers->batch.rows, score_rows, layers);
    layers->scratch.blas = blas;
}
