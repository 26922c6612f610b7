/* tlu.h: linear classifiers of the perceptron family.

   libtlu learns classifiers from files, from rows in memory and from streams. A complete program:

       #include <stdio.h>
       #include <tlu.h>

       int main(void)
       {
           tlu_error error;
           tlu_model *model;
           const char *label;
           if (tlu_train("spam.csv", NULL, &model, &error) != TLU_OK ||
               tlu_model_predict_line(model, "offer,3", &label, NULL, &error) != TLU_OK)
               return fprintf(stderr, "%s\n", error.text), 1;
           puts(label);
           tlu_model_free(model);
       }

   Build it with: cc program.c $(pkg-config --cflags --libs tlu)

   The header has three grades. Use the first one that is sufficient.

   1. Train on a file, predict, save, load.
   2. Options, rows in memory, progress, readers, evaluation, explanation, tuning.
   3. Streams: learners that learn from one example, or one line of text, at a time.

   Each section begins with an example. scripts/check-header compiles and runs all of them. Three
   more headers belong to three more libraries: tlu_proof.h, tlu_logic.h and tlu_plot.h.

   ERRORS. Every function that can fail returns a tlu_status and takes a `tlu_error *error` as its
   last argument. If the status is not TLU_OK, *error has a sentence for the user, with file, line
   and column if input is to blame. Pointers to results are then NULL, and other results have no
   meaning. `error` may be NULL.

   RESULTS are passed in one of three ways.
   - A function that cannot fail returns its result. If something does not exist, such as a name or
     an index past the end, the result is NULL, TLU_NONE, 0 or NaN. A function called _is_, _has_ or
     _can_ returns 1 or 0. A function that copies text or an array to a buffer of a given capacity
     returns the full length, as snprintf does; the buffer may be NULL to ask for the length only.
   - A function that can fail writes numbers, arrays and structs of fixed size to memory of the
     caller. The comment states the length of each array.
   - It returns anything else as an object that the library allocates: the function takes a
     `tlu_x **x`, and the caller frees *x with tlu_x_free or tlu_x_close.

   ARGUMENTS. Objects, pointers to results and array lengths must be valid. The library checks
   everything else: an invalid row, index, class, number or text is TLU_ERROR_INPUT, and so is a
   required text that is NULL.

   SETTINGS are structs that the caller fills. The first field is `size`: set it to sizeof of the
   struct. A field that is 0 or NULL has its default. Fields that the library knows and your header
   does not are 0. A size that is 0, or larger than the library's, is TLU_ERROR_INPUT. The library
   only reads settings.

   VERSIONS. Later versions may add fields at the end of settings and of results that the library
   allocates. tlu_error, tlu_row, tlu_feature, tlu_batch, tlu_contribution, tlu_distance,
   tlu_support, tlu_class_quality, tlu_curve_point and tlu_calibration_curve never change.

   OWNERSHIP. A `const` pointer that a function returns belongs to the object that was passed to the
   function, and is valid as long as that object unless the comment says otherwise. Functions that
   free or close accept NULL.

   THREADS. A tlu_model is immutable: any number of threads may use it at the same time. Any other
   object may be used by one thread at a time. The library has no global state.

   CALLBACKS take their context first and return 0 to continue. Any other value stops the call. A
   call that has a partial result (a training, a cross-validation, a tuning, a trace) then succeeds
   with it; any other call fails with TLU_INTERRUPTED. A callback that gets a tlu_error may set its
   status and text: the call then fails with them.

   FLOATING POINT. The library computes in the default floating-point environment and restores the
   caller's when it returns, except for the exception flags. A callback runs in the environment of
   the call that it was passed to. Its changes to the environment are undone when it returns.

   Besides: The library never prints, exits or aborts, and ignores the locale. Strings are UTF-8, or
   any bytes without NUL. Indices start at 0.
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

#define TLU_VERSION "0.2.0"
#define TLU_VERSION_NUMBER 200 /* major * 10000 + minor * 100 + patch */

/* ---- Grade 1: train, predict, save, load -------------------------------------------------------

       if (tlu_train("spam.csv", NULL, &model, &error) == TLU_OK &&
           tlu_model_predict_line(model, "offer,3", &label, NULL, &error) == TLU_OK)
           tlu_model_save(model, "spam.tlu", &error);
*/

typedef enum tlu_status {
    TLU_OK = 0,
    TLU_ERROR_INPUT = 2,  /* data, options or arguments are wrong; the text says where and why */
    TLU_ERROR_SYSTEM = 3, /* the machine failed: memory, disk, threads */
    TLU_INTERRUPTED = 4   /* a callback stopped the call, and there is no result */
} tlu_status;

typedef struct tlu_error {
    tlu_status status;
    uint64_t line;   /* from 1; 0: no line is to blame */
    uint64_t column; /* from 1, in bytes; 0: no column is to blame */
    char file[256];  /* "": no file is to blame */
    char text[1024]; /* "FILE:LINE:COLUMN: what is wrong; what to do": one line, safe to print (see
                        tlu_text_escape) */
} tlu_error;

typedef struct tlu_model tlu_model;
typedef struct tlu_options tlu_options;

/* Trains a model on a file, which may be compressed (.gz, .zst); "-" is standard input. The format
   is recognised by content; the option "format" lists the formats. `options` may be NULL for the
   defaults; the option "learner", "auto", then chooses by the kind of data, and the model has the
   learner and the options that were chosen (tlu_model_learner, tlu_model_options). */
TLU_API tlu_status tlu_train(const char *path, const tlu_options *options, tlu_model **model,
                             tlu_error *error);

/* Predicts one row that is written as in the training file, with or without its label. *label
   belongs to the model. `scores` is NULL or has tlu_model_score_count() elements. */
TLU_API tlu_status tlu_model_predict_line(const tlu_model *model, const char *line,
                                          const char **label, double *scores, tlu_error *error);

/* Saves the model. The file is replaced as a whole or, after an error, not at all: the library
   writes a temporary file in the same folder, calls fsync and renames it. */
TLU_API tlu_status tlu_model_save(const tlu_model *model, const char *path, tlu_error *error);
/* Loads a model of any released version of tlu. The file may be untrusted. */
TLU_API tlu_status tlu_model_load(const char *path, tlu_model **model, tlu_error *error);

/* Saves to memory: the caller frees *bytes with tlu_bytes_free. */
TLU_API tlu_status tlu_model_save_bytes(const tlu_model *model, void **bytes, size_t *size,
                                        tlu_error *error);
TLU_API void tlu_bytes_free(void *bytes);
TLU_API tlu_status tlu_model_load_bytes(const void *bytes, size_t size, tlu_model **model,
                                        tlu_error *error);

TLU_API void tlu_model_free(tlu_model *model);

/* ---- Grade 2: options --------------------------------------------------------------------------

       if (tlu_options_new(&options, &error) == TLU_OK &&
           tlu_options_set(options, "epochs", "20", &error) == TLU_OK)
           tlu_train("spam.csv", options, &model, &error);
*/

typedef enum tlu_option_type {
    TLU_OPTION_FLAG,   /* "yes" or "no" */
    TLU_OPTION_COUNT,  /* an integer from `min` to `max` */
    TLU_OPTION_NUMBER, /* a finite number from `min` to `max` */
    TLU_OPTION_RANGE,  /* a number, or two numbers as A:B */
    TLU_OPTION_CHOICE, /* one of `choices` */
    TLU_OPTION_TEXT,   /* any text */
    TLU_OPTION_LIST,   /* items separated by commas; setting the option again appends */
    TLU_OPTION_SIZE    /* a number of bytes; a suffix K, M, G or T multiplies by a power of 1024 */
} tlu_option_type;

/* A row of the table of options. The command line, the help texts, the man pages, the model file
   and the bindings are made from this table. */
typedef struct tlu_option_info {
    const char *name;  /* "epochs", for tlu_options_set or --epochs */
    const char *group; /* "data"; "reading" (data options that prediction also uses); "learning";
                          "measuring"; "output" (columns that a prediction copies to its output) */
    tlu_option_type type;
    const char *argument; /* name of the value in help texts: "N"; NULL for a flag */
    const char *value;    /* the default as text; "": no default */
    const char *choices;  /* "later|all|none"; NULL unless TLU_OPTION_CHOICE */
    double min, max;      /* for counts and numbers */
    const char *help;     /* one sentence, without the default */
} tlu_option_info;

TLU_API size_t tlu_option_count(void);
TLU_API const tlu_option_info *tlu_option_at(size_t index);       /* NULL past the end */
TLU_API const tlu_option_info *tlu_option_find(const char *name); /* NULL if unknown */

/* Makes options that have their defaults. */
TLU_API tlu_status tlu_options_new(tlu_options **options, tlu_error *error);
TLU_API tlu_status tlu_options_set(tlu_options *options, const char *name, const char *value,
                                   tlu_error *error);
/* Sets the learner and some of its options: "arow", "arow:r=0.1:epochs=3". A flag has no value:
   "bernoulli-bayes:binarize". */
TLU_API tlu_status tlu_options_set_learner(tlu_options *options, const char *spec,
                                           tlu_error *error);
/* Resets an option to its default. This is the way to empty a list. */
TLU_API tlu_status tlu_options_clear(tlu_options *options, const char *name, tlu_error *error);
/* Returns the value as text that tlu_options_set accepts; NULL if the name is unknown. The text is
   valid until the option changes. */
TLU_API const char *tlu_options_get(const tlu_options *options, const char *name);
/* Copies the value that an option has if it is not set, given the learner and the kernel of these
   options. */
TLU_API size_t tlu_options_default(const tlu_options *options, const char *name, char *value,
                                   size_t size);
/* Copies the reason why an option has no effect, given the other options: "--epochs has no effect
   with rocchio, ...". The text is empty if the option has an effect. */
TLU_API size_t tlu_options_no_effect(const tlu_options *options, const char *name, char *reason,
                                     size_t size);
TLU_API void tlu_options_free(tlu_options *options);

/* Data in memory for functions that take a path and options. */
typedef struct tlu_data {
    size_t size;      /* sizeof(tlu_data) */
    const char *name; /* the path that stands for the data; messages and reports have it, too */
    /* Exactly one of the following two. */
    const char *bytes;           /* [byte_count] the content of a file */
    const struct tlu_rows *rows; /* messages have the number of a row in place of a line */
    size_t byte_count;
} tlu_data;

/* Functions that are given these options and the path `name` read this data, as often as they need
   it, instead of a file. It must stay valid and unchanged while these options are used, and also
   the results that refer to them, such as tlu_tuning; models do not. NULL: no data. */
TLU_API tlu_status tlu_options_set_data(tlu_options *options, const tlu_data *data,
                                        tlu_error *error);

/* Copies a sentence about two options that cannot be combined. Indices start at 0; the text is
   empty past the end. */
TLU_API size_t tlu_conflict_at(size_t index, char *text, size_t size);

/* ---- Grade 2: the table of learners ------------------------------------------------------------

       const tlu_learner_info *info;
       for (size_t i = 0; (info = tlu_learner_at(i)) != NULL; i++)
           printf("%s: %s\n", info->name, info->summary);
*/

