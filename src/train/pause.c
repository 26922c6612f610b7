#include "train/pause.h"

#include "base/memory.h"
#include "learn/decision.h"
#include "learn/guard.h"
#include "train/train.h"

#include <string.h>

static void pause_weights_free(struct pause_weights *packed)
{
    weights_free(&packed->weights);
    memory_free(packed->feature);
}

void pause_free(struct pause *pause)
{
    if (!pause)
        return;
    memory_free(pause->mistakes);
    memory_free(pause->accuracy);
    memory_free(pause->marks);
    memory_free(pause->group_norm);
    memory_free(pause->group_updates);
    memory_free(pause->pocket_counts);
    pause_weights_free(&pause->best);
    pause_weights_free(&pause->seen);
    pause_weights_free(&pause->weights);
    pause_weights_free(&pause->pocket_best);
    memory_free(pause);
}

const char *pause_obstacle(const struct tlu_learner *learner)
{
    if (learner->rule.kind->traits & LEARNER_WHOLE)
        return "the learner looks at all rows at once, so there is no way that it is part of";
    if (learner->space.kernel.kind)
        return "with --kernel the scores of all rows would have to be kept";
    if (learner->decision.history)
        return "with --decide vote or random all updates would have to be kept";
    if (learner->pruning.max_features)
        return "with --max-features names are forgotten that reading the data again would bring "
               "back";
    return NULL;
}

// ---- which data it was ----

static uint64_t mix(uint64_t sum, uint64_t value)
{
    sum = (sum ^ value) * 0x9E3779B97F4A7C15u;
    return sum ^ sum >> 29;
}

static uint64_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t mix_row(uint64_t sum, const struct batch *batch, size_t i)
{
    tlu_row row = batch_row(batch, i);
    sum = mix(sum, batch->labels[i] | bits_of(batch_weight(batch, i)) << 32);
    sum = mix(sum, row.count);
    for (size_t k = 0; k < row.count; k++)
        sum = mix(sum, row_feature(&row, k) | bits_of(row.values ? row.values[k] : 1) << 32);
    return sum;
}

void pause_rows_add(struct pause_rows *rows, const struct batch *batch, size_t count,
                    uint64_t every)
{
    for (size_t i = 0; i < count; i++)
        if ((rows->rows + i) % every == 0)
            rows->sum = mix_row(rows->sum, batch, i);
    rows->rows += count;
    rows->nonzeros += count ? batch->offsets[count] - batch->offsets[0] : 0;
}

static uint64_t mix_text(uint64_t sum, const char *text, size_t length)
{
    sum = mix(sum, length);
    for (size_t i = 0; i < length; i++)
        sum = mix(sum, (unsigned char)text[i]);
    return sum;
}

static uint64_t mix_texts(uint64_t sum, const struct schema *schema, uint32_t classes,
                          uint32_t names)
{
    for (uint32_t c = 0; c < classes; c++)
        sum = mix_text(sum, schema->spelled[c], strlen(schema->spelled[c]));
    for (uint32_t i = 0; i < names; i++)
        sum = mix_text(sum, table_text(&schema->names, i), table_length(&schema->names, i));
    return sum;
}

// The first `rows` rows of those kept.
static struct pause_rows kept_rows(const struct training *t, uint64_t rows, uint64_t every)
{
    struct pause_rows sum = {0};
    for (size_t b = 0; b < t->batch_count && sum.rows < rows; b++) {
        uint64_t left = rows - sum.rows;
        size_t count = t->batches[b]->rows;
        pause_rows_add(&sum, t->batches[b], left < count ? (size_t)left : count, every);
    }
    return sum;
}

// How many rows of the data the run depends on so far: all, or those up to the last one learned
// from.
static uint64_t rows_needed(const struct training *t)
{
    if (t->pass > 0 || t->whole)
        return t->rows;
    struct place last = t->order.items[t->pass_examples - 1];
    uint64_t rows = 0;
    for (size_t b = 0; b < last.batch; b++)
        rows += t->batches[b]->rows;
    return rows + last.row + 1;
}

// ---- weights ----

static void copy(double *to, const double *from, size_t count)
{
    if (from)
        memcpy(to, from, count * sizeof *to);
}

// What there is one of for each column.
static void copy_columns(struct weights *to, const struct weights *from)
{
    copy(to->bias, from->bias, from->columns);
    copy(to->u_bias, from->u_bias, from->columns);
    copy(to->state_bias, from->state_bias, from->columns);
    copy(to->scale, from->scale, from->columns);
    copy(to->sum, from->sum, from->columns);
    copy(to->sum_at, from->sum_at, from->columns);
    to->steps = from->steps;
}

