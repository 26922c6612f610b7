// The multilayer perceptron: layers of units that learn by backpropagation (Rumelhart, Hinton and
// Williams 1986), as the Elkan notes end with.
//
//     initialize all W and b at random
//     for each minibatch of n rows, each of class k
//         forwards      a_0 = x;  z_l = a_(l-1) W_l + b_l;  a_l = f(z_l)
//         outputs       p = softmax(z_L), of two classes 1 / (1 + exp(-z_L))
//         backwards     d_L = (p - y) / n                  y is 1 for class k and 0 for others
//                       d_(l-1) = (d_l W_l^T) f'(z_(l-1))
//         step          by the optimiser, for each layer, with the gradients
//                       a_(l-1)^T d_l + l2 W_l  and, of b_l, the sum of the d_l
//
// That is the slope of the loss -log p_k, the mean over the rows. A row of weight c counts c times.
// f is relu max(0, z), tanh or sigmoid 1 / (1 + exp(-z)). The scores of a row are z_L.
//
// A pass in which every row got its class a probability of SURE and more is the last.
#include "base/parallel.h"
#include "learn/learner.h"
#include "mlp/exponential.h"
#include "mlp/layers.h"

#define SURE 0.99f

// Without --batch and --epochs.
#define BATCH_SHARE 300 // a minibatch is this part of all rows
#define BATCH_MIN 16    // within these limits
#define BATCH_MAX 200
#define STEPS 5000 // aimed at
#define PASSES_MIN 30

// ---- one minibatch ----

// d of the output of two classes; returns the probability of the row's own.
static float two_classes(float z, bool positive, float weight, float *d)
{
    float p = 1 / (1 + exponential(0 - z));
    *d = weight * (p - (positive ? 1.0f : 0.0f));
    return positive ? p : 1 - p;
}

// The same of several: d[classes].
static float several_classes(const float *z, size_t classes, size_t own, float weight, float *d)
{
    float most = z[0], sum = 0;
    for (size_t c = 1; c < classes; c++)
        most = z[c] > most ? z[c] : most;
    for (size_t c = 0; c < classes; c++)
        sum += d[c] = exponential(z[c] - most);
    float p = d[own] / sum;
    for (size_t c = 0; c < classes; c++)
        d[c] = weight * (d[c] / sum - (c == own ? 1.0f : 0.0f));
    return p;
}

static void differ(const struct tlu_learner *learner, size_t row)
{
    struct layers *layers = learner->space.layers;
    const struct minibatch *batch = &layers->batch;
    size_t last = layers->net->shape.depth - 1, at = row * layers->net->layers[last].wide;
    uint32_t own = batch->classes[row];
    float weight = batch->weights[row] * (float)learner->scheme.class_weight[own];
    weight /= (float)batch->rows;
    const float *z = layers->scratch.a[last] + at;
    float *d = layers->scratch.d[last] + at;
    layers->own[row] = learner->scheme.kind == SCHEME_TWO
                           ? two_classes(z[0], own == learner->scheme.positive, weight, d)
                           : several_classes(z, layers->net->layers[last].units, own, weight, d);
}

// From the first layer's outputs on.
static void forwards_and_backwards(const struct tlu_learner *learner, size_t first, size_t last)
{
    struct layers *layers = learner->space.layers;
    for (size_t l = 1; l < layers->net->shape.depth; l++)
        net_forward_layer(layers->net, &layers->batch, &layers->scratch, l, first, last);
    for (size_t r = first; r < last; r++)
        differ(learner, r);
    net_backward(layers->net, &layers->scratch, first, last);
}

static void first_layer(void *context, size_t first, size_t last)
{
    struct layers *layers = ((const struct tlu_learner *)context)->space.layers;
    net_forward_layer(layers->net, &layers->batch, &layers->scratch, 0, first, last);
}

static void all_layers(void *context, size_t first, size_t last)
{
    first_layer(context, first, last);
    forwards_and_backwards(context, first, last);
}

// OpenBLAS has threads of its own, and takes all rows at once.
static void pass_through(struct tlu_learner *learner)
{
    const struct layers *layers = learner->space.layers;
    size_t rows = layers->batch.rows;
    net_turn_round(layers->net, &learner->space.layers->scratch);
    if (!layers->scratch.blas) {
        parallel_run(layers->threads, rows, all_layers, learner);
        return;
    }
    parallel_run(layers->batch.is_dense ? 1 : layers->threads, rows, first_layer, learner);
    forwards_and_backwards(learner, 0, rows);
}

struct stepping {
    struct layers *layers;
    struct optimiser_step step;
};

static void take_step(void *context, size_t first, size_t last)
{
    const struct stepping *stepping = context;
    struct layers *layers = stepping->layers;
    optimise_shares(layers->net, &layers->batch, &layers->scratch, &stepping->step, first, last);
}

static tlu_status mlp_learn(struct tlu_learner *learner, tlu_error *error)
{
    struct layers *layers = learner->space.layers;
    const struct minibatch *batch = &layers->batch;
    TRY(enough_memory(minibatch_close(&layers->batch), error));
    pass_through(learner);
    for (size_t r = 0; r < batch->rows; r++)
        layers->net->unsure += !(layers->own[r] >= SURE);
    struct stepping stepping = {
        layers, optimise_plan(layers->net, learner_rate(learner),
                              options_number(learner->options, OPTION_MOMENTUM), learner->rule.l2)};
    TRY(enough_memory(optimise_begin(layers->net, batch, &layers->scratch), error));
    parallel_run(layers->threads, OPTIMISE_SHARES, take_step, &stepping);
    layers->net->steps++;
    learner->updates++;
    return TLU_OK;
}

// ---- options ----

static tlu_status mlp_prepare(struct tlu_learner *learner, tlu_error *error)
{
    struct net_shape shape;
    TRY(net_parse_hidden(&shape, options_text(learner->options, OPTION_HIDDEN), error));
    return options_choice(learner->options, OPTION_BLAS) == BLAS_YES ? blas_check(error) : TLU_OK;
}

// Small minibatches make many steps of few rows, large ones keep the CPU busy; likewise more passes
// over few rows.
static struct learner_course mlp_choose(const struct tlu_learner *learner, uint64_t rows)
{
    uint64_t batch = options_count(learner->options, OPTION_BATCH);
    rows = rows ? rows : 1;
    if (batch == 0)
        batch = rows / BATCH_SHARE < BATCH_MIN   ? BATCH_MIN
                : rows / BATCH_SHARE > BATCH_MAX ? BATCH_MAX
                                                 : rows / BATCH_SHARE;
    batch = batch < rows ? batch : rows;
    uint64_t passes = STEPS * batch / rows;
    return (struct learner_course){batch, passes > PASSES_MIN ? passes : PASSES_MIN};
}

LEARNER(mlp) = {
    .info = {.name = learner_names.mlp,
             .complexity = 6,
             .summary = "layers of units that learn by backpropagation: the multilayer perceptron",
             .reference = "Rumelhart, Hinton and Williams 1986; Kingma and Ba 2015",
             .options = "hidden activation optimizer momentum batch blas rate l2",
             .defaults = "rate=0.001 shuffle=all scale=auto",
             .decisions = "last",
             .spaces = "primal",
             .schemes = "wta"},
    .traits = LEARNER_LAYERS | LEARNER_LOGITS,
};
LEARNER_FUNCTIONS(mlp) = {.prepare = mlp_prepare, .choose = mlp_choose, .learn = mlp_learn};
