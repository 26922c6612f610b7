/* tlu.h: linear classifiers of the perceptron family.

   The whole public interface, in three grades. Take the first that does your job.

   1. The common case: a file in, a classifier out.
   2. Explicit contexts: options, rows in memory, progress, readers that walk a file batch by batch,
      evaluation, explanation, what a model knows about itself.
   3. Streams: learners that take one example, or one line of text, after the other.

   Each section begins with an example. (scripts/check-header compiles and runs them all.)

   Errors. A function that can fail returns a tlu_status. If it is not TLU_OK, nothing was produced
   (every out-parameter is NULL or untouched) and *error holds a sentence for the user, with file,
   line and column if input is to blame. `error` may be NULL.

   Arguments. Objects, result pointers and array lengths must be valid; everything else is checked.
   An invalid row, index, class, number or text, such as a required text that is NULL, is
   TLU_ERROR_INPUT. A function without a status returns NULL, 0, TLU_NONE or NaN instead. A buffer
   may be NULL if you only want the length.

   Structs. One that you fill begins with its size: set it to sizeof, and the rest to 0 if you do
   not ask for it. Fields that the library knows and your header does not count as 0; a size of 0,
   or larger than the library's, is TLU_ERROR_INPUT. One that the library fills is handed out as a
   pointer to const, and later versions may have more fields at its end. tlu_error, tlu_row,
   tlu_feature, tlu_batch, tlu_contribution, tlu_distance, tlu_support, tlu_class_quality,
   tlu_curve_point and tlu_calibration_curve never change.

   Functions of yours that the library calls take their context first and return 0 to go on. Any
   other value stops the call, which ends with what there is so far if that is something (a
   training, the folds of a cross-validation, a trace), else with TLU_INTERRUPTED. One that is given
   an error may fill in its status and text: the call then fails with these.

   Besides:
   - The library never prints, exits or aborts, keeps no global state and never asks the locale.
   - It computes in the default floating-point environment and restores yours when it returns (all
     but the exception flags). A callback runs in the environment of the call that it was passed to;
     its changes to the environment are undone when it returns.
   - A tlu_model is immutable: any number of threads may use one at the same time. Every other
     object belongs to one thread at a time.
   - What a function hands out as `const` belongs to the object it came from and lives as long.
   - Strings are UTF-8 (or any bytes without NUL), sizes are 64-bit, indices start at 0.
   - A score of a two-class model is that of the positive class: at or above 0 it predicts that
     class. With more classes there is one score per class; the highest wins (the first of equals).
   - What is freed or closed may be NULL.
*/
#ifndef TLU_H
#define TLU_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(TLU_BUILDING) && defined(__GNUC__)
#define TLU_API __attribute__((visibility("default")))
#else
#define TLU_API
#endif

#define TLU_VERSION "0.1.0"
#define TLU_VERSION_NUMBER 100 /* major * 10000 + minor * 100 + patch */

/* ---- Grade 1: train, predict, save, load -------------------------------------------------------

       if (tlu_train("spam.csv", NULL, &model, &error) == TLU_OK &&
           tlu_model_predict_line(model, "offer,3", &label, NULL, &error) == TLU_OK)
           tlu_model_save(model, "spam.tlu", &error);
*/

typedef enum tlu_status {
    TLU_OK = 0,
    TLU_ERROR_INPUT = 2,  /* data, options or arguments are wrong; the text says where and why */
    TLU_ERROR_SYSTEM = 3, /* the machine failed: memory, disk, threads */
    TLU_INTERRUPTED = 4   /* a function of yours said to stop, and there is nothing to return */
} tlu_status;

typedef struct tlu_error {
    tlu_status status;
    uint64_t line;   /* 1-based; 0 if no line is to blame */
    uint64_t column; /* 1-based, in bytes; 0 if no column is to blame */
    char file[256];  /* "" if no file is to blame */
    char text[1024]; /* "FILE:LINE:COLUMN: what is wrong and what was expected", one line, escaped
                        by tlu_text_escape */
} tlu_error;

typedef struct tlu_model tlu_model;
typedef struct tlu_options tlu_options;

/* Trains on a file in any of the formats that the option "format" lists, plain or compressed (.gz,
   .zst), recognised by content; "-" is standard input. `options` may be NULL for the defaults. */
TLU_API tlu_status tlu_train(const char *path, const tlu_options *options, tlu_model **model,
                             tlu_error *error);

/* Predicts one row written as in the training file, with or without its label. What *label points
   to belongs to the model. `scores`, if not NULL, has room for tlu_model_score_count(). */
TLU_API tlu_status tlu_model_predict_line(const tlu_model *model, const char *line,
                                          const char **label, double *scores, tlu_error *error);

/* Saves whole or not at all: a temporary file beside `path`, fsync, rename. */
TLU_API tlu_status tlu_model_save(const tlu_model *model, const char *path, tlu_error *error);

/* Loads any version that was ever released; safe on hostile bytes. */
TLU_API tlu_status tlu_model_load(const char *path, tlu_model **model, tlu_error *error);
/* The same in memory: what was saved is the caller's, who frees it with tlu_bytes_free. */
TLU_API tlu_status tlu_model_save_bytes(const tlu_model *model, void **bytes, size_t *size,
                                        tlu_error *error);
TLU_API void tlu_bytes_free(void *bytes);
TLU_API tlu_status tlu_model_load_bytes(const void *bytes, size_t size, tlu_model **model,
                                        tlu_error *error);

TLU_API void tlu_model_free(tlu_model *model);

/* ---- Grade 2: options --------------------------------------------------------------------------

       tlu_options *options = tlu_options_new();
       tlu_options_set(options, "epochs", "20", &error);
       tlu_train("spam.csv", options, &model, &error);
*/

/* One table describes every option of learning and reading; the command line, its --help, the man
   pages, the model file and the bindings are made from it. */
typedef enum tlu_option_type {
    TLU_OPTION_FLAG,   /* "yes" or "no" */
    TLU_OPTION_COUNT,  /* a whole number from `least` to `most` */
    TLU_OPTION_NUMBER, /* a finite number from `least` to `most` */
    TLU_OPTION_RANGE,  /* a number, or two as A:B */
    TLU_OPTION_CHOICE, /* one of `choices`, which are separated by '|' */
    TLU_OPTION_TEXT,   /* any text */
    TLU_OPTION_LIST,   /* text items separated by commas; setting again appends */
    TLU_OPTION_SIZE    /* bytes: a number, perhaps with K, M, G or T (powers of 1024) after it */
} tlu_option_type;

typedef struct tlu_option_info {
    const char *name;  /* "epochs": set with tlu_options_set or --epochs */
    const char *group; /* "data", "reading" (data that also matters in prediction), "learning",
                          "measuring", "output" (what a prediction prints besides the label) */
    tlu_option_type type;
    const char *argument; /* how help names the value: "N"; NULL for a flag */
    const char *value;    /* the default, as text; "" if it has none */
    const char *choices;  /* "later|all|none"; NULL unless TLU_OPTION_CHOICE */
    double least, most;   /* for counts and numbers */
    const char *help;     /* one sentence, without the default */
} tlu_option_info;

TLU_API size_t tlu_option_count(void);
TLU_API const tlu_option_info *tlu_option_at(size_t index);       /* NULL past the end */
TLU_API const tlu_option_info *tlu_option_find(const char *name); /* NULL if unknown */

TLU_API tlu_options *tlu_options_new(void); /* the defaults; NULL if out of memory */
TLU_API tlu_status tlu_options_set(tlu_options *options, const char *name, const char *value,
                                   tlu_error *error);
