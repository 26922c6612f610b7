#include "train/train.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "learn/decision.h"
#include "learn/guard.h"
#include "learn/online_scale.h"
#include "learn/prune.h"
#include "solve/whole.h"
#include "space/dual.h"
#include "train/feed.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define PROGRESS_ROWS 8192       // between two calls of the progress function
#define PROGRESS_WORK (1u << 22) // multiplications: where rows are long, that is sooner
#define ROW_WORK 64              // what a row costs besides
#define TABLE_ROWS 100000        // of a table that more passes are made over
#define FED_LEAST 10000          // rows: fewer are learned before a thread has started

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
    cache_free(&t->cache);
    for (size_t i = 0; i < t->notice_count; i++)
        memory_free(t->notices[i]);
    memory_free(t->batches);
    memory_free(t->order.items);
    memory_free(t->held_out.items);
    memory_free(t->held_out_labels);
    memory_free(t->mistakes);
    memory_free(t->accuracy);
    memory_free(t->notices);
    weights_free(&t->best);
    memory_free(t->seen);
    pause_free(t->pause);
    memory_free(t->marks);
}

static bool is_interrupted(void *training)
{
    struct training *t = training;
    training_tell(t);
    return t->interrupted;
}

// The scaling that is fitted to all rows before the first is learned. Whether `auto` is one of
// these, the first rows show.
static int fitted_scale(const struct tlu_learner *learner)
{
    int scale = options_choice(learner->options, OPTION_SCALE);
    return scale == SCALE_ONLINE || scale == SCALE_AUTO ? SCALE_NONE : scale;
}

// ---- reading ----

static bool add_place(struct places *places, size_t batch, size_t row)
{
    if (!memory_reserve(&places->items, &places->capacity, places->count + 1, sizeof(struct place)))
        return false;
    places->items[places->count++] = (struct place){(uint32_t)batch, (uint32_t)row};
    return true;
}

// The next batch, counted, with its rows in t->order.
static tlu_status next_batch(struct training *t, struct batch **batch, size_t *first_place,
                             tlu_error *error)
{
    double start = train_seconds();
    tlu_status status = reader_next(t->reader, batch, error);
    t->seconds_read += train_seconds() - start;
    if (status != TLU_OK || !*batch)
        return status;
    if (options_flag(t->learner.options, OPTION_BINARIZE))
        (*batch)->ones = true; // the values are not looked at any more
    t->rows += (*batch)->rows;
    t->nonzeros += batch_nonzeros(*batch);
    t->skipped += (*batch)->counts.skipped_rows;
    t->queries += (*batch)->counts.qid_fields;
    t->more_labels += (*batch)->counts.multi_label_rows;
    t->bytes = (*batch)->place.bytes;

    if (!t->keep)
        t->order.count = 0;
    *first_place = t->order.count;
    size_t number = t->keep ? t->batch_count : 0;
    bool fine = true;
    for (size_t i = 0; fine && i < (*batch)->rows; i++) {
        uint32_t class_index = (*batch)->labels[i];
        t->changes += class_index != t->last_class;
        t->last_class = class_index;
        fine = learner_count(&t->learner, class_index) && add_place(&t->order, number, i);
    }
    if (fine && t->keep) {
        fine =
            memory_reserve(&t->batches, &t->batch_capacity, t->batch_count + 1, sizeof *t->batches);
        if (fine) {
            t->batches[t->batch_count++] = *batch;
            status = cache_keep(&t->cache, *batch, error);
        }
    }
    if (status != TLU_OK)
        return status;
    if (!fine || !(t->learner.space.kernel.kind || learner_reserve(&t->learner))) {
        if (!t->keep || t->batch_count == number)
            batch_free(*batch);
        return error_memory(error);
    }
    return TLU_OK;
}

// ---- checkpoints ----

// Between two examples, of which all those before are in t->passed_by where they are not kept.
static tlu_status checkpoint(struct training *t, tlu_error *error)
{
    if (!t->checkpoint || t->interrupted || training_catches_up(t) ||
        t->learner.scheme.classes < 2 || training_lost_track(t) || t->pass_examples == 0 ||
        train_seconds() < t->checkpoint_due)
        return TLU_OK;
    tlu_status status = t->checkpoint(t, error);
    t->checkpoint_due = train_seconds() + t->checkpoint_seconds; // however long saving took
    return status;
}

// ---- learning ----

