/* tlu_proof.h: separability proofs, mistake bounds, distances and the perceptron game.

   Errors, arguments, structs and callbacks follow the rules at the top of tlu.h. */
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

/* The hyperplanes of a model, which must live as long: one between each two classes. Models with a
   kernel or a vote have none, and are refused. */
typedef struct tlu_planes tlu_planes;

/* Where a row is. With two classes score and distance are those of the positive class, positive on
   its side: w . x + b and (w . x + b) / |w|. With more they are about the plane between the
   predicted class and the one whose plane is nearest: what it has more of score, and the distance.
   (One versus one has planes of its own, and the winner may have lost to a class: then it is below
   0.) A plane without any weight is infinitely far. */
typedef struct tlu_distance {
    size_t predicted, against;
    double score, distance;
    double margin; /* the least distance from the planes of the row's own class, above 0 if it is
                      on the right side of all; not a number without a label */
} tlu_distance;

TLU_API tlu_status tlu_planes_new(const tlu_model *model, tlu_planes **planes, tlu_error *error);
/* `label` is a class, TLU_NO_LABEL or TLU_UNKNOWN_LABEL. */
TLU_API tlu_status tlu_planes_distance(tlu_planes *planes, const tlu_row *row, uint32_t label,
                                       tlu_distance *distance, tlu_error *error);
/* Of the row that was asked about last: the distance from the plane between two classes, positive
   on the side of the first. */
TLU_API double tlu_planes_distance_between(tlu_planes *planes, size_t class_index, size_t other);
/* 0: distances are those of the data as it is, also if the model scales it. Else they are those of
   the scaled rows, since the scaling is not the same for all of them. */
TLU_API int tlu_planes_are_scaled(const tlu_planes *planes);
TLU_API void tlu_planes_free(tlu_planes *planes);

/* ---- Grade 2: proofs ---------------------------------------------------------------------------

       tlu_separability_settings settings = {.size = sizeof settings, .path = "spam.csv"};
       if (tlu_separability_decide(&settings, NULL, &answer, &error) == TLU_OK)
           puts(answer->verdict == TLU_SEPARABLE ? "separable" : "not separable");
*/

typedef enum tlu_verdict {
    TLU_SEPARABLE = 0,
    TLU_NOT_SEPARABLE = 1,
    TLU_NOT_DECIDED = 4 /* in the time given */
} tlu_verdict;

/* Called now and then with what is being done, and the seconds since the start. Stopping is as if
   the time were up. */
typedef int (*tlu_proof_progress_function)(void *context, const char *stage, double seconds);

/* The question: is there a hyperplane with every row strictly on its side? Of more than two
   classes: one weight vector per class, with the highest score for every row's own class (the
   winner takes all). Of the options "reading" and "data" count, "no-bias", and "positive": with it
   that label is one class, and all others are the other. Values are taken as the decimals that are
   written in the data, not as the nearest floats; nothing is scaled. */
typedef struct tlu_separability_settings {
    size_t size; /* sizeof(tlu_separability_settings) */
    /* The data: one of these two. */
    const char *path;
    const tlu_rows *rows; /* whose values are the floats as they are */
    const char *name;     /* of the rows in messages */
    const char *only; /* labels, with commas between them: other rows are left out; NULL: none */
    double seconds;   /* after which it ends without a decision, if need be; 0: never */
    int approximate;  /* not separable: also how few mistakes a hyperplane can make */
    tlu_proof_progress_function progress;
    void *progress_context;
} tlu_separability_settings;

/* A row of a proof. Not separable: one of the rows that contradict each other, each multiplied by
   its weight. Separable: one of the nearest rows, which support the margin. */
typedef struct tlu_proof_row {
    uint64_t line;      /* of the data, from 1 */
    const char *weight; /* a whole number, exactly */
    const char *label;
    const char *rival; /* several classes: the other class of this case; else NULL */
    size_t set;        /* approximate: which of the contradictions it is in, from 1; else 0 */
} tlu_proof_row;

typedef struct tlu_plane_weight {
    const char *feature; /* NULL: the bias */
    const char *label;   /* several classes: whose weight it is; else NULL */
    const char *exact;   /* a whole number */
    double weight;       /* the same, divided by the length of w: y (w . x + b) is a distance */
} tlu_plane_weight;

