// What the kinds of pictures share. A kind is a file with a plot_function that draws, and the
// public function, which checks its arguments and calls plot_make:
//
//     static tlu_status draw(struct plot *plot, tlu_error *error)
//     {
//         struct chart chart = {.x = {...}, .y = {...}};
//         plot_title(plot, "Accuracy");
//         say(plot, "A sentence of the caption.");
//         picture_figure(plot->picture, "accuracy", 0.5);
//         TRY(plot_chart(plot, &chart, error));
//         chart_curve(&chart, ...);
//         chart_end(&chart);
//         return TLU_OK;
//     }
#ifndef TLU_PLOT_PLOT_H
#define TLU_PLOT_PLOT_H

#include "plot/arena.h"
#include "plot/chart/chart.h"
#include "plot/picture.h"
#include "plot/text.h"

struct plot {
    const void *settings;   // the public struct, or what the kind takes
    const char *path;       // of the data or the log; NULL: the kind reads none
    const tlu_model *model; // NULL: none is given
    bool multilabel;        // the kind can draw rows with several labels
    tlu_progress_function progress;
    void *progress_context;
    // Filled in by plot_make:
    tlu_picture *picture;
    const struct theme *theme;
    tlu_options *options;       // a copy, which the kind may change
    tlu_evaluation *evaluation; // of plot_evaluate
    struct byte_buffer title, caption;
    bool no_title, no_caption; // the style asks for none
    const char *aspect;        // of the style; NULL: the kind decides
    struct arena memory;       // see plot_new
};

typedef tlu_status plot_function(struct plot *plot, tlu_error *error);

// Makes an empty picture in the style, lets the function draw its pages, and stores title and
// caption. *picture is NULL after an error.
tlu_status plot_make(plot_function *function, struct plot *plot, const tlu_options *options,
                     const tlu_picture_style *style, tlu_picture **picture, tlu_error *error);
// The same for kinds that read a file: checks that the path is given.
tlu_status plot_file(plot_function *function, struct plot *plot, const tlu_options *options,
                     const tlu_picture_style *style, tlu_picture **picture, tlu_error *error);
// Frees everything but the picture.
void plot_free(struct plot *plot);
// Both axes of a picture must not show the same feature. NULL or "": not given.
tlu_status check_axes(const char *x, const char *y, tlu_error *error);

// Zeroed memory that is freed when the picture is made; NULL: out of memory.
static inline void *plot_new(struct plot *plot, uint64_t count, size_t size)
{
    return arena_new(&plot->memory, count, size);
}

// Sets the title, unless the caller of the library has given one.
void plot_title(struct plot *plot, const char *format, ...) PRINTF_LIKE(2, 3);
// What is drawn of the two; NULL: nothing.
const char *plot_drawn_title(const struct plot *plot);
const char *plot_drawn_caption(const struct plot *plot);
// Whether both axes have the same scale; `usual` is the kind's choice, if the style leaves it open.
bool plot_is_square(const struct plot *plot, bool usual);
// Appends to the caption.
#define say(plot, ...) buffer_print(&(plot)->caption, __VA_ARGS__)

// Adds a page and begins a chart that fills it, with title and caption.
tlu_status plot_chart(struct plot *plot, struct chart *chart, tlu_error *error);
// Adds a page with title and caption; the box is the space between them.
tlu_status plot_page(struct plot *plot, struct page **page, struct box *box, tlu_error *error);

// Adds the ranges of the axes and the place of the area, so that places can be computed from the
// figures.
void plot_area(struct plot *plot, const struct chart *chart);

// The file of the rows, without its folders, shortened for a sentence.
#define NAME_SIZE 120
const char *file_name(const struct plot *plot, char out[NAME_SIZE]);
// Cleans a name with text_clean and shortens it for a sentence.
const char *short_name(const char *name, char out[NAME_SIZE]);
// The name of a feature for an axis, "feature 3" if it is a number; NULL: out of memory.
const char *plot_feature_name(struct plot *plot, const tlu_model *model, size_t feature);

#endif
