// A pass of a learner with layers: minibatch by minibatch, in the order of the rows. It ends early
// between two of them alone.
#include "base/parallel.h"
#include "learn/guard.h"
#include "mlp/layers.h"
#include "train/train.h"

// ---- the net, when all rows are there ----

tlu_status layers_prepare(struct training *t, tlu_error *error)
{
    struct tlu_learner *learner = &t->learner;
    const tlu_options *options = learner->options;
    struct layers_plan plan = {
        .shape = {.activation = (enum activation)options_choice(options, OPTION_ACTIVATION),
                  .bias = learner->rule.bias,
                  .adam = options_choice(options, OPTION_OPTIMIZER) == OPTIMIZER_ADAM},
        .batch_rows = (size_t)learner->rule.functions->choose(learner, t->rows.counts.rows).batch,
        .threads = parallel_threads(options_count(options, OPTION_THREADS)),
        .seed = options_count(options, OPTION_SEED) + 0x6E6574, // not the numbers of the shuffles
        .blas = (enum layers_blas)options_choice(options, OPTION_BLAS)};
    TRY(net_parse_hidden(&plan.shape, options_text(options, OPTION_HIDDEN), error));
    plan.shape.sizes[plan.shape.depth] = learner_columns(learner);
    rows_hide_held_out(&t->rows);
    tlu_status status = layers_new(&learner->space.layers, &plan, &learner->schema, t->rows.batches,
                                   t->rows.batch_count, error);
    rows_show_held_out(&t->rows);
    if (status != TLU_OK || plan.blas != LAYERS_BLAS_AUTO || !learner->space.layers->wants_blas)
        return status;
    // On another machine the run is to go on as it began.
    return tlu_options_set(learner->options, "blas",
                           learner->space.layers->room.blas ? "yes" : "no", error);
}

// ---- one minibatch ----

// Some rows of the order, or of those held out.
static tlu_status gather(struct training *t, const struct place *places, size_t count,
                         tlu_error *error)
{
    struct layers *layers = t->learner.space.layers;
    minibatch_clear(&layers->batch);
    for (size_t i = 0; i < count; i++) {
        const struct batch *batch = rows_batch(&t->rows, places[i]);
        tlu_row row = batch_row(batch, places[i].row);
        TRY(enough_memory(minibatch_add(&layers->batch, &row, layers->place,
                                        batch->labels[places[i].row],
                                        batch_weight(batch, places[i].row)),
                          error));
    }
    return TLU_OK;
}

// The scores of row i of the minibatch, which is at this place, into learner->space.scores.
static tlu_status take_scores(struct training *t, size_t i, struct place place, tlu_error *error)
{
    double *scores = t->learner.space.scores;
    const struct layers *layers = t->learner.space.layers;
    const struct layer *last = &layers->net->layers[layers->net->shape.depth - 1];
    const float *outputs = net_outputs(layers->net, &layers->room) + i * last->wide;
    for (size_t c = 0; c < last->units; c++)
        scores[c] = (double)outputs[c];
    if (guard_finite(scores, last->units))
        return TLU_OK;
    return rows_refuse(&t->rows, rows_batch(&t->rows, place)->first_row + place.row,
                       "the scores of this row overflow: the weights of "
                       "the net have grown too large; a smaller --rate or --scale standard helps",
                       error);
}

// Counts the rows of the minibatch whose scores elect another class than theirs.
static tlu_status count_wrong(struct training *t, const struct place *places, uint64_t *wrong,
                              tlu_error *error)
{
    struct tlu_learner *learner = &t->learner;
    const struct layers *layers = learner->space.layers;
    for (size_t i = 0; i < layers->batch.rows; i++) {
        TRY(take_scores(t, i, places[i], error));
        *wrong += learner_elect(learner, learner->space.scores) != layers->batch.classes[i];
    }
    return TLU_OK;
}

static tlu_status learn_minibatch(struct training *t, const struct place *places, size_t count,
                                  tlu_error *error)
{
    struct tlu_learner *learner = &t->learner;
    uint64_t wrong = 0;
    TRY(gather(t, places, count, error));
    TRY(learner->rule.functions->learn(learner, error));
    TRY(count_wrong(t, places, &wrong, error));
    learner->examples += count;
    learner->mistakes += wrong;
    learner->space.weights.steps += (double)count;
    t->run.now.examples += count;
    t->run.now.mistakes += wrong;
    progress_report(t);
    return progress_checkpoint(t, error);
}

static bool is_interrupted(struct training *t)
{
    if (t->reporter.stop_after && t->learner.examples >= t->reporter.stop_after)
        t->reporter.interrupted = true;
    return t->reporter.interrupted;
}

tlu_status pass_learn_layers(struct training *t, tlu_error *error)
{
    struct layers *layers = t->learner.space.layers;
    const struct places *order = &t->rows.order;
    if (t->run.now.examples == 0)
        layers->net->unsure = 0;
    while (!is_interrupted(t) && t->run.now.examples < order->count) {
        size_t at = (size_t)t->run.now.examples, left = order->count - at;
        size_t count = left < layers->batch_rows ? left : layers->batch_rows;
        TRY(learn_minibatch(t, order->items + at, count, error));
    }
    if (!net_is_finite(layers->net))
        return error_input(error,
                           "%s: the weights of the net have grown past what a number can "
                           "hold; a smaller --rate or --scale standard helps",
                           t->rows.path);
    return TLU_OK;
}

// ---- rows that were held out ----

tlu_status layers_accuracy(struct training *t, double *accuracy, tlu_error *error)
{
    struct layers *layers = t->learner.space.layers;
    const struct places *places = &t->rows.held_out.places;
    size_t right = 0;
    for (size_t at = 0, count; at < places->count; at += count) {
        size_t left = places->count - at;
        count = left < layers->batch_rows ? left : layers->batch_rows;
        TRY(gather(t, places->items + at, count, error));
        layers_score(layers);
        for (size_t i = 0; i < count; i++) {
            TRY(take_scores(t, i, places->items[at + i], error));
            right += holdout_metric_row(t, t->learner.space.scores, at + i);
        }
    }
    *accuracy = (double)right / (double)places->count;
    return TLU_OK;
}
