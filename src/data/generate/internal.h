// The parts of the generator: generate.c has the recipes and writes rows; points.c and sparse.c
// make the rows of each kind.
#ifndef TLU_DATA_GENERATE_INTERNAL_H
#define TLU_DATA_GENERATE_INTERNAL_H

#include "base/error.h"
#include "base/random.h"
#include "data/generate/truth.h"

#include <stdbool.h>

// ---- generate.c: rows into one large buffer ----

struct row_output {
    char *bytes; // [OUTPUT_SIZE]
    size_t used;
    bool csv;
    bool failed; // the caller's function failed and is not called again
    tlu_write_function write;
    void *context;
};

#define OUTPUT_SIZE ((size_t)1 << 18)

// A row of `count` entries; `indices`, in rising order, is NULL if the row is dense.
void output_row(struct row_output *out, uint64_t features, const uint32_t *indices,
                const double *values, size_t count, int64_t label, bool plus);

// ---- the kinds ----

struct generator {
    const tlu_recipe *recipe;
    const double *plan; // what the kind has drawn before the first row
    uint64_t flipped;   // rows before this one may have flipped labels
    struct random random;
    struct row_output out;
};

// Draws values[features] and returns the label, in points.c.
typedef int64_t draw_row(struct generator *generator, uint64_t row, double *values);
draw_row draw_line, draw_xor, draw_circle, draw_moons, draw_semicircles, draw_blobs, draw_margin;
extern const struct truth_kind truth_of_line, truth_of_xor, truth_of_circle, truth_of_moons,
    truth_of_semicircles, truth_of_blobs, truth_of_margin;

// Makes and writes all rows of sparse data.
tlu_status make_sparse(struct generator *generator, tlu_error *error);

// Whether the label of a row is flipped.
static inline bool is_noisy(struct generator *generator, uint64_t row)
{
    return random_unit(&generator->random) <
           (row < generator->flipped ? generator->recipe->noise : 0);
}

// The label, +1 or -1, flipped at random.
static inline int64_t noisy(struct generator *generator, uint64_t row, int64_t label)
{
    return is_noisy(generator, row) ? -label : label;
}

static inline double between(struct random *random, double least, double most)
{
    return least + (most - least) * random_unit(random);
}

static inline void scale_values(double *values, double factor, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] *= factor;
}

#endif