typedef struct tlu_learner_info {
    const char *name;      /* "perceptron" */
    const char *summary;   /* its purpose, in one line */
    const char *reference; /* its publication */
    const char *options;   /* the learning options that it has, separated by spaces */
    const char *defaults;  /* defaults that differ from the table of options: "rate=0.1
                              schedule=adagrad"; "C=-": no default; leaving it out has a meaning */
    const char *decisions; /* "average last": the default first */
    const char *spaces;    /* "primal dual" */
    const char *schemes;   /* "wta ovr ovo", for more than two classes */
    /* 1: one pass that only counts or sums; 2: updates on mistakes; 3: updates on small margins;
       4: a second number per weight, or a loss to minimise; 5: optimises over all rows;
       6: layers. */
    int complexity;
} tlu_learner_info;

TLU_API const tlu_learner_info *tlu_learner_at(size_t index); /* NULL past the end */

/* A row of the table of data formats. */
typedef struct tlu_format_info {
    const char *names;   /* values of the option "format", separated by |: "csv|tsv" */
    const char *help;    /* what it is, in one line */
    const char *example; /* a row, or two lines if there is a header */
} tlu_format_info;

TLU_API const tlu_format_info *tlu_format_at(size_t index); /* NULL past the end */

/* ---- Grade 2: rows in memory -------------------------------------------------------------------

       tlu_rows rows = {.size = sizeof rows, .rows = 4, .columns = 2, .values = x, .labels = y};
       tlu_train_settings settings = {.size = sizeof settings, .rows = &rows};
       tlu_train_with(&settings, NULL, &model, &error);
*/

/* Labelled rows. Row i has the entries offsets[i] to offsets[i + 1] - 1, in any order; a feature
   occurs at most once. Training gives the same model as the same rows in a LIBSVM file. (The option
   "max-features" is an exception: it drops names after each block of rows.) */
typedef struct tlu_rows {
    size_t size; /* sizeof(tlu_rows) */
    size_t rows;
    const uint64_t *offsets; /* [rows + 1]; NULL: each row has `columns` entries */
    size_t columns;
    const uint32_t *features;       /* [entries]; NULL: each row has the features 0, 1, 2, ..., and
                                       without feature_names a 0 counts as left out */
    const float *values;            /* [entries]; NULL: every value is 1 */
    const uint32_t *labels;         /* [rows] */
    const char *const *label_names; /* [label_count]; NULL: the name of a label is its number */
    size_t label_count;
    const float *weights; /* [rows] importance weights, 0 or more; NULL: all are 1 */
    const char *const
        *feature_names; /* [feature_count]; NULL: the name of a feature is its number */
    size_t feature_count;
    /* [rows + 1], for the option "multilabel": row i has the labels labels[label_offsets[i]] to
       labels[label_offsets[i + 1] - 1], each at most once; NULL: each row has one. */
    const uint64_t *label_offsets;
    /* Without feature_names: the name of feature i is i + first_feature. With 1, column j of an
       array is LIBSVM's index j + 1. */
    uint32_t first_feature;
    const double *doubles; /* [entries] instead of `values`; each is rounded to a float */
    /* Without offsets: entry j of row i is at i * row_stride + j * column_stride; both 0: columns
       and 1. With 1 and `rows`, the array is stored by columns (Fortran, MATLAB). */
    size_t row_stride, column_stride;
} tlu_rows;

/* Provides the next rows: sets *rows, or leaves it NULL at the end of the data. The rows must stay
   valid until the next call. If an array of feature names is passed again, its names must be the
   same. Each block of rows is requested once, even if there are several passes. */
typedef int (*tlu_rows_function)(void *context, const tlu_rows **rows, tlu_error *error);

/* ---- Grade 2: training with settings -----------------------------------------------------------

       tlu_train_settings settings = {.size = sizeof settings, .path = "spam.csv"};
       settings.progress = show_progress;
       tlu_train_with(&settings, options, &model, &error);
*/

typedef struct tlu_progress {
    uint64_t pass, passes;            /* current pass, from 1, and the maximum */
    uint64_t examples;                /* learned from in this pass */
    uint64_t examples_expected;       /* in a pass; 0: unknown */
    uint64_t mistakes;                /* in this pass so far */
    uint64_t bytes, bytes_expected;   /* of the (compressed) file; expected 0: unknown */
    double seconds;                   /* since the start */
    double work, work_expected;       /* done, and in total, in any unit; expected 0: unknown */
    double seconds_left;              /* estimated from these two; negative: unknown */
    uint64_t planes, planes_expected; /* max-margin: hyperplanes found and to find; otherwise 0 */
    double gap;           /* max-margin: relative gap of the current hyperplane; the goal is 1e-6 */
    uint64_t fold, folds; /* --calibrate: current fold, from 1; 0: training of the model itself */
} tlu_progress;

/* Called several times per second. Stopping ends training early, with the model so far. If nothing
   was learned yet, the call fails with TLU_INTERRUPTED. */
typedef int (*tlu_progress_function)(void *context, const tlu_progress *progress);

/* What one process sends to another. */
typedef struct tlu_message {
    const void *bytes;
    size_t size;
} tlu_message;

/* Sends sent[i] to process i, and sets received[i] to what process i has sent to this one, for all
   `ranks` processes, this one included. The bytes are valid until the next call. Every process
   makes the same calls. May fill *error. */
typedef int (*tlu_exchange_function)(void *context, const tlu_message *sent, tlu_message *received,
                                     tlu_error *error);

/* The processes that train one model, in any kind of parallel program (tlu train uses MPI). */
typedef struct tlu_team {
    size_t size;        /* sizeof(tlu_team) */
    size_t rank, ranks; /* number of this process, from 0, and number of processes */
    tlu_exchange_function exchange;
    void *exchange_context;
} tlu_team;

/* A step that all processes of a team make: each says whether it has failed, with *own, whose
   status is TLU_OK if not. Returns the first error of all. */
TLU_API tlu_status tlu_team_join(const tlu_team *team, const tlu_error *own, tlu_error *error);

typedef struct tlu_train_settings {
    size_t size; /* sizeof(tlu_train_settings) */
    /* The data: exactly one of path, rows, next_rows and bytes. */
    const char *path; /* as for tlu_train */
    const tlu_rows *rows;
    tlu_rows_function next_rows;
    void *next_context;
    const char *name; /* of data in memory, for messages and the report; NULL: "rows". The line in a
                         message about `rows` is the number of the row. */
    tlu_progress_function progress;
    void *progress_context;
    /* A model whose training was interrupted (tlu_model_can_resume), to continue with the same
       data. The result is the same, bit for bit, as without the interruption. The options are those
       of the model; "threads", "memory" and "epochs" may be changed, and any other option that is
       set must have the same value. If "epochs" is larger than the number of passes so far, a
       training that completed its passes continues, too, if the model has the state for it. */
    const tlu_model *resume;
    /* A file to save the model to every checkpoint_seconds, as tlu_model_save does. If the process
       is killed, training can resume from this file. If the file cannot be written, training fails.
       If the training could not be resumed (see tlu_model_can_resume), it does not start. */
    const char *checkpoint;
    double checkpoint_seconds;
    /* A model from which training goes on with other rows, such as a mixture (tlu_model_mix): the
       first example finds its weights, averages and counts, its classes and features have the first
       numbers, and values are scaled as it says. The options are those of the model, but for one
       pass; options that do not change what weights mean, such as "epochs", "rate" and "shuffle",
       may be set. The report is about this training alone. It cannot be interrupted and resumed. */
    const tlu_model *start;
    /* Trains in several processes, each of which makes this call with the same options and its own
       rows: if the option "part" is not set, the part of its rank of the data. After each pass, or
       each `mix_every` rows of a process if that is not 0, the weights of all become their mean,
       weighted by rows as tlu_model_mix does. All processes get the same model, or the same error.
       With one process the result is that of a training without a team. Checkpoints are made
       between passes, by process 0; `resume` has to be the same model in all processes. */
    const tlu_team *team;
    uint64_t mix_every;
    const char *bytes; /* [byte_count] instead of a path: the content of a file in memory */
    size_t byte_count;
    /* [weight_count] factors of the weights of the rows of a path or of `bytes`, in the order of
       the data, 0 or more; NULL: none. Their number must be that of the rows. They cannot be
       combined with the option "calibrate". */
    const float *weights;
    uint64_t weight_count;
    /* Of a team: which processes have a say in the mean of a weight. "rows" or NULL: all, by their
       rows. "cells": those that have changed this weight since the last mixture, by their rows. */
    const char *mix_weights;
} tlu_train_settings;

TLU_API tlu_status tlu_train_with(const tlu_train_settings *settings, const tlu_options *options,
                                  tlu_model **model, tlu_error *error);

/* Whether the training of the model was interrupted and can be resumed, also after saving and
   loading. *pass is the pass that was interrupted, from 1, and *examples the number of examples
   learned from in it; both pointers may be NULL. Training with --max-features and learners that
   optimise over all rows cannot be resumed. */
TLU_API int tlu_model_can_resume(const tlu_model *model, uint64_t *pass, uint64_t *examples);

/* ---- Grade 2: the training report --------------------------------------------------------------

       const tlu_report *report = tlu_model_report(model);
       for (size_t i = 0; i < report->notices; i++)
           printf("note: %s\n", report->notice[i]);
*/

/* The model file stores the report, except for the notices and the times. */
typedef struct tlu_report {
    uint64_t examples; /* rows learned from in a pass, without held-out rows */
    uint64_t held_out; /* rows */
    uint64_t nonzeros; /* entries of all rows */
    uint64_t features; /* columns of the data: the highest index of LIBSVM, or the number of names;
                          with --hash the slots that have a weight */
    uint64_t classes;
    uint64_t epochs;          /* completed passes */
    const uint64_t *mistakes; /* [epochs] */
    uint64_t updates;         /* over all passes */
    const double
        *held_out_accuracy; /* [epochs] values of held_out_metric; NULL without --holdout */
    uint64_t best_epoch;    /* --holdout: the pass that the model comes from, from 1; else epochs */
    int converged;          /* the last pass made no mistake and no update */
    const char *stopped; /* "converged", "epochs", "patience", "interrupted", "cycle", "solved" */
    uint64_t cycle;      /* "cycle": number of passes after which the weights repeat; else 0 */
    /* Error rate of the first pass: each row is predicted before training on it. This estimates the
       error on new rows if the order of the rows is random. -1: a stream, or a learner that
       optimises over all rows. */
    double progressive_error;
    int sorted_by_class; /* rows are sorted by class: progressive_error estimates nothing */
    /* Error rate of the last pass, on rows that were used for training before; -1: there was only
       one pass. */
    double training_error;
    /* Bound on the expected error of the vote, 2k/(m + 1), or of one random pick, k/(m + 1), with k
       mistakes among m rows (Freund and Schapire 1999, theorem 3, where k is the number expected
       among m + 1 rows). -1 unless the decision is vote or random, after a single pass over rows
       that are not sorted by class, with ties as mistakes and two classes or wta. */
    double bound;
    double margin;             /* max-margin without --C: distance of the nearest row; else 0 */
    double soft_margin;        /* max-margin with --C: 1/|w|; rows may be nearer; else 0 */
    uint64_t supports;         /* training rows in the model: of a kernel, a vote or max-margin */
    uint64_t skipped;          /* malformed rows (--skip-bad) */
    uint64_t slots_used;       /* --hash: slots that have a name; 0 in a loaded model */
    uint64_t slots_shared;     /* --hash: slots that have several names; 0 in a loaded model */
    const char *data;          /* name of the file without its folder */
    const char *format;        /* a value of the option "format", or "stream" */
    size_t notices;            /* remarks for the user, one sentence each */
    const char *const *notice; /* [notices] */
    double seconds_read, seconds_learn, seconds_total; /* 0 in a loaded model */
    const char *held_out_metric;                       /* "accuracy", or the value of --metric */
    uint64_t counted_epochs; /* passes in averages and votes: epochs, or with --stop epochs also
                                those that were not made because they change nothing or repeat */
    /* A learner that solves an optimisation problem: the objective, summed over the hyperplanes,
       and the largest relative duality gap of one, by how much its objective can be above the least
       possible. 0: another learner, or a loaded model. */
    double objective, gap;
    const char *learner_reason; /* why --learner auto chose the learner: "for texts, with
                                   --tfidf"; NULL: it was named, or a loaded model */
    /* Training in several processes (tlu_train_settings.team): their number, how often the weights
       were mixed, the bytes that this process sent for it, those that it would have sent if all
       weights were sent, and the time. 0 after training in one process, or in a loaded model. */
    uint64_t processes, mixtures, mixture_bytes, mixture_bytes_dense;
    double seconds_mixed;
} tlu_report;