static void copy_row(struct weights *to, size_t to_row, const struct weights *from, size_t from_row)
{
    size_t a = to_row * to->columns, b = from_row * from->columns;
    weights_copy_cells(to->w + a, from->w + b, from->columns);
    if (from->u)
        weights_copy_cells(to->u + a, from->u + b, from->columns);
    if (from->state)
        weights_copy_cells(to->state + a, from->state + b, from->columns);
}

static bool pack(struct pause_weights *packed, const struct weights *weights)
{
    size_t count = 0, row;
    for (size_t f = weights_next(weights, 0, &row); f != SIZE_MAX;
         f = weights_next(weights, f + 1, &row))
        count += weights_are_used(weights, row);
    packed->feature = memory_new(count, sizeof *packed->feature);
    if (!packed->feature ||
        !weights_init(&packed->weights, weights->columns, weights_parts(weights),
                      weights->state_start) ||
        !weights_reserve(&packed->weights, count))
        return false;
    copy_columns(&packed->weights, weights);
    for (size_t f = weights_next(weights, 0, &row); f != SIZE_MAX;
         f = weights_next(weights, f + 1, &row))
        if (weights_are_used(weights, row)) {
            copy_row(&packed->weights, packed->count, weights, row);
            packed->feature[packed->count++] = (uint32_t)f;
        }
    return true;
}

static size_t packed_features(const struct pause_weights *packed)
{
    return packed->count ? (size_t)packed->feature[packed->count - 1] + 1 : 0;
}

// At the rows that the learner has for them.
static bool unpack(struct weights *to, const struct tlu_learner *learner,
                   const struct pause_weights *packed, size_t features)
{
    const struct weights *from = &packed->weights;
    struct weights new;
    struct seats *seats = learner->space.weights.seats;
    size_t least = packed_features(packed), row = 0;
    bool fine = weights_init(&new, from->columns, weights_parts(from), from->state_start) &&
                (!seats || weights_take_seats(&new, seats)) &&
                weights_reserve(&new, features > least ? features : least);
    if (fine)
        copy_columns(&new, from);
    for (size_t i = 0; fine && i < packed->count; i++) {
        row = weights_add_row(&new, packed->feature[i]);
        fine = row != SIZE_MAX;
        if (fine)
            copy_row(&new, row, from, i);
    }
    weights_free(fine ? to : &new);
    if (fine)
        *to = new;
    return fine;
}

// ---- taking ----

static bool copy_array(void *to, const void *from, size_t count, size_t size)
{
    void **array = to;
    void *new = memory_new(count, size);
    if (!new)
        return false;
    if (count)
        memcpy(new, from, count * size);
    memory_free(*array);
    *array = new;
    return true;
}

static bool take_passes(struct pause *pause, const struct training *t)
{
    pause->best_pass = t->best_pass;
    pause->mark_count = t->mark_count;
    if (!copy_array(&pause->mistakes, t->mistakes, (size_t)t->pass, sizeof *t->mistakes) ||
        !copy_array(&pause->marks, t->marks, t->mark_count, sizeof *t->marks))
        return false;
    if (options_number(t->learner.options, OPTION_HOLDOUT) > 0 &&
        (!copy_array(&pause->accuracy, t->accuracy, (size_t)t->pass, sizeof *t->accuracy) ||
         (t->best_pass && !pack(&pause->best, &t->best))))
        return false;
    pause->seen_pass = t->seen ? t->seen_pass : 0;
    if (!t->seen)
        return true;
    uint32_t columns = t->learner.space.weights.columns;
    size_t cells = t->seen_count - columns;
    struct weights seen = {.columns = columns,
                           .features = cells / columns, // where there are no seats
                           .seats = t->learner.space.weights.seats,
                           .rows = cells / columns,
                           .w = t->seen,
                           .bias = t->seen + cells};
    return pack(&pause->seen, &seen);
}

static bool take_learner(struct pause *pause, const struct tlu_learner *learner)
{
    uint32_t columns = learner->space.weights.columns;
    const struct pocket *pocket = learner->decision.pocket;
    pause->classes = learner->scheme.classes;
    pause->positive = learner->scheme.positive;
    pause->learned = learner->examples;
    pause->mistaken = learner->mistakes;
    pause->updates = learner->updates;
    pause->random = learner->random;
    pause->pocket = pocket != NULL;
    if (!pack(&pause->weights, &learner->space.weights) ||
        !copy_array(&pause->group_norm, learner->space.group_norm, columns, sizeof(double)) ||
        !copy_array(&pause->group_updates, learner->space.group_updates, columns, sizeof(uint64_t)))
        return false;
    if (!pocket)
        return true;
    pause->pocket_counts = memory_new(3 * (size_t)columns, sizeof(uint64_t));
    if (!pause->pocket_counts || !pack(&pause->pocket_best, &pocket->best))
        return false;
    memcpy(pause->pocket_counts, pocket->run, columns * sizeof(uint64_t));
    memcpy(pause->pocket_counts + columns, pocket->best_run, columns * sizeof(uint64_t));
    memcpy(pause->pocket_counts + 2 * (size_t)columns, pocket->best_right,
           columns * sizeof(uint64_t));
    return true;
}

