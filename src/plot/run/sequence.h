// Pictures in a sequence: the frames of an animation, or small pictures side by side on one page.
#ifndef TLU_PLOT_RUN_SEQUENCE_H
#define TLU_PLOT_RUN_SEQUENCE_H

#include "plot/plot.h"

// Where a picture of a sequence is drawn.
struct frame {
    struct page *page;
    struct box place;
    bool small;      // without numbers and legend
    uint32_t called; // found by the function that draws, for the text: see run.h
};

// Texts get shorter from 0 to TERSEST; small pictures begin with SMALL_TEXT.
enum { SMALL_TEXT = 3, TERSEST = 5 };
#define TEXT_SIZE 800

struct sequence {
    struct plot *plot;
    const void *context;
    size_t count; // of pictures
    // Draws picture `index`.
    tlu_status (*draw)(const void *context, struct frame *frame, size_t index, tlu_error *error);
    // The line of text of a picture.
    const char *(*text)(const void *context, const struct frame *frame, size_t index, int terse,
                        char out[TEXT_SIZE]);
    const char *caption;               // of all frames
    const struct legend_entry *legend; // [legend_count] of a strip
    size_t legend_count;
    size_t legend_first; // the entries from this one on come first
};

#define FRAMES_MAX 200  // of an animation, unless the caller says otherwise
#define PICTURES_MAX 12 // likewise of a strip

// One page per picture. Only one line of text changes between them, so that everything else stays
// in place. fps 0: the default.
tlu_status sequence_animate(const struct sequence *sequence, double fps, tlu_error *error);
// All pictures on one page, with a legend above.
tlu_status sequence_strip(const struct sequence *sequence, tlu_error *error);

// 0 is the default.
tlu_status check_fps(double fps, tlu_error *error);

// The update that picture i of count shows: 0, before the first, ..., the last, evenly spaced.
uint64_t update_of_moment(uint64_t updates, size_t count, size_t i);
// The number of pictures of so many updates, at most `most`.
size_t count_moments(uint64_t updates, uint64_t most);

#endif
