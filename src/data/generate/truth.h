// What is true of a recipe: the label of each place of the plane that its rows are of.
#ifndef TLU_DATA_GENERATE_TRUTH_H
#define TLU_DATA_GENERATE_TRUTH_H

#include "base/error.h"

#include <stdbool.h>

struct random;

struct truth_range {
    double x_low, x_high, y_low, y_high;
};

// Of a kind of recipe; the generator goes by it too. A plan is what the seed decides before the
// first row: centres of clouds [classes][features], a normal [features].
struct truth_kind {
    int64_t (*label)(const tlu_recipe *recipe, const double *plan, double x, double y);
    struct truth_range range; // where rows are, with little noise
    void (*find_range)(const tlu_recipe *recipe, const double *plan, struct truth_range *range);
    size_t (*size)(const tlu_recipe *recipe); // of the plan; NULL: there is none
    void (*draw)(struct random *random, const tlu_recipe *recipe, double *plan);
    bool counted;      // labels are 1, 2, 3, ..., not -1 and 1
    const char *words; // where the positive class is, or which class it is
};

struct truth {
    tlu_recipe recipe;
    const struct truth_kind *kind;
    double *plan; // NULL: there is none
};

// TLU_ERROR_INPUT if the recipe cannot be made, or is not one of the plane. In the end, also after
// an error, truth_end.
tlu_status truth_find(const tlu_recipe *recipe, struct truth *truth, tlu_error *error);
// The label that is right there as the rows have it: 1 or -1; of blobs 1, 2, 3, ... Where noise
// spreads rows, or clouds overlap, some of the rows have another.
int64_t truth_label(const struct truth *truth, double x, double y);
// The same as a class, from 0: -1 comes before 1.
static inline uint32_t truth_class(const struct truth *truth, int64_t label)
{
    return truth->kind->counted ? (uint32_t)(label - 1) : label > 0;
}
struct truth_range truth_range(const struct truth *truth);
void truth_end(struct truth *truth);

// As tlu_generate, and after these rows more of the same, none of whose labels are flipped.
tlu_status generate_and_more(const tlu_recipe *recipe, uint64_t more, tlu_write_function write,
                             void *context, tlu_error *error);

#endif