static tlu_status error_at_row(const struct training *t, uint64_t id, const char *reason,
                               tlu_error *error)
{
    for (size_t b = 0; b <= t->batch_count; b++) {
        const struct batch *batch = b < t->batch_count ? t->batches[b] : t->passing;
        if (batch && id >= batch->first_row && id - batch->first_row < batch->rows)
            return reader_refuse(t->reader, batch, (size_t)(id - batch->first_row), reason, error);
    }
    return error_at(error, t->path, 0, 0, "%s", reason);
}

// Whether a row that is not sure can be learned from; else it is an error, or with --skip-bad left
// out.
static bool look_closer(struct training *t, const tlu_row *row, uint64_t id, double weight,
                        tlu_status *status, tlu_error *error)
{
    struct tlu_learner *learner = &t->learner;
    struct refusal refusal;
    char reason[300];
    if (learner->space.dual)
        learner_score_dual(learner, id);
    if (learner->space.dual ? guard_look_dual(learner, id, weight)
                            : guard_look(learner, row, weight, &refusal))
        return true;
    t->refused++;
    t->skipped++;
    if (options_flag(learner->options, OPTION_SKIP_BAD))
        return false;
    if (learner->space.dual)
        snprintf(reason, sizeof reason,
                 "the score of this row, or its kernel value with itself, is past what a number "
                 "can hold; scale the data (--scale maxabs)");
    else
        guard_say(learner, &refusal, reason, sizeof reason);
    *status = error_at_row(t, id, reason, error);
    return false;
}

static tlu_status learn_example(struct training *t, const tlu_row *row, uint64_t id, uint32_t label,
                                float weight, bool *wrong, tlu_error *error)
{
    tlu_row scaled = *row;
    tlu_status status = TLU_OK;
    bool fine =
        (!t->learner.space.dual && guard_is_sure(&t->learner, row->count, (double)weight)) ||
        look_closer(t, row, id, (double)weight, &status, error);
    *wrong = false;
    if (fine && t->learner.online.on) {
        if (!online_scale_reserve(&t->learner, row->count))
            return error_memory(error);
        online_scale_meet(&t->learner, row);
        online_scale_row(&t->learner, &scaled, t->learner.online.room);
    }
    if (fine)
        status = learner_learn(&t->learner, &scaled, id, label, (double)weight, wrong, error);
    t->pass_mistakes += status == TLU_OK && *wrong;
    t->work += ROW_WORK + (uint64_t)row->count * t->learner.space.weights.columns;
    if (++t->pass_examples % PROGRESS_ROWS == 0 || t->work > PROGRESS_WORK) {
        t->work = 0;
        training_tell(t);
        if (status == TLU_OK && t->keep)
            status = checkpoint(t, error);
    }
    t->interrupted |= t->learner.examples == t->stop_after;
    return status;
}

static tlu_status learn_row(struct training *t, const struct batch *batch, size_t i,
                            tlu_error *error)
{
    tlu_row row = batch_row(batch, i);
    bool wrong;
    uint64_t updates = t->learner.updates, refused = t->refused;
    tlu_status status = learn_example(t, &row, batch->first_row + i, batch->labels[i],
                                      batch_weight(batch, i), &wrong, error);
    if (t->on_step && status == TLU_OK && t->refused == refused)
        t->interrupted |= !t->on_step(t, batch, i, wrong, t->learner.updates > updates);
    return status;
}

// ---- going on where a run has stopped ----

// --scale online: the largest values so far. There are no weights yet that this could rescale.
static tlu_status meet_passed_by(struct training *t, const struct batch *passing, size_t from,
                                 size_t to, tlu_error *error)
{
    for (size_t k = from; t->learner.online.on && t->pass == 0 && k < to; k++) {
        struct place place = passing ? (struct place){0, (uint32_t)k} : t->order.items[k];
        tlu_row row = batch_row(passing ? passing : t->batches[place.batch], place.row);
        if (!online_scale_reserve(&t->learner, 0))
            return error_memory(error);
        online_scale_meet(&t->learner, &row);
    }
    return TLU_OK;
}