typedef struct tlu_separability {
    tlu_verdict verdict;
    uint64_t examples, features, classes;
    const char *positive; /* of two classes; else NULL */
    const char *found_by; /* "steps", "rows alike", "linear program", "exact arithmetic", or "" */
    /* Separable: weights for every example to be strictly on its side. */
    size_t weight_count;
    const tlu_plane_weight *weights; /* [weight_count] those that are not 0 */
    /* The best margin of two classes lies between these: the distance of the nearest row to the
       plane of the weights, and half the distance of the hulls (without a bias: the distance of the
       hull of all y x from the origin). Not a number: not known. */
    double margin_low, margin_high;
    double radius; /* R = max |x| */
    /* (R / margin_low)^2, and the same for the rows (x, 1) that a perceptron with a bias learns
       from, with the weights (w, b): that is the bound on its mistakes. Without a bias both are
       equal. */
    double bound, bound_with_bias;
    size_t row_count;
    const tlu_proof_row *rows; /* [row_count] */
    /* Not separable, approximate: the weights have `mistakes` rows on the wrong side or on the
       plane, and no plane has fewer than mistakes_least, the number of contradictions that share no
       row. Else both are 0. */
    uint64_t mistakes, mistakes_least;
    int fewest;        /* a search has shown that no plane has fewer than `mistakes` */
    const char *proof; /* the proof as docs/proof-format.md has it; NULL: there is no proof */
    size_t proof_size;
    double seconds;
    const char *negative;     /* of two classes, if it is one label; else NULL */
    const char *label_column; /* of CSV; else NULL */
} tlu_separability;

TLU_API tlu_status tlu_separability_decide(const tlu_separability_settings *settings,
                                           const tlu_options *options, tlu_separability **answer,
                                           tlu_error *error);
TLU_API void tlu_separability_free(tlu_separability *answer);

/* ---- Grade 2: checking a proof -----------------------------------------------------------------

       tlu_proof_report checked = {.size = sizeof checked};
       if (tlu_proof_check(proof, strlen(proof), rows, strlen(rows), &checked, &error) == TLU_OK)
           printf("%s\n", checked.accepted ? checked.claim : checked.text);
*/

/* What comes of checking a proof: filled in, all but the size. */
typedef struct tlu_proof_report {
    size_t size; /* sizeof(tlu_proof_report) */
    int accepted;
    /* Accepted: what is proved. */
    const char *claim; /* "separable", "not-separable", "below" (a margin; else undecided),
                          "mistakes" (the fewest that any hyperplane makes); NULL if rejected */
    uint64_t rows, classes;
    int has_low, has_high; /* the proof says something about the largest margin: */
    double margin_low, margin_high;
    uint64_t least_mistakes, most_mistakes; /* "mistakes": the fewest are between these */
    /* Rejected: the line that does not follow, and why. */
    int in_data;   /* it is a line of the data, not of the proof */
    uint64_t line; /* from 1 */
    char text[256];
} tlu_proof_report;

/* Checks a proof of tlu_separability_decide (docs/proof-format.md) about data in LIBSVM or CSV,
   both as texts in memory, in exact arithmetic and without believing either. A proof that does not
   hold is no error: *checked says so. TLU_ERROR_SYSTEM if the library was built without GMP. */
TLU_API tlu_status tlu_proof_check(const char *proof, size_t proof_size, const char *data,
                                   size_t data_size, tlu_proof_report *checked, tlu_error *error);

/* ---- Grade 2: the mistake bound ----------------------------------------------------------------

       tlu_mistake_bound_settings settings = {.size = sizeof settings, .path = "spam.csv", .runs =
   3}; tlu_mistake_bound_compute(&settings, NULL, &bounds, &error); tlu_mistake_bound_free(bounds);
*/

/* Data of two classes. Of the options those count that count for tlu_separability_decide. */
typedef struct tlu_mistake_bound_settings {
    size_t size; /* sizeof(tlu_mistake_bound_settings) */
    const char *path;
    const char *only; /* labels, with commas between them: other rows are left out; NULL: none */
    size_t runs;      /* of a perceptron, each in an order of its own; 0: none */
    uint64_t epochs;  /* passes of a run at most; 0: 1000 */
    double seconds;   /* after which it ends with what is known by then; 0: never */
    tlu_proof_progress_function progress;
    void *progress_context;
} tlu_mistake_bound_settings;

