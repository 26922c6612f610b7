// The journal's file, for journal.c, which writes it, and read.c, which reads it.
#ifndef TLU_LIVE_JOURNAL_FILE_H
#define TLU_LIVE_JOURNAL_FILE_H

#include "live/journal/journal.h"

#define MAGIC "TLUJRNL3"
#define MAGIC_BEFORE "TLUJRNL2" // no plans
#define MAGIC_FIRST "TLUJRNL1"  // heads without a checksum
#define MAGIC_SIZE 8

struct journal {
    char *path;
    int descriptor;
    uint64_t size;   // of the file, all records whole
    uint64_t before; // where the record begins that can be undone; else the size
    bool unsettled;  // the file may have more than that, or have had it: to be cut before an append
    bool before_plans; // its magic is that of the version before
};

// By errno.
tlu_status journal_fail(const struct journal *journal, const char *doing, tlu_error *error);
// Makes the file one without records.
tlu_status journal_start(struct journal *journal, tlu_error *error);
// Cuts the file at its size: 0, or -1 with errno.
int journal_settle(struct journal *journal);

#endif
