// What survives the process: the model's file, and the journal of rows that it lacks.
//
// A record of the journal has the original text of rows and the number of rows learned before it.
// The first record of a stream, and the first after the journal was emptied, also has the plan
// (plan.h): how to parse these rows and those of the following records. So a journal with rows
// states how to parse them, as was decided when they arrived; a journal without rows states
// nothing, even if a stream was opened.
#ifndef TLU_STREAM_JOURNAL_KEEP_H
#define TLU_STREAM_JOURNAL_KEEP_H

#include "input/reader.h"
#include "learn/learner.h"
#include "stream/journal/model_file.h"

struct keep {
    struct model_file file;
    struct journal *journal; // NULL: none
    bool incomplete;         // it lacks rows that were learned from, and could not be mended
    uint64_t saved;          // rows that the model in the file has learned from
    bool has_saved;          // this process wrote the file
    char *plan;              // [plan_size] how the stream is read, packed
    size_t plan_size;
    bool plan_kept; // the journal has it
    bool plan_last; // it came with the last record
};

// Tells learners apart that have learned from the same number of rows.
uint32_t keep_state(const struct tlu_learner *learner);

// Opens and locks the model's file and the journal. The model's own journal is beside the file that
// the path leads to; `journal` may name it by the path or by the file. If `journal` is another one
// or NULL, the model's own must have no rows.
tlu_status keep_open(struct keep *keep, const char *model, const char *journal, tlu_error *error);
// The stream was opened: the next record has its plan.
tlu_status keep_plan(struct keep *keep, const struct tlu_learner *learner,
                     const struct reader *reader, tlu_error *error);
// Rows that are about to be learned from, after `number` others.
tlu_status keep_rows(struct keep *keep, uint64_t number, const char *bytes, size_t size,
                     tlu_error *error);
// No more than these of the last record were; 0 bytes: none.
void keep_fewer_rows(struct keep *keep, uint64_t number, const char *bytes, size_t size);
// Saves the model of the learner, unless the file has all of its rows, and empties the journal.
tlu_status keep_save(struct keep *keep, const struct tlu_learner *learner, tlu_error *error);
void keep_close(struct keep *keep);

#endif
