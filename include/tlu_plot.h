/* tlu_plot.h: pictures of data, models and training runs (libtlu-plot).

   A picture is made by one call and can then be saved as SVG, PNG, PDF or GIF, or printed on a
   terminal. A complete program:

       #include <stdio.h>
       #include <tlu_plot.h>

       int main(void)
       {
           tlu_plot_data_settings settings = {.size = sizeof settings, .path = "spam.csv"};
           tlu_picture *picture;
           tlu_error error;
           if (tlu_plot_data(&settings, NULL, NULL, &picture, &error) != TLU_OK ||
               tlu_picture_save(picture, "spam.svg", &error) != TLU_OK) {
               fprintf(stderr, "%s\n", error.text);
               return 1;
           }
           puts(tlu_picture_caption(picture));
           tlu_picture_free(picture);
           return 0;
       }

   Link it with -ltlu-plot -ltlu.

   There is one function per kind of picture:

       tlu_plot_data                rows as points, with the regions and the line of a model
       tlu_plot_sphere              two features lifted to a sphere
       tlu_plot_run                 a training run: an animation, or a strip of small pictures
       tlu_plot_bounds              the convergence proof of the perceptron along a run
       tlu_plot_game                the perceptron game in two dimensions
       tlu_plot_weight_space        a training run in the space of the weights
       tlu_plot_growth              length and digits of the weights along a run
       tlu_plot_centroids           Rocchio's classifier: the means of two classes
       tlu_plot_truth               what a few generated rows teach, compared with the truth
       tlu_plot_learning_curve      accuracy and mistakes of learners after each pass
       tlu_plot_training_size       accuracy of learners by number of training rows
       tlu_plot_progress            accuracy of a stream, from its log
       tlu_plot_roc                 ROC curve of a model on data
       tlu_plot_precision_recall    precision and recall of a model on data
       tlu_plot_confusion           confusion matrix of a model on data
       tlu_plot_calibration         reliability diagram of a model on data
       tlu_plot_weights             strongest features of a model
       tlu_plot_weight_image        weights of a model as pixels
       tlu_plot_approximation       a function and its approximations by hidden layers
       tlu_plot_net                 layers of a multilayer perceptron as a diagram

   Conventions:
   - Errors, arguments, structs and callbacks follow the rules at the top of tlu.h.
   - The last three arguments are always the same: the style (NULL: the default), the picture that
     the call makes, and the error. The caller frees the picture with tlu_picture_free.
   - `options` are those of tlu_train. NULL means the defaults. A picture that needs a model and
     gets none trains one with these options.
   - A picture is immutable. It does not refer to the model, the options or the settings.
   - Pictures need cairo, GIF needs giflib. Both are loaded when they are first needed. If one is
     missing, the call returns TLU_ERROR_SYSTEM. Pictures for a terminal need neither.
   - The same call gives the same bytes on every machine with the same cairo and fonts. */
#ifndef TLU_PLOT_H
#define TLU_PLOT_H

#include "tlu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Pictures ----------------------------------------------------------------------------------

       tlu_picture_style style = {.size = sizeof style, .theme = "dark", .title = "Features"};
       if (tlu_plot_weights(model, 0, &style, &picture, &error) == TLU_OK)
           tlu_picture_save(picture, "weights.svg", &error);
*/

typedef struct tlu_picture tlu_picture;

typedef struct tlu_picture_style {
    size_t size;          /* sizeof(tlu_picture_style) */
    double width, height; /* in points, 1/72 inch on paper; 0: 720 and 480 */
    double scale;         /* pixels per point in PNG and GIF; 0: 1 */
    const char *theme;    /* "light" or "dark"; NULL: "light" */
    const char *title;    /* replaces the title of the kind; NULL: keeps it; "": draws none */
    size_t columns;       /* 0: for files. Else for a terminal that is this many characters wide */
    size_t lines;         /* height of a terminal in lines; 0: 24 */
    int coloured;         /* 1: the terminal shows colours */
    int no_caption;       /* 1: draws no caption; tlu_picture_caption still returns it */
    /* Of rows drawn in two dimensions: "equal": one unit is as long on both axes, so that angles
       are true; "free": the rows fill the picture. NULL: equal if the ranges are similar. */
    const char *aspect;
} tlu_picture_style;

