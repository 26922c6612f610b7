// A data set in parts, parsed once, for those who learn from it many times.
#ifndef TLU_MODEL_SPLIT_SPLIT_H
#define TLU_MODEL_SPLIT_SPLIT_H

#include "model/split/pack.h"

// As split_open (model.h), but the rows are parsed here and never again, unless memory (--memory)
// has no room for them. What the row_source has must outlive the split. Several threads may train
// on it and evaluate at the same time.
tlu_status split_open_parsed(const char *path, const struct row_source *whole,
                             const tlu_options *options, size_t parts, tlu_split **split,
                             tlu_error *error);

const struct pack_look *split_look(const tlu_split *split);
size_t split_classes(const tlu_split *split);
size_t split_bytes(const tlu_split *split); // in memory; 0 if the rows are not
// Options of the data for use with the split, in which names and words may be numbers (pack.h).
tlu_status split_adapt(const tlu_split *split, tlu_options *options, tlu_error *error);

#endif