// Passes by what the run has learned from already, of places *from to `to` - 1, or of these rows of
// a batch that is not kept, and takes over where it had stopped.
static tlu_status catch_up(struct training *t, const struct batch *passing, size_t *from, size_t to,
                           tlu_error *error)
{
    if (!training_catches_up(t) || t->interrupted) // then maybe not all rows were read
        return TLU_OK;
    uint64_t count = to - *from, left = t->resume->examples - t->pass_examples;
    bool there = t->pass == t->resume->pass && left <= count;
    count = there ? left : count;
    tlu_status status = meet_passed_by(t, passing, *from, *from + (size_t)count, error);
    *from += (size_t)count;
    t->pass_examples += count;
    return status == TLU_OK && there ? pause_restore(t, error) : status;
}

// At the end of a pass, or where somebody has ended it.
static tlu_status check_caught_up(const struct training *t, tlu_error *error)
{
    if (!training_catches_up(t))
        return TLU_OK;
    if (t->interrupted)
        return error_interrupted(error,
                                 "interrupted before the run was where it had stopped: nothing "
                                 "has changed");
    if (t->pass == t->resume->pass)
        return error_at(error, t->path, 0, 0,
                        "is not the data of the run that was to go on: it has %llu rows to learn "
                        "from, and that had %llu at least",
                        (unsigned long long)t->pass_examples,
                        (unsigned long long)t->resume->examples);
    return TLU_OK;
}

// Keeps what it takes to go on later, where that is possible. Without the memory for it there is
// still the model so far.
static void pause_run(struct training *t)
{
    if (t->interrupted && !t->on_step && !t->excerpt.subset.part && !pause_obstacle(&t->learner) &&
        !training_lost_track(t))
        t->pause = pause_take(t);
}

// ---- a pass ----

// A pass over the rows in memory in the order of their places, from one of them on.
static tlu_status learn_fed(struct training *t, size_t from, tlu_error *error)
{
    bool threads = parallel_threads(options_count(t->learner.options, OPTION_THREADS)) > 1;
    struct feed *feed =
        feed_open(t->batches, t->order.items + from, t->order.count - from, threads);
    if (!feed)
        return error_memory(error);
    tlu_status status = TLU_OK;
    const struct fed_row *rows;
    size_t count;
    while (status == TLU_OK && !t->interrupted && (count = feed_next(feed, &rows)))
        for (size_t i = 0; status == TLU_OK && !t->interrupted && i < count; i++) {
            bool wrong;
            status = learn_example(t, &rows[i].row, rows[i].id, rows[i].label, rows[i].weight,
                                   &wrong, error);
        }
    feed_close(feed);
    return status;
}

// The places from `from` on.
static tlu_status learn_primal(struct training *t, size_t from, size_t to, tlu_error *error)
{
    bool shuffled = options_choice(t->learner.options, OPTION_SHUFFLE) != SHUFFLE_NONE;
    bool all = from == 0;
    tlu_status status = catch_up(t, NULL, &from, to, error);
    if (status == TLU_OK && shuffled && !t->on_step && all && to - from >= FED_LEAST)
        return learn_fed(t, from, error);
    for (size_t k = from; status == TLU_OK && k < to && !t->interrupted; k++) {
        struct place place = t->order.items[k];
        status = learn_row(t, t->batches[place.batch], place.row, error);
    }
    return status;
}

// All places in the dual form, block by block.
static tlu_status learn_dual(struct training *t, tlu_error *error)
{
    struct dual *dual = t->learner.space.dual;
    tlu_status status = TLU_OK;
    if (t->pass == 0)
        t->effort.started = train_seconds() - t->started;
    dual_pass_begin(dual);
    for (size_t k = 0; status == TLU_OK && k < t->order.count && !t->interrupted;) {
        uint64_t ids[DUAL_BLOCK];
        size_t count = 0;
        for (; count < DUAL_BLOCK && k + count < t->order.count; count++) {
            struct place place = t->order.items[k + count];
            ids[count] = t->batches[place.batch]->first_row + place.row;
        }
        status = dual_block(dual, ids, count, error);
        for (size_t i = 0; status == TLU_OK && i < count; i++, k++) {
            struct place place = t->order.items[k];
            status = learn_row(t, t->batches[place.batch], place.row, error);
        }
        training_tell(t);
    }
    if (status == TLU_OK && !t->interrupted)
        status = dual_pass_end(dual, error);
    training_note_effort(t);
    return status;
}

// Hides the labels of held-out rows, so that they take no part in what looks at all rows, or brings
// them back.
static void swap_held_out(struct training *t, bool hide)
{
    for (size_t k = 0; k < t->held_out.count; k++) {
        struct place place = t->held_out.items[k];
        t->batches[place.batch]->labels[place.row] = hide ? TLU_NO_LABEL : t->held_out_labels[k];
    }
}

