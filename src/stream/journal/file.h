// The journal's file, for journal.c, which writes it, and read.c, which reads it.
#ifndef TLU_STREAM_JOURNAL_FILE_H
#define TLU_STREAM_JOURNAL_FILE_H

#include "stream/journal/journal.h"

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

#endif
