// A journal: what was accepted since the last checkpoint, in a file of its own. Each record is on
// the disk when journal_append returns, so that neither a kill nor a power cut loses it.
//
//     file    = "TLUJRNL4" { record }
//     record  = head bytes[size]
//     head    = FF kind size (u32) number (u64) crc (u32) head-crc (u32)      all little-endian
//     kind    = "REC": the bytes are the record's own, to be read as those of the record before
//               "PLN": they begin with how they are to be read: size (u32), plan[size]
//               "MDL": the model that the rows continue, then as "PLN"
//               "SAV": only the model that is about to be saved
//     model   = size (u64) hash (u64) of its file (model_file.h); 0 0: no model
//
// A save adds a "SAV" record to the journal, puts the new model in place, and then empties the
// journal. So whenever the process stops, the model is either the one that the rows continue, and
// lacks all of them, or the one of a "SAV" record, and lacks the rows after that record. Any other
// model does not belong to the journal, no matter how many rows it has learned from.
//
// A plan is in one record with the first rows that it is about, so that a crash leaves both or
// neither: there is no plan that nothing was acknowledged by, and no row without one.
//
// The CRC-32 of a head is that of the head's place in the file (u64) and its bytes before the
// checksum, so that size and number are known to be right before they are used; the other one is
// that of the record's bytes.
//
// A record that was being written when the machine stopped was never acknowledged: it is cut off.
// It is told from damage by what is after it. As each record is on the disk before the next one is
// begun, there is nothing after it: if its head is right, the file ends with it or within it; if
// not, no head is right from there to the end. All else is an error, and the file stays as it is.
//
// "TLUJRNL3" has no models, and "TLUJRNL2" only "REC" records. Such a file is read like one of this
// version. Before anything is added, the last byte of its magic is changed to make it one.
#ifndef TLU_STREAM_JOURNAL_JOURNAL_H
#define TLU_STREAM_JOURNAL_JOURNAL_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct journal;

// The content of a model file.
struct journal_model {
    uint64_t size, hash;
};

static inline bool journal_same_model(const struct journal_model *a, const struct journal_model *b)
{
    return a->size == b->size && a->hash == b->hash;
}

struct journal_record {
    uint64_t number;
    const char *plan; // [plan_size] NULL: that of the record before
    size_t plan_size;
    const char *bytes; // [size]
    size_t size;
    const struct journal_model *model; // with a plan: the rows continue it; without: to be saved
};

typedef tlu_status journal_function(void *context, const struct journal_record *record,
                                    tlu_error *error);

// Opens the journal, which is created if it does not exist, and locks it: a second process is
// refused. What the records are about is to be read after this: before, its owner may still change
// both.
tlu_status journal_open(struct journal **journal, const char *path, tlu_error *error);
// Calls `replay` for each record in order; to be done once, before anything is added.
tlu_status journal_replay(struct journal *journal, journal_function *replay, void *context,
                          tlu_error *error);
// Adds a record and waits until it is on the disk.
tlu_status journal_append(struct journal *journal, const struct journal_record *record,
                          tlu_error *error);
// Takes back the record that was added last, once. If this fails, or journal_clear, nothing can
// be added until the file is cut, which the next call tries again.
tlu_status journal_undo(struct journal *journal, tlu_error *error);
bool journal_is_empty(const struct journal *journal); // it has no records
// What is in it is saved elsewhere: the file becomes empty.
tlu_status journal_clear(struct journal *journal, tlu_error *error);
void journal_close(struct journal *journal); // NULL is fine

// Fails if a stream must not learn from a model without this journal, which need not exist: if it
// has rows, which would be lost because the model would change, or if another process uses it.
// `remedy` says what to do about the rows, in the imperative.
tlu_status journal_check_unused(const char *path, const char *remedy, tlu_error *error);

#endif