/* Rows are z = (x, 1), or x without a bias, as training sees them. */
typedef struct tlu_mistake_bound {
    tlu_verdict verdict; /* the rest of this has a meaning if the data is separable */
    uint64_t examples;
    int bias;
    double radius; /* R = max |z| */
    uint64_t radius_line;
    double margin_low, margin_high; /* the largest min y (u . z) of a u of length 1 is between */
    double bound;                   /* (R / margin_low)^2 */
    size_t runs;                    /* that were made: fewer than wanted if it was ended early */
    const uint64_t *mistakes;       /* [runs] over all passes */
    const unsigned char *converged; /* [runs] 1: the last pass made no mistake */
    /* Without the example that costs most, of those that support the margin and the longest one;
       line 0: there is none that can be spared, or it was ended before all were tried. */
    uint64_t dropped_line;
    double dropped_radius, dropped_margin, dropped_bound;
    int ended_early; /* by the time or the progress function */
    const char *positive;
    const char *negative;     /* NULL: all labels but the positive one */
    const char *label_column; /* CSV: where the labels are; else NULL */
} tlu_mistake_bound;

TLU_API tlu_status tlu_mistake_bound_compute(const tlu_mistake_bound_settings *settings,
                                             const tlu_options *options, tlu_mistake_bound **bounds,
                                             tlu_error *error);
TLU_API void tlu_mistake_bound_free(tlu_mistake_bound *bounds);

/* ---- Grade 2: the perceptron game --------------------------------------------------------------

       tlu_game_rules rules = {.size = sizeof rules, .gamma = 0.25, .radius = 1, .dimension = 2};
       tlu_game_new(&rules, &game, &error);
       tlu_game_offer(game, example, &guess, &error);
*/

/* A gives examples, B is a perceptron that predicts them, A gives the labels; each mistake is a
   step of B's. A must keep to two rules: |x|^2 < R, and for some u of length 1 y (u . x) > gamma
   for all examples. So B makes fewer than R / gamma^2 mistakes (Cohen 2008, theorem 1). */
typedef struct tlu_game tlu_game;

typedef struct tlu_game_rules {
    size_t size; /* sizeof(tlu_game_rules) */
    double gamma;
    double radius;    /* R, which bounds the squared length */
    size_t dimension; /* of an example */
    const double *u;  /* [dimension] A's u, of any length; NULL: any u will do */
} tlu_game_rules;

typedef struct tlu_game_state {
    uint64_t rounds, mistakes;
    uint64_t most_mistakes; /* the largest whole number below R / gamma^2 */
    size_t dimension;
    const double *v;           /* [dimension] B's v_k, k = mistakes */
    const double *u;           /* [dimension] one that fits all examples; NULL before the first */
    double v_dot_u, v_squared; /* v_k . u and |v_k|^2 */
    double least_v_dot_u;      /* k gamma, which v_k . u is not below */
    double most_v_squared;     /* k R, which |v_k|^2 is not above */
    double margin;             /* a margin that u has, found so far; 0 if u was given */
} tlu_game_state;

TLU_API tlu_status tlu_game_new(const tlu_game_rules *rules, tlu_game **game, tlu_error *error);
/* A shows x[dimension]; *guess is what B says, +1 or -1. TLU_ERROR_INPUT with the reason if x is
   too long. */
TLU_API tlu_status tlu_game_offer(tlu_game *game, const double *x, int *guess, tlu_error *error);
/* A says what it is, +1 or -1. TLU_ERROR_INPUT if there is no u for that; the other label may do.
 */
TLU_API tlu_status tlu_game_label(tlu_game *game, int label, int *mistake, tlu_error *error);
/* Lets the library play A: x[dimension] and its label, about which B is wrong. *label is 0 if it
   knows no such example any more. In three dimensions and more it gets to most_mistakes. */
TLU_API tlu_status tlu_game_attack(tlu_game *game, double *x, int *label, tlu_error *error);
/* It stays as it is until the next call. */
TLU_API const tlu_game_state *tlu_game_get_state(tlu_game *game);
TLU_API void tlu_game_free(tlu_game *game);

#ifdef __cplusplus
}
#endif

#endif
