/* tlu_proof.h: proofs of linear separability, mistake bounds, distances, the perceptron game.

   libtlu-proof decides whether a hyperplane separates the classes of a data set, and proves the
   answer in exact arithmetic. A complete program:

       #include <stdio.h>
       #include <tlu_proof.h>

       int main(void)
       {
           tlu_error error;
           tlu_separability *answer;
           tlu_separability_settings settings = {.size = sizeof settings, .path = "spam.csv"};
           if (tlu_separability_decide(&settings, NULL, &answer, &error) != TLU_OK)
               return fprintf(stderr, "%s\n", error.text), 1;
           puts(answer->verdict == TLU_SEPARABLE ? "separable" : "not separable");
           tlu_separability_free(answer);
       }

   Build it with: cc program.c $(pkg-config --cflags --libs tlu-proof)

   Errors, results, settings, ownership, threads and callbacks follow the rules at the top of
   tlu.h. The library needs GMP and uses Clp if it is installed. Functions that need a missing
   library fail with TLU_ERROR_SYSTEM. */
#ifndef TLU_PROOF_H
#define TLU_PROOF_H

#include "tlu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Grade 2: distances to the hyperplanes -----------------------------------------------------

       tlu_planes_new(model, &planes, &error);
       tlu_planes_distance(planes, &row, TLU_NO_LABEL, &distance, &error);
       printf("%g\n", distance.distance);
*/

/* The hyperplanes of a model, one for each pair of classes. The model must stay valid as long. */
typedef struct tlu_planes tlu_planes;

/* The position of a row. With two classes, `score` is w . x + b and `distance` is (w . x + b) /
   |w|, both positive on the side of the positive class. With more classes both describe the
   hyperplane between the predicted class and the class whose hyperplane is nearest: `score` is the
   score of the predicted class minus that of the other one. (In one versus one the winner may have
   lost to that class; then both are negative.) The distance from a hyperplane without weights is
   infinite. */
typedef struct tlu_distance {
    size_t predicted, against; /* classes */
    double score, distance;
    double margin; /* smallest distance from the hyperplanes of the row's own class, positive if the
                      row is on the correct side of all of them; NaN without a label */
} tlu_distance;

/* Models with a kernel, with layers or with a vote have no hyperplanes: TLU_ERROR_INPUT. */
TLU_API tlu_status tlu_planes_new(const tlu_model *model, tlu_planes **planes, tlu_error *error);
/* `label` is a class, TLU_NO_LABEL or TLU_UNKNOWN_LABEL. */
TLU_API tlu_status tlu_planes_distance(tlu_planes *planes, const tlu_row *row, uint32_t label,
                                       tlu_distance *distance, tlu_error *error);
/* The distance of the row of the last tlu_planes_distance from the hyperplane between two classes,
   positive on the side of the first. */
TLU_API double tlu_planes_distance_between(tlu_planes *planes, size_t class_index, size_t other);
/* 1: distances are those of scaled rows, because the model scales each row differently. 0: they are
   those of the rows in the data. */
TLU_API int tlu_planes_are_scaled(const tlu_planes *planes);
TLU_API void tlu_planes_free(tlu_planes *planes);

/* ---- Grade 2: separability ---------------------------------------------------------------------

       tlu_separability_settings settings = {.size = sizeof settings, .path = "spam.csv"};
       if (tlu_separability_decide(&settings, NULL, &answer, &error) == TLU_OK)
           puts(answer->verdict == TLU_SEPARABLE ? "separable" : "not separable");
*/

typedef enum tlu_verdict {
    TLU_SEPARABLE = 0,
    TLU_NOT_SEPARABLE = 1,
    TLU_NOT_DECIDED = 4 /* within the time limit */
} tlu_verdict;

/* Called several times per second with the current stage and the seconds since the start. Stopping
   has the same effect as the end of the time limit. */
typedef int (*tlu_proof_progress_function)(void *context, const char *stage, double seconds);

typedef struct tlu_separability_settings {
    size_t size; /* sizeof(tlu_separability_settings) */
    /* The data: exactly one of the following two. */
    const char *path;
    const tlu_rows *rows;
    const char *name; /* of rows in memory, for messages */
    const char *only; /* labels, separated by commas: other rows are ignored; NULL: all rows */
    double seconds;   /* time limit; 0: none */
    int approximate;  /* if not separable: also find a hyperplane with few mistakes */
    tlu_proof_progress_function progress;
    void *progress_context;
} tlu_separability_settings;

/* A row of a proof. Not separable: one of the rows that contradict each other, with its multiplier.
   Separable: one of the nearest rows, which determine the margin. */