/* Back to the default: the way to take items of a list out again. */
TLU_API tlu_status tlu_options_clear(tlu_options *options, const char *name, tlu_error *error);
/* The value as text, in the form that tlu_options_set takes; NULL for an unknown name. */
TLU_API const char *tlu_options_get(const tlu_options *options, const char *name);
TLU_API void tlu_options_free(tlu_options *options);

/* ---- Grade 2: the table of learners ------------------------------------------------------------

       const tlu_learner_info *info;
       for (size_t i = 0; (info = tlu_learner_at(i)) != NULL; i++)
           printf("%s: %s\n", info->name, info->summary);
*/

typedef struct tlu_learner_info {
    const char *name;      /* "perceptron" */
    const char *summary;   /* one line: what it is for */
    const char *reference; /* where it comes from */
    const char *options;   /* names of the learning options it takes, separated by spaces */
    const char *defaults;  /* options whose default is its own: "rate=0.1 schedule=adagrad"; "C=-":
                              none, and it matters whether the option is given */
    const char *decisions; /* "average last", the default first */
    const char *spaces;    /* "primal dual" */
    const char *schemes;   /* "wta ovr ovo": with more than two classes */
    /* How simple it is: 1 looks at the rows once, 2 updates at mistakes, 3 at small margins, 4 has
       a second number per weight or a loss to descend, 5 optimises over all rows. */
    int grade;
} tlu_learner_info;

TLU_API const tlu_learner_info *tlu_learner_at(size_t index); /* NULL past the end */

/* What holds for an option that is not given, with the learner and the kernel of these options, and
   why an option changes nothing with them ("--epochs has no effect with rocchio, ..."), or "" if
   it does. Both write at most `size` bytes, NUL included, and return the length of the whole text
   (as snprintf does). */
TLU_API size_t tlu_options_default(const tlu_options *options, const char *name, char *value,
                                   size_t size);
TLU_API size_t tlu_options_no_effect(const tlu_options *options, const char *name, char *why,
                                     size_t size);
/* What does not go together, one sentence per index: "--ratchet cannot be combined with --kernel:
   ...". Writes and returns as the two above; 0 past the end. */
TLU_API size_t tlu_conflict_at(size_t index, char *text, size_t size);

/* ---- Grade 2: rows in memory -------------------------------------------------------------------

       tlu_rows rows = {.size = sizeof rows, .rows = 4, .columns = 2, .values = x, .labels = y};
       tlu_train_settings settings = {.size = sizeof settings, .rows = &rows};
       tlu_train_with(&settings, NULL, &model, &error);
*/

/* Labelled rows in memory. They are learned from as if they were those of a LIBSVM file, to the
   same model (but for --max-features, which forgets names between two blocks of reading). Row i has
   the entries offsets[i] to offsets[i + 1] - 1, in any order, no feature twice. */
typedef struct tlu_rows {
    size_t size; /* sizeof(tlu_rows) */
    size_t rows;
    const uint64_t *offsets; /* [rows + 1]; NULL: each row has `columns` entries */
    size_t columns;
    const uint32_t *features;       /* [entries]; NULL: those of each row are 0, 1, 2, ... */
    const float *values;            /* [entries]; NULL: every value is 1 */
    const uint32_t *labels;         /* [rows] */
    const char *const *label_names; /* [label_count]; NULL: a label is called by its number */
    size_t label_count;
    const float *weights;             /* [rows] how much a row counts, 0 or more; NULL: 1 each */
    const char *const *feature_names; /* [feature_count]; NULL: a feature is called by its number */
    size_t feature_count;
} tlu_rows;

/* Brings the next rows: sets *rows, or leaves it NULL at the end. They stay as they are until the
   next call, and an array of feature names that comes again has the same names. The function is
   called once for each block of rows, however many passes there are. */
typedef int (*tlu_rows_function)(void *context, const tlu_rows **rows, tlu_error *error);

/* ---- Grade 2: training with all that can be asked of it ----------------------------------------

       tlu_train_settings settings = {.size = sizeof settings, .path = "spam.csv"};
       settings.progress = show_progress;
       tlu_train_with(&settings, options, &model, &error);
*/

typedef struct tlu_progress {
    uint64_t pass, passes;          /* pass 1 of at most passes */
    uint64_t examples;              /* learned from in this pass */
    uint64_t examples_expected;     /* in a pass; 0 while unknown */
    uint64_t mistakes;              /* in this pass so far */
    uint64_t bytes, bytes_expected; /* of the (compressed) file; expected is 0 if unknown */
    double seconds;                 /* since the start */
    double work, work_expected;     /* done and to be done in all, in a unit of its own; expected is
                                       0 if unknown */
    double seconds_left;            /* by that; below 0 if unknown */
    uint64_t planes, planes_expected; /* max-margin: hyperplanes found and to be found; else 0 */
    double gap;           /* max-margin: relative gap of the current one: 1e-6 is wanted */
    uint64_t fold, folds; /* --calibrate: of which fold this is, from 1; 0: of the model itself */
} tlu_progress;

/* Called now and then. Stopping ends training early, with the model so far; before anything was
   learned that is TLU_INTERRUPTED. */
typedef int (*tlu_progress_function)(void *context, const tlu_progress *progress);

/* Whether the model is of a training that was ended early and can go on, now or after having been
   saved. *pass, counted from 1, and *examples, those learned from in it, say where; both may be
   NULL. Not with --max-features, and not if the learner looks at all rows at once. */
TLU_API int tlu_model_can_resume(const tlu_model *model, uint64_t *pass, uint64_t *examples);

/* All that can be asked of a training. What is 0 or NULL is not asked for. */
typedef struct tlu_train_settings {
    size_t size; /* sizeof(tlu_train_settings) */
    /* The data: one of these three. */
    const char *path; /* as in tlu_train */
    const tlu_rows *rows;
    tlu_rows_function next_rows;
    void *next_context;
    const char *name; /* what rows are called in messages, with the row's number as its line, and in
                         the report; NULL: "rows" */
    tlu_progress_function progress;
    void *progress_context;
    /* A training that was ended early, to go on with on the same data: the outcome is the same, bit
       for bit, as if it had not been ended. The options are those of the model; of the options
       given, threads, memory and another number of epochs are taken, others must not say anything
       else. With more epochs than the model has passes, a training that they have ended goes on
       too, if the model has all that this takes. */
    const tlu_model *resume;
    /* A file that the model so far is saved to, whole or not at all, at the first opportunity after
       every checkpoint_seconds of training: if the process is killed, training can go on from it as
       if it had been ended there. If it cannot be saved training ends with that error; if it could
       not go on (see tlu_model_can_resume) it does not start. */
    const char *checkpoint;
    double checkpoint_seconds;
} tlu_train_settings;

TLU_API tlu_status tlu_train_with(const tlu_train_settings *settings, const tlu_options *options,
                                  tlu_model **model, tlu_error *error);

/* ---- Grade 2: how training went ----------------------------------------------------------------

       const tlu_report *report = tlu_model_report(model);
       for (size_t i = 0; i < report->notices; i++)
           printf("note: %s\n", report->notice[i]);
*/