TLU_API const tlu_report *tlu_model_report(const tlu_model *model);

/* ---- Grade 2: the contents of a model ----------------------------------------------------------

       size_t spam = tlu_model_class_find(model, "spam");
       size_t offer = tlu_model_feature_find(model, "word=offer");
       printf("%g\n", tlu_model_weight(model, spam, offer));
*/

#define TLU_NONE ((size_t)-1) /* no class, no feature, no part */

TLU_API const tlu_options *tlu_model_options(const tlu_model *model);
TLU_API const char *tlu_model_version(const tlu_model *model); /* of the tlu that trained it */
TLU_API const char *tlu_model_learner(const tlu_model *model);
TLU_API const char *tlu_model_decision(const tlu_model *model);
/* The weights that predict: for the decision "adaptive" one of "last", "average" and "recent", else
   the decision. */
TLU_API const char *tlu_model_decided_by(const tlu_model *model);
/* "two", "wta", "ovr", "ovo" or "multilabel". */
TLU_API const char *tlu_model_scheme(const tlu_model *model);
/* 1 if the model was trained with the option "multilabel": it predicts any number of labels. */
TLU_API int tlu_model_is_multilabel(const tlu_model *model);
/* The value of the option "label-separator". */
TLU_API const char *tlu_model_label_separator(const tlu_model *model);

/* Classes are ordered by label: numeric labels by value, then text by its bytes. */
TLU_API size_t tlu_model_class_count(const tlu_model *model);
TLU_API const char *tlu_model_class_label(const tlu_model *model, size_t class_index);
TLU_API uint64_t tlu_model_class_examples(const tlu_model *model, size_t class_index);
TLU_API size_t tlu_model_class_find(const tlu_model *model, const char *label);
/* The CSV column of the labels, or the member of JSON records; NULL if the data was neither. */
TLU_API const char *tlu_model_label_column(const tlu_model *model);
/* The column of texts of such data if no other column has features, else NULL. Then the format
   "text", each line a text, reads rows for the model. */
TLU_API const char *tlu_model_text_column(const tlu_model *model);
/* How training chose that column: see tlu_data_facts. NULL: unknown, as in a loaded model. */
TLU_API const char *tlu_model_label_reason(const tlu_model *model);
/* The positive class of a two-class model; TLU_NONE with more classes. */
TLU_API size_t tlu_model_positive_class(const tlu_model *model);

TLU_API size_t tlu_model_feature_count(const tlu_model *model);
TLU_API size_t tlu_model_feature_name(const tlu_model *model, size_t feature, char *name,
                                      size_t size);
TLU_API size_t tlu_model_feature_find(const tlu_model *model, const char *name);

/* The factor of the feature's value, as it is in the data, in the score of the class. In a
   two-class model the weights of the negative class are those of the positive class with opposite
   sign. A model without weights (tlu_model_has_weights) gives 0. */
TLU_API double tlu_model_weight(const tlu_model *model, size_t class_index, size_t feature);
/* Copies the weights of all features. */
TLU_API size_t tlu_model_weights(const tlu_model *model, size_t class_index, double *weights,
                                 size_t capacity);
/* The weight of the scaled feature. Use it to compare features if the model scales its data;
   otherwise it equals tlu_model_weight. */
TLU_API double tlu_model_scaled_weight(const tlu_model *model, size_t class_index, size_t feature);
TLU_API double tlu_model_bias(const tlu_model *model, size_t class_index);
TLU_API int tlu_model_is_scaled(const tlu_model *model);
/* 0 for a model with a kernel or with layers. */
TLU_API int tlu_model_has_weights(const tlu_model *model);
/* Computes weights[tlu_model_feature_count()] and the bias of a class for a model with the kernel
   "linear", which has alphas instead: w is the sum of alpha l x over its examples, l being 1 or -1.
   They are for values as they are in the data. Other models: TLU_ERROR_INPUT. */
TLU_API tlu_status tlu_model_kernel_weights(const tlu_model *model, size_t class_index,
                                            double *weights, double *bias, tlu_error *error);
/* Naive Bayes: the natural logarithms that the weights of a class consist of. present[features] has
   p_i = log P(x_i = 1 | class) / P(x_i = 1 | rest), absent[features] the same for x_i = 0, q_i, and
   *prior is log P(class) / P(rest). With winner takes all the rest is left out. The weight w_i is
   p_i - q_i; the bias is the prior plus the sum of all q_i. For multinomial-bayes p_i is the weight
   and q_i is 0. TLU_ERROR_INPUT for other learners and for models of version 0.1.0. */
TLU_API tlu_status tlu_model_log_odds(const tlu_model *model, size_t class_index, double *present,
                                      double *absent, double *prior, tlu_error *error);
/* Copies the sizes of the layers of an mlp: inputs, hidden layers, outputs. Other models have 0
   layers. */
TLU_API size_t tlu_model_layers(const tlu_model *model, size_t *sizes, size_t capacity);

/* A training row that the model contains. Models with a kernel, votes and max-margin have such
   rows. */
typedef struct tlu_support {
    uint64_t line;      /* of the training file; 0: unknown */
    size_t class_index; /* multilabel: the first of its labels; TLU_NONE if it has none */
    double alpha;       /* sum of its absolute coefficients over the classes */
} tlu_support;

TLU_API size_t tlu_model_support_count(const tlu_model *model);
/* Supports are ordered by alpha, the highest first. */
TLU_API tlu_status tlu_model_support(const tlu_model *model, size_t index, tlu_support *support,
                                     tlu_error *error);

/* ---- Grade 2: mixing models --------------------------------------------------------------------

       const tlu_model *parts[] = {model, model};
       tlu_model *mixed;
       if (tlu_model_mix(parts, 2, NULL, &mixed, &error) == TLU_OK) tlu_model_free(mixed);
*/

typedef struct tlu_mix_settings {
    size_t size; /* sizeof(tlu_mix_settings) */
    /* The weight of a model: "rows" (the default), the number of rows that it learned from in a
       pass; "updates", the number of its updates; "equal". A model trained with `start` counts
       those since its start, and a mixture the sums. */
    const char *weights;
} tlu_mix_settings;

/* Makes the weighted mean of models that were trained on different rows with the same options: the
   mixture has the classes and features of all of them, and a weight that a model lacks is 0 there.
   The average of weights over all examples is exact, and learners with variances are weighted by
   precision. The order of the models does not matter, and the mixture of a model with itself has
   its weights. TLU_ERROR_INPUT if the models cannot be mixed: with kernels, layers, votes, learners
   that solve for all rows at once, different scaling, calibration or thresholds. To train on, see
   tlu_train_settings.start. `settings` may be NULL. */
TLU_API tlu_status tlu_model_mix(const tlu_model *const *models, size_t count,
                                 const tlu_mix_settings *settings, tlu_model **mixed,
                                 tlu_error *error);

/* ---- Grade 2: predicting rows ------------------------------------------------------------------

       tlu_feature mail[] = {{"word=offer", 1}, {"count", 3}};
       if (tlu_model_predict_named(model, mail, 2, &class_index, NULL, &error) == TLU_OK)
           printf("%s\n", tlu_model_class_label(model, class_index));
*/

/* A row: features by their index in the model, in any order, each at most once. Rows in ascending
   order are checked fastest. Features that are left out are 0. (With --binarize every entry is 1,
   even if its value is 0.) Features that the model does not have are ignored, as in files. */
typedef struct tlu_row {
    size_t count;
    const uint32_t *features; /* [count]; NULL: 0, 1, 2, ..., count - 1 */
    const float *values;      /* [count] finite; NULL: every value is 1 */
} tlu_row;

/* A feature by its name in the data: "17" in LIBSVM, "age" or "outlook=rainy" in CSV. */
typedef struct tlu_feature {
    const char *name;
    double value;
} tlu_feature;

/* A two-class model has 1 score, that of the positive class. It predicts the positive class if the
   score is at least 0, or as its threshold says. With more classes there is one score per class,
   and the class with the highest score wins (the first one of equal scores). The scores of one
   versus one are votes. A multilabel model has one score per label, too: tlu_model_labels tells
   which labels they predict; functions that predict a class give the one with the highest score. */
TLU_API size_t tlu_model_score_count(const tlu_model *model);

/* Predicts a row: sets *class_index and, unless `scores` is NULL, scores[tlu_model_score_count()].
   A score that overflows is TLU_ERROR_INPUT. After an error *class_index is TLU_NONE. */
TLU_API tlu_status tlu_model_predict(const tlu_model *model, const tlu_row *row,
                                     size_t *class_index, double *scores, tlu_error *error);

/* Copies to `classes` the classes that a multilabel model predicts from the scores of a row, in
   ascending order: those whose score is at least 0 or, if the model has thresholds, whose score or
   probability is at least the threshold of the label. Returns their number, of which at most
   `capacity` are copied; 0 for other models. */
TLU_API size_t tlu_model_labels(const tlu_model *model, const double *scores, uint32_t *classes,
                                size_t capacity);

typedef struct tlu_predict_settings {
    size_t size;          /* sizeof(tlu_predict_settings) */
    const tlu_rows *rows; /* features by name or number, as in training; labels and weights are not
                             used. Features that the model does not have are ignored. */
    size_t threads;       /* 0: one per core; the result does not depend on it */
    /* The results, each NULL or an array of the caller. */
    uint32_t *classes;     /* [rows] */
    double *scores;        /* [rows][tlu_model_score_count()] */
    double *probabilities; /* [rows][tlu_model_class_count()] as of tlu_model_probabilities */
} tlu_predict_settings;

/* Predicts rows in memory with several threads. A message names the row, counted from 1. */
TLU_API tlu_status tlu_model_predict_rows(const tlu_model *model,
                                          const tlu_predict_settings *settings, tlu_error *error);

