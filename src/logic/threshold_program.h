// The linear program of a threshold function: the least sum of |weights| for which
//
//     w . x - t >= 0  for the true rows x,    t - w . x >= 1  for the false ones,
//
// in fractions, which are exact; or positive numbers of rows that show that there are none.
#ifndef TLU_LOGIC_THRESHOLD_PROGRAM_H
#define TLU_LOGIC_THRESHOLD_PROGRAM_H

#include "logic/threshold_rows.h"

#define VARIABLES_MAX (2 * (TRUTH_INPUTS_MAX + 1))

enum lp_end {
    LP_BEST,    // solved
    LP_NONE,    // there are no such weights
    LP_PAST,    // their sum is larger than was asked for
    LP_OVERFLOW // a number does not fit 64 bits
};

// Everything times `scale`, in the key rows' sense of each input.
struct plane {
    int64_t scale, threshold, sum;     // sum: that of |weights|
    int64_t weights[TRUTH_INPUTS_MAX]; // by bit
};

// Key rows and their numbers. The sum of the true rows plus `lacking` is that of the false ones,
// the total of the numbers of true rows that of the false ones plus `excess`. Neither is negative,
// and both are 0 if a sign is not known.
struct ray {
    size_t count;
    size_t key[VARIABLES_MAX + 1]; // into the key rows
    int64_t multiple[VARIABLES_MAX + 1];
    int64_t lacking[TRUTH_INPUTS_MAX];
    int64_t excess;
};

struct lp;
struct basis; // where a program stands: to come back to

struct lp *lp_new(const struct key_rows *keys); // NULL: no memory
void lp_free(struct lp *program);

// Goes on to the end, or until the sum is larger than `most`.
enum lp_end lp_run(struct lp *program, int64_t most);
void lp_plane(const struct lp *program, struct plane *plane); // after LP_BEST
// After LP_NONE of a program without bounds.
void lp_ray(const struct lp *program, struct ray *ray);

// From now on the weight of a bit is at least `least`, or -weight at least `least`. False: no
// memory.
bool lp_bound(struct lp *program, unsigned bit, int sign, int64_t least);
struct basis *lp_save(const struct lp *program); // to free by memory_free; NULL: no memory
void lp_restore(struct lp *program, const struct basis *basis); // bounds, too
uint64_t lp_work(const struct lp *program);                     // done so far, in rows looked at

#endif