/* How training went. Kept in the model file, except for the notices and the times. */
typedef struct tlu_report {
    uint64_t examples; /* rows learned from in a pass (without the held-out ones) */
    uint64_t held_out;
    uint64_t nonzeros; /* in all rows */
    uint64_t features; /* columns of the data: LIBSVM's highest index, or one per name; with --hash
                          slots that have a weight */
    uint64_t classes;
    uint64_t epochs;                 /* passes made */
    const uint64_t *mistakes;        /* [epochs] */
    uint64_t updates;                /* over all passes */
    const double *held_out_accuracy; /* [epochs]; NULL without --holdout */
    uint64_t best_epoch; /* the pass that the model is from, 1-based (--holdout); else epochs */
    int converged;       /* the last pass made no mistake and no update */
    const char *stopped; /* "converged", "epochs", "patience", "interrupted", "cycle", "solved" */
    uint64_t cycle;      /* passes after which the weights came back ("cycle"); else 0 */
    /* k/m of the first pass: the share of its rows that were predicted wrongly before they were
       learned from. It estimates the error on new rows, if rows come in random order; -1 of a
       stream and if the learner looks at all rows at once. */
    double progressive_error;
    int sorted_by_class; /* the first pass met one class after the other: it estimates nothing */
    /* The same of the last pass, over rows that were learned from before; -1 of a single pass. */
    double training_error;
    /* On the expected error of the vote, 2k/(m + 1), or of one pick at random, k/(m + 1), with k
       mistakes among the m rows (Freund and Schapire 1999, theorem 3, in which k is the number
       expected among m + 1 rows). -1 unless the decision is vote or random, after a single pass
       over rows not sorted by class, with ties as mistakes and two classes or wta. */
    double bound;
    double margin;         /* of max-margin without --C: distance of the nearest row; else 0 */
    double soft_margin;    /* of max-margin with --C: 1/|w|; rows may be nearer; else 0 */
    uint64_t supports;     /* rows that the model keeps: of a kernel, of a vote, of max-margin */
    uint64_t skipped;      /* malformed rows left out (--skip-bad) */
    uint64_t slots_used;   /* with --hash: slots that a name fell on, ... */
    uint64_t slots_shared; /* ... and those that several did; both 0 in a loaded model */
    const char *data;      /* the file's name without its folder */
    const char *format;    /* a name that the option "format" takes, or "stream" */
    size_t notices;        /* remarks and hints for the user, one sentence per item */
    const char *const *notice;                         /* [notices] */
    double seconds_read, seconds_learn, seconds_total; /* 0 in a loaded model */
    const char *held_out_metric; /* what held_out_accuracy has: "accuracy", or that of --metric */
} tlu_report;

TLU_API const tlu_report *tlu_model_report(const tlu_model *model);

/* ---- Grade 2: what a model knows ---------------------------------------------------------------

       size_t spam = tlu_model_class_find(model, "spam");
       size_t offer = tlu_model_feature_find(model, "word=offer");
       printf("%g\n", tlu_model_weight(model, spam, offer));
*/

#define TLU_NONE ((size_t)-1) /* no such class, no such feature */

TLU_API const tlu_options *tlu_model_options(const tlu_model *model);
TLU_API const char *tlu_model_version(const tlu_model *model); /* of the tlu that trained it */
TLU_API const char *tlu_model_learner(const tlu_model *model);
TLU_API const char *tlu_model_decision(const tlu_model *model);
/* Of the decision "adaptive" the weights in use: "last", "average" or "recent". Else the decision.
 */
TLU_API const char *tlu_model_decided_by(const tlu_model *model);
TLU_API const char *tlu_model_scheme(const tlu_model *model); /* two, wta, ovr, ovo */

/* Classes are in the order of their labels: numbers as numbers, then text by its bytes. */
TLU_API size_t tlu_model_class_count(const tlu_model *model);
TLU_API const char *tlu_model_class_label(const tlu_model *model, size_t class_index);
TLU_API uint64_t tlu_model_class_examples(const tlu_model *model, size_t class_index);
TLU_API size_t tlu_model_class_find(const tlu_model *model, const char *label);
/* The CSV column that the labels are from; NULL if the data was not CSV. */
TLU_API const char *tlu_model_label_column(const tlu_model *model);
TLU_API size_t tlu_model_positive_class(const tlu_model *model); /* TLU_NONE with several classes */

/* Features: 0 to count - 1. tlu_model_feature_name writes at most `size` bytes, NUL included, and
   returns the length of the whole name (as snprintf does). */
TLU_API size_t tlu_model_feature_count(const tlu_model *model);
TLU_API size_t tlu_model_feature_name(const tlu_model *model, size_t feature, char *name,
                                      size_t size);
TLU_API size_t tlu_model_feature_find(const tlu_model *model, const char *name);

/* The number that the value of the feature, as it is in the data, is multiplied with to give the
   score of the class (of two classes the first has the opposite of the positive one's). If the
   model scales its data, tlu_model_scaled_weight is the weight of the scaled feature: the one to
   compare features by. Without scaling the two are equal. */
TLU_API double tlu_model_weight(const tlu_model *model, size_t class_index, size_t feature);
/* The weights of all features, one by one as tlu_model_weight has them: fills the first `count` and
   returns how many there are; 0 with a kernel. */
TLU_API size_t tlu_model_weights(const tlu_model *model, size_t class_index, double *weights,
                                 size_t count);
TLU_API double tlu_model_scaled_weight(const tlu_model *model, size_t class_index, size_t feature);
TLU_API double tlu_model_bias(const tlu_model *model, size_t class_index);
TLU_API int tlu_model_is_scaled(const tlu_model *model);
/* A model with a kernel has no weights of features: those functions return 0 for it. */
TLU_API int tlu_model_has_weights(const tlu_model *model);
/* The layers of a model of mlp: fills the first `capacity` of its inputs, the units of each hidden
   layer and the outputs, and returns how many these are; 0 if the model has no layers. */
TLU_API size_t tlu_model_layers(const tlu_model *model, size_t *sizes, size_t capacity);

/* The training rows that a model keeps, those with the highest alpha first: how often, or how hard,
   each had to be learned. Kernel models, votes, max-margin; count is 0 for others. */
typedef struct tlu_support {
    uint64_t line; /* of the training file; 0 if unknown */
    size_t class_index;
    double alpha; /* sum of its absolute coefficients over the classes */
} tlu_support;
TLU_API size_t tlu_model_support_count(const tlu_model *model);
TLU_API tlu_support tlu_model_support(const tlu_model *model, size_t index);

/* ---- Grade 2: predicting rows ------------------------------------------------------------------

       tlu_feature mail[] = {{"word=offer", 1}, {"count", 3}};
       size_t winner = tlu_model_predict_named(model, mail, 2, scores);
       printf("%s\n", tlu_model_class_label(model, winner));
*/

/* A row: features by their numbers in the model, each at most once, any order. Features that are
   not there are 0. (With --binarize every entry counts as 1, also one whose value is 0.) Features
   that the model does not have are ignored, as in files. A feature that occurs twice is an error,
   and so is a value that is not finite. Rows in ascending order are checked fastest. */
typedef struct tlu_row {
    size_t count;
    const uint32_t *features; /* [count]; NULL if they are 0, 1, 2, ..., count - 1 */
    const float *values;      /* [count]; NULL if every value is 1 */
} tlu_row;

/* A feature by name, as in the data: "17" in LIBSVM, "age" or "outlook=rainy" in CSV. */
typedef struct tlu_feature {
    const char *name;
    double value;
} tlu_feature;

/* 1 for two classes; with more, one per class. (One versus one gives its votes as scores.) */
TLU_API size_t tlu_model_score_count(const tlu_model *model);

/* Fills scores[tlu_model_score_count()], which may be NULL, and returns the predicted class. A
   score that overflows is infinite or NaN here, and an error elsewhere. For an invalid row it
   returns TLU_NONE and sets every score to NaN. */