/* Predicts features by name. Names that the model does not know are ignored. */
TLU_API tlu_status tlu_model_predict_named(const tlu_model *model, const tlu_feature *features,
                                           size_t count, size_t *class_index, double *scores,
                                           tlu_error *error);

/* Predicts all rows of a batch: fills classes[rows], scores[rows][tlu_model_score_count()] and
   ambiguous[rows]; the last two may be NULL. For models with a kernel or a vote this is faster than
   one row at a time. A row is ambiguous if one versus rest finds no class or several, or if several
   classes of one versus one have the most votes. */
typedef struct tlu_batch tlu_batch;
TLU_API tlu_status tlu_model_predict_batch(const tlu_model *model, const tlu_batch *batch,
                                           uint32_t *classes, double *scores, char *ambiguous,
                                           tlu_error *error);

/* ---- Grade 2: explaining a prediction ----------------------------------------------------------

       tlu_contribution strongest[3];
       if (tlu_model_explain(model, &row, 0, strongest, 3, &count, &error) == TLU_OK && count)
           printf("feature %zu adds %g\n", strongest[0].feature, strongest[0].amount);
*/

typedef struct tlu_contribution {
    size_t feature; /* TLU_NONE: the bias */
    double value;   /* as in the data */
    double amount;  /* what the feature adds to the score: weight times value */
} tlu_contribution;

/* Finds the contributions to the score of a class that have the largest absolute amounts, in
   descending order, and sets *count, at most `capacity`. The amounts of all features and the bias
   add up to the score. A model with a kernel has no contributions: TLU_ERROR_INPUT. */
TLU_API tlu_status tlu_model_explain(const tlu_model *model, const tlu_row *row, size_t class_index,
                                     tlu_contribution *contributions, size_t capacity,
                                     size_t *count, tlu_error *error);

/* ---- Grade 2: probabilities --------------------------------------------------------------------

       const double score = 0.5;
       if (tlu_model_has_probabilities(model))
           tlu_model_probabilities(model, &score, probabilities, &error);
*/

/* 1 if the model was trained with the option "calibrate", or its learner is logistic regression,
   naive Bayes or mlp and its scores are not the votes of one versus one. */
TLU_API int tlu_model_has_probabilities(const tlu_model *model);
/* Computes probabilities[tlu_model_class_count()], whose sum is 1, from the scores of a row; those
   of a multilabel model are independent of each other. If the model has no probabilities, the error
   says why and what to do. If both arrays are NULL, only this is checked. */
TLU_API tlu_status tlu_model_probabilities(const tlu_model *model, const double *scores,
                                           double *probabilities, tlu_error *error);

/* "sigmoid", "isotonic" or "temperature"; NULL if the model was not calibrated. */
TLU_API const char *tlu_model_calibration(const tlu_model *model);

/* sigmoid: the probability is 1 / (1 + exp(-(slope * score + offset))); temperature: the softmax of
   slope times the scores; isotonic: linear interpolation between the knots. */
typedef struct tlu_calibration_curve {
    double slope, offset;
    size_t knots;
    const double *scores, *probabilities; /* [knots], owned by the model */
} tlu_calibration_curve;

/* The calibration of a class. A two-class model has only that of the positive class. */
TLU_API tlu_status tlu_model_calibration_curve(const tlu_model *model, size_t class_index,
                                               tlu_calibration_curve *curve, tlu_error *error);

/* ---- Grade 2: reading data for a model ---------------------------------------------------------

       tlu_reader_open(model, "spam.csv", NULL, &reader, &error);
       for (count = 0; tlu_reader_next(reader, &batch, &error) == TLU_OK && batch;)
           count += batch->rows;
*/

#define TLU_NO_LABEL UINT32_MAX            /* the row has no label */
#define TLU_UNKNOWN_LABEL (UINT32_MAX - 1) /* its label does not occur in the model */