// Learners that look at all rows at once. Held-out rows are hidden from them; the mistakes are
// those that the result makes on its own rows.
static tlu_status learn_whole(struct training *t, tlu_error *error)
{
    struct tlu_learner *learner = &t->learner;
    swap_held_out(t, true);
    learner->solving.stop = is_interrupted;
    learner->solving.stop_context = t;
    t->solving = true;
    tlu_status status = learner->rule.kind->solve(learner, t->batches, t->batch_count, error);
    swap_held_out(t, false);
    for (size_t k = 0; status == TLU_OK && k < t->order.count; k++) {
        struct place place = t->order.items[k];
        tlu_row row = batch_row(t->batches[place.batch], place.row);
        t->pass_mistakes +=
            learner_decide(learner, &row) != t->batches[place.batch]->labels[place.row];
        t->pass_examples++;
        if (!guard_finite(learner->space.scores, learner_columns(learner)))
            status = error_at_row(t, t->batches[place.batch]->first_row + place.row,
                                  GUARD_NO_SCORE "; scale the data (--scale maxabs)", error);
    }
    return status;
}

static tlu_status learn_kept(struct training *t, size_t from, size_t to, tlu_error *error)
{
    if (t->learner.rule.kind->traits & LEARNER_WHOLE)
        return learn_whole(t, error);
    return t->learner.space.dual ? learn_dual(t, error) : learn_primal(t, from, to, error);
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
        training_tell(t);
    }
    return status;
}

// The random numbers that a shuffle starts from: those after the shuffle before, unless rates were
// drawn from them too. A run that goes on draws none before it has caught up.
static tlu_status mark_shuffle(struct training *t, tlu_error *error)
{
    const struct pause *pause = t->resume;
    struct random *random = &t->learner.random;
    if (training_catches_up(t) && t->mark_count < pause->mark_count &&
        pause->marks[t->mark_count].shuffle == t->shuffles)
        *random = pause->marks[t->mark_count].random;
    if (t->shuffles == 0)
        random_seed(&t->shuffled, options_count(t->learner.options, OPTION_SEED));
    if (memcmp(random, &t->shuffled, sizeof *random) != 0) {
        if (!memory_reserve(&t->marks, &t->mark_capacity, t->mark_count + 1, sizeof *t->marks))
            return error_memory(error);
        t->marks[t->mark_count++] = (struct pause_mark){t->shuffles, *random};
    }
    t->shuffles++;
    return TLU_OK;
}

static tlu_status shuffle(struct training *t, tlu_error *error)
{
    tlu_status status = mark_shuffle(t, error);
    struct place *places = t->order.items;
    for (size_t i = t->order.count; i > 1; i--) {
        size_t j = (size_t)random_below(&t->learner.random, i);
        struct place swap = places[i - 1];
        places[i - 1] = places[j];
        places[j] = swap;
    }
    t->shuffled = t->learner.random;
    return status;
}

// n / (classes * n_c): every class counts the same in sum.
static tlu_status balance_classes(struct training *t, tlu_error *error)
{
    struct tlu_learner *learner = &t->learner;
    double *rows = memory_new(learner->scheme.classes, sizeof *rows); // [classes] to learn from
    if (!rows)
        return error_memory(error);
    for (size_t k = 0; k < t->order.count; k++)
        rows[t->batches[t->order.items[k].batch]->labels[t->order.items[k].row]] += 1;
    for (uint32_t c = 0; c < learner->scheme.classes; c++)
        if (rows[c] > 0)
            learner->scheme.class_weight[c] *=
                (double)t->order.count / ((double)learner->scheme.classes * rows[c]);
    memory_free(rows);
    return TLU_OK;
}

// --ratchet: the rows that the current weights of a group get right.
static uint64_t count_right(void *context, uint32_t group)
{
    struct training *t = context;
    struct tlu_learner *learner = &t->learner;
    uint64_t right = 0;
    for (size_t k = 0; k < t->order.count; k++) {
        const struct batch *batch = t->batches[t->order.items[k].batch];
        uint32_t label = batch->labels[t->order.items[k].row];
        tlu_row row = batch_row(batch, t->order.items[k].row);
        weights_find_scores(&learner->space.weights, &row, learner->space.scratch);
        if (learner->scheme.kind == SCHEME_OVR || learner->scheme.kind == SCHEME_OVO)
            right += whole_sign(learner, group, label) * learner->space.scratch[group] > 0;
        else
            right += scheme_elect(learner->scheme.kind, learner->space.scratch,
                                  learner->scheme.classes, learner->scheme.positive, NULL) == label;
    }
    return right;
}

