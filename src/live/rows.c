// One row of a stream after the other: its numbers in the learner, the answer, and learning.
#include "base/memory.h"
#include "data/hash.h"
#include "learn/guard.h"
#include "learn/online_scale.h"
#include "learn/prune.h"
#include "live/inside.h"

#include <string.h>

// The number of a feature that the batch has by name, or SCHEMA_NONE.
static uint32_t named(struct tlu_live *live, uint32_t local, bool labelled)
{
    const struct table *names = &live->batch->names;
    struct schema *schema = &live->learner->schema;
    uint32_t *known = &live->names[local];
    const char *name = table_text(names, local);
    size_t length = table_length(names, local);
    if (*known != SCHEMA_NONE)
        return *known;
    uint32_t number =
        labelled ? schema_add(schema, name, length) : schema_find(schema, name, length);
    if (labelled || !schema->slots.bits) // each name has a slot, also one that is yet to be added
        *known = number;
    return number;
}

// Rows without a label add no names; what the learner does not know is left out of them.
static tlu_status renumber(struct tlu_live *live, bool labelled, tlu_row *row, tlu_error *error)
{
    struct tlu_learner *learner = live->learner;
    struct schema *schema = &learner->schema;
    size_t count = 0;
    for (size_t k = 0; k < row->count; k++) {
        uint32_t number = row->features[k];
        if (number & BATCH_LOCAL) {
            number = named(live, number & ~BATCH_LOCAL, labelled);
            if (number == SCHEMA_NONE && labelled)
                return error_memory(error);
        } else if (schema->slots.bits && schema->format == DATA_LIBSVM) {
            number = labelled ? hash_index_add(schema, number) : hash_index_find(schema, number);
        }
        if (number == SCHEMA_NONE || (!labelled && number >= learner->weights.features))
            continue;
        live->features[count] = number;
        live->values[count++] = row->values ? row->values[k] : 1;
    }
    if (schema->slots.bits && !hash_fold_row(live->batch, live->features, live->values, &count))
        return error_memory(error);
    *row = (tlu_row){count, live->features, live->values};
    return TLU_OK;
}

// A row of the batch in the learner's numbers: those that it has, if they are indices of LIBSVM.
static tlu_status resolve(struct tlu_live *live, size_t i, bool labelled, tlu_row *row,
                          tlu_error *error)
{
    struct tlu_learner *learner = live->learner;
    struct schema *schema = &learner->schema;
    uint32_t lowest = UINT32_MAX, highest = 0;
    *row = batch_row(live->batch, i);
    for (size_t k = 0; k < row->count; k++) {
        uint32_t number = row->features[k];
        lowest = number < lowest ? number : lowest;
        highest = number > highest && !(number & BATCH_LOCAL) ? number : highest;
    }
    bool indices = schema->format == DATA_LIBSVM && !schema->slots.bits;
    if (labelled && indices && lowest < BATCH_LOCAL) {
        schema->direct.lowest = lowest < schema->direct.lowest ? lowest : schema->direct.lowest;
        schema->direct.highest =
            highest > schema->direct.highest ? highest : schema->direct.highest;
    }
    if (!indices || live->batch->names.count ||
        (!labelled && highest >= learner->weights.features)) {
        tlu_status status = renumber(live, labelled, row, error);
        if (status != TLU_OK)
            return status;
    }
    if (labelled && !learner_reserve(learner))
        return error_memory(error);
    if (labelled && learner->online.open) {
        tlu_status status = stream_choose_scale(learner, row, error);
        if (status != TLU_OK)
            return status;
    }
    return TLU_OK;
}

// To the values that the weights are for.
static tlu_status scale(struct tlu_live *live, bool labelled, tlu_row *row, tlu_error *error)
{
    struct tlu_learner *learner = live->learner;
    if (!learner->online.on)
        return TLU_OK;
    if (!online_scale_reserve(learner, row->count))
        return error_memory(error);
    if (labelled && !learner->online.recent) // it changes no prediction
        online_scale_meet(learner, row);
    live->raw = *row;
    online_scale_row(learner, row, learner->online.room);
    return TLU_OK;
}

