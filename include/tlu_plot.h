/* tlu_plot.h: pictures and animations of data, models and training runs.

   Errors, arguments, structs and callbacks follow the rules at the top of tlu.h. */
#ifndef TLU_PLOT_H
#define TLU_PLOT_H

#include "tlu.h"
#include "tlu_proof.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Grade 2: pictures -------------------------------------------------------------------------

       tlu_plot_settings settings = {.size = sizeof settings, .path = "spam.csv"};
       if (tlu_plot(&settings, NULL, &picture, &error) == TLU_OK)
           tlu_picture_save(picture, "spam.svg", &error);
*/

typedef struct tlu_picture tlu_picture;

/* What is 0 or NULL is not asked for, or has a default. */
typedef struct tlu_plot_settings {
    size_t size; /* sizeof(tlu_plot_settings) */
    /* "data" (the default): rows as points, with what the model makes of the plane. "run", "strip":
       a run of the learner, update by update, as frames or as small pictures on one page; if the
       options name no learner, of the perceptron with the last weights, until it converges.
       "truth": what was learned from a few rows of a recipe, against what is true; if the options
       name no learner, by the same. "curve": mistakes, and accuracy on rows learned from and held
       out (option "holdout", here 0.2), by passes (here 10). "progress": the accuracy of a stream,
       from the log of tlu stream. "roc", "pr", "confusion", "calibration": what a model says about
       data. "weights": the strongest features. "image": weights as pixels. "bounds": the proof of
       convergence. */
    const char *kind;
    const char *path;       /* the data, or the log */
    const tlu_model *model; /* NULL: one is learned from the data, with the options given */
    int points;             /* "data": points alone, without a model */
    const char *x, *y;    /* "data": features to draw by; NULL: chosen, and the caption says how */
    const char *learners; /* "curve": for tlu_options_set_learner, with commas between; NULL: that
                             of the options, or a choice */
    uint64_t frames;      /* "run", "strip": at most so many, evenly chosen; 0: a default */
    double fps;           /* "run": frames per second; 0: 4, 2 if there are at most 20 */
    const tlu_recipe *recipe; /* "truth": of two features; 0: 25 rows, what is good for the kind */
    uint64_t seeds;           /* "truth": learned so often, each time from other rows; 0: once */
    size_t top;               /* "weights": how many features; 0: 20 */
    size_t image_width, image_height; /* "image": of the pictures that the rows are */
    double width, height;             /* in points, 1/72 inch on paper; 0: 720 and 480 */
    double scale;                     /* pixels per point of PNG and GIF; 0: 1 */
    const char *theme;                /* "light" (the default) or "dark" */
    const char *title;                /* instead of the picture's own */
    size_t columns, lines; /* for a terminal: letters across and down; columns 0: not for one */
    int coloured;          /* for a terminal: with colours */
    tlu_progress_function progress; /* of trainings */
    void *progress_context;
} tlu_plot_settings;

TLU_API tlu_status tlu_plot(const tlu_plot_settings *settings, const tlu_options *options,
                            tlu_picture **picture, tlu_error *error);
/* The ending says what is written: .svg, .png, .pdf, .gif; .txt of a picture for a terminal. */
TLU_API tlu_status tlu_picture_save(const tlu_picture *picture, const char *path, tlu_error *error);
/* The same in memory, by the ending without its point; freed with tlu_bytes_free. */
TLU_API tlu_status tlu_picture_save_bytes(const tlu_picture *picture, const char *format,
                                          void **bytes, size_t *size, tlu_error *error);
/* One frame of a picture for a terminal, for programs that show one after the other: *text has
   `size` bytes and is freed with tlu_bytes_free, *seconds is how long it is to be seen, 0: not
   said.
 */
TLU_API tlu_status tlu_picture_frame(const tlu_picture *picture, size_t frame, char **text,
                                     size_t *size, double *seconds, tlu_error *error);
TLU_API const char *tlu_picture_title(const tlu_picture *picture);
/* What is to be seen, in sentences. */
TLU_API const char *tlu_picture_caption(const tlu_picture *picture);
TLU_API size_t tlu_picture_frames(const tlu_picture *picture);
/* The figures that the picture is about, such as "accuracy"; NULL past the last. */
TLU_API const char *tlu_picture_figure(const tlu_picture *picture, size_t index, double *value);
/* What trainings for the picture had to say, as tlu_report has it; NULL past the last. */
TLU_API const char *tlu_picture_notice(const tlu_picture *picture, size_t index);
TLU_API void tlu_picture_free(tlu_picture *picture);

#ifdef __cplusplus
}
#endif

#endif
