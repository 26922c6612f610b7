#include "learn/train.h"

#include "base/memory.h"

#include <string.h>
#include <time.h>

#define PROGRESS_ROWS 8192 // between two calls of the progress function
#define PREFETCH 8         // rows ahead, in a pass over memory

double train_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void training_free(struct training *t)
{
    reader_close(t->reader); // first: its threads look at the schema
    learner_free_parts(&t->learner);
    scaling_free(&t->scaling);
    for (size_t i = 0; i < t->batch_count; i++)
        batch_free(t->batches[i]);
    for (size_t i = 0; i < t->notice_count; i++)
        memory_free(t->notices[i]);
    memory_free(t->batches);
    memory_free(t->order.items);
    memory_free(t->held_out.items);
    memory_free(t->mistakes);
    memory_free(t->accuracy);
    memory_free(t->notices);
    weights_free(&t->best);
}

static void tell_progress(struct training *t)
{
    if (!t->progress || t->interrupted)
        return;
    tlu_progress progress = {.pass = t->pass + 1,
                             .passes = t->passes,
                             .examples = t->pass_examples,
                             .examples_expected = t->pass ? t->order.count : 0,
                             .mistakes = t->pass_mistakes,
                             .bytes = t->bytes,
                             .bytes_expected = t->reader ? reader_size(t->reader) : 0,
                             .seconds = train_seconds() - t->started};
    t->interrupted = t->progress(t->context, &progress) != 0;
}

// ---- reading ----

static bool add_place(struct places *places, size_t batch, size_t row)
{
    if (!memory_reserve(&places->items, &places->capacity, places->count + 1, sizeof(struct place)))
        return false;
    places->items[places->count++] = (struct place){(uint32_t)batch, (uint32_t)row};
    return true;
}

// The next batch, counted and with its rows dealt out to learning and to the held-out set.
static tlu_status next_batch(struct training *t, struct batch **batch, size_t *first_place,
                             tlu_error *error)
{
    double start = train_seconds();
    tlu_status status = reader_next(t->reader, batch, error);
    t->seconds_read += train_seconds() - start;
    if (status != TLU_OK || !*batch)
        return status;
    t->rows += (*batch)->rows;
    t->nonzeros += batch_nonzeros(*batch);
    t->skipped += (*batch)->skipped;
    t->queries += (*batch)->queries;
    t->bytes = (*batch)->bytes;

    double holdout = options_number(t->learner.options, OPTION_HOLDOUT);
    if (!t->keep)
        t->order.count = 0;
    *first_place = t->order.count;
    size_t number = t->keep ? t->batch_count : 0;
    bool fine = true;
    for (size_t i = 0; fine && i < (*batch)->rows; i++) {
        uint32_t class_index = (*batch)->labels[i];
        t->changes += class_index != t->last_class;
        t->last_class = class_index;
        bool held = holdout > 0 && random_unit(&t->holdout_random) < holdout;
        fine = learner_count(&t->learner, class_index) &&
               add_place(held ? &t->held_out : &t->order, number, i);
    }
    if (fine && t->keep) {
        fine =
            memory_reserve(&t->batches, &t->batch_capacity, t->batch_count + 1, sizeof *t->batches);
        if (fine) {
            batch_shrink(*batch);
            t->batches[t->batch_count++] = *batch;
        }
    }
    if (!fine || !weights_reserve(&t->learner.weights, schema_features(&t->learner.schema))) {
        if (!t->keep || t->batch_count == number)
            batch_free(*batch);
        return error_memory(error);
    }
    return TLU_OK;
}

// ---- learning ----

static tlu_status learn_row(struct training *t, const struct batch *batch, size_t i,
                            tlu_error *error)
{
    tlu_row row = batch_row(batch, i);
    bool wrong;
    tlu_status status = learner_learn(&t->learner, &row, batch->labels[i], 1, &wrong, error);
    t->pass_mistakes += status == TLU_OK && wrong;
    if (++t->pass_examples % PROGRESS_ROWS == 0)
        tell_progress(t);
    return status;
}

static inline void prefetch_row(const struct training *t, size_t place)
{
#if defined(__GNUC__)
    if (place < t->order.count) {
        const struct place *p = &t->order.items[place];
        const struct batch *batch = t->batches[p->batch];
        uint32_t start = batch->offsets[p->row];
        __builtin_prefetch(batch->indices + start);
        if (!batch->ones)
            __builtin_prefetch(batch->values + start);
    }
#endif
}

// A pass over the rows in memory, from place `from` on.
static tlu_status learn_kept(struct training *t, size_t from, size_t to, tlu_error *error)
{
    tlu_status status = TLU_OK;
    for (size_t k = from; status == TLU_OK && k < to && !t->interrupted; k++) {
        prefetch_row(t, k + PREFETCH);
        struct place place = t->order.items[k];
        status = learn_row(t, t->batches[place.batch], place.row, error);
    }
    return status;
}

