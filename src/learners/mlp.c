// The multilayer perceptron, trained by backpropagation (Rumelhart, Hinton and Williams 1986); the
// Elkan notes end with it.
//
//     initialize all W and b at random
//     for each minibatch of n rows, each of class k
//         forwards      a_0 = x;  z_l = a_(l-1) W_l + b_l;  a_l = f(z_l)
//         outputs       p = softmax(z_L); with two classes 1 / (1 + exp(-z_L))
//         backwards     d_L = (p - y) / n                  y is 1 for class k and 0 for others
//                       d_(l-1) = (d_l W_l^T) f'(z_(l-1))
//         step          by the optimiser, for each layer, with the gradients
//                       a_(l-1)^T d_l + l2 W_l  for W_l,  and the sum of the rows of d_l  for b_l
//
// These are the gradients of the loss -log p_k, averaged over the rows. A row of weight c counts c
// times.
// f is relu max(0, z), tanh or sigmoid 1 / (1 + exp(-z)). The scores of a row are z_L.
//
// Training stops after a pass in which the class of every row got a probability of at least SURE.
#include "base/parallel.h"
#include "learn/learner.h"
#include "mlp/exponential.h"
#include "mlp/layers.h"

#define SURE 0.99f

// The defaults of --batch and --epochs: see mlp_choose.
#define BATCH_SHARE 300 // a minibatch has one in this many rows, between BATCH_MIN and BATCH_MAX
#define BATCH_MIN 16
#define BATCH_MAX 200
#define STEPS 5000 // approximate number of steps of a run
#define PASSES_MIN 30

// ---- one minibatch ----

// Two classes: sets d of the output. Returns the probability of the row's class.
static float two_classes(float z, bool positive, float weight, float *d)
{
    float p = 1 / (1 + exponential(0 - z));
    *d = weight * (p - (positive ? 1.0f : 0.0f));
    return positive ? p : 1 - p;
}

// Several classes: sets d[classes]. Returns the probability of the row's class.
static float several_classes(const float *z, size_t classes, size_t own, float weight, float *d)
{
    float highest = z[0], sum = 0;
    for (size_t c = 1; c < classes; c++)
        highest = z[c] > highest ? z[c] : highest;
    for (size_t c = 0; c < classes; c++)
        sum += d[c] = exponential(z[c] - highest);
    float p = d[own] / sum;
    for (size_t c = 0; c < classes; c++)
        d[c] = weight * (d[c] / sum - (c == own ? 1.0f : 0.0f));
    return p;
}

// Computes d_L of a row and the probability of its class.
static void output_delta(const struct tlu_learner *learner, size_t row)
{
    struct layers *layers = learner->space.layers;
    const struct minibatch *batch = &layers->batch;
    size_t last = layers->net->shape.depth - 1, at = row * layers->net->layers[last].wide;
    uint32_t own = batch->classes[row];
    float weight = batch->weights[row] * (float)learner->state.scheme.class_weight[own];
    weight /= (float)batch->rows;
    const float *z = layers->scratch.a[last] + at;
    float *d = layers->scratch.d[last] + at;
    layers->own[row] = learner->state.scheme.kind == SCHEME_TWO
                           ? two_classes(z[0], own == learner->state.scheme.positive, weight, d)
                           : several_classes(z, layers->net->layers[last].units, own, weight, d);
}

// Rows `first` to `last` - 1 of the minibatch, whose first layer has been computed.
static void forwards_and_backwards(const struct tlu_learner *learner, size_t first, size_t last)
{
    struct layers *layers = learner->space.layers;
    for (size_t l = 1; l < layers->net->shape.depth; l++)
        net_forward_layer(layers->net, &layers->batch, &layers->scratch, l, first, last);
    for (size_t r = first; r < last; r++)
        output_delta(learner, r);
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

// Computes the gradients of the minibatch. OpenBLAS has its own threads and gets all rows at once.
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
        layers,
        optimise_plan(layers->net, learner_rate(learner),
                      options_number(learner->state.options, OPTION_MOMENTUM), learner->rule.l2)};
    TRY(enough_memory(optimise_begin(layers->net, batch, &layers->scratch), error));
    parallel_run(layers->threads, OPTIMISE_SHARES, take_step, &stepping);
    layers->net->steps++;
    learner->state.updates++;
    return TLU_OK;
}

// ---- options ----

static tlu_status mlp_prepare(struct tlu_learner *learner, tlu_error *error)
{
    struct net_shape shape;
    TRY(net_parse_hidden(&shape, options_text(learner->state.options, OPTION_HIDDEN), error));
    return options_choice(learner->state.options, OPTION_BLAS) == BLAS_YES ? blas_check(error)
                                                                           : TLU_OK;
}

// Few rows get small minibatches and many passes, so that there are enough steps. Many rows get
// large minibatches, which use the CPU better.
static struct learner_course mlp_choose(const struct tlu_learner *learner, uint64_t rows)
{
    uint64_t batch = options_count(learner->state.options, OPTION_BATCH);
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
