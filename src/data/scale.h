// Scaling: x' = (x - shift) * factor for each feature, fitted in training and stored in the model.
//
// maxabs divides by the largest absolute value. standard divides by the standard deviation and
// subtracts the mean first, but for columns that are zero in more than three rows out of four:
// those keep their zeros, so that sparse data stays sparse. The values of categorical columns are 0
// and 1 already and stay as they are.
//
// auto decides whether the data has columns of numbers, as a table has, or words and categories, as
// a text has. A feature is numeric if its non-zero entries differ; a numeric feature is a column if
// it is non-zero in at least half of the rows. If three quarters of all numeric entries are in
// columns, or the widest range of a column is at least a thousand times the narrowest, columns are
// standardised and other numeric features are divided by their root mean square, which keeps zeros.
// Everything else stays unchanged. Words of a text are never numeric.
//
// Words have factors of their own: with --tfidf log((1 + n) / (1 + d)) + 1 if d of n rows have the
// word, and 0 with --min-count if d is too small. --normalize divides the scaled row by its length.
#ifndef TLU_DATA_SCALE_H
#define TLU_DATA_SCALE_H

#include "base/options.h"
#include "data/schema.h"

struct scaling {
    int kind; // SCALE_... of numbers
    size_t features;
    double *factor; // [features]; NULL: values stay as they are
    double *shift;  // [features]; NULL likewise
    uint32_t
        *shifted; // [shifted_count] features with a shift, ascending; every scaled row has them
    size_t shifted_count;
    double unshifted; // the squared length of a row without entries, after scaling
    bool normalize;   // rows are divided by their length
};

static inline bool scaling_is_on(const struct scaling *scaling)
{
    return scaling->factor || scaling->normalize;
}

// What the options say.
struct scale_rule {
    int kind;           // SCALE_... of numbers
    bool tfidf;         // --tfidf
    uint64_t min_count; // --min-count
    bool normalize;     // --normalize
};
struct scale_rule scale_rule_of(const tlu_options *options, int kind);
static inline bool scale_rule_counts(const struct scale_rule *rule) // the rows of each word
{
    return rule->tfidf || rule->min_count > 1;
}

// The rows that each word occurs in. The counts of other features are 0.
struct word_counts {
    uint64_t rows;
    uint32_t *counts; // [capacity] by feature; NULL: words are not counted
    size_t capacity;
};
static inline uint32_t word_count(const struct word_counts *words, size_t feature)
{
    return feature < words->capacity ? words->counts[feature] : 0;
}
#define WORD_FACTOR_MAX 64 // the logarithm of any number of rows is smaller
double word_factor(const struct scale_rule *rule, uint64_t count, uint64_t rows);

#define RANGE_RATIO 1000 // of the ranges of two columns, from which on auto scales

// The entries of a feature that are not zero.
struct value_range {
    float low, high;
    uint32_t count;
};
// Extends the ranges by the first `most` rows that have a label; returns the number of these rows.
uint64_t ranges_find(struct value_range *ranges, struct batch *const *batches, size_t batch_count,
                     uint64_t most);
double range_width(const struct value_range *range, uint64_t rows); // includes zeros

// Replaces numbers[count] by their sums over all processes of a training, or by the largest.
struct scale_reduction {
    tlu_status (*sum)(void *context, double *numbers, size_t count, tlu_error *error);
    tlu_status (*largest)(void *context, double *numbers, size_t count, tlu_error *error);
    void *context;
};

// `reduction`: NULL, or how to include the rows of other processes. Ignores held-out rows
// (batch.h). If the rule counts words, words->counts is allocated.
tlu_status scaling_fit(struct scaling *scaling, const struct scale_rule *rule,
                       const struct schema *schema, struct batch *const *batches,
                       size_t batch_count, struct word_counts *words,
                       const struct scale_reduction *reduction, tlu_error *error);
// Whether `auto` scales, given the first `most` rows.
tlu_status scaling_wanted(const struct schema *schema, struct batch *const *batches,
                          size_t batch_count, uint64_t most, bool *wanted, tlu_error *error);
// Fills shifted[] from shift[], and `unshifted`; false: out of memory.
bool scaling_index(struct scaling *scaling);
// Replaces the values of a batch by the scaled ones.
tlu_status scaling_apply(const struct scaling *scaling, struct batch *batch, tlu_error *error);
// Divides values by their Euclidean length, unless it is 0.
void values_normalize(float *values, size_t count);
// The length of a row after scaling, before it is normalised; 1 if it is 0.
double scaling_row_length(const struct scaling *scaling, const tlu_row *row);
void scaling_free(struct scaling *scaling);

#endif