// What some options need to know before the first example: all rows.
static tlu_status prepare_whole(struct training *t, tlu_error *error)
{
    struct tlu_learner *learner = &t->learner;
    tlu_status status = learner_add_classes(learner, schema_classes(&learner->schema), error);
    if (status == TLU_OK)
        status = training_hold_out(t, error);
    if (status == TLU_OK && learner->scheme.balanced)
        status = balance_classes(t, error);
    swap_held_out(t, true);
    if (status == TLU_OK)
        status =
            scaling_fit(&t->scaling, t->scale, &learner->schema, t->batches, t->batch_count, error);
    swap_held_out(t, false);
    for (size_t b = 0; status == TLU_OK && b < t->batch_count; b++)
        status = scaling_apply(&t->scaling, t->batches[b], error) == TLU_OK
                     ? cache_keep(&t->cache, t->batches[b], error)
                     : TLU_ERROR_SYSTEM;
    if (status == TLU_OK && learner->space.kernel.kind) {
        size_t threads = parallel_threads(options_count(learner->options, OPTION_THREADS));
        status = weights_reserve(&learner->space.weights, t->rows)
                     ? dual_new(&learner->space.dual, &learner->space.kernel, t->batches,
                                t->batch_count, learner->space.weights.columns, threads, error)
                     : error_memory(error);
    }
    if (learner->decision.pocket && options_flag(learner->options, OPTION_RATCHET)) {
        learner->decision.pocket->count_right = count_right;
        learner->decision.pocket->context = t;
    }
    if (status == TLU_OK && options_choice(learner->options, OPTION_SHUFFLE) == SHUFFLE_ALL)
        status = shuffle(t, error);
    return status;
}

// A batch of the first pass that is not kept. All of its rows are learned from.
static tlu_status learn_passing(struct training *t, const struct batch *batch, tlu_error *error)
{
    if (t->passed_by.rows == 0)
        for (size_t b = 0; b < t->batch_count; b++)
            pause_rows_add(&t->passed_by, t->batches[b], t->batches[b]->rows, PAUSE_EVERY);
    // Where a run takes over inside of the batch, it looks at the sum of the rows so far.
    struct pause_rows before = t->passed_by;
    size_t i = 0, left = 0;
    if (training_catches_up(t) && t->resume->pass == 0) {
        uint64_t to_come = t->resume->examples - t->pass_examples;
        left = to_come < batch->rows ? (size_t)to_come : batch->rows;
        pause_rows_add(&t->passed_by, batch, left, PAUSE_EVERY);
    }
    t->passing = batch;
    tlu_status status = catch_up(t, batch, &i, batch->rows, error);
    for (; status == TLU_OK && i < batch->rows && !t->interrupted; i++)
        status = learn_row(t, batch, i, error);
    t->passing = NULL;
    t->passed_by = before;
    pause_rows_add(&t->passed_by, batch, i, PAUSE_EVERY);
    return status;
}

// `--scale auto`: where the first rows are those of a table, all rows are read to fit its columns.
static tlu_status choose_scale(struct training *t, bool *table, bool *ended, tlu_error *error)
{
    *table = false;
    if (t->learner.space.kernel.kind || t->learner.pruning.max_features)
        return TLU_OK;
    swap_held_out(t, true);
    tlu_status status = scaling_wanted(&t->learner.schema, t->batches, t->batch_count,
                                       TRAIN_LOOKAHEAD, table, error);
    swap_held_out(t, false);
    if (status != TLU_OK || !*table ||
        options_choice(t->learner.options, OPTION_SCALE) != SCALE_AUTO)
        return status;
    t->scale = SCALE_AUTO;
    t->whole = true;
    return *ended ? TLU_OK : read_ahead(t, UINT64_MAX, ended, error);
}

// Of a table with several classes each pair has few rows: more passes pay (docs/accuracy.md), where
// there are not so many rows that they would take long.
static tlu_status choose_passes(struct training *t, tlu_error *error)
{
    const struct tlu_learner *learner = &t->learner;
    uint64_t passes = learner->rule.kind->table_passes;
    if (!passes || learner->rule.epochs_given || t->rows > TABLE_ROWS ||
        schema_classes(&learner->schema) <= 2)
        return TLU_OK;
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)passes);
    t->passes = passes;
    return tlu_options_set(learner->options, "epochs", text, error);
}