// The classes that are in play from the first example on: those of the first rows, or all of them
// where everything was read.
static uint32_t classes_ahead(const struct training *t)
{
    uint32_t classes = 0;
    uint64_t rows = 0;
    for (size_t b = 0; b < t->batch_count; b++)
        for (size_t i = 0; i < t->batches[b]->rows && rows < TRAIN_LOOKAHEAD; i++, rows++)
            if (t->batches[b]->labels[i] >= classes)
                classes = t->batches[b]->labels[i] + 1;
    return classes;
}

// Reads ahead: the first rows, or all of them.
static tlu_status read_ahead(struct training *t, uint64_t rows, bool *ended, tlu_error *error)
{
    tlu_status status = TLU_OK;
    *ended = false;
    while (status == TLU_OK && !*ended && t->rows < rows && !t->interrupted) {
        struct batch *batch;
        size_t place;
        status = next_batch(t, &batch, &place, error);
        *ended = status == TLU_OK && !batch;
        tell_progress(t);
    }
    return status;
}

static void shuffle(struct training *t)
{
    struct place *places = t->order.items;
    for (size_t i = t->order.count; i > 1; i--) {
        size_t j = (size_t)random_below(&t->learner.random, i);
        struct place swap = places[i - 1];
        places[i - 1] = places[j];
        places[j] = swap;
    }
}

// n / (classes * n_c): every class counts the same in sum.
static void balance_classes(struct training *t)
{
    struct tlu_learner *learner = &t->learner;
    for (uint32_t c = 0; c < learner->classes; c++)
        learner->class_weight[c] =
            (double)t->rows / ((double)learner->classes * (double)learner->class_examples[c]);
}

// What some options need to know before the first example: all rows.
static tlu_status prepare_whole(struct training *t, tlu_error *error)
{
    struct tlu_learner *learner = &t->learner;
    tlu_status status = learner_play(learner, schema_classes(&learner->schema), error);
    if (status == TLU_OK && learner->balanced)
        balance_classes(t);
    if (status == TLU_OK)
        status = scaling_fit(&t->scaling, options_choice(learner->options, OPTION_SCALE),
                             &learner->schema, t->batches, t->batch_count, error);
    for (size_t b = 0; status == TLU_OK && b < t->batch_count; b++)
        status = scaling_apply(&t->scaling, t->batches[b], error);
    if (options_choice(learner->options, OPTION_SHUFFLE) == SHUFFLE_ALL)
        shuffle(t);
    return status;
}

// The first pass: reads, and learns as far as possible while reading.
static tlu_status first_pass(struct training *t, bool whole, tlu_error *error)
{
    bool ended, keep = t->keep;
    t->keep = true; // what is read ahead stays in memory
    tlu_status status = read_ahead(t, whole ? UINT64_MAX : TRAIN_LOOKAHEAD, &ended, error);
    if (status == TLU_OK && t->rows == 0)
        return error_at(error, t->path, 0, 0, "has no examples");
    if (status == TLU_OK && schema_features(&t->learner.schema) == 0)
        return error_at(error, t->path, 0, 0,
                        "no row has a feature: is it really %s? (--format says what it is)",
                        t->learner.schema.csv ? "CSV" : "LIBSVM");
    if (status == TLU_OK)
        status = training_note_ranges(t, error);
    if (status == TLU_OK && whole)
        status = prepare_whole(t, error);
    else if (status == TLU_OK)
        status = learner_play(&t->learner, classes_ahead(t), error);
    if (status == TLU_OK)
        status = learn_kept(t, 0, t->order.count, error);
    t->keep = keep;
    while (status == TLU_OK && !ended && !t->interrupted) {
        struct batch *batch;
        size_t place;
        status = next_batch(t, &batch, &place, error);
        ended = status != TLU_OK || !batch;
        if (ended)
            break;
        if (t->keep) {
            status = learn_kept(t, place, t->order.count, error);
        } else {
            for (size_t k = 0; status == TLU_OK && k < t->order.count && !t->interrupted; k++)
                status = learn_row(t, batch, t->order.items[k].row, error);
            reader_recycle(t->reader, batch);
        }
        tell_progress(t);
    }
    return status;
}

// ---- after a pass ----

static double accuracy_held_out(struct training *t)
{
    size_t right = 0;
    for (size_t k = 0; k < t->held_out.count; k++) {
        struct place place = t->held_out.items[k];
        tlu_row row = batch_row(t->batches[place.batch], place.row);
        right += learner_decide(&t->learner, &row) == t->batches[place.batch]->labels[place.row];
    }
    return t->held_out.count ? (double)right / (double)t->held_out.count : 0;
}