// Row i is left out, or ends the stream.
static tlu_status refuse(struct tlu_live *live, size_t i, const char *reason, bool counted,
                         tlu_error *error)
{
    if (counted && !options_flag(live->options, OPTION_SKIP_BAD))
        return error_at(error, "-", live->lines + live->batch->line[i], 0, "%s", reason);
    if (!memory_reserve(&live->refused, &live->refused_capacity, live->refused_count + 1,
                        sizeof *live->refused))
        return error_memory(error);
    live->refused[live->refused_count++] = i;
    live->counts.skipped += counted;
    return TLU_OK;
}

// Whether the row can be learned from. It is looked at as one without a label, which leaves nothing
// behind.
static tlu_status check_guard(struct tlu_live *live, size_t i, bool counted, tlu_error *error)
{
    double weight = (double)batch_weight(live->batch, i);
    struct refusal refusal;
    char reason[300];
    tlu_row row = batch_row(live->batch, i);
    if (guard_is_sure(live->learner, row.count, weight))
        return TLU_OK;
    tlu_status status = resolve(live, i, false, &row, error);
    if (status != TLU_OK || guard_look(live->learner, &row, weight, &refusal))
        return status;
    guard_say(live->learner, &refusal, reason, sizeof reason);
    return refuse(live, i, reason, counted, error);
}

// --max-features, once a row is learned. The names of the batch are to be looked up again. Where
// memory is out, the next row tries again.
static void prune(struct tlu_live *live)
{
    struct tlu_learner *learner = live->learner;
    uint64_t forgotten = learner->forgotten;
    if (learner->max_features)
        learner_prune(learner, learner->max_features, NULL);
    if (learner->forgotten > forgotten)
        memset(live->names, 0xFF, live->batch->names.count * sizeof *live->names);
}

// A label as a field of a line, as tlu predict prints it; returns its end.
static char *put_label(char *to, const char *label)
{
    for (; *label; label++) {
        char c = *label, letter = c == '\t' ? 't' : c == '\n' ? 'n' : c == '\r' ? 'r' : c;
        if (letter != c || c == '\\')
            *to++ = '\\';
        *to++ = letter;
    }
    return to;
}

// "spam" or "spam<tab>0.25"; "?" before any label was met.
static bool answer(struct tlu_live *live, uint32_t winner)
{
    const struct tlu_learner *learner = live->learner;
    const char *label = learner->classes ? learner->schema.spelled[winner] : "?";
    if (!memory_reserve(&live->text, &live->text_capacity, live->text_size + 2 * strlen(label) + 64,
                        1))
        return false;
    char *at = put_label(live->text + live->text_size, label);
    if (live->scores) {
        double score = learner->classes > 2      ? learner->scores[winner]
                       : winner == learner->plus ? learner->scores[0]
                                                 : 0 - learner->scores[0];
        *at++ = '\t';
        at += number_print(at, learner->classes ? score : 0);
    }
    *at++ = '\n';
    live->text_size = (size_t)(at - live->text);
    return true;
}

static void count_guess(struct tlu_live *live, bool right)
{
    tlu_live_counts *counts = &live->counts;
    uint8_t *oldest = &live->right[counts->examples % live->window];
    if (counts->window == live->window)
        counts->window_correct -= *oldest;
    else
        counts->window++;
    *oldest = right;
    counts->window_correct += right;
    counts->correct += right;
    counts->examples++;
}

