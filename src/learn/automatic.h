// --learner auto, the default: the learner, and how texts are read, by the kind of data. The rule
// is the table in automatic.c; docs/accuracy.md says how it was found.
#ifndef TLU_LEARN_AUTOMATIC_H
#define TLU_LEARN_AUTOMATIC_H

#include "base/options.h"

struct batch;
struct schema;
struct tlu_learner;

struct automatic {
    bool on;         // the user did not name a learner
    char reason[96]; // "for texts, with --tfidf"; empty: the user did
};

// Before the data is known: if the learner is left open, sets the first of those that may be chosen
// which accepts the options. An input error says that none does.
tlu_status automatic_begin(struct automatic *automatic, tlu_options *options, tlu_error *error);
// Before the first row is parsed: if the rows are texts, sets how they are read, unless the user
// has. `parsed`: binary data, whose words are what they are.
tlu_status automatic_read(struct tlu_learner *learner, bool parsed, tlu_error *error);
// Whether the rows are texts: automatic_read says so.
bool automatic_has_texts(const struct automatic *automatic);
// Whether the first `most` rows of the batches are sparse.
tlu_status automatic_find_sparse(const struct schema *schema, struct batch *const *batches,
                                 size_t batch_count, uint64_t most, bool *sparse, tlu_error *error);
// Before the first example: chooses the learner. `table`: the rows are a table of numbers. `given`:
// the user's options, or NULL.
tlu_status automatic_choose(struct tlu_learner *learner, const tlu_options *given, bool table,
                            bool sparse, tlu_error *error);
// Whether some learner that may be chosen has the option.
bool automatic_takes(enum option option);

#endif