TLU_API size_t tlu_model_predict(const tlu_model *model, const tlu_row *row, double *scores);

/* The same for all rows of a batch, which is faster for models with a kernel or a vote: fills
   classes[rows], scores[rows][tlu_model_score_count()] and ambiguous[rows] (each of the last two
   may be NULL). A row is ambiguous if one versus rest finds none or several classes, or one
   versus one several first in votes. */
typedef struct tlu_batch tlu_batch;
TLU_API tlu_status tlu_model_predict_batch(const tlu_model *model, const tlu_batch *batch,
                                           uint32_t *classes, double *scores, char *ambiguous,
                                           tlu_error *error);

/* As tlu_model_predict, for features by name. Names that the model does not know are ignored. A
   known name that occurs twice makes the row invalid, and so does a value that is not a finite
   float. */
TLU_API size_t tlu_model_predict_named(const tlu_model *model, const tlu_feature *features,
                                       size_t count, double *scores);

/* Whether scores can be turned into probabilities: those of a model that was trained with the
   option "calibrate", and those of logistic, naive Bayes and mlp, but not the votes of one versus
   one.
 */
TLU_API int tlu_model_has_probabilities(const tlu_model *model);
/* "sigmoid", "isotonic" or "temperature"; NULL if the model was not calibrated. */
TLU_API const char *tlu_model_calibration(const tlu_model *model);
/* What it has found for a class; of two classes, for the positive one. sigmoid: the probability is
   1 / (1 + exp(-(slope * score + offset))); temperature: softmax of slope times the scores;
   isotonic: straight lines between the knots. */
typedef struct tlu_calibration_curve {
    double slope, offset;
    size_t knots;
    const double *scores, *probabilities; /* [knots] */
} tlu_calibration_curve;
TLU_API tlu_calibration_curve tlu_model_calibration_curve(const tlu_model *model,
                                                          size_t class_index);
/* Fills probabilities[tlu_model_class_count()], whose sum is 1, from the scores of a row.
   TLU_ERROR_INPUT with the reason and what to do if the model has none; with NULL for both nothing
   else is done. */
TLU_API tlu_status tlu_model_probabilities(const tlu_model *model, const double *scores,
                                           double *probabilities, tlu_error *error);

/* With two classes a model can have a threshold: a row at or above it is of the positive class. It
   is one of the probability of that class, or of the score if the model has no probabilities.
   Returns 0 if the model has none: it then decides by the sign of the score. Both may be NULL. */
TLU_API int tlu_model_has_threshold(const tlu_model *model, double *threshold, int *on_probability);
/* Not a number: no threshold. Not while other threads use the model. */
TLU_API tlu_status tlu_model_set_threshold(tlu_model *model, double threshold, tlu_error *error);

/* What pushed the score of a class: weight times value, the strongest first. */
typedef struct tlu_contribution {
    size_t feature; /* TLU_NONE for the bias */
    double value;   /* as in the data */
    double push;    /* what it adds to the score */
} tlu_contribution;

/* Writes the `capacity` strongest pushes towards or away from a class, and returns how many were
   written: 0 for an invalid class or row. The pushes of all features and the bias add up to the
   score. */
TLU_API size_t tlu_model_explain(const tlu_model *model, const tlu_row *row, size_t class_index,
                                 tlu_contribution *pushes, size_t capacity);

/* ---- Grade 2: reading data for a model ---------------------------------------------------------

       tlu_reader_open(model, "spam.csv", NULL, &reader, &error);
       while (tlu_reader_next(reader, &batch, &error) == TLU_OK && batch)
           count += batch->rows;
*/

#define TLU_NO_LABEL UINT32_MAX            /* the row has no label */
#define TLU_UNKNOWN_LABEL (UINT32_MAX - 1) /* it has one that the model has never seen */

/* A block of rows in file order. Row i is features[offsets[i]] to features[offsets[i + 1] - 1]. */
struct tlu_batch {
    size_t rows;
    const uint32_t *offsets;  /* [rows + 1] */
    const uint32_t *features; /* [offsets[rows]] */
    const float *values;      /* [offsets[rows]]; NULL if every value is 1 */
    const uint32_t *labels;   /* [rows]: class of the model, TLU_NO_LABEL or TLU_UNKNOWN_LABEL */
    uint64_t first_row;       /* rows before this batch */
};

static inline tlu_row tlu_batch_row(const tlu_batch *batch, size_t i)
{
    tlu_row row;
    row.count = batch->offsets[i + 1] - batch->offsets[i];
    row.features = batch->features + batch->offsets[i];
    row.values = batch->values ? batch->values + batch->offsets[i] : NULL;
    return row;
}

typedef struct tlu_reader tlu_reader;

typedef struct tlu_reader_stats {
    uint64_t rows;           /* handed out so far */
    uint64_t skipped;        /* malformed rows left out (--skip-bad) */
    uint64_t unseen_values;  /* categorical values that training never met; left out */
    uint64_t unknown_rows;   /* rows with features, none of which the model knows */
    uint64_t unknown_labels; /* rows whose label the model does not know */
    char unknown_label[64];  /* the first of those labels */
    char near_label[64];     /* the model's label that is nearly the same; "" if none is */
} tlu_reader_stats;

/* Opens data for a trained model. Of the options the groups "data" and "reading" count; what they
   leave open is as the model was trained. */
TLU_API tlu_status tlu_reader_open(const tlu_model *model, const char *path,
                                   const tlu_options *options, tlu_reader **reader,
                                   tlu_error *error);
/* The next batch, which lives until the next call; *batch is NULL at the end of the data. */
TLU_API tlu_status tlu_reader_next(tlu_reader *reader, const tlu_batch **batch, tlu_error *error);
/* Has the reader predict what it reads, with the model it was opened for; to be called before the
   first batch is asked for. tlu_reader_predictions then gives what the model says about the batch
   that was handed out last, and lives as long as that. This is the fast way through a file: the
   threads that parse also predict and call the function, which may be NULL.

   The function turns what is said about some of a batch's rows into text. It is called by several
   threads at a time and in any order, and once for each row; the texts are put together in the
   order of the rows. Returns 0, or another value to stop. */
typedef struct tlu_predictions {
    size_t rows;
    const uint32_t *classes; /* [rows] */
    const double *scores;    /* [rows][tlu_model_score_count()]; NULL unless asked for */
    const char *ambiguous;   /* [rows]: see tlu_model_predict_batch */
    const char *text;        /* [text_size] what the function wrote; NULL in its call */
    size_t text_size;
    const char *const *ids; /* [rows] what rows are called, "" if a row is not called anything; NULL
                               without the option "id" */
} tlu_predictions;

typedef struct tlu_output tlu_output;
typedef int (*tlu_prediction_function)(void *context, const tlu_predictions *guesses,
                                       tlu_output *text);
/* Where to write up to `size` bytes more; NULL if out of memory. */
TLU_API char *tlu_output_reserve(tlu_output *text, size_t size);
/* `end` points past the last byte that was written there. With a pointer to anywhere else, the
   prediction fails as if out of memory. */
TLU_API void tlu_output_commit(tlu_output *text, const char *end);

TLU_API tlu_status tlu_reader_predict(tlu_reader *reader, int with_scores,
                                      tlu_prediction_function function, void *context,
                                      tlu_error *error);