/* Consecutive rows of a file. Row i has the entries offsets[i] to offsets[i + 1] - 1. */
struct tlu_batch {
    size_t rows;
    const uint32_t *offsets;  /* [rows + 1] */
    const uint32_t *features; /* [offsets[rows]] */
    const float *values;      /* [offsets[rows]]; NULL: every value is 1 */
    const uint32_t *labels; /* [rows] classes of the model, TLU_NO_LABEL or TLU_UNKNOWN_LABEL; of a
                               multilabel model see tlu_reader_labels */
    uint64_t first_row;     /* rows before this batch */
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

/* Opens a file for a model. Only options of the groups "data" and "reading" are used. Options that
   are not set are as in training. */
TLU_API tlu_status tlu_reader_open(const tlu_model *model, const char *path,
                                   const tlu_options *options, tlu_reader **reader,
                                   tlu_error *error);
/* The same for the content of a file in memory, which must stay valid. */
TLU_API tlu_status tlu_reader_open_bytes(const tlu_model *model, const char *bytes, size_t size,
                                         const tlu_options *options, tlu_reader **reader,
                                         tlu_error *error);
/* Reads the next batch, which is valid until the next call; *batch is NULL at the end. A batch of a
   pipe or a terminal ends when no more input is waiting. */
TLU_API tlu_status tlu_reader_next(tlu_reader *reader, const tlu_batch **batch, tlu_error *error);

/* Copies the labels of a row of the last batch of a multilabel model: its classes in ascending
   order, then TLU_UNKNOWN_LABEL for each label that the model does not know. A row without a set of
   labels has the single label TLU_NO_LABEL. Returns the number of labels, of which at most
   `capacity` are copied. */
TLU_API size_t tlu_reader_labels(const tlu_reader *reader, size_t row, uint32_t *labels,
                                 size_t capacity);

typedef struct tlu_reader_stats {
    uint64_t rows;           /* returned so far */
    uint64_t skipped;        /* malformed rows (--skip-bad) */
    uint64_t unseen_values;  /* categorical values that do not occur in training; ignored */
    uint64_t unknown_rows;   /* rows that have features, but no feature of the model */
    uint64_t unknown_labels; /* rows whose label does not occur in the model */
    char unknown_label[64];  /* the first such label */
    char closest_label[64];  /* a label of the model with nearly the same spelling; "": none */
} tlu_reader_stats;

/* Valid, and unchanged, until the next call. */
TLU_API const tlu_reader_stats *tlu_reader_get_stats(const tlu_reader *reader);
TLU_API void tlu_reader_close(tlu_reader *reader);

/* ---- Grade 2: predicting a file ----------------------------------------------------------------

       tlu_reader_open(model, "spam.csv", NULL, &reader, &error);
       tlu_reader_predict(reader, 0, NULL, NULL, &error);
       tlu_reader_next(reader, &batch, &error); // now tlu_reader_predictions(reader)->classes[0]
*/

typedef struct tlu_predictions {
    size_t rows;
    const uint32_t *classes; /* [rows] */
    const double *scores;    /* [rows][tlu_model_score_count()]; NULL: not requested */
    const char *ambiguous;   /* [rows]: see tlu_model_predict_batch */
    const char *text;        /* [text_size] what the callback wrote; NULL while it runs */
    size_t text_size;
    const char *const *ids; /* [rows] values of the column of the option "id", "" if a row has no
                               value; NULL without this option */
} tlu_predictions;

/* Text that a callback writes for a part of a batch. */
typedef struct tlu_output tlu_output;

/* Writes text for some rows of a batch. Several threads call it at the same time, in any order,
   once for each row; the reader joins the texts in the order of the rows. */
typedef int (*tlu_prediction_function)(void *context, const tlu_predictions *predictions,
                                       tlu_output *output);
/* Sets *bytes to memory for `size` more bytes, valid until the next call. If this function or
   tlu_output_commit fails, the reader fails, too. */
TLU_API tlu_status tlu_output_reserve(tlu_output *output, size_t size, char **bytes,
                                      tlu_error *error);
/* Appends the first `size` of the bytes that were reserved last. */
TLU_API tlu_status tlu_output_commit(tlu_output *output, size_t size, tlu_error *error);

/* Makes the reader predict each batch with its model. Call it before the first tlu_reader_next.
   With a multilabel model the scores are there in any case, for tlu_model_labels. This is the
   fastest way to predict a file, because the threads that parse also predict and call the function,
   which may be NULL. */
TLU_API tlu_status tlu_reader_predict(tlu_reader *reader, int with_scores,
                                      tlu_prediction_function function, void *context,
                                      tlu_error *error);
/* The predictions for the last batch, valid as long as the batch. */
TLU_API const tlu_predictions *tlu_reader_predictions(const tlu_reader *reader);

/* ---- Grade 2: metrics --------------------------------------------------------------------------

       tlu_metric_data data = {.size = sizeof data, .rows = 4, .classes = 2, .positive = 1};
       data.labels = data.predictions = y;
       tlu_metric_compute(&data, "f1", scores, &error);
*/

/* A row of the table of metrics. */
typedef struct tlu_metric_info {
    const char *name;     /* "f1-macro"; "top-K" represents top-1, top-2, ... */
    const char *help;     /* its definition, in one line */
    int higher_is_better; /* 0: lower is better */
    const char *needs;    /* "labels"; "scores" or "probabilities": labels and these */
    const char *rows; /* labels of a row: "one"; "sets": any number (multilabel); "any": either */
} tlu_metric_info;

TLU_API const tlu_metric_info *tlu_metric_at(size_t index); /* NULL past the end */
/* Finds a metric by name; K of top-K is a number. The error for an unknown name suggests a similar
   one. */
TLU_API tlu_status tlu_metric_find(const char *name, const tlu_metric_info **info,
                                   tlu_error *error);

/* Labels and predictions of some rows. An array that no requested metric needs may be NULL. */
typedef struct tlu_metric_data {
    size_t size; /* sizeof(tlu_metric_data) */
    size_t rows;
    size_t classes;              /* 2 or more */
    size_t positive;             /* class, if there are two */
    const uint32_t *labels;      /* [rows] classes or TLU_UNKNOWN_LABEL; TLU_NO_LABEL: ignored */
    const uint32_t *predictions; /* [rows] classes */
    const double *scores;        /* [rows] of the positive class, or with more than two classes
                                    [rows][classes] */
    const double *probabilities; /* [rows][classes] */
    const double *weights;       /* [rows] sample weights, 0 or more; NULL: all are 1 */
    const double *costs;         /* [classes][classes]: label (row), prediction (column) */
    /* [rows + 1] each, for several labels per row; NULL: each row has one label. Row i has the
       labels labels[label_offsets[i]] to labels[label_offsets[i + 1] - 1], each at most once, and
       likewise its predictions. A row whose only label is TLU_NO_LABEL is ignored. `scores` is
       [rows][classes]. */
    const uint64_t *label_offsets, *prediction_offsets;
} tlu_metric_data;

/* Computes a metric. *value is NaN if the metric is not defined for these rows, for example the
   area under the ROC curve of one class only. */
TLU_API tlu_status tlu_metric_compute(const tlu_metric_data *data, const char *metric,
                                      double *value, tlu_error *error);
/* Computes the first `count` metrics of the table, with K = 5. A metric is NaN if it needs an array
   that is NULL, or if it does not apply to these rows (see `rows` in tlu_metric_info). */
TLU_API tlu_status tlu_metric_compute_all(const tlu_metric_data *data, double *values, size_t count,
                                          tlu_error *error);

/* ---- Grade 2: evaluation -----------------------------------------------------------------------

       tlu_evaluate(model, "spam.csv", NULL, &evaluation, &error);
       printf("accuracy %g\n", evaluation->accuracy);
       tlu_evaluation_free(evaluation);
*/

typedef struct tlu_class_quality {
    double precision, recall, f1; /* 0 if undefined */
    uint64_t support;             /* rows of the class */
} tlu_class_quality;

typedef struct tlu_metric_value {
    const char *name;     /* "accuracy", "top-3" */
    double value;         /* NaN: not defined for these rows */
    int higher_is_better; /* 0: lower is better */
} tlu_metric_value;

/* A row with a wrong prediction. */
typedef struct tlu_wrong_row {
    uint64_t row, line; /* of the data, from 1 */
    size_t label;       /* the true class */
    size_t predicted;   /* class */
    double score;       /* of the predicted class */
    double margin;      /* score of the predicted class minus score of the true class; with two
                           classes the score */
    double probability; /* of the predicted class; NaN: the model has no probabilities */
    tlu_row example;    /* features by their index in the model, for tlu_model_explain */
    const char *text;   /* [text_size] the row in the file; NULL for binary data */
    size_t text_size;
} tlu_wrong_row;

typedef struct tlu_evaluation {
    uint64_t examples; /* rows with a label, or with a set of labels */
    uint64_t correct;  /* multilabel: rows whose set is predicted exactly */
    double accuracy;
    size_t classes;
    const uint64_t *confusion; /* [classes][classes]: label (row), prediction (column); NULL for a
                                  multilabel model */
    const tlu_class_quality *per_class;   /* [classes] */
    double auc;                           /* area under the ROC curve; NaN unless two classes */
    uint64_t ambiguous;                   /* rows: see tlu_model_predict_batch */
    const tlu_reader_stats *reader_stats; /* an unknown label counts as an error */
    const unsigned char *is_correct;      /* [examples] in the order of the data: 1 or 0 */
    /* The metrics of the option "metric". The default is accuracy; for a multilabel model it is
       f1-micro, f1-macro, exact-match, hamming-loss and precision-at-1, -3 and -5. "all" is every
       metric of the table that applies to the model (see `rows` in tlu_metric_info). With the
       option "weighted" the metrics and auc use the weights of the rows. A metric of "all" is NaN
       if the model cannot provide it, or if it needs more than 256 MB of scores. */
    size_t metric_count;
    const tlu_metric_value *metrics; /* [metric_count] */
    size_t wrong_count;
    const tlu_wrong_row *wrong; /* [wrong_count] largest margin first: see tlu_evaluate_settings */
    const uint64_t *predicted_counts; /* [classes] rows predicted as each class: the column sums of
                                         `confusion` */
} tlu_evaluation;

/* Evaluates a model on labelled rows. */
TLU_API tlu_status tlu_evaluate(const tlu_model *model, const char *path,
                                const tlu_options *options, tlu_evaluation **evaluation,
                                tlu_error *error);
TLU_API void tlu_evaluation_free(tlu_evaluation *evaluation);

typedef struct tlu_evaluate_settings {
    size_t size; /* sizeof(tlu_evaluate_settings) */
    const char *path;
    size_t wrong; /* keep this many wrong rows, those with the largest margin; rows with an unknown
                     label are not included; not for a multilabel model */
    int curves;   /* keep the scores for tlu_evaluation_curve */
    /* Evaluates in several processes, each of which makes this call with the same model and options
       and predicts its part of the data, as in tlu_train_settings. Process 0 gets the evaluation,
       which is that of one process, and the others get NULL; or all get the same error. `wrong` has
       to be 0. */
    const tlu_team *team;
} tlu_evaluate_settings;

TLU_API tlu_status tlu_evaluate_with(const tlu_model *model, const tlu_evaluate_settings *settings,
                                     const tlu_options *options, tlu_evaluation **evaluation,
                                     tlu_error *error);

typedef struct tlu_curve_point {
    double threshold; /* rows with at least this score are predicted as the class */
    double x, y;      /* "roc": false and true positive rate; "pr": precision and recall */
} tlu_curve_point;

typedef struct tlu_curve {
    size_t count;
    const tlu_curve_point *points; /* [count] */
} tlu_curve;

/* Computes the curve "roc" or "pr" (precision and recall) of a class against the rest, with the
   same points as scikit-learn. With two classes only the positive class has a curve. */
TLU_API tlu_status tlu_evaluation_curve(const tlu_evaluation *evaluation, const char *kind,
                                        size_t class_index, tlu_curve **curve, tlu_error *error);
TLU_API void tlu_curve_free(tlu_curve *curve);

/* ---- Grade 2: decision thresholds --------------------------------------------------------------

       tlu_threshold_settings f1 = {.size = sizeof f1, .path = "spam.csv", .objective = "f1"};
       if (tlu_threshold_find(model, &f1, NULL, &threshold, &error) == TLU_OK)
           tlu_model_with_threshold(model, threshold->threshold, &copy, &error);
*/

/* Whether a two-class model has a threshold: it predicts the positive class if its probability or,
   for a model without probabilities, its score is at least the threshold. A model without a
   threshold decides by the sign of the score. Both pointers may be NULL. A multilabel model has a
   threshold per label or none; *threshold is NaN then. */
TLU_API int tlu_model_has_threshold(const tlu_model *model, double *threshold, int *on_probability);
/* The threshold of a label of a multilabel model; NaN if it has none. */
TLU_API double tlu_model_label_threshold(const tlu_model *model, size_t class_index);
/* Makes a model with another threshold; NaN: without one. A multilabel model gets the same
   threshold for each label. The two models share memory, so this is cheap. Free both, in any order.
 */
TLU_API tlu_status tlu_model_with_threshold(const tlu_model *model, double threshold,
                                            tlu_model **copy, tlu_error *error);

/* Makes a multilabel model with thresholds[tlu_model_class_count()]. */
TLU_API tlu_status tlu_model_with_label_thresholds(const tlu_model *model, const double *thresholds,
                                                   tlu_model **copy, tlu_error *error);

typedef struct tlu_threshold_settings {
    size_t size;           /* sizeof(tlu_threshold_settings) */
    const char *path;      /* labelled rows */
    const char *objective; /* "f1": maximise f1; "precision": at least `value`, with the highest
                              recall; "recall": at least `value`, with the highest precision;
                              "cost": minimise the cost */
    double value;
    double false_positive_cost, false_negative_cost; /* per mistake, for "cost" */
} tlu_threshold_settings;

/* The threshold of a label of a multilabel model. A label that all rows have, or no row has, keeps
   the usual one: the score 0, or the probability 1/2. */
typedef struct tlu_label_threshold {
    double threshold;
    int found; /* 1: it was found; 0: it is the usual one; -1: no threshold has the requested
                  precision, and this one has the highest precision */
    uint64_t positives, predicted_positive, true_positives;
    double precision, recall, f1;
} tlu_label_threshold;

typedef struct tlu_threshold {
    double threshold;   /* the best one; the highest one if several are equally good */
    int on_probability; /* 0: it is a threshold on scores */
    double score; /* the lowest score that is predicted positive; infinite: all or no scores */
    uint64_t examples, positives;
    uint64_t predicted_positive, true_positives;
    double precision, recall, f1, accuracy, cost;
    /* [label_count] a multilabel model: the threshold of each label, best for this label alone. The
       counts above are then sums over all labels, precision, recall, f1 and accuracy follow from
       them, and `threshold` and `score` are NaN. */
    const tlu_label_threshold *labels;
    size_t label_count;
} tlu_threshold;

/* Finds the best threshold of a two-class model, or of each label of a multilabel model, on
   labelled rows. If no threshold of a two-class model has the requested precision, the error says
   which precision is possible. */
TLU_API tlu_status tlu_threshold_find(const tlu_model *model,
                                      const tlu_threshold_settings *settings,
                                      const tlu_options *options, tlu_threshold **threshold,
                                      tlu_error *error);
TLU_API void tlu_threshold_free(tlu_threshold *threshold);

/* ---- Grade 2: what was assumed about data ------------------------------------------------------

       tlu_split_new("spam.csv", NULL, 2, &split, &error);
       printf("label: %s\n", tlu_split_get_facts(split)->label_column);
       tlu_split_free(split);
*/

/* Results that were computed from a file have a pointer to such a struct. Models have
   tlu_model_label_column, and the same notices in their report. */
typedef struct tlu_data_facts {
    const char *label_column;  /* of a table (CSV, JSON records); else NULL */
    const char *label_reason;  /* "given": by the option "label"; "name": it is a usual name of a
                                  label; "last": no other column was more likely; NULL: unknown */
    size_t notices;            /* sentences for the user: which columns are texts or left out, what
                                  became of missing values, whether the labels look wrong */
    const char *const *notice; /* [notices] */
} tlu_data_facts;

/* ---- Grade 2: splits and cross-validation ------------------------------------------------------

       tlu_cross_validate("spam.csv", options, 2, 1, NULL, NULL, &validation, &error);
       printf("accuracy %g +- %g\n", validation->mean, validation->deviation);
       tlu_validation_free(validation);
*/

/* A random split of a data set into stratified parts of equal size; the option "seed" determines
   it. Data that can be read only once (standard input, a pipe) is copied to memory. With 1 part
   nothing is read yet. */
typedef struct tlu_split tlu_split;

TLU_API tlu_status tlu_split_new(const char *path, const tlu_options *options, size_t parts,
                                 tlu_split **split, tlu_error *error);
/* Replaces the split by the next random one. */
TLU_API tlu_status tlu_split_shuffle(tlu_split *split, tlu_error *error);
TLU_API uint64_t tlu_split_row_count(const tlu_split *split); /* 0 with 1 part */
/* With 1 part there are no facts yet. */
TLU_API const tlu_data_facts *tlu_split_get_facts(const tlu_split *split);
/* The part of a row; TLU_NONE past the end. */
TLU_API size_t tlu_split_row_part(const tlu_split *split, uint64_t row);
/* Trains on the rows of all parts but one; TLU_NONE: on all rows. Nothing in the model depends on
   the rows of that part, not even names and labels. (Whether a CSV column is numeric depends on the
   whole file.) */
TLU_API tlu_status tlu_split_train(const tlu_split *split, size_t part, const tlu_options *options,
                                   tlu_progress_function progress, void *context, tlu_model **model,
                                   tlu_error *error);
/* Evaluates on the rows of one part; TLU_NONE: on all rows. */
TLU_API tlu_status tlu_split_evaluate(const tlu_split *split, size_t part, const tlu_model *model,
                                      const tlu_options *options, tlu_evaluation **evaluation,
                                      tlu_error *error);
TLU_API void tlu_split_free(tlu_split *split);

typedef struct tlu_fold {
    uint64_t repeat, fold;      /* from 1 */
    uint64_t training_examples; /* rows trained on */
    uint64_t examples;          /* rows evaluated on */
    const uint64_t *rows;       /* [examples] their numbers in the file, from 1 */
    uint64_t correct;
    double accuracy;
    double seconds; /* training time */
    double value;   /* of the metric; NaN: not defined for these rows */
    /* [metric_count of tlu_validation] the values of its `metrics`, in the same order. */
    const double *values;
} tlu_fold;

/* A metric over the folds. */
typedef struct tlu_fold_metric {
    const char *name;
    double mean, deviation; /* over the folds for which it is defined; NaN if there are none */
} tlu_fold_metric;

/* A label over all folds: the evaluations are counted together. */
typedef struct tlu_fold_label {
    const char *label;
    double precision, recall, f1; /* 0 if undefined */
    uint64_t support;             /* rows with the label */
    uint64_t predictions, hits;   /* how often it was predicted, and rightly */
} tlu_fold_label;

typedef struct tlu_validation {
    uint64_t rows, classes;
    size_t count;                 /* folds of all repeats */
    const tlu_fold *const *folds; /* [count] */
    double mean, deviation;       /* of the metric over the folds; sample standard deviation */
    const char *metric;           /* value of the option "metric": "accuracy" */
    int higher_is_better;         /* 0: lower is better */
    size_t defined; /* folds for which the metric is defined; mean and deviation use only these */
    const tlu_data_facts *facts;
    /* The first is `metric`. With the option "multilabel" and without "metric", those that
       tlu_evaluation has. */
    size_t metric_count;
    const tlu_fold_metric *metrics; /* [metric_count] */
    /* With the option "multilabel", ordered by label. A fold counts for a label only if its
       training rows have that label. */
    size_t label_count;
    const tlu_fold_label *labels; /* [label_count] */
    const char *learner;          /* of the first fold; those of --learner auto may differ */
    const char *learner_reason;   /* likewise; as in tlu_report */
} tlu_validation;

/* Called after each fold. */
typedef int (*tlu_fold_function)(void *context, const tlu_fold *fold);

/* Runs stratified cross-validation `repeats` times, with a new split each time. The function may be
   NULL. If the metric is not defined for any fold, the call fails with TLU_ERROR_INPUT. */
TLU_API tlu_status tlu_cross_validate(const char *path, const tlu_options *options, size_t folds,
                                      size_t repeats, tlu_fold_function function, void *context,
                                      tlu_validation **validation, tlu_error *error);

typedef struct tlu_validation_settings {
    size_t size; /* sizeof(tlu_validation_settings) */
    const char *path;
    size_t folds, repeats; /* 0: 5 and 1 */
    tlu_fold_function function;
    void *context;
    /* Called during each training. Stopping ends the validation with the folds before; without any,
       the call fails with TLU_INTERRUPTED. */
    tlu_progress_function progress;
    void *progress_context;
    /* Several processes, each of which makes this call with the same path, options and settings:
       the folds are those of one process, and each is trained by all processes as
       tlu_train_settings describes, and measured by all. Process 0 alone calls `function` and gets
       a validation; that of the others is NULL. With one process the result is that without a team.
     */
    const tlu_team *team;
    uint64_t mix_every;
    const char *mix_weights;
} tlu_validation_settings;

/* As tlu_cross_validate, with settings. */
TLU_API tlu_status tlu_cross_validate_with(const tlu_validation_settings *settings,
                                           const tlu_options *options, tlu_validation **validation,
                                           tlu_error *error);
TLU_API void tlu_validation_free(tlu_validation *validation);

/* ---- Grade 2: splitting a file -----------------------------------------------------------------

       tlu_split_file_settings parts = {.size = sizeof parts, .path = "spam.csv", .test = 0.25};
       parts.prefix = "spam";
       tlu_split_file(&parts, NULL, NULL, &error); // writes spam-train.csv and spam-test.csv
*/

typedef struct tlu_split_file_settings {
    size_t size;        /* sizeof(tlu_split_file_settings) */
    const char *path;   /* as for tlu_train, but not binary data */
    const char *prefix; /* the files are PREFIX-train, PREFIX-validation and PREFIX-test with the
                           extension of the path (.csv.gz), or of its format for standard input and
                           pipes. A name that ends with .gz or .zst is compressed. A prefix that
                           ends with a slash is a folder: PREFIX/train.csv */
    double test;        /* above 0 and below 1: the fraction of the rows, rounded to the nearest
                           number of rows, a half up; 2 or more: the number of rows; 0: no such
                           part */
    double validation;  /* the same */
    /* How rows are divided. By default every part gets its share of each class, at random, and the
       training part at least one row of each. At most one of these three: */
    const char *group; /* rows with the same value of this CSV column or JSON member, or with the
                          same tag in VW's format, go to the same part; the sizes are as close as
                          whole groups allow */
    int in_order;      /* the first rows are for training, the last for testing */
    int no_stratify;   /* at random, whatever the class */
    /* Called for every megabyte of the data, with `work` done of `work_expected`. */
    tlu_progress_function progress;
    void *progress_context;
} tlu_split_file_settings;

typedef struct tlu_split_part {
    const char *name; /* "train", "validation" or "test" */
    const char *path;
    uint64_t rows;
    uint64_t classes;           /* with a row in this part */
    uint64_t groups;            /* 0: rows are not divided by group */
    const uint64_t *class_rows; /* [class_count] */
} tlu_split_part;

typedef struct tlu_file_split {
    uint64_t rows;            /* in all parts */
    uint64_t unlabelled;      /* of these */
    uint64_t skipped;         /* malformed rows (--skip-bad), which are in no part */
    const char *format;       /* a value of the option "format" */
    const char *label_column; /* of CSV and JSON records; else NULL */
    size_t class_count;
    /* [class_count] in the order of tlu_model_class_label; "" of rows without any label, with the
       option "multilabel" */
    const char *const *labels;
    size_t part_count;
    const tlu_split_part *parts; /* [part_count] the training part first, the test part last */
} tlu_file_split;

/* Writes each row of a file to one of two or three files, byte for byte and in the order of the
   file. What comes before the first row (comments, the header) is in each of them. The options
   "format", "delimiter", "header", "label", "multilabel", "label-separator", "skip-bad", "max-row",
   "threads" and "seed" have an effect. With "multilabel" the class of a row is the one of its
   labels that occurs first in the file. Rows of a JSON array become an array in each file. Fields
   of CSV other than the label are not checked. Data from a pipe is copied to a temporary file. The
   files are replaced when all of them are on the disk; after an error they are unchanged, unless
   the system renamed some of them and failed to rename another. `split` may be NULL. */
TLU_API tlu_status tlu_split_file(const tlu_split_file_settings *settings,
                                  const tlu_options *options, tlu_file_split **split,
                                  tlu_error *error);
TLU_API void tlu_file_split_free(tlu_file_split *split);

/* ---- Grade 2: tuning ---------------------------------------------------------------------------

       tlu_tune_settings settings = {.size = sizeof settings, .path = "spam.csv", .folds = 2};
       if (tlu_tune(&settings, NULL, &tuning, &error) == TLU_OK)
           printf("%s\n", tuning->candidates[0]->name);
*/

/* A learner with options, and its results in cross-validation. */
typedef struct tlu_candidate {
    const char *name;           /* "logistic:rate=1:ngrams=2" */
    const tlu_options *options; /* complete options for tlu_train */
    size_t folds;               /* that it was evaluated on */
    double score;               /* mean of the metric over these folds; NaN without folds */
    double deviation;           /* over these folds; 0 with one */
    double seconds;             /* training time */
    /* Why it was not evaluated on more folds. "done": it was evaluated on all folds; "worse": a
       paired test found it worse than the best; "halved": it was in the worse half; "budget" or
       "time": used up; "interrupted"; "refused": `reason` says why; "skipped": budget or time was
       used up before its first fold. */
    const char *outcome;
    const char *reason;    /* NULL unless refused or skipped */
    double standard_error; /* of the score; folds of several repeats count once */
} tlu_candidate;

typedef struct tlu_tuning {
    size_t count;
    const tlu_candidate *const *candidates; /* [count] the best first */
    uint64_t rows, classes;
    size_t folds;
    uint64_t
        passes; /* that the trainings were allowed, each over (folds - 1) / folds of the rows */
    size_t trainings;
    double seconds;      /* total */
    double limit;        /* time limit in seconds; 0: no limit */
    const char *stopped; /* "done", "time" or "interrupted" */
    const char *metric;  /* of the scores: "accuracy", or the value of the option "metric" */
    const tlu_data_facts *facts;
    size_t repeats; /* random divisions of the rows into folds that the best was evaluated on */
    /* How certain the choice is: candidate 1 against candidate 0. The p-value is the probability of
       a lead as large if both were equally good: McNemar's test, or Student's for a metric that is
       not a mean over rows. NaN: there is no other that was evaluated on all folds. */
    double p_value;
    double differing_rows; /* that exactly one of the two predicts correctly, per repeat */
} tlu_tuning;

typedef struct tlu_tune_progress {
    size_t fold, folds;        /* current fold of the division, from 1 */
    size_t done, racing;       /* candidates evaluated on this fold, and candidates in the race */
    const tlu_candidate *best; /* NULL before the end of the first fold; has no outcome yet */
    double seconds;
    double seconds_left; /* upper bound; negative: unknown */
    const char *stage;   /* "table", "refine" or "repeat" */
    size_t repeat;       /* of the division into folds, from 1 */
} tlu_tune_progress;

/* Called several times per second by the thread that called tlu_tune. Stopping ends the tuning with
   the best candidate so far. If no candidate was evaluated on the first fold, the call fails with
   TLU_INTERRUPTED. */
typedef int (*tlu_tune_function)(void *context, const tlu_tune_progress *progress);

typedef struct tlu_tune_settings {
    size_t size; /* sizeof(tlu_tune_settings) */
    const char *path;
    /* Candidates for tlu_options_set_learner, separated by commas. A name without options stands
       for several candidates. NULL: a selection of learners. */
    const char *learners;
    /* Maximum number of passes over the training part of a fold, in total; 0: no limit. With a
       budget and no time limit the result does not depend on the machine. */
    uint64_t budget;
    /* Time limit on the clock; 0: no limit if there is a budget, else a limit that depends on the
       size of the data, in CPU time of the trainings per thread. */
    double seconds;
    size_t folds;   /* 0: 5 */
    int exhaustive; /* evaluate every candidate on every fold while budget and time allow it */
    tlu_tune_function progress;
    void *progress_context;
    /* Maximum number of random divisions of the rows into folds; 0: until they hardly change the
       choice or the time is over, with a budget alone up to 20. */
    size_t repeats;
} tlu_tune_settings;

/* Finds the learner and options with the best cross-validation score. Candidates race over the
   folds: after each fold, those that are significantly worse than the best and the worse half of
   the others are stopped. Then neighbours of the best are tried, and the best of all are evaluated
   on other random folds (docs/tuning.md). `options` apply to all candidates. Then call
   tlu_tuning_train for candidate 0; a time limit leaves time for it. */
TLU_API tlu_status tlu_tune(const tlu_tune_settings *settings, const tlu_options *options,
                            tlu_tuning **tuning, tlu_error *error);
/* Trains a candidate on all rows. The model is the same as that of tlu_train with its options.
   Standard input is not read again. */
TLU_API tlu_status tlu_tuning_train(const tlu_tuning *tuning, size_t candidate,
                                    tlu_progress_function progress, void *context,
                                    tlu_model **model, tlu_error *error);
TLU_API void tlu_tuning_free(tlu_tuning *tuning);

/* ---- Grade 2: training step by step ------------------------------------------------------------

       tlu_options_set(options, "learner", "perceptron", &error);
       tlu_trace("spam.csv", options, show_step, NULL, &model, &error);
*/

/* One example of a training run. Features are numbered from 0 in the order in which they were read.
   A column is a weight vector: there is one for two classes, else one per class, or one per pair of
   classes (ovo). */
typedef struct tlu_step {
    uint64_t step, pass; /* from 1 */
    uint64_t row, line;  /* of the example in the file, from 1 */
    const char *label;
    const char *predicted; /* label predicted before the step; "": a class without an example yet */
    tlu_row example;       /* after scaling */
    size_t features;       /* read so far */
    size_t columns;
    const double *scores; /* [columns] before the step */
    int mistake, updated;
    int tie;              /* two classes: the score was 0; else several classes had the highest
                             score, or a pair of classes the score 0 */
    int dual;             /* 1 with a kernel: coefficients of examples instead of weights */
    uint64_t examples;    /* rows of the data, if dual */
    const void *internal; /* for the functions below */
} tlu_step;

TLU_API size_t tlu_step_feature_name(const tlu_step *step, size_t feature, char *name, size_t size);
/* The label for which positive scores of a column count: the positive class, the class of the
   column, or the later class of its pair. *against is the other class of a pair (ovo), else NULL.
 */
TLU_API const char *tlu_step_column_label(const tlu_step *step, size_t column,
                                          const char **against);
/* A weight after the step, and before it; 0 if dual. */
TLU_API double tlu_step_weight(const tlu_step *step, size_t column, size_t feature);
TLU_API double tlu_step_weight_before(const tlu_step *step, size_t column, size_t feature);
TLU_API double tlu_step_bias(const tlu_step *step, size_t column);
TLU_API double tlu_step_bias_before(const tlu_step *step, size_t column);
/* The alpha of an example (row from 1) after the step, and before it: the absolute value of its
   coefficient. For a perceptron it counts the mistakes. 0 if not dual. */
TLU_API double tlu_step_alpha(const tlu_step *step, size_t column, uint64_t row);
TLU_API double tlu_step_alpha_before(const tlu_step *step, size_t column, uint64_t row);
/* The sign of the coefficient after the step: 1, -1 or 0. For learners that update towards the
   label it is that of the label. */
TLU_API int tlu_step_alpha_sign(const tlu_step *step, size_t column, uint64_t row);
/* A perceptron of several classes by winner takes all: the label of the class from whose weights
   the step subtracted the example. As it added the example to those of its own class, that is a
   step of one perceptron for Kesler's vector of the two. "" if there was no such step, NULL for
   other learners and schemes. */
TLU_API const char *tlu_step_rival(const tlu_step *step);

typedef int (*tlu_step_function)(void *context, const tlu_step *step);

/* Trains as tlu_train does and calls the function after each example. The learner must be one that
   learns row by row. `model` may be NULL. */
TLU_API tlu_status tlu_trace(const char *path, const tlu_options *options,
                             tlu_step_function function, void *context, tlu_model **model,
                             tlu_error *error);
/* Uses only the data of the settings: a file or rows in memory. */
TLU_API tlu_status tlu_trace_with(const tlu_train_settings *settings, const tlu_options *options,
                                  tlu_step_function function, void *context, tlu_model **model,
                                  tlu_error *error);

/* ---- Grade 2: synthetic data sets --------------------------------------------------------------

       tlu_recipe recipe = {.size = sizeof recipe};
       tlu_recipe_init("moons", &recipe, &error);
       tlu_generate(&recipe, write_bytes, stdout, &error);
*/

typedef struct tlu_recipe {
    size_t size;        /* sizeof(tlu_recipe) */
    const char *kind;   /* "line", "sparse", "margin", "blobs", "xor", "circle", "moons" or
                           "semicircles" */
    const char *format; /* "libsvm" or "csv" */
    uint64_t rows;
    uint64_t features; /* for sparse, margin and blobs; the others have two */
    uint64_t nonzeros; /* per row, for sparse */
    uint64_t classes;  /* for blobs */
    double noise;      /* fraction of flipped labels; for moons and circle the standard deviation */
    double margin;     /* for margin and semicircles: minimum distance from the hyperplane */
    double radius;     /* for margin: maximum length of a row; for semicircles: of the circle */
    uint64_t seed;
} tlu_recipe;

/* Receives the next bytes of the output. */
typedef int (*tlu_write_function)(void *context, const char *bytes, size_t size);

/* Fills a recipe, whose size is set, with good values for a kind. The error for an unknown kind
   lists the kinds. */
TLU_API tlu_status tlu_recipe_init(const char *kind, tlu_recipe *recipe, tlu_error *error);
TLU_API tlu_status tlu_generate(const tlu_recipe *recipe, tlu_write_function write, void *context,
                                tlu_error *error);

/* ---- Grade 2: models of given weights ----------------------------------------------------------

       const char *plane = "2 x + y - 1 > 0";
       tlu_import_settings given = {.size = sizeof given, .planes = &plane, .plane_count = 1};
       tlu_import(&given, NULL, &imported, &error);
*/

typedef struct tlu_import_settings {
    size_t size; /* sizeof(tlu_import_settings) */
    /* The weights: exactly one of the following three. */
    /* One plane such as "2 x + y - 1 > 0", whose positive side is that of the second label; or a
       plane for each class, such as "A: x + y - 1", of which the one with the highest value wins.
       Names that are not words are in double quotes; numbers may be fractions (1/2). */
    const char *const *planes; /* [plane_count] */
    size_t plane_count;
    /* A file with what `tlu inspect --weights` prints: lines of class, feature and weight,
       separated by tabs; "-" is standard input. */
    const char *path;
    const char *table; /* [table_size] the same in memory */
    size_t table_size;
    /* One plane, or a table of one class: the negative and the positive label; NULL: "-1" and "1".
       A table of several classes: all labels; those that it lacks have weights 0. */
    const char *const *labels; /* [label_count] */
    size_t label_count;
} tlu_import_settings;

/* Makes a model of weights that are given instead of learned: a perceptron that has seen no
   example. Its data is CSV with the features as columns, or LIBSVM if all names are indices, unless
   the option "format" says otherwise. Of the other options only "tie", "multiclass" (wta or ovr),
   "label", "numeric", "delimiter" and "missing" may be set. The relations > and < set "tie" to
   negative, >= and <= to positive. A feature COLUMN=VALUE is a category of a CSV column, unless
   "numeric" names it. */
TLU_API tlu_status tlu_import(const tlu_import_settings *settings, const tlu_options *options,
                              tlu_model **model, tlu_error *error);

/* ---- Grade 2: converting data ------------------------------------------------------------------

       tlu_convert_settings to = {.size = sizeof to, .path = "spam.csv", .format = "libsvm"};
       to.write = write_bytes;
       tlu_convert(&to, NULL, NULL, &error);
*/

typedef struct tlu_convert_settings {
    size_t size; /* sizeof(tlu_convert_settings) */
    const char *path;
    const char *format;       /* "libsvm", "csv", "tsv" or "binary" */
    tlu_write_function write; /* receives the data */
    void *write_context;
    /* For "libsvm", optional: receives a line per feature: its number, a tab and its name. */
    tlu_write_function write_names;
    void *names_context;
    /* Kesler's construction, for "csv", "tsv" and "libsvm": a row x of class k becomes a row for
       each other class j, with x in the block of columns of k, -x in that of j and the label 1. x
       ends with 1 for the bias unless the option "no-bias" is set. A perceptron without bias that
       is trained on these rows is a winner-takes-all perceptron. */
    int kesler;
} tlu_convert_settings;

typedef struct tlu_conversion {
    uint64_t rows, nonzeros, features, classes;
    uint64_t skipped; /* malformed rows (--skip-bad) */
} tlu_conversion;

/* Reads data as training does (LIBSVM rows need no label) and writes it in another format. Features
   and labels that the format cannot express are an error. `conversion` may be NULL. */
TLU_API tlu_status tlu_convert(const tlu_convert_settings *settings, const tlu_options *options,
                               tlu_conversion **conversion, tlu_error *error);
TLU_API void tlu_conversion_free(tlu_conversion *conversion);

/* ---- Grade 2: text -----------------------------------------------------------------------------

       char text[32];
       tlu_text_escape(text, sizeof text, "\033[2J", 4); // "\x1B[2J"
       printf("%s %zu\n", text, tlu_text_distance("epoch", "epochs"));
*/

/* Formats a number as a short text that reads back as the same double: "0.1", "-3", "1e+300",
   "nan", "inf", "-inf". 32 bytes are enough. */
TLU_API size_t tlu_number_format(char *text, size_t size, double value);

/* Copies `length` bytes of text and makes them safe for terminals and messages. A control character
   below 128 and a byte that is not UTF-8 become "\x1B". Any other character that is not printable
   becomes "\u{202E}": controls, format characters (zero width, direction), line and paragraph
   separators, private use, noncharacters. Only whole characters are written. */
TLU_API size_t tlu_text_escape(char *out, size_t size, const char *text, size_t length);

/* The Levenshtein distance of two texts in bytes, for messages that suggest a spelling. SIZE_MAX if
   the texts differ and one has more than 63 bytes. */
TLU_API size_t tlu_text_distance(const char *a, const char *b);

/* ---- Grade 2: version and build ----------------------------------------------------------------

       if (tlu_version_number() != TLU_VERSION_NUMBER)
           printf("compiled for %s, linked with %s\n", TLU_VERSION, tlu_version());
*/

TLU_API const char *tlu_version(void);         /* TLU_VERSION of the linked library */
TLU_API int tlu_version_number(void);          /* TLU_VERSION_NUMBER of the linked library */
TLU_API const char *tlu_built_with(void);      /* optional parts: "threads gzip zstd" */
TLU_API const char *tlu_instruction_set(void); /* in use on this CPU: "avx2" */

/* ---- Grade 2: functions of one variable --------------------------------------------------------

       tlu_approximate_settings sine = {.size = sizeof sine, .formula = "sin(x)"};
       tlu_approximate(&sine, &approximation, &error);
       printf("%g\n", approximation->nets[0].max_error);
*/

typedef struct tlu_approximate_settings {
    size_t size;         /* sizeof(tlu_approximate_settings) */
    const char *formula; /* in x: numbers, pi, e, + - * / ^, parentheses, sin, cos, tan, exp, log,
                            sqrt, abs, tanh, floor, sign, min, max */
    const char *path;    /* instead: a file of two columns, x and y, "-": standard input */
    int interval_given;  /* 1: from `from` to `to`; 0: -4 to 4, of a file all rows */
    double from, to;
    uint64_t points;     /* at equal distances; 0: 401. Of a file its rows, and 0 here */
    const size_t *units; /* [unit_count] ascending, 1 to 128; NULL: 1, 2, 4, 8, 16 */
    size_t unit_count;
    const char *activation; /* "tanh", "sigmoid", "relu" or "step"; NULL: "tanh" */
    uint64_t seed;          /* of further attempts, which start with random units */
} tlu_approximate_settings;

/* The network with the value bias + sum of c[j] s(w[j] x + t[j]), where s is the activation. */
typedef struct tlu_approximation_net {
    size_t units;
    double bias;
    const double *w, *t, *c; /* [units] */
    double max_error;        /* largest absolute error at the points */
    double max_error_at;     /* the x where it is */
    double rms_error;        /* root of the mean squared error */
} tlu_approximation_net;

typedef struct tlu_approximation {
    const char *name; /* the formula or the path */
    int is_file;
    const char *activation;
    double from, to; /* first and last x */
    size_t points;
    const double *x, *y; /* [points] ascending x */
    size_t net_count;
    const tlu_approximation_net *nets; /* [net_count] */
} tlu_approximation;

/* Approximates a function by one hidden layer of more and more units. A network of more units is
   never worse at the points than one of fewer, but for rounding. tanh, sigmoid and relu units are
   trained; step units have the least possible maximum error. The activation step is 1 for z >= 0,
   else 0. */
TLU_API tlu_status tlu_approximate(const tlu_approximate_settings *settings,
                                   tlu_approximation **approximation, tlu_error *error);
/* The value of a network at x; NaN if there is no such network. */
TLU_API double tlu_approximation_value(const tlu_approximation *approximation, size_t net,
                                       double x);
TLU_API void tlu_approximation_free(tlu_approximation *approximation);
/* The value of a formula at x, which may be infinite or NaN. An error names the column. */
TLU_API tlu_status tlu_formula_value(const char *formula, double x, double *value,
                                     tlu_error *error);

/* ---- Grade 3: learning from one example at a time ----------------------------------------------

       tlu_learner_new(NULL, &learner, &error);
       tlu_learner_learn(learner, mail, 2, "spam", 1, NULL, &error);
       tlu_learner_predict(learner, mail, 2, &label, NULL, &error);
*/

typedef struct tlu_learner tlu_learner;

/* Makes a learner without examples. Its defaults are those of streams, not of files: the learner
   pa2, --decide adaptive and, if a value of the first example is not an integer from 0 to 255,
   --scale recent. Options for files (epochs, shuffle, holdout, standard scaling, balanced class
   weights) are an error unless they have their default. */
TLU_API tlu_status tlu_learner_new(const tlu_options *options, tlu_learner **learner,
                                   tlu_error *error);
/* Makes a learner that continues the training of a model. A model of a stream continues with the
   same bits as if it had not stopped. A standardised model continues as with --scale maxabs: its
   factors stay, and the shifts become part of the bias. These models cannot continue: those with a
   kernel, with --decide vote, random or best, with balanced class weights, and those of learners
   that optimise over all rows. */
TLU_API tlu_status tlu_learner_resume(const tlu_model *model, tlu_learner **learner,
                                      tlu_error *error);
/* Learns from one example; `weight` is its importance, a positive number, usually 1. New features
   and classes are added. *mistake, unless NULL, is 1 if the prediction before learning was wrong.
   With the option "multilabel", `label` is a list of labels with the value of the option
   "label-separator" between them; "" is an example of no label. */
TLU_API tlu_status tlu_learner_learn(tlu_learner *learner, const tlu_feature *features,
                                     size_t count, const char *label, double weight, int *mistake,
                                     tlu_error *error);
/* Predicts an example. With --decide adaptive, the default, it uses the last weights, their average
   or their recent average, whichever was right most often on recent examples. *label belongs to the
   learner and is NULL before the first example. *score, unless NULL, is that of the label. With the
   option "multilabel", *label is a list as in tlu_learner_learn, valid until the next call, and
   *score is the highest of all. */
TLU_API tlu_status tlu_learner_predict(tlu_learner *learner, const tlu_feature *features,
                                       size_t count, const char **label, double *score,
                                       tlu_error *error);
/* Computes the probabilities of an example: probabilities[classes], for the classes that the
   learner has had an example of (`classes` in tlu_learner_stats), in the order in which they
   occurred first. As in a model, only some learners have probabilities (tlu_model_probabilities);
   for others the error says what to do. */
TLU_API tlu_status tlu_learner_probabilities(tlu_learner *learner, const tlu_feature *features,
                                             size_t count, double *probabilities, tlu_error *error);
/* The label of a class; NULL past the last. */
TLU_API const char *tlu_learner_class_label(const tlu_learner *learner, size_t class_index);

/* Features by number, for programs that look names up themselves. Adds a feature if it is new. Its
   number stays the same as long as the learner exists. TLU_ERROR_INPUT with the options "hash" and
   "max-features": then features have no fixed numbers. */
TLU_API tlu_status tlu_learner_feature(tlu_learner *learner, const char *name, uint32_t *feature,
                                       tlu_error *error);
/* As tlu_learner_learn and tlu_learner_predict, with numbers from tlu_learner_feature in any order.
   This is faster, because no name is looked up. Sums have the order of the row; if it is ascending,
   the results are those of names, bit for bit. */
TLU_API tlu_status tlu_learner_learn_row(tlu_learner *learner, const tlu_row *row,
                                         const char *label, double weight, int *mistake,
                                         tlu_error *error);
TLU_API tlu_status tlu_learner_predict_row(tlu_learner *learner, const tlu_row *row,
                                           const char **label, double *score, tlu_error *error);
/* Makes a model of the current state. The learner does not change. The time is proportional to the
   number of weights. */
TLU_API tlu_status tlu_learner_make_model(const tlu_learner *learner, tlu_model **model,
                                          tlu_error *error);

/* After tlu_learner_resume, all passes of the training are included. */
typedef struct tlu_learner_stats {
    uint64_t examples; /* learned from */
    uint64_t mistakes; /* wrong predictions of these, before learning */
    uint64_t updates;
    uint64_t features; /* as in tlu_report */
    uint64_t classes;
} tlu_learner_stats;

/* Valid, and unchanged, until the next call. */
TLU_API const tlu_learner_stats *tlu_learner_get_stats(tlu_learner *learner);
TLU_API void tlu_learner_free(tlu_learner *learner);

/* ---- Grade 3: a model file that learns from a stream of text -----------------------------------

       tlu_stream_open("live.tlu", NULL, NULL, &stream, &error);
       tlu_stream_feed(stream, "spam 3:1\nham 5:1\n", 17, 0, &used, &answers, &length, &error);
       tlu_stream_save(stream, &error);
*/

/* A stream gets rows as text, in pieces of any size and in any format that tlu reads. It predicts
   each row and then, if the row has a label, learns from it. */
typedef struct tlu_stream tlu_stream;

typedef struct tlu_stream_stats {
    uint64_t rows;           /* predicted since opening */
    uint64_t examples;       /* rows of these with a label */
    uint64_t correct;        /* examples of these that were predicted correctly before learning */
    uint64_t window;         /* examples in the sliding window */
    uint64_t window_correct; /* correct predictions in the window */
    uint64_t learned;        /* rows that the model has learned from since it was created */
    uint64_t replayed;       /* rows that were learned from the journal when the model was opened */
    uint64_t skipped;        /* malformed rows (--skip-bad) */
    uint64_t features, classes;
    uint64_t slots;         /* --hash: number of slots; 0: names are not hashed */
    uint64_t slots_used;    /* slots that have a name since opening */
    uint64_t slots_shared;  /* slots that have several names: collisions */
    const char *decided_by; /* the weights that predict: "last", "average" or "recent" */
} tlu_stream_stats;

/* Stopping ends the call after this row, with TLU_INTERRUPTED. */
typedef int (*tlu_stream_function)(void *context, const tlu_stream_stats *stats);

/* The journal of a model is in the same folder; its name is the name of the model file plus this
   suffix. If the path of the model is a symbolic link, the model file is its target. */
#define TLU_JOURNAL_SUFFIX ".journal"

typedef struct tlu_stream_settings {
    size_t size; /* sizeof(tlu_stream_settings) */
    /* Path of the journal, which keeps learned rows until the model is saved; NULL: no journal. If
       this is not the model's own journal, the model's own journal must have no rows and must not
       be in use. */
    const char *journal;
    size_t window; /* size of the sliding window, in labelled rows; 0: 1000 */
    int scores;    /* print the score after the label */
    /* Called after 1, 2, 4, 8, ... labelled rows, or after each `report_every`; may be NULL. */
    tlu_stream_function report;
    void *report_context;
    int probabilities;     /* print the probability of the label after it, and after the score. The
                              model must have probabilities. */
    uint64_t report_every; /* labelled rows between two calls of `report`; 0: after 1, 2, 4, ... */
} tlu_stream_settings;

/* Opens the model file at `path`, or starts a new model with these options if there is no file. A
   model that exists keeps its options. `settings` may be NULL. Rows of the journal that the model
   lacks are learned now. The journal of another model is an error. A model file can be open only
   once at a time, even under different names. */
TLU_API tlu_status tlu_stream_open(const char *path, const tlu_options *options,
                                   const tlu_stream_settings *settings, tlu_stream **stream,
                                   tlu_error *error);
/* Processes the complete rows of the bytes or, with `end`, all bytes. *used is the number of bytes
   processed; pass the others again. *text[*length] has one line per row and is valid until the next
   call. With a journal, learned rows are on the disk when the function returns. After an error,
   *used, *text and *length describe the rows before the error, which have been processed. */
TLU_API tlu_status tlu_stream_feed(tlu_stream *stream, const char *bytes, size_t size, int end,
                                   size_t *used, const char **text, size_t *length,
                                   tlu_error *error);

/* Reads at most `size` bytes without waiting: *got is their number, 0 if there are none yet; and
   sets *end to 1 at the end of the input. Other threads may call it, but only one at a time. */
typedef int (*tlu_read_function)(void *context, char *bytes, size_t size, size_t *got, int *end,
                                 tlu_error *error);

typedef enum tlu_stream_state {
    TLU_STREAM_WAIT, /* all available input is processed: wait for more */
    TLU_STREAM_MORE, /* call again: there may be more input */
    TLU_STREAM_END   /* the input has ended */
} tlu_stream_state;

/* Reads bytes with `read` and processes them as tlu_stream_feed does; it keeps incomplete rows for
   the next call. If rows arrive faster than they are learned from, other threads read and parse
   ahead unless --threads is 1. To stop, let `read` return no bytes and call this function until
   *state is not TLU_STREAM_MORE. After an error the model can still be saved and closed. A stream
   uses either tlu_stream_feed or tlu_stream_poll, not both. */
TLU_API tlu_status tlu_stream_poll(tlu_stream *stream, tlu_read_function read, void *context,
                                   tlu_stream_state *state, const char **text, size_t *length,
                                   tlu_error *error);
/* Saves the model as tlu_model_save does, and empties the journal. A model file that has all
   labelled rows already is left as it is, byte for byte. A model with fewer than two classes is not
   saved, and its journal stays. If another program replaced, changed or renamed the model file
   since it was opened or saved, the call fails and nothing is saved. */
TLU_API tlu_status tlu_stream_save(tlu_stream *stream, tlu_error *error);
/* Valid, and unchanged, until the next call. */
TLU_API const tlu_stream_stats *tlu_stream_get_stats(tlu_stream *stream);
/* The assumptions about the format and the columns of a new stream if its first rows are ambiguous,
   such as "CSV with the label in column 'play'"; NULL: they are not ambiguous, or there are no rows
   yet. */
TLU_API const char *tlu_stream_assumption(const tlu_stream *stream);
TLU_API void tlu_stream_close(tlu_stream *stream); /* does not save */

#ifdef __cplusplus
}
#endif

#endif
