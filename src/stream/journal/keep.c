#include "stream/journal/keep.h"

#include "base/crc.h"
#include "base/memory.h"
#include "model/model.h"
#include "stream/journal/plan.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

uint32_t keep_state(const struct tlu_learner *learner)
{
    const uint64_t counts[] = {learner->state.examples, learner->state.mistakes,
                               learner->state.updates, learner->state.scheme.classes};
    uint32_t state = crc32_add(0, counts, sizeof counts);
    return crc32_add(state, learner->state.weights.bias, learner_columns(learner) * sizeof(double));
}

// ---- Which journal ----

static char *journal_of(const char *model)
{
    size_t length = strlen(model);
    char *journal = memory_new(length + sizeof TLU_JOURNAL_SUFFIX, 1);
    if (!journal)
        return NULL;
    memcpy(journal, model, length);
    memcpy(journal + length, TLU_JOURNAL_SUFFIX, sizeof TLU_JOURNAL_SUFFIX);
    return journal;
}

static bool is_same_journal(const char *a, const char *b)
{
    struct stat one, other;
    return strcmp(a, b) == 0 || (stat(a, &one) == 0 && stat(b, &other) == 0 &&
                                 one.st_dev == other.st_dev && one.st_ino == other.st_ino);
}

// Earlier versions kept a journal beside a symbolic link, not beside the file.
static tlu_status check_link_journal(const char *link, const char *own, tlu_error *error)
{
    struct stat about;
    char remedy[300];
    if (is_same_journal(link, own))
        return TLU_OK;
    if (stat(own, &about) == 0 && about.st_size > 0)
        snprintf(remedy, sizeof remedy,
                 "it is beside a link, and %.200s is used now; send its rows again, as it holds "
                 "them as text",
                 own);
    else
        snprintf(remedy, sizeof remedy,
                 "it is beside a link; rename it to %.200s to learn them again", own);
    return journal_check_unused(link, remedy, error);
}

// `link` is the journal beside the path, `own` the one beside the file that the path leads to.
static tlu_status open_journal(struct keep *keep, const char *journal, const char *link,
                               const char *own, tlu_error *error)
{
    TRY(enough_memory(link && own, error));
    bool is_own = journal && (is_same_journal(journal, link) || is_same_journal(journal, own));
    TRY(check_link_journal(link, own, error));
    if (!is_own)
        TRY(journal_check_unused(own, "say --journal to learn them again", error));
    return journal ? journal_open(&keep->journal, is_own ? own : journal, error) : TLU_OK;
}

tlu_status keep_open(struct keep *keep, const char *model, const char *journal, tlu_error *error)
{
    TRY(model_file_open(&keep->file, model, journal != NULL, error));
    char *link = journal_of(model), *own = journal_of(keep->file.path);
    tlu_status status = open_journal(keep, journal, link, own, error);
    memory_free(link);
    memory_free(own);
    TRY(status);
    return model_file_settle(&keep->file, error);
}

// ---- Records ----

tlu_status keep_plan(struct keep *keep, const struct tlu_learner *learner,
                     const struct reader *reader, tlu_error *error)
{
    struct reading reading;
    memory_free(keep->plan);
    keep->plan = NULL;
    keep->plan_kept = false;
    tlu_status status = reading_of(&reading, reader, error);
    if (status == TLU_OK)
        keep->plan =
            plan_pack(learner->state.options, &learner->state.schema, &reading, &keep->plan_size);
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
        record.model = &keep->file.content;
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
    assert(keep->journal && (keep->plan || keep->plan_kept));
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

// ---- Saving ----

// Empties the journal: the saved model has all of its rows.
static tlu_status empty(struct keep *keep, const struct tlu_learner *learner, tlu_error *error)
{
    keep->plan_kept = false; // also if it fails: nothing that was there stays
    if (keep->plan)          // now, not with the next row: one that fails may have left a class
        plan_set_state(keep->plan, keep_state(learner));
    TRY(journal_clear(keep->journal, error));
    keep->incomplete = false;
    return TLU_OK;
}

struct saving {
    struct keep *keep;
    uint64_t number; // rows learned
    struct model_file_new new;
};

// Called before the new file replaces the old one. If the "SAV" record cannot be written, as on a
// full disk, the model is saved anyway: it has the rows, and the journal is emptied next. A crash
// in between leaves a journal that the next start refuses, but no row is lost.
static tlu_status announce(void *context, int descriptor, tlu_error *error)
{
    struct saving *saving = context;
    struct keep *keep = saving->keep;
    struct journal_record record = {.number = saving->number, .model = &saving->new.content};
    TRY(model_file_check(&keep->file, true, error));
    TRY(model_file_keep(&keep->file, &saving->new, descriptor, error));
    if (keep->journal && !journal_is_empty(keep->journal))
        journal_append(keep->journal, &record, NULL);
    return TLU_OK;
}

// The file has all rows. Only if it should have been written, or the journal relies on it, does it
// matter that another program replaced it.
static tlu_status leave(struct keep *keep, const struct tlu_learner *learner, tlu_error *error)
{
    bool rows = keep->journal && (keep->incomplete || !journal_is_empty(keep->journal));
    if (rows || keep->has_saved)
        TRY(model_file_check(&keep->file, true, error));
    return rows ? empty(keep, learner, error) : TLU_OK;
}

tlu_status keep_save(struct keep *keep, const struct tlu_learner *learner, tlu_error *error)
{
    if (keep->file.is_there && keep->saved == learner->state.examples &&
        access(keep->file.path, F_OK) == 0)
        return leave(keep, learner, error);
    struct saving saving = {.keep = keep, .number = learner->state.examples, .new.descriptor = -1};
    tlu_model *model;
    TRY(tlu_learner_make_model(learner, &model, error));
    tlu_status status = model_save(model, keep->file.path, announce, &saving, error);
    tlu_model_free(model);
    model_file_replace(&keep->file, &saving.new, status == TLU_OK);
    if (status == TLU_OK) {
        keep->saved = learner->state.examples;
        keep->has_saved = true;
    }
    if (status == TLU_OK && keep->journal)
        status = empty(keep, learner, error);
    return status;
}

void keep_close(struct keep *keep)
{
    journal_close(keep->journal);
    memory_free(keep->plan);
    model_file_close(&keep->file);
}