/* The ending of `path` selects the format: .svg, .png, .pdf or .gif; .txt for a terminal. */
TLU_API tlu_status tlu_picture_save(const tlu_picture *picture, const char *path, tlu_error *error);
/* Saves to memory. `format` is an ending without its dot. The caller frees *bytes with
   tlu_bytes_free. */
TLU_API tlu_status tlu_picture_save_bytes(const tlu_picture *picture, const char *format,
                                          void **bytes, size_t *size, tlu_error *error);
/* One frame of a picture for a terminal: *text has *size bytes, and the caller frees it with
   tlu_bytes_free. *seconds is how long to show the frame; 0: not specified. */
TLU_API tlu_status tlu_picture_frame(const tlu_picture *picture, size_t frame, char **text,
                                     size_t *size, double *seconds, tlu_error *error);
TLU_API size_t tlu_picture_frames(const tlu_picture *picture); /* 1 unless it is an animation */
TLU_API const char *tlu_picture_title(const tlu_picture *picture);
/* Describes the picture in sentences. */
TLU_API const char *tlu_picture_caption(const tlu_picture *picture);
/* The numbers that the picture shows, by name, such as "accuracy"; NULL past the last. */
TLU_API const char *tlu_picture_figure(const tlu_picture *picture, size_t index, double *value);
/* The notices of trainings for the picture, as in tlu_report; NULL past the last. */
TLU_API const char *tlu_picture_notice(const tlu_picture *picture, size_t index);
/* The label column of the table that was read, and how training chose it, as in tlu_data_facts;
   NULL: there is none, or it is unknown. */
TLU_API const char *tlu_picture_label_column(const tlu_picture *picture);
TLU_API const char *tlu_picture_label_reason(const tlu_picture *picture);
TLU_API void tlu_picture_free(tlu_picture *picture);

/* ---- Data and training runs --------------------------------------------------------------------

       tlu_plot_run_settings settings = {.size = sizeof settings, .path = "spam.csv", .frames = 9};
       if (tlu_plot_run(&settings, NULL, NULL, &picture, &error) == TLU_OK)
           tlu_picture_save(picture, "run.gif", &error);
*/

typedef struct tlu_plot_data_settings {
    size_t size;            /* sizeof(tlu_plot_data_settings) */
    const char *path;       /* the data */
    const tlu_model *model; /* NULL: one is trained on the data */
    int points_only;        /* 1: without a model */
    const char *x, *y;      /* names of features; NULL: a projection that the caption describes */
    tlu_progress_function progress; /* of the training */
    void *progress_context;
    /* 1: also the separate lines of a linear model of three classes or more: one per class (one
       versus rest) or one per pair (one versus one). If the options have no "multiclass": ovr. */
    int lines;
    /* Instead of `model`: 2 to 6 linear models of two classes and the two features of the rows. The
       picture shows their lines and margins, and the legend their names. */
    const tlu_model *const *models; /* [model_count] */
    const char *const *names;       /* [model_count] */
    size_t model_count;
} tlu_plot_data_settings;

/* Rows as points. The background shows which class the model predicts there. */
TLU_API tlu_status tlu_plot_data(const tlu_plot_data_settings *settings, const tlu_options *options,
                                 const tlu_picture_style *style, tlu_picture **picture,
                                 tlu_error *error);

/* Elkan's illustration: rows x of two features with an extra coordinate, (x, 1), divided by their
   length, are points of a sphere. The line of a linear model of two classes becomes a plane through
   the origin, which cuts the sphere in a great circle. Takes the settings of tlu_plot_data, without
   points_only, lines and models. If no model is given and the options name no learner: the
   perceptron with the last weights, unscaled rows in order, until it converges. */
TLU_API tlu_status tlu_plot_sphere(const tlu_plot_data_settings *settings,
                                   const tlu_options *options, const tlu_picture_style *style,
                                   tlu_picture **picture, tlu_error *error);

typedef struct tlu_plot_run_settings {
    size_t size;       /* sizeof(tlu_plot_run_settings) */
    const char *path;  /* the data: a file, not a pipe */
    int strip;         /* 1: small pictures on one page instead of an animation */
    const char *x, *y; /* as in tlu_plot_data_settings */
    uint64_t frames;   /* maximum, evenly chosen among the updates; 0: 200, of a strip 12 */
    double fps; /* 0.01 to 100 frames per second; 0: 4, or 2 if there are at most 20 frames */
} tlu_plot_run_settings;