static tlu_status measure(struct training *t, tlu_error *error)
{
    double accuracy = accuracy_held_out(t);
    if (!memory_reserve(&t->accuracy, &t->accuracy_capacity, t->pass, sizeof *t->accuracy))
        return error_memory(error);
    t->accuracy[t->pass - 1] = accuracy;
    if (t->best_pass && accuracy <= t->accuracy[t->best_pass - 1])
        return TLU_OK;
    t->best_pass = t->pass;
    weights_free(&t->best);
    return weights_copy(&t->best, &t->learner.weights) ? TLU_OK : error_memory(error);
}

static tlu_status end_pass(struct training *t, tlu_error *error)
{
    if (!memory_reserve(&t->mistakes, &t->mistakes_capacity, t->pass + 1, sizeof *t->mistakes))
        return error_memory(error);
    t->mistakes[t->pass++] = t->pass_mistakes;
    if (options_number(t->learner.options, OPTION_HOLDOUT) > 0)
        return measure(t, error);
    t->best_pass = t->pass;
    return TLU_OK;
}

static bool is_over(struct training *t)
{
    uint64_t patience = options_count(t->learner.options, OPTION_PATIENCE);
    if (t->interrupted)
        t->stopped = STOPPED_INTERRUPTED;
    else if (t->pass_mistakes == 0)
        t->stopped = STOPPED_CONVERGED;
    else if (t->pass - t->best_pass >= patience)
        t->stopped = STOPPED_PATIENCE;
    else if (t->pass == t->passes)
        t->stopped = STOPPED_EPOCHS;
    else
        return false;
    return true;
}

// ---- the whole ----

static tlu_status check_data(struct training *t, tlu_error *error)
{
    const struct schema *schema = &t->learner.schema;
    char label[64];
    if (schema_classes(schema) == 1)
        return error_at(
            error, t->path, 0, 0, "all %llu rows have the label '%s': learning needs two classes",
            (unsigned long long)t->rows,
            error_quote(label, sizeof label, schema->spelled[0], strlen(schema->spelled[0])));
    if (options_number(t->learner.options, OPTION_HOLDOUT) > 0 &&
        (t->held_out.count == 0 || t->order.count == 0))
        return error_input(error, "--holdout: %llu rows are too few to split",
                           (unsigned long long)t->rows);
    return learner_check_labels(&t->learner, error);
}

// Options that need all rows before the first example.
static bool needs_whole(const struct tlu_learner *learner)
{
    const tlu_options *options = learner->options;
    return options_choice(options, OPTION_SHUFFLE) == SHUFFLE_ALL ||
           options_choice(options, OPTION_SCALE) != SCALE_NONE || learner->balanced ||
           // Which score 0 counts as depends on which class is positive.
           (learner->tie != TIE_MISTAKE && !options_is_set(options, OPTION_POSITIVE));
}

static tlu_status begin(struct training *t, const tlu_options *options, tlu_error *error)
{
    tlu_status status = learner_init(&t->learner, options, error);
    if (status != TLU_OK)
        return status;
    options = t->learner.options;
    t->passes = options_count(options, OPTION_EPOCHS);
    t->keep = t->passes > 1 || options_number(options, OPTION_HOLDOUT) > 0;
    t->last_class = SCHEMA_NONE;
    // A second stream of random numbers, so that holding rows out does not change the shuffling.
    random_seed(&t->holdout_random, ~options_count(options, OPTION_SEED));
    status = reader_open(&t->reader, t->path, options, &t->learner.schema, error);
    if (status == TLU_OK)
        t->format = reader_format(t->reader);
    return status;
}

tlu_status training_run(struct training *t, const char *path, const tlu_options *options,
                        tlu_progress_function progress, void *context, tlu_error *error)
{
    *t = (struct training){.path = path, .progress = progress, .context = context};
    t->started = train_seconds();
    tlu_status status = begin(t, options, error);
    if (status == TLU_OK)
        status = first_pass(t, needs_whole(&t->learner), error);
    if (status == TLU_OK && t->interrupted && t->learner.examples == 0)
        status = error_system(error, "interrupted before anything was learned");
    if (status == TLU_OK)
        status = check_data(t, error);
    if (status == TLU_OK) // a class may have turned up in held-out rows alone
        status = learner_play(&t->learner, schema_classes(&t->learner.schema), error);
    if (status == TLU_OK)
        status = training_note_data(t, error);
    if (status == TLU_OK)
        status = end_pass(t, error);
    while (status == TLU_OK && !is_over(t)) {
        t->pass_examples = t->pass_mistakes = 0;
        if (options_choice(t->learner.options, OPTION_SHUFFLE) != SHUFFLE_NONE)
            shuffle(t);
        status = learn_kept(t, 0, t->order.count, error);
        tell_progress(t);
        if (status == TLU_OK)
            status = end_pass(t, error);
    }
    if (status == TLU_OK)
        status = training_note_outcome(t, error);
    return status;
}