// What is left to the data. A run that goes on has it from the run before.
static tlu_status choose(struct training *t, bool *ended, tlu_error *error)
{
    const struct tlu_learner *learner = &t->learner;
    bool table = false;
    tlu_status status = TLU_OK;
    if (options_choice(learner->options, OPTION_CLASSES) == CLASSES_AUTO ||
        options_choice(learner->options, OPTION_SCALE) == SCALE_AUTO ||
        (learner->rule.kind->table_rate > 0 && !learner->rule.rate_given))
        status = choose_scale(t, &table, ended, error);
    if (status == TLU_OK)
        status = learner_choose(&t->learner, table, error);
    return status == TLU_OK && table && t->whole ? choose_passes(t, error) : status;
}

// The first pass: reads, and learns as far as possible while reading.
static tlu_status first_pass(struct training *t, tlu_error *error)
{
    bool ended, keep = t->keep;
    t->keep = true; // what is read ahead stays in memory
    tlu_status status = read_ahead(t, t->whole ? UINT64_MAX : TRAIN_LOOKAHEAD, &ended, error);
    if (status == TLU_OK && t->rows == 0)
        return error_at(error, t->path, 0, 0, "has no examples");
    if (status == TLU_OK && schema_columns(&t->learner.schema) == 0)
        return error_at(error, t->path, 0, 0,
                        "no row has a feature: is it really %s? (--format says what it is)",
                        format_table[t->learner.schema.format].title);
    if (status == TLU_OK)
        status = training_note_ranges(t, error);
    if (status == TLU_OK)
        status = choose(t, &ended, error);
    if (status == TLU_OK && t->whole)
        status = prepare_whole(t, error);
    else if (status == TLU_OK)
        status = learner_add_classes(&t->learner, classes_ahead(t), error);
    if (status == TLU_OK)
        status = learn_kept(t, 0, t->order.count, error);
    if (status == TLU_OK &&
        t->learner.pruning.max_features) // the rows so far are not looked at any more
        status = learner_prune(&t->learner, t->learner.pruning.max_features, error);
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
            status = learn_passing(t, batch, error);
            reader_recycle(t->reader, batch);
        }
        if (status == TLU_OK && t->learner.pruning.max_features)
            status = learner_prune(&t->learner, t->learner.pruning.max_features, error);
        training_tell(t);
        if (status == TLU_OK)
            status = checkpoint(t, error);
    }
    return status;
}

// ---- the whole ----

static tlu_status check_data(struct training *t, tlu_error *error)
{
    const struct schema *schema = &t->learner.schema;
    char label[64];
    if (schema_classes(schema) == 1 && t->interrupted)
        return error_interrupted(error, "interrupted before a second class was met");
    if (schema_classes(schema) == 1)
        return error_at(
            error, t->path, 0, 0, "all %llu rows have the label '%s': learning needs two classes",
            (unsigned long long)t->rows,
            error_quote(label, sizeof label, schema->spelled[0], strlen(schema->spelled[0])));
    // Of a run that was cut short nobody knows what the other rows have.
    return t->interrupted ? TLU_OK : learner_check_labels(&t->learner, error);
}

// Options that need all rows before the first example.
static bool needs_whole(const struct tlu_learner *learner)
{
    const tlu_options *options = learner->options;
    return options_choice(options, OPTION_SHUFFLE) == SHUFFLE_ALL ||
           fitted_scale(learner) != SCALE_NONE || learner->scheme.balanced ||
           learner->space.kernel.kind || learner->decision.history ||
           learner->rule.kind->traits & LEARNER_WHOLE ||
           options_number(options, OPTION_HOLDOUT) > 0 || options_flag(options, OPTION_RATCHET) ||
           // Which score 0 counts as depends on which class is positive.
           (learner->rule.tie != TIE_MISTAKE && !options_is_set(options, OPTION_POSITIVE));
}