/* A training run, update by update. If the options name no learner: the perceptron with the last
   weights, until it converges. */
TLU_API tlu_status tlu_plot_run(const tlu_plot_run_settings *settings, const tlu_options *options,
                                const tlu_picture_style *style, tlu_picture **picture,
                                tlu_error *error);

/* The lengths and angles of the convergence proof along a run of the perceptron, and their bounds.
   The data has two classes that a hyperplane separates. */
TLU_API tlu_status tlu_plot_bounds(const char *path, const tlu_options *options,
                                   const tlu_picture_style *style, tlu_picture **picture,
                                   tlu_error *error);

/* For the next two: one picture of all updates, unless one of the flags is set. */
typedef struct tlu_plot_game_settings {
    size_t size;           /* sizeof(tlu_plot_game_settings) */
    const char *path;      /* two features and two classes; NULL: an adversary gives the examples */
    const double *u;       /* [2] of any length but 0; NULL: the best separator of the data */
    double gamma;          /* of the adversary: the margin; 0: 0.2 */
    double squared_radius; /* of the adversary: R, which bounds |x|^2; 0: 1 */
    int animation;         /* 1: one frame per mistake */
    int strip;             /* 1: small pictures on one page */
    uint64_t frames;       /* as in tlu_plot_run_settings; of one picture: vectors drawn */
    double fps;            /* as in tlu_plot_run_settings */
} tlu_plot_game_settings;

/* The perceptron game (see tlu_game) in two dimensions: u, its hyperplane, the margin, the circle
   of radius sqrt(R), and v_k with its projection on u after each mistake. The data is separable
   without a bias; its rows are taken in file order unless the options say otherwise. */
TLU_API tlu_status tlu_plot_game(const tlu_plot_game_settings *settings, const tlu_options *options,
                                 const tlu_picture_style *style, tlu_picture **picture,
                                 tlu_error *error);

typedef struct tlu_plot_weight_space_settings {
    size_t size;      /* sizeof(tlu_plot_weight_space_settings) */
    const char *path; /* two classes; two features, or one and the bias */
    int animation;    /* 1: one frame per update */
    int strip;        /* 1: small pictures on one page */
    uint64_t frames;  /* as in tlu_plot_game_settings */
    double fps;       /* as in tlu_plot_run_settings */
} tlu_plot_weight_space_settings;

/* A run of the perceptron in the space of its two weights: each example is a line through 0, and w
   is a point that moves until it is on the correct side of all of them. */
TLU_API tlu_status tlu_plot_weight_space(const tlu_plot_weight_space_settings *settings,
                                         const tlu_options *options, const tlu_picture_style *style,
                                         tlu_picture **picture, tlu_error *error);

/* The length of w along a run of the perceptron, with its bound R sqrt(k), and the decimal digits
   of its largest weight. The data has two classes. */
TLU_API tlu_status tlu_plot_growth(const char *path, const tlu_options *options,
                                   const tlu_picture_style *style, tlu_picture **picture,
                                   tlu_error *error);

/* Rocchio's classifier of two classes and two features: the means u and v of the classes, w = u - v
   and the perpendicular bisector. */
TLU_API tlu_status tlu_plot_centroids(const char *path, const tlu_options *options,
                                      const tlu_picture_style *style, tlu_picture **picture,
                                      tlu_error *error);

typedef struct tlu_plot_truth_settings {
    size_t size;              /* sizeof(tlu_plot_truth_settings) */
    const tlu_recipe *recipe; /* with two features; rows 0: 25, other fields 0: as in
                                 tlu_recipe_init */
    uint64_t seeds;           /* number of trainings, each on other rows; 0: 1 */
    tlu_progress_function progress;
    void *progress_context;
} tlu_plot_truth_settings;

/* The regions that a learner finds in a few rows, compared with the true regions. If the options
   name no learner: the perceptron with the last weights, rows in order, until it converges. */
TLU_API tlu_status tlu_plot_truth(const tlu_plot_truth_settings *settings,
                                  const tlu_options *options, const tlu_picture_style *style,
                                  tlu_picture **picture, tlu_error *error);

/* ---- Curves over time --------------------------------------------------------------------------

       tlu_plot_learning_curve_settings settings = {.size = sizeof settings, .path = "spam.csv"};
       if (tlu_plot_learning_curve(&settings, NULL, NULL, &picture, &error) == TLU_OK)
           tlu_picture_save(picture, "curve.svg", &error);
*/