typedef struct tlu_proof_row {
    uint64_t line;      /* of the data, from 1 */
    const char *weight; /* the multiplier: an exact integer */
    const char *label;
    const char *rival; /* more than two classes: the other class of the inequality; else NULL */
    size_t set; /* approximate: number of the contradiction that has the row, from 1; else 0 */
} tlu_proof_row;

typedef struct tlu_plane_weight {
    const char *feature; /* NULL: the bias */
    const char *label;   /* more than two classes: the class of the weight; else NULL */
    const char *exact;   /* an exact integer */
    double weight;       /* the same divided by |w|, so that y (w . x + b) is a distance */
} tlu_plane_weight;

typedef struct tlu_separability {
    tlu_verdict verdict;
    uint64_t examples, features, classes;
    const char *positive; /* label of two classes; else NULL */
    const char *found_by; /* "steps", "rows alike", "linear program", "exact arithmetic", or "" */
    /* Separable: weights with which every example is strictly on its side. */
    size_t weight_count;
    const tlu_plane_weight *weights; /* [weight_count] the nonzero ones */
    /* Bounds on the largest margin of two classes: the distance of the nearest row from the
       hyperplane of the weights, and half the distance of the convex hulls. (Without a bias: the
       distance of the hull of all y x from the origin.) NaN: unknown. */
    double margin_low, margin_high;
    double radius; /* R = max |x| */
    /* (R / margin_low)^2, and the same for rows (x, 1) and weights (w, b): this one bounds the
       mistakes of a perceptron with a bias. Without a bias both are equal. */
    double bound, bound_with_bias;
    size_t row_count;
    const tlu_proof_row *rows; /* [row_count] */
    /* Not separable, approximate: `mistakes` rows are on the wrong side of the hyperplane of the
       weights, or on it. Every hyperplane makes at least mistakes_min mistakes, the number of
       contradictions that share no row. Otherwise both are 0. */
    uint64_t mistakes, mistakes_min;
    int fewest;        /* a search has shown that no hyperplane makes fewer than `mistakes` */
    const char *proof; /* text of the proof (docs/proof-format.md); NULL: there is no proof */
    size_t proof_size;
    double seconds;
    const char *negative;     /* label of two classes; NULL: all labels but the positive one */
    const char *label_column; /* of CSV; else NULL */
    const tlu_data_facts *facts;
} tlu_separability;

/* Decides whether a hyperplane has every row strictly on its side. With more than two classes: one
   weight vector per class, such that the score of each row's own class is the highest. Accepts the
   options of the groups "reading" and "data", "no-bias", and "positive", which makes all other
   labels one class. If all rows have the label 1, or -1, the other class is the opposite label,
   without rows. Values are the decimal numbers of the file, not the nearest floats (rows in
   memory: the exact floats). Nothing is scaled. */
TLU_API tlu_status tlu_separability_decide(const tlu_separability_settings *settings,
                                           const tlu_options *options, tlu_separability **answer,
                                           tlu_error *error);
TLU_API void tlu_separability_free(tlu_separability *answer);

/* ---- Grade 2: checking a proof -----------------------------------------------------------------

       tlu_proof_report *report;
       if (tlu_proof_check(proof, strlen(proof), rows, strlen(rows), &report, &error) == TLU_OK)
           printf("%s\n", report->accepted ? report->claim : report->reason);
*/

typedef struct tlu_proof_report {
    int accepted;
    /* Accepted: what is proved. */
    const char *claim; /* "separable", "not-separable", "below" (an upper bound on the margin, not
                          decided), "mistakes" (bounds on the mistakes of any hyperplane); NULL if
                          rejected */
    uint64_t rows, classes;
    int has_low, has_high; /* the proof bounds the largest margin from below, from above */
    double margin_low, margin_high;
    uint64_t mistakes_min, mistakes_max; /* "mistakes": bounds on the fewest mistakes */
    /* Rejected: the first line that does not follow. */
    int in_data;   /* 1: a line of the data, 0: of the proof */
    uint64_t line; /* from 1 */
    char reason[256];
} tlu_proof_report;

/* Checks a proof of tlu_separability_decide (docs/proof-format.md) against data in LIBSVM or CSV,
   in exact arithmetic. Both are texts in memory and may be untrusted. A proof that is wrong is not
   an error: the report rejects it. */
TLU_API tlu_status tlu_proof_check(const char *proof, size_t proof_size, const char *data,
                                   size_t data_size, tlu_proof_report **report, tlu_error *error);
TLU_API void tlu_proof_report_free(tlu_proof_report *report);

/* ---- Grade 2: the mistake bound ----------------------------------------------------------------

       tlu_mistake_bound_settings three = {.size = sizeof three, .path = "spam.csv", .runs = 3};
       tlu_mistake_bound_compute(&three, NULL, &bound, &error);
       tlu_mistake_bound_free(bound);
*/

