// A run as it is to be drawn: some of its updates, evenly chosen, in one plane.
#ifndef TLU_PLOT_RUN_ANIMATION_H
#define TLU_PLOT_RUN_ANIMATION_H

#include "plot/chart/chart.h"
#include "plot/run/projection.h"
#include "plot/run/separator.h"
#include "tlu_plot.h"

#define FEW_CLASSES 8 // of which the borders before an update are drawn too
#define MARGIN 0.15   // of the ranges, around the rows

// The weights at one time, one cut per column; none before the first update, when all are 0.
struct state {
    struct cut *cuts; // [count]
    size_t count;
};

// An update, and 0 before the first.
struct moment {
    uint64_t update, step, pass, mistakes; // of the run so far, this one included
    uint64_t row;                          // of the file, whose update it is
    struct point at;                       // where that row is
    uint32_t class_index;                  // and its class
    bool mistake;
    struct state before, after;
};

struct animation {
    const tlu_picture *picture;
    struct training_trace trace;
    struct trace_rows examples;
    struct projection projection;
    struct separator separator; // bound is 0 if it is not known
    struct moment *moments;     // [count]
    size_t count;
    struct point *points; // [shown] of rows, ordered by their classes
    size_t *ends;         // [classes] where the points of a class end
    size_t classes, shown;
    struct point low, high;      // of all rows
    const char **names;          // [classes]
    struct legend_entry *legend; // [legend_count]
    size_t legend_count;
    bool decided;       // the model decides by another line than the last:
    struct cut decides; // this one
    double longest;     // |(w1, w2)| of all moments
    bool leaves;        // the line is not among the rows at some moment
};

// `frames` if the settings have none, at most; and so many points.
tlu_status animation_make(struct animation *animation, const struct plot *plot, uint64_t frames,
                          size_t points, tlu_error *error);
void animation_free(struct animation *animation);
// Figures, and what is said about the picture as a whole.
tlu_status animation_describe(const struct animation *animation, const struct plot *plot,
                              tlu_error *error);
const char *animation_title(const struct animation *animation, const struct plot *plot, char *out,
                            size_t size);

// What there is to say about all frames, and about one.
#define WORDS_SIZE 800
const char *animation_words(const struct animation *animation, char out[WORDS_SIZE]);
// From 0, with the bound if there is one, to TERSEST. `called` is the class that all in the picture
// is called, or NO_CLASS.
enum { SMALL_WORDS = 3, TERSEST = 5 };
#define NO_CLASS UINT32_MAX
const char *moment_words(const struct animation *animation, const struct moment *moment,
                         uint32_t called, int terse, char out[WORDS_SIZE]);

// Draws a moment into a box.
struct frame {
    struct page *page;
    struct box place;
    bool small;      // without numbers and legend
    uint32_t called; // found: the class that all in the picture is called, or NO_CLASS
};
tlu_status frame_draw_moment(struct frame *frame, const struct animation *animation,
                             const struct moment *moment, tlu_error *error);
// As many words about it as there is room for, from `terse` on.
void frame_words(const struct frame *frame, const struct animation *animation,
                 const struct moment *moment, const struct box *box, int terse,
                 const struct letters *letters);
// A line of text at the top of a box, shortened if it has to be.
void frame_line(struct page *page, const struct box *box, const char *text,
                const struct letters *letters);

#endif
