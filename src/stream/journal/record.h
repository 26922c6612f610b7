// A record of the journal as bytes (journal.h has the format).
#ifndef TLU_STREAM_JOURNAL_RECORD_H
#define TLU_STREAM_JOURNAL_RECORD_H

#include "stream/journal/journal.h"

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
