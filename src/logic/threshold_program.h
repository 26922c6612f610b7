// The linear program of a threshold function: the least sum of |weights| for which
//
//     w . x - t >= 0  for the true rows x,    t - w . x >= 1  for the false ones,
//
// in fractions, which are exact; or positive numbers of rows that show that there are none.
#ifndef TLU_LOGIC_THRESHOLD_PROGRAM_H
#define TLU_LOGIC_THRESHOLD_PROGRAM_H

#include "logic/threshold_rows.h"

#define VARIABLES_MOST (2 * (TRUTH_INPUTS_MOST + 1))

enum program_end {
    PROGRAM_BEST,    // solved
    PROGRAM_NONE,    // there are no such weights
    PROGRAM_PAST,    // their sum is larger than was asked for
    PROGRAM_OVERFLOW // a number does not fit 64 bits
};

// Everything times `scale`, in the key rows' sense of each input.
struct plane {
    int64_t scale, threshold, sum;      // sum: that of |weights|
    int64_t weights[TRUTH_INPUTS_MOST]; // by bit
};

// Key rows and their numbers. The sum of the true rows plus `lacking` is that of the false ones,
// the total of the numbers of true rows that of the false ones plus `excess`. Neither is negative,
// and both are 0 if a sign is not known.
struct ray {
    size_t count;
    size_t key[VARIABLES_MOST + 1]; // into the key rows
    int64_t multiple[VARIABLES_MOST + 1];
    int64_t lacking[TRUTH_INPUTS_MOST];
    int64_t excess;
};

struct program;
struct basis; // where a program stands: to come back to

struct program *program_new(const struct key_rows *keys); // NULL: no memory
void program_free(struct program *program);

// Goes on to the end, or until the sum is larger than `most`.
enum program_end program_run(struct program *program, int64_t most);
void program_plane(const struct program *program, struct plane *plane); // after PROGRAM_BEST
// After PROGRAM_NONE of a program without bounds.
void program_ray(const struct program *program, struct ray *ray);

// From now on the weight of a bit is at least `least`, or -weight at least `least`. False: no
// memory.
bool program_bound(struct program *program, unsigned bit, int sign, int64_t least);
struct basis *
program_save(const struct program *program); // to free by memory_free; NULL: no memory
void program_restore(struct program *program, const struct basis *basis); // bounds, too
uint64_t program_work(const struct program *program); // done so far, in rows looked at

#endif