// The rows that the run depends on so far. Those of all rows stay what they are.
static struct pause_rows needed_rows(struct training *t)
{
    if (t->passed_by.rows)
        return t->passed_by;
    if (t->pass == 0 && !t->whole)
        return kept_rows(t, rows_needed(t), t->every);
    if (t->all_kept.rows == 0)
        t->all_kept = kept_rows(t, t->rows, t->every);
    return t->all_kept;
}

static void take_rows(struct pause *pause, struct training *t)
{
    const struct schema *schema = &t->learner.schema;
    size_t features = packed_features(&pause->weights);
    pause->all = t->pass > 0 || t->whole;
    bool named = !schema->slots.bits && features > schema->base;
    pause->names = named ? (uint32_t)(features - schema->base) : 0;
    pause->every = t->every;
    pause->rows = needed_rows(t);
    pause->rows.sum = mix_texts(pause->rows.sum, schema, pause->classes, pause->names);
}

struct pause *pause_take(struct training *t)
{
    struct pause *pause = memory_new(1, sizeof *pause);
    if (!pause || !take_passes(pause, t) || !take_learner(pause, &t->learner)) {
        pause_free(pause);
        return NULL;
    }
    pause->pass = t->pass;
    pause->examples = t->pass_examples;
    pause->pass_mistakes = t->pass_mistakes;
    pause->pass_updates = t->pass_updates;
    take_rows(pause, t);
    return pause;
}

// In place of the rows, where they were not summed up.
static uint64_t mix_counts(uint64_t sum, const struct tlu_learner *learner)
{
    for (uint32_t c = 0; c < learner->scheme.classes; c++)
        sum = mix(sum, learner->scheme.class_examples[c]);
    return mix(sum, learner->schema.names.count);
}

// Names of the learner's to where the run has them: those of LIBSVM come behind the indices.
static void shift_names(struct pause_weights *packed, const struct schema *schema)
{
    bool indices = schema_is_indexed(schema) && !schema->slots.bits;
    uint32_t base = indices ? SCHEMA_DIRECT : 0;
    for (size_t i = 0; i < packed->count; i++)
        if (packed->feature[i] >= schema->base)
            packed->feature[i] += base - schema->base;
}

struct pause *pause_at_end(const struct tlu_learner *learner, uint64_t rows, uint64_t nonzeros)
{
    struct pause *pause = memory_new(1, sizeof *pause);
    if (!pause || !take_learner(pause, learner)) {
        pause_free(pause);
        return NULL;
    }
    shift_names(&pause->weights, &learner->schema);
    pause->all = true;
    pause->names = learner->schema.names.count;
    pause->rows = (struct pause_rows){rows, nonzeros, mix_counts(0, learner)};
    pause->rows.sum = mix_texts(pause->rows.sum, &learner->schema, pause->classes, pause->names);
    return pause;
}

// ---- going on ----

static struct pause_rows rows_so_far(const struct training *t)
{
    if (t->resume->every == 0)
        return (struct pause_rows){t->rows, t->nonzeros, mix_counts(0, &t->learner)};
    return t->passed_by.rows ? t->passed_by : kept_rows(t, rows_needed(t), t->resume->every);
}

static tlu_status check_rows(const struct training *t, tlu_error *error)
{
    const struct pause *pause = t->resume;
    const struct schema *schema = &t->learner.schema;
    if (pause->all && t->rows != pause->rows.rows)
        return error_at(error, t->path, 0, 0,
                        "is not the data of the run that was to go on: it has %llu rows, and that "
                        "had %llu",
                        (unsigned long long)t->rows, (unsigned long long)pause->rows.rows);
    struct pause_rows rows = rows_so_far(t);
    bool same = rows.rows == pause->rows.rows && rows.nonzeros == pause->rows.nonzeros &&
                schema_classes(schema) >= pause->classes && schema->names.count >= pause->names;
    if (same)
        rows.sum = mix_texts(rows.sum, schema, pause->classes, pause->names);
    if (!same || rows.sum != pause->rows.sum)
        return error_at(error, t->path, 0, 0,
                        "is not the data of the run that was to go on: among its first %llu rows "
                        "one is another",
                        (unsigned long long)pause->rows.rows);
    return TLU_OK;
}