TLU_API const tlu_predictions *tlu_reader_predictions(const tlu_reader *reader);
TLU_API const tlu_reader_stats *tlu_reader_get_stats(const tlu_reader *reader);
TLU_API void tlu_reader_close(tlu_reader *reader);

/* ---- Grade 2: metrics --------------------------------------------------------------------------

       tlu_metric_data said = {.size = sizeof said, .rows = 4, .classes = 2, .positive = 1};
       said.labels = said.guesses = y;
       tlu_metric_compute(&said, "f1", scores, &error);
*/

/* One table has every metric. */
typedef struct tlu_metric_info {
    const char *name;  /* "f1-macro"; "top-K" stands for top-1, top-2, ... */
    const char *help;  /* what it is, in one line */
    int higher;        /* 1: higher is better, 0: lower */
    const char *needs; /* "labels", and besides them "scores" or "probabilities" */
} tlu_metric_info;

TLU_API const tlu_metric_info *tlu_metric_at(size_t index); /* NULL past the end */
/* TLU_ERROR_INPUT for an unknown name, with the one that may have been meant. */
TLU_API tlu_status tlu_metric_find(const char *name, const tlu_metric_info **info,
                                   tlu_error *error);

/* What was said about some rows, and what is true. What no metric asks for may be NULL. */
typedef struct tlu_metric_data {
    size_t size; /* sizeof(tlu_metric_data) */
    size_t rows;
    size_t classes;              /* 2 or more */
    size_t positive;             /* of two classes */
    const uint32_t *labels;      /* [rows]: a class, TLU_UNKNOWN_LABEL, or TLU_NO_LABEL: left out */
    const uint32_t *guesses;     /* [rows] */
    const double *scores;        /* [rows] of the positive class, if there are two; else
                                    [rows][classes] */
    const double *probabilities; /* [rows][classes] */
    const double *weights;       /* [rows] how much a row counts, 0 or more; NULL: 1 each */
    const double *costs;         /* [classes][classes] of a guess (column) for a label (row) */
} tlu_metric_data;

/* *value is not a number if the metric is not defined for these rows: the area under the ROC curve,
   say, if a class has none. */
TLU_API tlu_status tlu_metric_compute(const tlu_metric_data *answers, const char *metric,
                                      double *value, tlu_error *error);
/* All metrics, in the order of the table, "top-K" as top-5: fills values[] up to `count`. Those
   that need what is not given are not a number. */
TLU_API tlu_status tlu_metric_compute_all(const tlu_metric_data *answers, double *values,
                                          size_t count, tlu_error *error);

/* A threshold on the scores, and where it is on the curve. */
typedef struct tlu_curve_point {
    double threshold; /* rows with this score or a higher one are taken for the class */
    double x, y;      /* "roc": false and true positive rate; "pr": precision and recall */
} tlu_curve_point;

/* ---- Grade 2: evaluation -----------------------------------------------------------------------

       tlu_evaluate(model, "spam.csv", NULL, &evaluation, &error);
       printf("accuracy %g\n", evaluation->accuracy);
       tlu_evaluation_free(evaluation);
*/

typedef struct tlu_class_quality {
    double precision, recall, f1; /* 0 if undefined */
    uint64_t support;             /* rows of the class */
} tlu_class_quality;

/* A metric's value. */
typedef struct tlu_metric_value {
    const char *name; /* "accuracy", "top-3" */
    double value;     /* not a number: not defined for these rows */
    int higher;       /* 1: higher is better, 0: lower */
} tlu_metric_value;

/* A row that the model is wrong about. */
typedef struct tlu_wrong_row {
    uint64_t row, line;  /* of the data, from 1 */
    size_t label, guess; /* classes of the model */
    double score;        /* of the guess */
    double margin;       /* what the guess has more of score than the label; of two classes the
                            score itself */
    double probability;  /* of the guess; not a number if the model has none */
    tlu_row example;     /* features by their numbers in the model: see tlu_model_explain */
    const char *text;    /* [text_size] the row as it is written; NULL in binary data */
    size_t text_size;
} tlu_wrong_row;

typedef struct tlu_evaluation {
    uint64_t examples; /* rows with a label */
    uint64_t correct;
    double accuracy;
    size_t classes;
    const uint64_t *confusion;          /* [classes][classes]: row is the truth, column the guess */
    const tlu_class_quality *per_class; /* [classes] */
    double auc;                         /* area under the ROC curve; NaN unless two classes */
    uint64_t ambiguous; /* rows that one versus rest or one versus one could not tell clearly */
    const tlu_reader_stats *reading; /* a row with an unknown label counts as an error */
    const unsigned char *right; /* [examples] 1 if the row, in the order of the data, was right */
    /* What the option "metric" names, and with "weighted" by the weights of the rows, as is auc:
       one metric or several, with commas between them; "all" is every row of the table, in which
       those are not a number that cannot be had of the model, or take more than 256 MB of scores.
     */
    size_t metric_count;
    const tlu_metric_value *metrics; /* [metric_count]; without the option accuracy */
    size_t wrong_count;
    const tlu_wrong_row *wrong; /* [wrong_count] the largest margin first: see tlu_evaluate_with */
    const uint64_t *guessed;    /* [classes] column sums of `confusion` */
} tlu_evaluation;

TLU_API tlu_status tlu_evaluate(const tlu_model *model, const char *path,
                                const tlu_options *options, tlu_evaluation **evaluation,
                                tlu_error *error);
TLU_API void tlu_evaluation_free(tlu_evaluation *evaluation);

/* The same with more. */
typedef struct tlu_evaluate_settings {
    size_t size; /* sizeof(tlu_evaluate_settings) */
    const char *path;
    size_t wrong; /* how many of the rows with the largest margin among the wrong ones to keep; rows
                     whose label the model does not know are not among them */
    int curves;   /* keep what tlu_evaluation_curve needs */
} tlu_evaluate_settings;

TLU_API tlu_status tlu_evaluate_with(const tlu_model *model, const tlu_evaluate_settings *settings,
                                     const tlu_options *options, tlu_evaluation **evaluation,
                                     tlu_error *error);
/* The points of a curve, "roc" or "pr" (precision and recall), as scikit-learn has them: of a class
   against the rest, of two classes that of the positive one alone. They are the caller's, who frees
   them with tlu_curve_free. */
TLU_API tlu_status tlu_evaluation_curve(const tlu_evaluation *evaluation, const char *kind,
                                        size_t class_index, tlu_curve_point **points, size_t *count,
                                        tlu_error *error);
TLU_API void tlu_curve_free(tlu_curve_point *points);
/* ---- Grade 2: a threshold of your choice -------------------------------------------------------

       tlu_threshold cut = {.size = sizeof cut, .aim = "precision", .value = 0.5};
       if (tlu_threshold_find(model, "spam.csv", NULL, &cut, &error) == TLU_OK)
           tlu_model_set_threshold(model, cut.threshold, &error);
*/

typedef struct tlu_threshold {
    size_t size;     /* sizeof(tlu_threshold) */
    const char *aim; /* "f1": as high as can be; "precision" or "recall": at least `value`, and the
                        other one as high as can be; "cost": as low as can be */
    double value;
    double false_positive, false_negative; /* what each such mistake costs */
    /* What was found: filled in. Of thresholds that are equally good, the highest. */
    double threshold;
    int on_probability; /* else it is one of scores: see tlu_model_has_threshold */
    double score;       /* the lowest that is called positive; infinite if all are, or none */
    uint64_t examples, positives;
    uint64_t called_positive, true_positives;
    double precision, recall, f1, accuracy, cost;
} tlu_threshold;

