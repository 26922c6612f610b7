// Streams: a learner that is fed one example at a time.
#ifndef TLU_LEARN_STREAM_H
#define TLU_LEARN_STREAM_H

#include "learn/learner.h"

// As tlu_learner_new, but for options that a file's training had: those about files are let pass.
tlu_status stream_new(const tlu_options *options, tlu_learner **learner, tlu_error *error);

#endif
