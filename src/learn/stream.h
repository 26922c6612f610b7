// Streams: a learner that is fed one example at a time.
#ifndef TLU_LEARN_STREAM_H
#define TLU_LEARN_STREAM_H

#include "learn/learner.h"

// As tlu_learner_new, but for options that a file's training had: those about files are let pass.
tlu_status stream_new(const tlu_options *options, tlu_learner **learner, tlu_error *error);

// Without --scale the first example, `row`, decides: columns of CSV
// are scaled as --scale recent does; so are LIBSVM, VW's format, JSON lines and named features
// if a value is not a whole number up to 255, as then it is not a count, a pixel or a yes or no.
// Text is not.
tlu_status stream_choose_scale(struct tlu_learner *learner, const tlu_row *row, tlu_error *error);

// --positive is for two classes: the one that it names and another. A third is an error.
tlu_status stream_check_label(const struct tlu_learner *learner, const char *label,
                              tlu_error *error);

#endif