static tlu_status learn(struct tlu_live *live, tlu_row *row, size_t i, uint32_t winner,
                        bool counted, tlu_error *error)
{
    struct tlu_learner *learner = live->learner;
    const struct batch *batch = live->batch;
    uint32_t label = batch->labels[i], *known = &live->classes[label];
    bool wrong, was_known = *known != SCHEMA_NONE;
    if (!was_known) {
        uint32_t classes = schema_classes(&learner->schema);
        *known = schema_class_add(&learner->schema, table_text(&batch->classes, label),
                                  table_length(&batch->classes, label));
        was_known = *known < classes;
    }
    if (*known == SCHEMA_NONE)
        return error_memory(error);
    bool right = was_known && *known == winner;
    tlu_status status = learner_play(learner, *known + 1, error);
    if (status == TLU_OK && !learner_count(learner, *known))
        status = error_memory(error);
    double weight = (double)batch_weight(batch, i);
    bool decided = counted || learner->adapt; // just now, by weights that are as they were
    tlu_row seated = *row;                    // from here on nothing fails
    if (status == TLU_OK && learner->online.recent && !weights_seat(&learner->weights, &seated))
        status = error_memory(error);
    if (status == TLU_OK && learner->online.recent && online_scale_meet(learner, &live->raw)) {
        *row = live->raw;
        online_scale_row(learner, row, learner->online.room);
        decided = false;
    }
    if (status == TLU_OK)
        status = (decided ? learner_learn_decided : learner_learn)(learner, row, learner->examples,
                                                                   *known, weight, &wrong, error);
    if (status == TLU_OK && counted)
        count_guess(live, right);
    return status;
}

// ---- the rows of a piece ----

static bool prepare_numbers(struct tlu_live *live)
{
    const struct batch *batch = live->batch;
    size_t longest = 0;
    for (size_t i = 0; i < batch->rows; i++) {
        size_t length = batch->offsets[i + 1] - batch->offsets[i];
        longest = length > longest ? length : longest;
    }
    if (!memory_reserve(&live->names, &live->names_capacity, (size_t)batch->names.count + 1,
                        sizeof *live->names) ||
        !memory_reserve(&live->classes, &live->classes_capacity, (size_t)batch->classes.count + 1,
                        sizeof *live->classes) ||
        !memory_reserve(&live->features, &live->features_capacity, longest + 1,
                        sizeof *live->features) ||
        !memory_reserve(&live->values, &live->values_capacity, longest + 1, sizeof *live->values))
        return false;
    memset(live->names, 0xFF, batch->names.count * sizeof *live->names);
    memset(live->classes, 0xFF, batch->classes.count * sizeof *live->classes);
    return true;
}

static void report_when_due(struct tlu_live *live)
{
    if (!live->report || live->counts.examples < live->next_report)
        return;
    live->next_report *= 2;
    tlu_live_counts counts = tlu_live_count(live);
    live->report(live->context, &counts);
}

// Answers row i and learns from it, or leaves it out.
static tlu_status take_row(struct tlu_live *live, size_t i, bool counted, tlu_error *error)
{
    struct tlu_learner *learner = live->learner;
    bool labelled = live->batch->labels[i] != TLU_NO_LABEL;
    size_t refused = live->refused_count;
    tlu_row row;
    uint32_t winner = 0;
    tlu_status status = labelled ? check_guard(live, i, counted, error) : TLU_OK;
    if (status != TLU_OK || live->refused_count > refused)
        return status;
    status = resolve(live, i, labelled, &row, error);
    if (status == TLU_OK)
        status = scale(live, labelled, &row, error);
    if (status == TLU_OK && (counted || (labelled && learner->adapt)))
        winner = learner_decide(learner, &row);
    if (status == TLU_OK && counted && !labelled &&
        !guard_finite(learner->scores, learner_columns(learner)))
        return refuse(live, i, GUARD_NO_SCORE, counted, error);
    if (status == TLU_OK && counted && !answer(live, winner))
        status = error_memory(error);
    if (status == TLU_OK && labelled)
        status = learn(live, &row, i, winner, counted, error);
    if (status == TLU_OK && labelled)
        prune(live);
    if (status == TLU_OK)
        live->counts.rows += counted;
    if (status == TLU_OK && counted && labelled)
        report_when_due(live);
    return status;
}

tlu_status live_take_rows(struct tlu_live *live, bool counted, size_t *done, tlu_error *error)
{
    tlu_status status = prepare_numbers(live) ? TLU_OK : error_memory(error);
    live->refused_count = 0;
    *done = 0;
    for (size_t i = 0; status == TLU_OK && i < live->batch->rows; i++) {
        if (!counted && live->refused_count && !live->replay_skips)
            break; // it ended the stream: what came after it was never answered
        size_t text_size = live->text_size;
        status = take_row(live, i, counted, error);
        if (status != TLU_OK)
            live->text_size = text_size;
        *done = status == TLU_OK ? i + 1 : i;
    }
    return status;
}