/* Looks for it on labelled rows, for a model of two classes. TLU_ERROR_INPUT with the best that can
   be had if the precision is out of reach. */
TLU_API tlu_status tlu_threshold_find(const tlu_model *model, const char *path,
                                      const tlu_options *options, tlu_threshold *cut,
                                      tlu_error *error);

/* ---- Grade 2: parts of a data set, cross-validation --------------------------------------------

       tlu_cross_validate("spam.csv", options, 2, 1, NULL, NULL, &validation, &error);
       printf("accuracy %g +- %g\n", validation->mean, validation->deviation);
       tlu_validation_free(validation);
*/

/* A data set dealt out at random into parts of the same size that have each class in the same
   proportion, by the option "seed". What can be read only once (standard input, a pipe) is kept in
   memory. With 1 part nothing is read yet. */
typedef struct tlu_split tlu_split;
TLU_API tlu_status tlu_split_new(const char *path, const tlu_options *options, size_t parts,
                                 tlu_split **split, tlu_error *error);
/* Deals the rows out again, in another way. */
TLU_API tlu_status tlu_split_shuffle(tlu_split *split, tlu_error *error);
TLU_API uint64_t tlu_split_row_count(const tlu_split *split);            /* 0 with 1 part */
TLU_API size_t tlu_split_row_part(const tlu_split *split, uint64_t row); /* of a row, from 0 */
/* Learns from all rows but those of a part: nothing in the model, names and labels included, comes
   from that part (whether a CSV column is one of numbers is a matter of the whole file). With
   TLU_NONE from all rows. */
TLU_API tlu_status tlu_split_train(const tlu_split *split, size_t part, const tlu_options *options,
                                   tlu_progress_function progress, void *context, tlu_model **model,
                                   tlu_error *error);
/* Measures on the rows of a part alone; with TLU_NONE on all. */
TLU_API tlu_status tlu_split_evaluate(const tlu_split *split, size_t part, const tlu_model *model,
                                      const tlu_options *options, tlu_evaluation **evaluation,
                                      tlu_error *error);
TLU_API void tlu_split_free(tlu_split *split);

typedef struct tlu_fold {
    uint64_t repeat, fold; /* from 1 */
    uint64_t learned;      /* rows learned from */
    uint64_t examples;     /* rows measured on */
    const uint64_t *rows;  /* [examples] their numbers in the file, from 1 */
    uint64_t correct;
    double accuracy;
    double seconds; /* of learning */
    double value;   /* of the metric; not a number if it is not defined for these rows */
} tlu_fold;

typedef struct tlu_validation {
    uint64_t rows, classes;
    size_t count;                 /* of folds, over all repeats */
    const tlu_fold *const *folds; /* [count] */
    double mean, deviation; /* of the metric over the folds; the deviation divides by one less */
    const char *metric;     /* that of the option "metric": "accuracy" */
    int higher;             /* 1: higher is better, 0: lower */
    size_t defined; /* folds for which the metric is defined: mean and deviation are theirs */
} tlu_validation;

/* Called after each fold. */
typedef int (*tlu_fold_function)(void *context, const tlu_fold *fold);

/* Stratified cross-validation: measures on each of `folds` parts what was learned from the others,
   `repeats` times over with another deal. The function may be NULL. TLU_ERROR_INPUT if the metric
   is not defined for any fold. */
TLU_API tlu_status tlu_cross_validate(const char *path, const tlu_options *options, size_t folds,
                                      size_t repeats, tlu_fold_function function, void *context,
                                      tlu_validation **validation, tlu_error *error);
TLU_API void tlu_validation_free(tlu_validation *validation);

/* ---- Grade 2: tuning ---------------------------------------------------------------------------

       tlu_tune_settings settings = {.size = sizeof settings, .path = "spam.csv", .folds = 2};
       if (tlu_tune(&settings, NULL, &tuning, &error) == TLU_OK)
           printf("%s\n", tuning->candidates[0]->name);
*/

/* Sets the learner, and options of it, by one word: "arow", "arow:r=0.1:epochs=3". A flag stands
   alone: "bernoulli-bayes:binarize". */
TLU_API tlu_status tlu_options_set_learner(tlu_options *options, const char *spec,
                                           tlu_error *error);

/* A learner with options, and how it did on the folds that it was measured on. */
typedef struct tlu_candidate {
    const char *name;           /* "logistic:rate=1:ngrams=2" */
    const tlu_options *options; /* all that tlu_train takes to give the model of it */
    size_t folds;               /* that it was measured on */
    double score;               /* the mean over these; not a number without any */
    double deviation;           /* over the folds; 0 with one */
    double seconds;             /* of its trainings */
    /* Why it was measured on no more folds: "done" (it was on all), "worse" (than the best, by a
       paired test), "halved", "budget", "time", "interrupted", "refused" (and `reason` says why),
       "skipped" (the budget or the time did not reach it). */
    const char *fate;
    const char *reason; /* NULL unless refused */
} tlu_candidate;

typedef struct tlu_tuning {
    size_t count;
    const tlu_candidate *const *candidates; /* [count] the best first */
    uint64_t rows, classes;
    size_t folds;
    uint64_t passes; /* over (folds - 1) / folds of the rows, that the trainings were allowed */
    size_t trainings;
    double seconds;      /* in all */
    double limit;        /* seconds that it was given; 0: no limit */
    const char *stopped; /* "done", "time" or "interrupted" */
    const char *metric;  /* that the scores are of: "accuracy", or what the option "metric" names */
} tlu_tuning;

typedef struct tlu_tune_progress {
    size_t fold, folds;        /* fold 1 of so many */
    size_t done, racing;       /* candidates measured on this fold, of so many */
    const tlu_candidate *best; /* NULL before the end of the first fold */
    double seconds;
    double seconds_left; /* at most; below 0 if unknown */
} tlu_tune_progress;

/* Called now and then by the thread that called tlu_tune. Stopping ends the tuning with the best so
   far; if nothing was measured on the first fold, with TLU_INTERRUPTED. */
typedef int (*tlu_tune_function)(void *context, const tlu_tune_progress *progress);

typedef struct tlu_tune_settings {
    size_t size; /* sizeof(tlu_tune_settings) */
    const char *path;
    /* Which to try, as tlu_options_set_learner takes them, with commas between; a name without
       options stands for several candidates. NULL: a choice of learners. */
    const char *learners;
    /* Passes over the training part of a fold that there may be in all; 0: as many as it takes.
       What is found with a budget, and no time, does not depend on the machine. */
    uint64_t budget;
    /* Seconds; 0: no limit with a budget, else what the size of the data makes sensible, as CPU
       time of the trainings on each thread. */
    double seconds;
    size_t folds;   /* 0: 5 */
    int exhaustive; /* measure every candidate on every fold, as long as budget and time allow */
    tlu_tune_function progress;
    void *progress_context;
} tlu_tune_settings;

/* Finds the learner and options that do best in cross-validation on the data: candidates race over
   the folds, and after each of them those that are significantly worse than the best and the worse
   half of the others are stopped (docs/tuning.md). The options given are those of all candidates.
   tlu_tuning_train with candidate 0 is then what to do. */
TLU_API tlu_status tlu_tune(const tlu_tune_settings *settings, const tlu_options *options,
                            tlu_tuning **tuning, tlu_error *error);
/* Trains a candidate on all rows: the model that tlu_train gives with its options. Standard input
   is not read again. */
TLU_API tlu_status tlu_tuning_train(const tlu_tuning *tuning, size_t candidate,
                                    tlu_progress_function progress, void *context,
                                    tlu_model **model, tlu_error *error);