typedef struct tlu_plot_learning_curve_settings {
    size_t size;          /* sizeof(tlu_plot_learning_curve_settings) */
    const char *path;     /* the data */
    const char *learners; /* specifications for tlu_options_set_learner, separated by commas; NULL:
                             the learner of the options, or a selection */
    tlu_progress_function progress;
    void *progress_context;
} tlu_plot_learning_curve_settings;

typedef struct tlu_plot_training_size_settings {
    size_t size;          /* sizeof(tlu_plot_training_size_settings) */
    const char *path;     /* the data */
    const char *learners; /* as above; NULL: the learner of the options */
    size_t folds;         /* of the cross-validation, at least 2; 0: 5 */
    const double *sizes;  /* [size_count] numbers of training rows; up to 1: shares of the rows
                             outside of a fold */
    size_t size_count;    /* 0: the shares 0.1, 0.2, ..., 1 */
    tlu_progress_function progress;
    void *progress_context;
} tlu_plot_training_size_settings;

/* The learning curve: accuracy on training rows and on validation rows by the number of training
   rows, with mean and sample standard deviation over the folds of a stratified cross-validation.
   Larger training sets contain the smaller ones. */
TLU_API tlu_status tlu_plot_training_size(const tlu_plot_training_size_settings *settings,
                                          const tlu_options *options,
                                          const tlu_picture_style *style, tlu_picture **picture,
                                          tlu_error *error);

/* Mistakes, and accuracy on training and held-out rows, after each pass. The options "holdout" and
   "epochs" default to 0.2 and 10 here. */
TLU_API tlu_status tlu_plot_learning_curve(const tlu_plot_learning_curve_settings *settings,
                                           const tlu_options *options,
                                           const tlu_picture_style *style, tlu_picture **picture,
                                           tlu_error *error);

/* The accuracy of a stream over time. `path` is the log that the command writes with --log. */
TLU_API tlu_status tlu_plot_progress(const char *path, const tlu_picture_style *style,
                                     tlu_picture **picture, tlu_error *error);

/* A function of one variable, its approximations by networks of one hidden layer, and their errors
   against the number of units. */
TLU_API tlu_status tlu_plot_approximation(const tlu_approximation *approximation,
                                          const tlu_picture_style *style, tlu_picture **picture,
                                          tlu_error *error);

/* ---- Models ------------------------------------------------------------------------------------

       if (tlu_plot_confusion(model, "spam.csv", NULL, NULL, &picture, &error) == TLU_OK)
           puts(tlu_picture_caption(picture));
*/

/* A model on the labelled rows of `path`. The options are those of reading. */
TLU_API tlu_status tlu_plot_roc(const tlu_model *model, const char *path,
                                const tlu_options *options, const tlu_picture_style *style,
                                tlu_picture **picture, tlu_error *error);
TLU_API tlu_status tlu_plot_precision_recall(const tlu_model *model, const char *path,
                                             const tlu_options *options,
                                             const tlu_picture_style *style, tlu_picture **picture,
                                             tlu_error *error);
TLU_API tlu_status tlu_plot_confusion(const tlu_model *model, const char *path,
                                      const tlu_options *options, const tlu_picture_style *style,
                                      tlu_picture **picture, tlu_error *error);
TLU_API tlu_status tlu_plot_calibration(const tlu_model *model, const char *path,
                                        const tlu_options *options, const tlu_picture_style *style,
                                        tlu_picture **picture, tlu_error *error);

/* The `top` features with the largest weights (0: 20), of each class if there are more than two. */
TLU_API tlu_status tlu_plot_weights(const tlu_model *model, size_t top,
                                    const tlu_picture_style *style, tlu_picture **picture,
                                    tlu_error *error);
/* The layers of a multilayer perceptron as a diagram: units as circles, weights as lines whose
   width and colour show size and sign. */
TLU_API tlu_status tlu_plot_net(const tlu_model *model, const tlu_picture_style *style,
                                tlu_picture **picture, tlu_error *error);
/* Weights as pixels, for rows that are images of this width and height: one image per class, or
   per unit of the first layer of a multilayer perceptron. */
TLU_API tlu_status tlu_plot_weight_image(const tlu_model *model, size_t width, size_t height,
                                         const tlu_picture_style *style, tlu_picture **picture,
                                         tlu_error *error);

#ifdef __cplusplus
}
#endif

#endif
