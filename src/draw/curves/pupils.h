// The learners of a picture of curves, and what they have done.
#ifndef TLU_DRAW_CURVES_PUPILS_H
#define TLU_DRAW_CURVES_PUPILS_H

#include "draw/curves/pupil.h"
#include "draw/plot.h"

struct pupils {
    struct pupil *all; // [count]
    size_t count, capacity;
    uint64_t passes; // the most of any
};

// Lists them by --learners, or --learner, or a choice, and lets each learn. In the end, also after
// an error, pupils_free.
tlu_status pupils_learn(struct pupils *pupils, const struct plot *plot, tlu_error *error);
void pupils_free(struct pupils *pupils);

#endif