static tlu_status begin(struct training *t, const tlu_options *options, tlu_error *error)
{
    tlu_status status = learner_init(&t->learner, options, error);
    t->given = t->resume ? NULL : options;
    if (status == TLU_OK)
        status = training_note_idle(t, error);
    if (status != TLU_OK)
        return status;
    options = t->learner.options;
    if (options_number(options, OPTION_HOLDOUT) > 0 &&
        (t->learner.space.kernel.kind || t->learner.decision.history || t->learner.decision.pocket))
        return error_input(error, "--holdout does not go with --kernel, nor with --decide vote, "
                                  "random or best");
    if (t->learner.pruning.max_features && (options_count(options, OPTION_EPOCHS) > 1 ||
                                            needs_whole(&t->learner) || t->learner.decision.pocket))
        return error_input(error,
                           "--max-features forgets names while it reads: that goes with one pass "
                           "(--epochs 1) in file order, and nothing that needs all rows");
    if (t->learner.decision.adapt || t->learner.online.recent)
        return error_input(error, "--%s %s is for streams, that is for tlu learn",
                           t->learner.decision.adapt ? "decide" : "scale",
                           t->learner.decision.adapt ? "adaptive" : "recent");
    if (t->learner.online.on && options_number(options, OPTION_HOLDOUT) > 0)
        return error_input(error, "--holdout does not go with --scale online: maxabs does");
    if (t->learner.online.on && t->on_step)
        return error_input(error, "the weights of --scale online change between the steps: a "
                                  "trace goes without it");
    if (t->learner.space.kernel.kind && options_flag(options, OPTION_RATCHET))
        return error_input(error, "--ratchet does not go with --kernel");
    if (t->checkpoint && pause_obstacle(&t->learner))
        return error_input(error, "no checkpoints: this training could not go on from one: %s",
                           pause_obstacle(&t->learner));
    t->checkpoint_due = t->started + t->checkpoint_seconds;
    t->passes = options_count(options, OPTION_EPOCHS);
    t->scale = fitted_scale(&t->learner);
    t->whole = needs_whole(&t->learner) || (t->resume && t->resume->every == 0);
    t->keep = t->passes > 1 || options_number(options, OPTION_HOLDOUT) > 0 ||
              (t->resume && t->resume->every == 1); // then it was so before
    t->every = t->keep ? 1 : PAUSE_EVERY;
    t->last_class = SCHEMA_NONE;
    cache_init(&t->cache, options);
    if (t->on_step && t->learner.rule.kind->traits & LEARNER_WHOLE)
        return error_input(error,
                           "the learner %s looks at all rows at once: it has no steps to trace",
                           t->learner.rule.kind->info.name);
    t->excerpt.is_over = is_interrupted;
    t->excerpt.context = t;
    double start = train_seconds();
    status =
        reader_open_excerpt(&t->reader, t->path, &t->excerpt, options, &t->learner.schema, error);
    t->seconds_read += train_seconds() - start;
    if (status == TLU_OK) {
        t->format = reader_format(t->reader);
        status = reader_adopt(t->reader, t->learner.options, error);
    }
    return status;
}

tlu_status training_run(struct training *t, const tlu_options *options, tlu_error *error)
{
    t->started = train_seconds();
    tlu_status status = begin(t, options, error);
    if (status == TLU_OK)
        status = first_pass(t, error);
    if (status == TLU_OK)
        status = check_caught_up(t, error);
    if (status == TLU_OK && t->interrupted && t->pass_examples == 0)
        status = error_interrupted(error, "interrupted before anything was learned");
    if (status == TLU_OK)
        pause_run(t);
    if (status == TLU_OK)
        status = check_data(t, error);
    if (status == TLU_OK) // a class may have turned up after the last row learned from
        status = learner_add_classes(&t->learner, schema_classes(&t->learner.schema), error);
    if (status == TLU_OK)
        status = training_note_data(t, error);
    if (status == TLU_OK)
        status = training_end_pass(t, error);
    while (status == TLU_OK && !training_is_over(t)) {
        t->pass_examples = t->pass_mistakes = 0;
        t->pass_updates = t->learner.updates;
        if (options_choice(t->learner.options, OPTION_SHUFFLE) != SHUFFLE_NONE)
            status = shuffle(t, error);
        if (status == TLU_OK)
            status = learn_kept(t, 0, t->order.count, error);
        training_tell(t);
        if (status == TLU_OK)
            status = check_caught_up(t, error);
        if (status == TLU_OK)
            pause_run(t);
        if (status == TLU_OK)
            status = training_end_pass(t, error);
    }
    if (status == TLU_OK)
        decision_end(&t->learner, t->stopped == STOPPED_CONVERGED);
    if (status == TLU_OK)
        status = training_note_outcome(t, error);
    return status;
}