TLU_API void tlu_tuning_free(tlu_tuning *tuning);

/* ---- Grade 2: training step by step ------------------------------------------------------------

       tlu_options_set(options, "learner", "perceptron", &error);
       tlu_trace("spam.csv", options, show_step, NULL, &model, &error);
*/

/* One example of a run. Its features are numbered from 0, those of all data read so far; its weight
   vectors ("columns") are one for two classes, else one per class, or one per pair (ovo). */
typedef struct tlu_step {
    uint64_t step, pass; /* from 1 */
    uint64_t row, line;  /* of the example in the file, from 1 */
    const char *label;
    const char *predicted; /* before the step; "" if that class has not been met yet */
    tlu_row example;       /* as the learner sees it: after --scale */
    size_t features;       /* read so far */
    size_t columns;
    const double *scores; /* [columns] before the step */
    int mistake, updated;
    int dual;           /* --kernel: coefficients of examples instead of weights */
    uint64_t examples;  /* of the data, if dual */
    const void *inside; /* for the functions below */
} tlu_step;

TLU_API size_t tlu_step_feature_name(const tlu_step *step, size_t feature, char *name, size_t size);
/* What a column speaks for (the positive class, its class, the later of its pair of classes), and
   in one versus one against which; else NULL. */
TLU_API const char *tlu_step_column_label(const tlu_step *step, size_t column,
                                          const char **against);
/* Weights after the step; 0 if dual. */
TLU_API double tlu_step_weight(const tlu_step *step, size_t column, size_t feature);
TLU_API double tlu_step_bias(const tlu_step *step, size_t column);
/* The coefficient of an example (its row, from 1) after the step; 0 if not dual. */
TLU_API double tlu_step_alpha(const tlu_step *step, size_t column, uint64_t row);

typedef int (*tlu_step_function)(void *context, const tlu_step *step);

/* Trains as tlu_train does and tells the function about every example, in the order of learning.
   For learners that go row by row. *model is the model that comes of it; `model` may be NULL. */
TLU_API tlu_status tlu_trace(const char *path, const tlu_options *options,
                             tlu_step_function function, void *context, tlu_model **model,
                             tlu_error *error);
/* The same for rows in memory, or a file; of the settings, the data alone is asked for. */
TLU_API tlu_status tlu_trace_with(const tlu_train_settings *settings, const tlu_options *options,
                                  tlu_step_function function, void *context, tlu_model **model,
                                  tlu_error *error);

/* ---- Grade 2: data sets made to order ----------------------------------------------------------

       tlu_recipe recipe = {.size = sizeof recipe};
       tlu_recipe_init("moons", &recipe, &error);
       tlu_generate(&recipe, write_bytes, stdout, &error);
*/

typedef struct tlu_recipe {
    size_t size;        /* sizeof(tlu_recipe) */
    const char *kind;   /* "line", "sparse", "margin", "blobs", "xor", "circle" or "moons" */
    const char *format; /* "libsvm" or "csv" */
    uint64_t rows;
    uint64_t features; /* sparse, margin, blobs; the others are plane figures */
    uint64_t nonzeros; /* per row (sparse) */
    uint64_t classes;  /* blobs */
    double noise;      /* the share of flipped labels; for moons and circle the spread */
    double margin;     /* margin: the least distance to the plane */
    double radius;     /* margin: the largest length of a row */
    uint64_t seed;
} tlu_recipe;

/* Takes the next bytes. */
typedef int (*tlu_write_function)(void *context, const char *bytes, size_t size);

/* Good values for a kind, into a recipe whose size is set; TLU_ERROR_INPUT for an unknown kind,
   naming those that there are. */
TLU_API tlu_status tlu_recipe_init(const char *kind, tlu_recipe *recipe, tlu_error *error);
TLU_API tlu_status tlu_generate(const tlu_recipe *recipe, tlu_write_function write, void *context,
                                tlu_error *error);

/* ---- Grade 2: data in another format -----------------------------------------------------------

       tlu_conversion conversion = {.size = sizeof conversion, .format = "libsvm"};
       conversion.write = write_bytes;
       tlu_convert("spam.csv", NULL, &conversion, &error);
*/

typedef struct tlu_conversion {
    size_t size;              /* sizeof(tlu_conversion) */
    const char *format;       /* "libsvm", "csv", "tsv" or "binary" */
    tlu_write_function write; /* gets the data */
    void *write_context;
    /* With "libsvm", if not NULL: gets a line per feature, its number, a tab and its name. */
    tlu_write_function write_names;
    void *names_context;
    /* What was converted: filled in. */
    uint64_t rows, nonzeros, features, classes, skipped;
} tlu_conversion;

/* Reads data as training does (rows of LIBSVM may lack a label) and writes it in another format.
   Features and labels that LIBSVM or CSV cannot express are an error, TLU_ERROR_INPUT. */
TLU_API tlu_status tlu_convert(const char *path, const tlu_options *options,
                               tlu_conversion *conversion, tlu_error *error);

/* ---- Grade 2: numbers as text, printable text, and texts that are nearly the same --------------

       char text[32];
       tlu_text_escape(text, sizeof text, "\033[2J", 4); // "\x1B[2J"
       printf("%s %zu\n", text, tlu_text_distance("epoch", "epochs"));
*/

/* A short text that reads back as the same double: "0.1", "-3", "1e+300"; "nan", "inf", "-inf".
   Writes at most 32 bytes with the NUL and returns the length. Does not ask the locale. */
TLU_API size_t tlu_number_format(char *text, double value);

/* Copies `length` bytes of text so that they are safe on a terminal and in a message. A control
   character below 128 and a byte that is not UTF-8 become "\x1B"; any other character that is not
   printable becomes "\u{202E}": controls, format characters (zero width, direction), line and
   paragraph separators, private use, noncharacters. Writes at most `size` bytes with the NUL, whole
   characters only. Returns the length of the whole result, as snprintf does. */
TLU_API size_t tlu_text_escape(char *out, size_t size, const char *text, size_t length);

/* Letters to put in, take out or replace to get from one text to the other (Levenshtein 1966), for
   messages that ask what was meant. SIZE_MAX if a text has more than 63 bytes, and they differ.
 */
TLU_API size_t tlu_text_distance(const char *a, const char *b);

/* ---- Grade 2: about this build -----------------------------------------------------------------

       if (tlu_version_number() != TLU_VERSION_NUMBER)
           printf("compiled for %s, linked with %s\n", TLU_VERSION, tlu_version());
*/

TLU_API const char *tlu_version(void);         /* TLU_VERSION of the library that is linked */
TLU_API int tlu_version_number(void);          /* likewise */
TLU_API const char *tlu_built_with(void);      /* "threads gzip zstd" */
TLU_API const char *tlu_instruction_set(void); /* "avx2": what is used of this CPU */

/* ---- Grade 3: learning from one example at a time ----------------------------------------------

       tlu_learner_new(NULL, &learner, &error);
       tlu_learner_learn(learner, mail, 2, "spam", 1, NULL, &error);
       tlu_learner_predict(learner, mail, 2, &label, NULL, &error);
*/

typedef struct tlu_learner tlu_learner;

/* A learner that knows nothing yet. Unless the options say otherwise it is pa2, decides as
   --decide adaptive and, if the first example has a value that is not a whole number from 0 to
   255, scales as --scale recent: what a stream does, and a file does not. Options about files
   (epochs, shuffle, holdout, standard scaling, balanced class weights) do not apply to a stream and
   are refused if they are not the default. */