typedef struct tlu_mistake_bound_settings {
    size_t size; /* sizeof(tlu_mistake_bound_settings) */
    const char *path;
    const char *only; /* labels, separated by commas: other rows are ignored; NULL: all rows */
    size_t runs;      /* runs of a perceptron, each with another order of the rows */
    uint64_t epochs;  /* maximum passes of a run; 0: 1000 */
    double seconds;   /* time limit; 0: none */
    tlu_proof_progress_function progress;
    void *progress_context;
} tlu_mistake_bound_settings;

/* Rows are z = (x, 1), or x without a bias, as in training. With more than two classes they are
   the rows of Kesler's construction: for each row and each other class z in the block of its own
   class and -z in that of the other one, all of them with the label 1. */
typedef struct tlu_mistake_bound {
    tlu_verdict verdict; /* unless separable, the other fields have no meaning */
    uint64_t examples;
    int bias;
    double radius; /* R = max |z| */
    uint64_t radius_line;
    double margin_low, margin_high; /* bounds on the largest min y (u . z) over all |u| = 1 */
    double bound;                   /* rate_factor (R / margin_low)^2 */
    size_t runs;                    /* completed; fewer than requested if it ended early */
    const uint64_t *mistakes;       /* [runs] over all passes */
    const unsigned char *converged; /* [runs] 1: the last pass made no mistake */
    /* The values without the example that costs most, among those that determine the margin and the
       longest one. Line 0: no such example, or it ended before all were tried. */
    uint64_t dropped_line;
    double dropped_radius, dropped_margin, dropped_bound;
    int ended_early;          /* by the time limit or the progress function */
    const char *positive;     /* label of two classes; else NULL */
    const char *negative;     /* NULL: all labels but the positive one */
    const char *label_column; /* of CSV; else NULL */
    uint64_t classes;
    int scaled;                             /* the rows were scaled */
    double rate_min, rate_max, rate_factor; /* (rate_max / rate_min)^2 */
    const uint64_t *first_mistakes;         /* [runs] in the first pass */
    /* Bounds on the probability that the vote of one pass is wrong about another row, if all rows
       are independent and of one distribution (Freund and Schapire 1999): 2 k / (m + 1), m being
       the number of rows, and k the mistakes expected in a pass over m + 1 rows. error_bound has
       `bound` for k, which is right if R and the margin hold for the other row, too.
       error_estimate has the mean of first_mistakes for k: an estimate; NaN without runs. */
    double error_bound, error_estimate;
    const tlu_data_facts *facts;
} tlu_mistake_bound;

/* Computes the bound on the mistakes of a perceptron, and compares it with runs. Accepts the same
   options as tlu_separability_decide, and "scale" (none, maxabs, standard, auto) and "rate". With
   more than two classes the bound is for winner takes all whose ties raise the row's class and
   lower a rival ("tie-update" both). Rows that all have the label 1 or -1 are two classes, one of
   them without rows. */
TLU_API tlu_status tlu_mistake_bound_compute(const tlu_mistake_bound_settings *settings,
                                             const tlu_options *options, tlu_mistake_bound **bound,
                                             tlu_error *error);
TLU_API void tlu_mistake_bound_free(tlu_mistake_bound *bound);

/* ---- Grade 2: the table per mistake ------------------------------------------------------------

       tlu_mistake_table_settings given = {.size = sizeof given, .path = "spam.csv"};
       tlu_mistake_table_compute(&given, NULL, &table, &error);
       tlu_mistake_table_free(table);
*/

typedef struct tlu_mistake_table_settings {
    size_t size; /* sizeof(tlu_mistake_table_settings) */
    const char *path;
    size_t guesses_max; /* maximum number of guesses to return; 0: 1000 */
    double seconds;     /* time limit of the search for u; 0: none */
} tlu_mistake_table_settings;

/* A guess v_k of the perceptron (Cohen 2008, section 3): its weights after k mistakes, the bias
   last. v_0 is 0. A number that is not known is NaN. */
typedef struct tlu_guess {
    uint64_t k;
    uint64_t row, line; /* of the example whose mistake made it, from 1; 0 for v_0 */
    uint64_t used;      /* m_k: examples that it predicted, its mistake included */
    uint64_t survived;  /* c_n of Elkan's notes: 1 for the example that made it, and 1 for each
                           example that it predicted correctly */
    const double *v;    /* [dimension] */
    double v_dot_u, v_dot_u_min;     /* v_k . u, at least k gamma */
    double v_squared, v_squared_max; /* |v_k|^2, at most k R^2 */
    double angle;                    /* between v_k and u, in degrees; NaN for 0 */
    double error;                    /* of the examples that it predicted: 1/m_k, or 0 for the last
                                        guess; NaN if there were none */
    double error_all;                /* of all rows */
    double probability;              /* m_k/m of being picked at random, m the sum of all m_k */
} tlu_guess;

