// What a live model has in its journal, and how that is learned again.
//
// A record has the text of rows as it came, with the number of rows learned before it. The first of
// a stream, and the first after the journal was emptied, has the plan too (plan.h): how these rows
// and those of the records after it are read. So a journal with a row in it says how it is read,
// by what was decided when the row was taken; and one without says nothing, whatever was begun.
#include "base/crc.h"
#include "base/memory.h"
#include "live/former.h"
#include "live/inside.h"
#include "live/plan.h"

#include <string.h>

uint32_t live_state(const struct tlu_learner *learner)
{
    const uint64_t counts[] = {learner->examples, learner->mistakes, learner->updates,
                               learner->classes};
    uint32_t state = crc32_add(0, counts, sizeof counts);
    return crc32_add(state, learner->weights.bias, learner_columns(learner) * sizeof(double));
}

uint64_t live_labelled(const struct batch *batch)
{
    uint64_t count = 0;
    for (size_t i = 0; i < batch->rows; i++)
        count += batch->labels[i] != TLU_NO_LABEL;
    return count;
}

bool live_option_is_fixed(enum option option)
{
    return strcmp(tlu_option_at(option)->group, "learning") == 0 || option == OPTION_HASH ||
           option == OPTION_SCALE || option == OPTION_NGRAMS || option == OPTION_LOWERCASE;
}

tlu_status live_check_options(const char *what, const tlu_options *own, const tlu_options *options,
                              tlu_error *error)
{
    for (enum option i = 0; i < OPTION_COUNT; i++)
        if (live_option_is_fixed(i) && options_is_set(options, i) && !options_is_auto(options, i) &&
            !options_same(own, options, i))
            return error_input(error,
                               "the %s was made with --%s '%.80s', not '%.80s': leave the option "
                               "out to go on with it",
                               what, tlu_option_at(i)->name, options_text(own, i),
                               options_text(options, i));
    return TLU_OK;
}

// ---- putting down ----

tlu_status live_make_plan(struct tlu_live *live, tlu_error *error)
{
    struct reading reading;
    memory_free(live->plan);
    live->plan = NULL;
    live->plan_kept = false;
    tlu_status status = reading_of(&reading, live->reader, error);
    if (status == TLU_OK)
        live->plan =
            plan_pack(live->learner->options, &live->learner->schema, &reading, &live->plan_size);
    reading_free(&reading);
    if (!live->plan)
        return error_memory(error);
    plan_set_state(live->plan, live_state(live->learner));
    return TLU_OK;
}

// With the plan, where the journal has not got it.
static tlu_status append(struct tlu_live *live, uint64_t number, const char *bytes, size_t size,
                         tlu_error *error)
{
    struct journal_record record = {.number = number, .bytes = bytes, .size = size};
    if (!live->plan_kept) {
        record.plan = live->plan;
        record.plan_size = live->plan_size;
    }
    tlu_status status = journal_append(live->journal, &record, error);
    live->plan_kept |= status == TLU_OK;
    return status;
}

tlu_status live_put_down(struct tlu_live *live, const char *bytes, size_t size, tlu_error *error)
{
    if (live->journal_behind)
        return error_system(error,
                            "the journal lacks rows that were learned from, and takes no more "
                            "before the model is saved");
    live->plan_new = !live->plan_kept;
    return append(live, live->learner->examples, bytes, size, error);
}

void live_put_less(struct tlu_live *live, uint64_t number, const char *bytes, size_t size)
{
    tlu_status status = journal_undo(live->journal, NULL);
    live->plan_kept &= !live->plan_new; // it was taken back, too
    if (status == TLU_OK && size)
        status = append(live, number, bytes, size, NULL);
    live->journal_behind |= status != TLU_OK;
}

tlu_status live_empty_journal(struct tlu_live *live, tlu_error *error)
{
    live->plan_kept = false; // also where it fails: nothing that was there stays
    if (live->plan)          // now, not by the next row: one that fails may have left a class
        plan_set_state(live->plan, live_state(live->learner));
    tlu_status status = journal_clear(live->journal, error);
    live->journal_behind &= status != TLU_OK;
    return status;
}

// ---- learning again ----

static tlu_status not_its_journal(uint64_t number, uint64_t learned, tlu_error *error)
{
    return error_input(error,
                       "the journal is about row %llu, but the model has learned from %llu rows: "
                       "it is not the journal of this model; move it away to go on without it",
                       (unsigned long long)number, (unsigned long long)learned);
}

