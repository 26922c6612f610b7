// A run of the perceptron with two weights, all of its updates: two features without a bias, or one
// feature and the bias.
#ifndef TLU_PLOT_RUN_PLANAR_H
#define TLU_PLOT_RUN_PLANAR_H

#include "plot/run/sequence.h"
#include "plot/run/trace.h"

// An example z = x, or (x, 1), and its label.
struct planar_row {
    struct point at;
    int sign;             // y: +1 or -1
    uint32_t class_index; // of the model
    uint64_t number;      // of the row in the file; 0: that of the array
};

struct planar_update {
    struct point w;        // after it
    struct planar_row row; // learned
    uint64_t pass;
};

struct planar {
    struct run_trace trace;
    struct trace_rows gathered;
    struct planar_row *rows; // [row_count]
    size_t row_count;
    struct planar_update *updates; // [update_count + 1]; the first is w = 0, before any
    size_t update_count;
    bool bias;             // the second weight is the bias
    const char *names[2];  // of the features; the second is NULL if it is the bias
    const char *labels[2]; // of the classes
};

// Trains a perceptron on the rows in file order, unless the options say otherwise; `kind` is the
// option of the picture. One feature is allowed if `one_feature` is set. The caller calls
// trace_free, also after an error.
tlu_status planar_make(struct planar *planar, struct plot *plot, const char *kind, bool one_feature,
                       tlu_error *error);

// How the pictures of a run are arranged.
struct arrangement {
    bool animation, strip; // neither: one picture
    uint64_t frames;       // 0: the default
    double fps;
};
// The number of pictures or, of one picture, of updates that are drawn in it.
size_t planar_moments(uint64_t updates, const struct arrangement *arrangement);

static inline struct point scaled(struct point a, double factor)
{
    return (struct point){a.x * factor, a.y * factor};
}

static inline double dot(struct point a, struct point b)
{
    return a.x * b.x + a.y * b.y;
}

// Draws examples as dots, one shape and colour per class.
void planar_draw_rows(struct chart *chart, struct plot *plot, const struct planar_row *rows,
                      size_t count);

// Adds a page for one picture, with title and caption. *small: it is so low that only the data has
// space.
tlu_status planar_page(struct plot *plot, struct page **page, struct box *box, bool *small,
                       tlu_error *error);

// "(0.25, -3)"
#define PAIR_SIZE 160
const char *pair_text(char out[PAIR_SIZE], struct point at);

#endif