TLU_API tlu_status tlu_learner_new(const tlu_options *options, tlu_learner **learner,
                                   tlu_error *error);
/* A learner that goes on where the model's training stopped. From the model of a stream it goes on
   with the same bits as if it had never stopped. One that was standardised goes on with its factors
   as those of --scale maxabs, and with what was subtracted in the bias. Models with a kernel, of
   --decide vote, random or best, of learners that look at all rows at once or with balanced class
   weights cannot go on. */
TLU_API tlu_status tlu_learner_resume(const tlu_model *model, tlu_learner **learner,
                                      tlu_error *error);
/* Learns from one example with weight 1 or another positive importance. New features and new
   classes are added. *mistake, if not NULL, tells whether the learner was wrong about it. */
TLU_API tlu_status tlu_learner_learn(tlu_learner *learner, const tlu_feature *features,
                                     size_t count, const char *label, double weight, int *mistake,
                                     tlu_error *error);
/* Predicts with the weights that decide: by default, adaptive, whichever of the last weights, their
   average and their recent average has been right most often lately. *label belongs to the learner
   and is NULL while it has met no class. *score, if not NULL, is the winner's. */
TLU_API tlu_status tlu_learner_predict(tlu_learner *learner, const tlu_feature *features,
                                       size_t count, const char **label, double *score,
                                       tlu_error *error);
/* A model of what has been learned so far; the learner goes on unchanged. It takes time in
   proportion to the number of weights. */
TLU_API tlu_status tlu_learner_make_model(const tlu_learner *learner, tlu_model **model,
                                          tlu_error *error);

/* What a learner has counted; after tlu_learner_resume, all passes of the training included. */
typedef struct tlu_learner_stats {
    uint64_t examples; /* learned from */
    uint64_t mistakes; /* about them, before they were learned */
    uint64_t updates;
    uint64_t features; /* as in tlu_report */
    uint64_t classes;
} tlu_learner_stats;

/* They stay as they are until the next call. */
TLU_API const tlu_learner_stats *tlu_learner_get_stats(tlu_learner *learner);
TLU_API void tlu_learner_free(tlu_learner *learner);

/* ---- Grade 3: a model that lives in a file and learns from a stream of text --------------------

       tlu_stream_open("live.tlu", NULL, NULL, &live, &error);
       tlu_stream_feed(live, "spam 3:1\nham 5:1\n", 17, 0, &used, &answers, &length, &error);
       tlu_stream_save(live, &error);
*/

/* Text in, predictions out. Rows in any format that tlu reads come in pieces of any size; each is
   predicted first and then, if it has a label, learned from. */
typedef struct tlu_stream tlu_stream;

typedef struct tlu_stream_stats {
    uint64_t rows;           /* predicted since opening */
    uint64_t examples;       /* of these with a label */
    uint64_t correct;        /* of these predicted right before they were learned from */
    uint64_t window;         /* of the last labelled rows, how many are looked at */
    uint64_t window_correct; /* and how many were right */
    uint64_t learned;        /* rows that the model has learned from in all its life */
    uint64_t replayed;       /* of these from the journal when it was opened */
    uint64_t skipped;        /* malformed rows left out (--skip-bad) */
    uint64_t features, classes;
    uint64_t slots;        /* --hash: how many there are; 0: names are not hashed */
    uint64_t slots_used;   /* of these a name fell on since opening */
    uint64_t slots_shared; /* and several names on these: collisions */
    /* Which weights decide, "last", "average" or "recent": with --decide adaptive those that have
       been right most often lately. */
    const char *decided_by;
} tlu_stream_stats;

/* Stopping ends the call after this row, with TLU_INTERRUPTED. */
typedef int (*tlu_stream_function)(void *context, const tlu_stream_stats *counts);

/* The journal of a model is beside its file; its name is the file's name plus this suffix. If the
   model's path is a symbolic link, the file is the one that the link points to. */
#define TLU_JOURNAL_SUFFIX ".journal"

typedef struct tlu_stream_settings {
    size_t size; /* sizeof(tlu_stream_settings) */
    /* Path of the journal, which keeps accepted rows until the model is saved; NULL: no journal.
       The model's own journal is at the model's path plus TLU_JOURNAL_SUFFIX. If you give another
       one, or none, the model's own must not have rows or be used by another process. */
    const char *journal;
    size_t window; /* labelled rows that the sliding accuracy is about; 0: 1000 */
    int scores;    /* print the score after the label */
    /* Called after 1, 2, 4, 8, ... labelled rows, wherever in a piece they are; NULL: not. */
    tlu_stream_function report;
    void *report_context;
    /* Print the probability of the label after it, and after the score if that is printed. A model
       whose scores do not have any must have been calibrated. */
    int probabilities;
} tlu_stream_settings;

/* Opens the model at `path`, or begins a new one if no file is there, with the options of training
   (a model keeps those it has; `settings` may be NULL). Rows of the journal that the model lacks
   are learned again; the journal of another model is an error. A model's file can be open only once
   at a time, under whatever name. */
TLU_API tlu_status tlu_stream_open(const char *path, const tlu_options *options,
                                   const tlu_stream_settings *settings, tlu_stream **live,
                                   tlu_error *error);
/* Takes the whole rows among the bytes, all of them if this is the end of the stream. *used of
   the bytes are done with; *text has a line for each row, until more are taken. With a journal,
   what was learned from is on the disk when this returns. After an error the rows before it are
   done, and *used and *text are about them. */
TLU_API tlu_status tlu_stream_feed(tlu_stream *stream, const char *bytes, size_t size, int end,
                                   size_t *used, const char **text, size_t *length,
                                   tlu_error *error);

/* Reads up to `size` bytes that are there by now: *got of them, 0 if there are none yet; *end:
   there will be none any more. It must not wait, and may be called by other threads, though never
   by two at a time. */
typedef int (*tlu_read_function)(void *context, char *bytes, size_t size, size_t *got, int *end,
                                 tlu_error *error);

enum {
    TLU_STREAM_WAIT, /* there is nothing more to read yet: wait for input */
    TLU_STREAM_MORE, /* there may be: call again */
    TLU_STREAM_END   /* the stream has ended */
};

/* As tlu_stream_feed, with bytes that `read` brings; what is not the whole of a row waits here. If
   rows come faster than they are learned from, other threads read and parse ahead of the learner,
   unless --threads is 1. *state is one of the above. To stop, let `read` bring nothing and call
   this until there is no more. After an error a model can be saved and closed. A stream is either
   pulled or taken, not both. */
TLU_API tlu_status tlu_stream_poll(tlu_stream *stream, tlu_read_function read, void *context,
                                   int *state, const char **text, size_t *length, tlu_error *error);
/* Saves the model, whole or not at all, and empties the journal. Until there are two classes there
   is nothing to save, and the journal stays. It is an error, and nothing is saved, if another
   program has replaced, changed or renamed the model since it was opened or saved. */
TLU_API tlu_status tlu_stream_save(tlu_stream *stream, tlu_error *error);
/* They stay as they are until the next call about this model. */
TLU_API const tlu_stream_stats *tlu_stream_get_stats(tlu_stream *stream);
/* What a new stream was taken for if its first rows leave room for doubt: "CSV with the label in
   column 'play'", say. NULL: no doubt, or no rows yet. */
TLU_API const char *tlu_stream_assumption(const tlu_stream *stream);
TLU_API void tlu_stream_close(tlu_stream *stream); /* does not save */

#ifdef __cplusplus
}
#endif

#endif
