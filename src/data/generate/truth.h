// The true label of each point of the plane that a recipe draws its rows from.
#ifndef TLU_DATA_GENERATE_TRUTH_H
#define TLU_DATA_GENERATE_TRUTH_H

#include "base/error.h"

#include <stdbool.h>

struct random;

struct truth_range {
    double x_low, x_high, y_low, y_high;
};

// The truth of a kind of recipe; the generator uses it too. A plan is what the seed decides before
// the first row: centres of clouds [classes][features], a normal [features].
struct truth_kind {
    int64_t (*label)(const tlu_recipe *recipe, const double *plan, double x, double y);
    struct truth_range range; // where rows are, with little noise
    void (*find_range)(const tlu_recipe *recipe, const double *plan, struct truth_range *range);
    size_t (*size)(const tlu_recipe *recipe); // of the plan; NULL: there is none
    void (*draw)(struct random *random, const tlu_recipe *recipe, double *plan);
    bool counted;      // labels are 1, 2, 3, ..., not -1 and 1
    const char *words; // where the positive class is, or which class it is
};

struct recipe_truth {
    tlu_recipe recipe;
    const struct truth_kind *kind;
    double *plan; // NULL: there is none
};

// TLU_ERROR_INPUT if the recipe is invalid, or its rows are not points of the plane. Call truth_end
// afterwards, also after an error.
tlu_status truth_find(const tlu_recipe *recipe, struct recipe_truth *truth, tlu_error *error);
// The true label of a point, as rows have it: 1 or -1; for blobs 1, 2, 3, ... Where noise spreads
// rows, or clouds overlap, some rows have another label.
int64_t truth_label(const struct recipe_truth *truth, double x, double y);
// The same as a class, from 0: -1 comes before 1.
static inline uint32_t truth_class(const struct recipe_truth *truth, int64_t label)
{
    return truth->kind->counted ? (uint32_t)(label - 1) : label > 0;
}
struct truth_range truth_range(const struct recipe_truth *truth);
void truth_end(struct recipe_truth *truth);

// As tlu_generate, followed by `more` rows of the same kind without flipped labels.
tlu_status generate_and_more(const tlu_recipe *recipe, uint64_t more, tlu_write_function write,
                             void *context, tlu_error *error);

#endif