typedef struct tlu_mistake_table {
    uint64_t examples; /* rows */
    uint64_t epochs;   /* T passes. Those that were not made, because they change nothing or repeat
                          earlier ones, are counted all the same (--stop epochs). */
    uint64_t epochs_made;
    uint64_t steps;    /* m T: the sum of all m_k */
    uint64_t mistakes; /* k of the last guess */
    uint64_t cycle;    /* passes after which the weights repeat; 0: they do not */
    size_t dimension;  /* of v: features, and 1 for the bias */
    int bias;
    const char *const *names;   /* [dimension] of the features; "(bias)" */
    const char *positive;       /* label */
    double rate;                /* with another one than 1, bounds have its factor, or its square */
    tlu_verdict verdict;        /* separable: there is a u */
    const double *u;            /* [dimension] of length 1, with the largest margin; NULL: none */
    double gamma;               /* the margin of u; NaN: none */
    double radius;              /* R, the largest length of a row */
    const double *average_used; /* [dimension] Cohen's section 3.5: the sum of m_k/m v_k */
    const double *average;      /* [dimension] section 3.6: v is added after the update. It is the
                                   other one plus (last guess)/m. */
    size_t count;               /* mistakes + 1, or guesses_max */
    const tlu_guess *guesses;   /* [count] */
} tlu_mistake_table;

/* Trains a perceptron as tlu_trace does, on two classes, with a constant rate and without --margin
   and --kernel, and describes each of its guesses. Rows are as the perceptron sees them: after
   scaling, and with a 1 for the bias. */
TLU_API tlu_status tlu_mistake_table_compute(const tlu_mistake_table_settings *settings,
                                             const tlu_options *options, tlu_mistake_table **table,
                                             tlu_error *error);
TLU_API void tlu_mistake_table_free(tlu_mistake_table *table);

/* ---- Grade 2: the perceptron game --------------------------------------------------------------

       tlu_game_rules rules = {.size = sizeof rules, .gamma = 0.25, .radius = 1, .dimension = 2};
       tlu_game_new(&rules, &game, &error);
       tlu_game_offer(game, example, &prediction, &error);
*/

/* Player A gives an example, player B, a perceptron, predicts it, and A gives the label. B updates
   after each mistake. A must follow two rules: |x|^2 < R, and there is a u of length 1 such that
   y (u . x) > gamma for all examples. Then B makes fewer than R / gamma^2 mistakes (Cohen 2008,
   theorem 1). */
typedef struct tlu_game tlu_game;

typedef struct tlu_game_rules {
    size_t size; /* sizeof(tlu_game_rules) */
    double gamma;
    double radius;    /* R, which bounds the squared length */
    size_t dimension; /* of an example */
    const double *u;  /* [dimension] A's u, of any length; NULL: any u */
} tlu_game_rules;

typedef struct tlu_game_state {
    uint64_t rounds, mistakes;
    uint64_t mistakes_max; /* the largest integer below R / gamma^2 */
    size_t dimension;
    const double *v;           /* [dimension] B's weights v_k, k = mistakes */
    const double *u;           /* [dimension] a u that fits all examples; NULL before the first */
    double v_dot_u, v_squared; /* v_k . u and |v_k|^2 */
    double v_dot_u_min;        /* k gamma, a lower bound of v_k . u */
    double v_squared_max;      /* k R, an upper bound of |v_k|^2 */
    double margin;             /* the largest margin of u found so far; 0 if u was given */
} tlu_game_state;

TLU_API tlu_status tlu_game_new(const tlu_game_rules *rules, tlu_game **game, tlu_error *error);
/* A gives x[dimension]; *prediction is B's answer, +1 or -1. TLU_ERROR_INPUT if x is too long. */
TLU_API tlu_status tlu_game_offer(tlu_game *game, const double *x, int *prediction,
                                  tlu_error *error);
/* A gives the label, +1 or -1. TLU_ERROR_INPUT if no u fits; the other label may fit. */
TLU_API tlu_status tlu_game_label(tlu_game *game, int label, int *mistake, tlu_error *error);
/* The library plays A: finds x[dimension] and its label, about which B is wrong. *label is 0 if it
   finds no such example. With three or more dimensions it reaches mistakes_max. */
TLU_API tlu_status tlu_game_attack(tlu_game *game, double *x, int *label, tlu_error *error);
/* Valid, and unchanged, until the next call. */
TLU_API const tlu_game_state *tlu_game_get_state(tlu_game *game);
TLU_API void tlu_game_free(tlu_game *game);

#ifdef __cplusplus
}
#endif

#endif
