// A journal: what was accepted since the last checkpoint, in a file of its own. Each record is on
// the disk when journal_append returns, so that neither a kill nor a power cut loses it.
//
//     file    = "TLUJRNL1" { record }
//     record  = size (u32) crc (u32) number (u64) bytes[size]      all little-endian
//
// The CRC-32 is that of number and bytes. A record that the file ends within was never
// acknowledged: it is cut off. Damage before the end is an error.
#ifndef TLU_BASE_JOURNAL_H
#define TLU_BASE_JOURNAL_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct journal;

typedef tlu_status journal_function(void *context, uint64_t number, const char *bytes, size_t size,
                                    tlu_error *error);

// Opens the journal, which is made where there is none, calls `replay` for each of its records in
// order, and locks it: a second process is refused.
tlu_status journal_open(struct journal **journal, const char *path, journal_function *replay,
                        void *context, tlu_error *error);
// Adds a record and waits until it is on the disk.
tlu_status journal_append(struct journal *journal, uint64_t number, const void *bytes, size_t size,
                          tlu_error *error);
// Takes back the record that was added last, once.
tlu_status journal_undo(struct journal *journal, tlu_error *error);
// What is in it is saved elsewhere: the file becomes empty.
tlu_status journal_clear(struct journal *journal, tlu_error *error);
void journal_close(struct journal *journal); // NULL is fine

#endif
