// The journal's file and its records as bytes (journal.h has the format), for journal.c, which
// writes them, and read.c, which reads them.
#ifndef TLU_STREAM_JOURNAL_INTERNAL_H
#define TLU_STREAM_JOURNAL_INTERNAL_H

#include "stream/journal/journal.h"

#include <sys/types.h>

#define MAGIC "TLUJRNL4"
#define MAGIC_SIZE 8
#define VERSION_FIRST '1'  // the last byte of the magic: heads without a checksum
#define VERSION_ROWS '2'   // no plans
#define VERSION_PLANS '3'  // no models
#define VERSION_MODELS '4' // this one

struct journal {
    char *path;
    int descriptor;
    uint64_t size;   // of the file, all records whole
    uint64_t before; // where the record begins that can be undone; else the size
    bool unsettled;  // the file may have more than that, or have had it: to be cut before an append
    char version;    // the last byte of its magic
};

// By errno.
tlu_status journal_fail(const struct journal *journal, const char *doing, tlu_error *error);
// Makes the file one without records.
tlu_status journal_start(struct journal *journal, tlu_error *error);
// Cuts the file at its size: 0, or -1 with errno.
int journal_settle(struct journal *journal);

// read.c: reads up to `size` bytes at a place of a file; fewer only at its end. -1: an error.
ssize_t journal_read_at(int descriptor, void *bytes, size_t size, uint64_t place);

// ---- records ----

#define HEAD_SIZE 24
#define HEAD_FIRST 0xFF // byte of a head: not in UTF-8, so not in text
#define MODEL_SIZE 16   // size and hash
#define PLAN_HEAD 4     // its size
#define RECORD_MAX ((uint32_t)1 << 30)

struct head {
    uint32_t size, crc; // of the bytes after it
    uint64_t number;
    bool plan, model;
};

// The place in the file is part of a head: a record in a record's bytes, or at another place, is
// not taken for one.
void head_put(unsigned char *bytes, struct head head, uint64_t place);
bool head_get(const unsigned char *bytes, uint64_t place, struct head *head);

void plan_head_put(unsigned char *bytes, size_t plan_size);
void model_put(unsigned char *bytes, const struct journal_model *model);
// The parts of a record, which keeps its model at *model; false: there are not as many bytes as it
// says.
bool record_of(struct head head, const char *bytes, struct journal_model *model,
               struct journal_record *record);

#endif
