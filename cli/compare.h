// Every learner on the same data: what was measured, and which to pick.
#ifndef TLU_CLI_COMPARE_H
#define TLU_CLI_COMPARE_H

#include "tlu.h"

#include <stdbool.h>

#define LEARNERS_MAX 64
#define FEW_ROWS 200 // fewer do not tell learners apart

struct entry {
    const tlu_learner_info *learner;
    char *name;   // with options, if some were asked for: "arow:r=0.1"
    size_t place; // among all
    bool measured;
    char reason[1024]; // why it was not
    tlu_options *options;
    uint64_t learned, examples, correct;
    size_t classes;
    double accuracy, seconds;
    double value;         // --metric: the mean over what was measured; NaN if it is never defined
    size_t defined;       // how often it is
    double bytes;         // of the model file
    bool cut;             // by the time limit
    unsigned char *right; // [examples], row by row: the same rows for all learners
};

struct comparison {
    tlu_split *data, *test; // test is data if its own parts are measured on
    size_t folds, repeats;  // trainings of each learner; 1 and 1 with --test
    double limit;
    size_t count;
    struct entry entries[LEARNERS_MAX];
    uint64_t rows; // measured on, once each
    const struct entry *pick;
    bool few;           // too few rows to choose by
    const char *metric; // if it is not accuracy; else NULL
    int higher;         // 1: higher is better
};

// Whether it is the learner that `train` takes without --learner.
bool is_default(const struct entry *entry);

// Whether a is better by the metric.
bool is_better(const struct comparison *comparison, const struct entry *a, const struct entry *b);

// Sets `pick`, and what it was picked by. The entries are in order, the best first.
void choose(struct comparison *comparison);

// Why the pick, in words that the table bears out.
void say_why(char *out, size_t size, const struct comparison *comparison);

#endif