tlu_status live_begin_again(struct tlu_live *live, const tlu_options *options, tlu_error *error)
{
    tlu_learner *learner;
    tlu_status status = tlu_learner_new(options, &learner, error);
    if (status != TLU_OK)
        return status;
    reader_close(live->reader); // it has the schema of the one before
    live->reader = NULL;
    tlu_learner_free(live->learner);
    live->learner = learner;
    return TLU_OK;
}

// The model, or what the journal said before, has its columns already: they cannot be others.
static tlu_status check_plan(const struct tlu_live *live, const struct plan *plan, uint64_t number,
                             tlu_error *error)
{
    const struct tlu_learner *learner = live->learner;
    if (number == learner->examples && plan->state != live_state(learner))
        return error_input(error, "the journal is that of another model, which had learned from "
                                  "as many rows; move it away to go on without it");
    if (!schema_reads_same(&learner->schema, &plan->decided))
        return error_input(error, "the journal has rows of another format, or with other columns, "
                                  "than the model: it is not the journal of this model; move it "
                                  "away to go on without it");
    return TLU_OK;
}

// The rows are read as the plan says. Where there is neither a model nor a row before, it says what
// the model is, too.
static tlu_status replay_plan(struct tlu_live *live, const struct journal_record *record,
                              tlu_error *error)
{
    struct plan plan;
    tlu_status status = plan_unpack(&plan, record->plan, record->plan_size, error);
    bool first = live->is_new && !live->learner->examples;
    if (status == TLU_OK && first)
        status = live_begin_again(live, plan.options, error);
    if (status == TLU_OK && first)
        status = live_check_options("journal", live->learner->options, live->options, error);
    if (status == TLU_OK && first)
        status = schema_settle_as(&live->learner->schema, &plan.decided, "the journal", error);
    if (status == TLU_OK)
        status = check_plan(live, &plan, record->number, error);
    live->replay_skips = status != TLU_OK || plan.reading.skip_bad;
    if (status == TLU_OK) {
        reader_close(live->reader);
        status = reader_open_read(&live->reader, "the journal", &plan.reading,
                                  &live->learner->schema, error);
    }
    plan_free(&plan);
    return status;
}

static tlu_status replay(void *context, const struct journal_record *record, tlu_error *error)
{
    struct tlu_live *live = context;
    uint64_t number = record->number, learned = live->learner->examples;
    size_t done;
    if (!record->plan && number == FORMER_OPENING)
        return former_opening(live, record->bytes, record->size, error);
    if (number > learned)
        return not_its_journal(number, learned, error);
    tlu_status status = record->plan ? replay_plan(live, record, error) : TLU_OK;
    if (status != TLU_OK)
        return status;
    if (!live->reader)
        return error_input(error, "the journal does not say what its rows are");
    struct piece *piece = &live->own;
    piece->bytes = record->bytes;
    piece->size = record->size;
    piece_parse(piece, live->reader);
    if (piece->result == PARSE_MEMORY)
        return error_memory(error);
    live->batch = piece->batch;
    if (piece->result == PARSE_BAD)
        return error_input(error, "a row of the journal cannot be read: %s", piece->why.reason);
    live->journal_rows = number + live_labelled(live->batch);
    live->refused_before = false;
    if (number < learned)
        return TLU_OK; // the model has it; the last record shows whether it is this model
    status = live_take_rows(live, false, &done, error);
    live->counts.replayed += live->learner->examples - learned;
    live->journal_rows = live->learner->examples;
    live->refused_before = live->refused_count > 0;
    return status;
}

// The last record has rows that were refused, as it was killed before it could take them back: more
// rows than were learned from. A record without rows says how many these were, for the case that
// the model is saved and killed again before the journal is empty.
static tlu_status settle(struct tlu_live *live, tlu_error *error)
{
    struct journal_record record = {.number = live->learner->examples, .bytes = "", .size = 0};
    return live->refused_before ? journal_append(live->journal, &record, error) : TLU_OK;
}

// The stream that comes now is another one than those in the journal. Where that has no rows, what
// else it has is as if it had never been.
tlu_status live_replay(struct tlu_live *live, tlu_error *error)
{
    live->replay_skips = true; // where no plan says otherwise
    tlu_status status = journal_replay(live->journal, replay, live, error);
    if (status == TLU_OK && live->journal_rows && live->journal_rows != live->learner->examples)
        status = not_its_journal(live->journal_rows, live->learner->examples, error);
    if (status == TLU_OK)
        status = settle(live, error);
    if (status == TLU_OK && live->is_new && !live->learner->examples &&
        schema_is_settled(&live->learner->schema))
        status = live_begin_again(live, live->options, error);
    reader_close(live->reader);
    live->reader = NULL;
    return status;
}
