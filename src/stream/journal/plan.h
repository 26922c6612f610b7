// The plan: how the rows of a stream are read, as the journal keeps it together with the first of
// them. It states what was decided, not the lines that it was decided by: to read the rows again
// decides nothing. It says all that the rows mean, no matter what model or options the next start
// has.
//
// Texts, each with a 0 after it:
//
//     state                               of the learner before the rows, 8 hexadecimal digits
//     { option value } ""                 those of the learner that are set
//     format ngrams lowercase header delimiter columns { kind name }      what is decided for good
//     format missing skip-bad delimiter fields { column }                 how this stream has it
//
// Formats and kinds are names; those of JSON records whose values may have any type are "numbers"
// and "strings". A delimiter is the number of its byte (0: no delimiter); if a row of the stream is
// a JSON object and not a line, it is that of "{", in an array of "[". All else are numbers. 2 is
// added to header and to skip-bad if numbers have a decimal comma. A column is the place of one
// among those above, from 1; 0: the field is passed over.
#ifndef TLU_STREAM_JOURNAL_PLAN_H
#define TLU_STREAM_JOURNAL_PLAN_H

#include "input/reader.h"

struct stream_plan {
    uint32_t state;
    tlu_options *options;
    struct schema decided; // format, words and columns; it has no features
    struct reading reading;
};

// NULL: out of memory. The state is 0.
char *plan_pack(const tlu_options *options, const struct schema *decided,
                const struct reading *reading, size_t *size);
void plan_set_state(char *packed, uint32_t state);
// The reverse, with checks; free the plan also after an error.
tlu_status plan_unpack(struct stream_plan *plan, const char *bytes, size_t size, tlu_error *error);
void plan_free(struct stream_plan *plan);

#endif
