#include "live/journal/keep.h"

#include "base/crc.h"
#include "base/memory.h"
#include "live/journal/plan.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

uint32_t keep_state(const struct tlu_learner *learner)
{
    const uint64_t counts[] = {learner->examples, learner->mistakes, learner->updates,
                               learner->scheme.classes};
    uint32_t state = crc32_add(0, counts, sizeof counts);
    return crc32_add(state, learner->space.weights.bias, learner_columns(learner) * sizeof(double));
}

// Without a journal, that of the model must have no rows.
static tlu_status check_no_journal(const char *model, tlu_error *error)
{
    size_t length = strlen(model);
    char *journal = memory_new(length + sizeof TLU_JOURNAL_SUFFIX, 1);
    if (!journal)
        return error_memory(error);
    memcpy(journal, model, length);
    memcpy(journal + length, TLU_JOURNAL_SUFFIX, sizeof TLU_JOURNAL_SUFFIX);
    tlu_status status = journal_check_unused(journal, error);
    memory_free(journal);
    return status;
}

tlu_status keep_open(struct keep *keep, const char *model, const char *journal, tlu_error *error)
{
    keep->model = memory_copy_text(model, strlen(model));
    TRY(enough_memory(keep->model, error));
    TRY(journal ? journal_open(&keep->journal, journal, error) : check_no_journal(model, error));
    keep->is_new = access(model, F_OK) != 0 && errno == ENOENT;
    return TLU_OK;
}

tlu_status keep_plan(struct keep *keep, const struct tlu_learner *learner,
                     const struct reader *reader, tlu_error *error)
{
    struct reading reading;
    memory_free(keep->plan);
    keep->plan = NULL;
    keep->plan_kept = false;
    tlu_status status = reading_of(&reading, reader, error);
    if (status == TLU_OK)
        keep->plan = plan_pack(learner->options, &learner->schema, &reading, &keep->plan_size);
    reading_free(&reading);
    TRY(enough_memory(keep->plan, error));
    plan_set_state(keep->plan, keep_state(learner));
    return TLU_OK;
}

// With the plan, unless the journal has it.
static tlu_status append(struct keep *keep, uint64_t number, const char *bytes, size_t size,
                         tlu_error *error)
{
    struct journal_record record = {.number = number, .bytes = bytes, .size = size};
    if (!keep->plan_kept) {
        record.plan = keep->plan;
        record.plan_size = keep->plan_size;
    }
    TRY(journal_append(keep->journal, &record, error));
    keep->plan_kept = true;
    return TLU_OK;
}

tlu_status keep_rows(struct keep *keep, uint64_t number, const char *bytes, size_t size,
                     tlu_error *error)
{
    if (keep->incomplete)
        return error_system(error,
                            "the journal lacks rows that were learned from, and takes no more "
                            "before the model is saved");
    keep->plan_last = !keep->plan_kept;
    return append(keep, number, bytes, size, error);
}

void keep_fewer_rows(struct keep *keep, uint64_t number, const char *bytes, size_t size)
{
    tlu_status status = journal_undo(keep->journal, NULL);
    keep->plan_kept &= !keep->plan_last; // it was taken back, too
    if (status == TLU_OK && size)
        status = append(keep, number, bytes, size, NULL);
    keep->incomplete |= status != TLU_OK;
}

tlu_status keep_empty(struct keep *keep, const struct tlu_learner *learner, tlu_error *error)
{
    keep->plan_kept = false; // also if it fails: nothing that was there stays
    if (keep->plan)          // now, not with the next row: one that fails may have left a class
        plan_set_state(keep->plan, keep_state(learner));
    TRY(journal_clear(keep->journal, error));
    keep->incomplete = false;
    return TLU_OK;
}

void keep_close(struct keep *keep)
{
    journal_close(keep->journal);
    memory_free(keep->plan);
    memory_free(keep->model);
}