// A file may say anything: whether these weights are such as the run has.
static bool fits(const struct training *t, const struct pause_weights *packed, unsigned parts)
{
    const struct tlu_learner *learner = &t->learner;
    return packed->weights.columns == t->resume->weights.weights.columns &&
           weights_parts(&packed->weights) == parts &&
           packed_features(packed) <= schema_features(&learner->schema);
}

static tlu_status check_pause(const struct training *t, tlu_error *error)
{
    const struct pause *pause = t->resume;
    const struct tlu_learner *learner = &t->learner;
    unsigned parts = weights_parts(&learner->space.weights);
    bool fine = pause->weights.weights.columns >= learner_columns(learner) &&
                fits(t, &pause->weights, parts) &&
                pause->pocket == (learner->decision.pocket != NULL) &&
                (!pause->pocket || fits(t, &pause->pocket_best, parts)) &&
                (!pause->seen_pass || fits(t, &pause->seen, 0)) &&
                (!pause->best.weights.w || fits(t, &pause->best, parts)) &&
                (pause->accuracy != NULL) == (options_number(learner->options, OPTION_HOLDOUT) > 0);
    return fine ? TLU_OK
                : error_input(error, "the model is damaged: its run is not one of its options");
}

static bool restore_passes(struct training *t)
{
    const struct pause *pause = t->resume;
    size_t passes = (size_t)pause->pass;
    if (!copy_array(&t->mistakes, pause->mistakes, passes, sizeof *t->mistakes))
        return false;
    t->mistakes_capacity = passes;
    if (pause->accuracy) {
        if (!copy_array(&t->accuracy, pause->accuracy, passes, sizeof *t->accuracy))
            return false;
        t->accuracy_capacity = passes;
    }
    t->best_pass = pause->best_pass;
    if (pause->best.weights.w && !unpack(&t->best, &t->learner, &pause->best, 0))
        return false;
    if (!pause->seen_pass)
        return true;
    uint32_t columns = t->learner.space.weights.columns;
    struct weights seen = {0};
    if (!unpack(&seen, &t->learner, &pause->seen, t->learner.space.weights.features))
        return false;
    t->seen_pass = pause->seen_pass;
    t->seen_count = (seen.rows + 1) * columns;
    t->seen = memory_new(t->seen_count, sizeof *t->seen);
    if (t->seen) {
        weights_copy_cells(t->seen, seen.w, seen.rows * columns);
        memcpy(t->seen + seen.rows * columns, seen.bias, columns * sizeof *t->seen);
    }
    bool fine = t->seen && weights_follow(&t->learner.space.weights, &seen);
    weights_free(&seen);
    return fine;
}

static bool restore_pocket(struct tlu_learner *learner, const struct pause *pause)
{
    struct pocket *pocket = learner->decision.pocket;
    size_t columns = pause->weights.weights.columns;
    const uint64_t *counts = pause->pocket_counts;
    return unpack(&pocket->best, learner, &pause->pocket_best, 0) &&
           copy_array(&pocket->run, counts, columns, sizeof *counts) &&
           copy_array(&pocket->best_run, counts + columns, columns, sizeof *counts) &&
           copy_array(&pocket->best_right, counts + 2 * columns, columns, sizeof *counts);
}

static bool restore_learner(struct tlu_learner *learner, const struct pause *pause)
{
    uint32_t columns = pause->weights.weights.columns;
    learner->scheme.positive = pause->positive;
    learner->examples = pause->learned;
    learner->mistakes = pause->mistaken;
    learner->updates = pause->updates;
    learner->random = pause->random;
    double **rooms[] = {&learner->space.scores, &learner->space.scratch, &learner->space.current};
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++) {
        double *room = memory_new(columns, sizeof *room);
        if (!room)
            return false;
        memory_free(*rooms[i]);
        *rooms[i] = room;
    }
    return unpack(&learner->space.weights, learner, &pause->weights,
                  schema_features(&learner->schema)) &&
           copy_array(&learner->space.group_norm, pause->group_norm, columns, sizeof(double)) &&
           copy_array(&learner->space.group_updates, pause->group_updates, columns,
                      sizeof(uint64_t)) &&
           (!pause->pocket || restore_pocket(learner, pause));
}

tlu_status pause_restore(struct training *t, tlu_error *error)
{
    const struct pause *pause = t->resume;
    tlu_status status = check_rows(t, error);
    if (status == TLU_OK)
        status = learner_add_classes(&t->learner, pause->classes, error);
    if (status == TLU_OK)
        status = check_pause(t, error);
    if (status != TLU_OK)
        return status;
    if (!restore_learner(&t->learner, pause) || !restore_passes(t))
        return error_memory(error);
    guard_measure(&t->learner, &pause->weights.weights);
    t->pass_mistakes = pause->pass_mistakes;
    t->pass_updates = pause->pass_updates;
    t->caught_up = true;
    return TLU_OK;
}
