// The parts of the picture of what was learned against what is true: learner.c chooses the learner,
// trial.c learns and measures, areas.c measures regions, looks.c says how regions look, words.c
// writes title and caption, histogram.c draws the accuracies over many seeds, truth.c puts it
// together.
#ifndef TLU_PLOT_TRUTH_INTERNAL_H
#define TLU_PLOT_TRUTH_INTERNAL_H

#include "plot/chart/chart.h"
#include "plot/truth/trial.h"

// The options given, or the perceptron of the notes if they name no learner.
tlu_status truth_learner(const tlu_options *given, tlu_options **options, tlu_error *error);

// Of two classes a place is one of these four; of several a class, and whether it is wrong.
enum { IS_NEITHER = 0, IS_MISSED = 1, IS_FALSE = 2, IS_BOTH = 3 };
#define IS_WRONG 0x40000000u
struct look look_of_two(const struct theme *theme, uint32_t label);
struct look look_of_several(const struct theme *theme, uint32_t label);
struct look border_of_truth(const struct theme *theme, uint32_t label);
struct look border_of_learned(const struct theme *theme, uint32_t label);
struct look border_of_truths(const struct theme *theme, uint32_t label); // of several classes
struct look border_of_classes(const struct theme *theme, uint32_t label);
// The legend is the caller's, who frees it.
tlu_status make_legend(struct chart *chart, const struct truth_sample *sample, tlu_error *error);

struct outcome {
    const struct trial *trial;      // of the first seed
    const struct accuracies *seeds; // of all
    // Shares of where the rows are: the positive class was missed there, or claimed and is not
    // there; of several classes `wrong` alone.
    double missed, claimed, wrong;
    const char *only; // what all of that is called; NULL: several are
    size_t drawn;     // rows
};

// Fills in the shares.
tlu_status measure_areas(struct outcome *outcome, tlu_error *error);

#define CAPTION_SIZE 1024
void write_title(const struct outcome *outcome, char title[CAPTION_SIZE]);
void write_caption(const struct outcome *outcome, char caption[CAPTION_SIZE]);

void draw_histogram(struct page *page, const struct box *place, const struct accuracies *seeds);

#endif
