// The examples of a separability question, exactly.
//
// Every example becomes a row of integers: x, and 1 for the bias, times the row's own power of ten
// (and of two, for floats). A positive factor changes neither on which side of a plane a row lies
// nor whether rows contradict each other.
#ifndef TLU_PROOF_EXAMPLES_H
#define TLU_PROOF_EXAMPLES_H

#include "data/facts.h"
#include "data/schema.h"
#include "proof/integer.h"

#include <math.h>

// A row is its true value times 10^ten 2^two.
struct scale {
    int32_t ten, two;
};

// A label as written in the data, and its group.
struct label_name {
    char *text;
    uint32_t group;
};
#define GROUP_NONE UINT32_MAX // the group of rows that are left out
struct label_names {
    struct label_name *items; // [count]
    size_t count, capacity;
};

struct examples {
    size_t count;
    size_t features; // columns 0 to features - 1; column `features` is the bias
    bool bias;
    size_t width;      // columns
    size_t *offsets;   // [count + 1]
    uint32_t *columns; // [entries] ascending in a row
    double *near;      // [entries] the nearest doubles of the true values
    int64_t *whole;    // [entries] integers; in a large row, indices into big[]
    bool *large;       // [count]
    mpz_t *big;        // [big_count]
    size_t big_count, big_capacity;
    struct scale *scale; // [count]
    uint32_t *group;     // [count] class; with two classes 1 is positive
    uint64_t *line;      // [count] of the data, from 1
    size_t groups;       // classes
    uint32_t *feature;   // [features] of the schema
    // In the order of their groups, those left out last.
    const struct label_names *labels;
    const struct schema *schema;
    bool binary; // tlu check cannot read the file
    // All rows have the label 1, or -1: the label of the other class, which has no rows; else NULL.
    const char *absent;
};

// Which rows are used, and in which group.
struct grouping {
    const char *positive; // a label against the rest; "": two groups if there are two labels
    const char *only;     // labels that take part, with commas between them; NULL or "": all
    bool single;          // a single class is allowed, whatever its label
};

// The rows as read, before classes and features are known.
struct gathered {
    struct gathered_row {
        size_t end; // of its entries
        uint64_t line;
        uint32_t label;
    } * rows; // [row_count]
    struct gathered_entry {
        uint32_t feature;
        struct decimal value;
    } * entries; // [entry_count]
    char *texts; // [text_size] digits of long numbers
    size_t row_count, entry_count, text_size;
    size_t row_capacity, entry_capacity, text_capacity;
    struct label_names labels_spelled; // group: the class of the schema
    struct table spellings;            // their texts, to find them
    struct schema schema;
    struct data_facts facts;
    bool floats; // values were floats, not decimals
};

struct row_source;
// Reads all rows, outside of a computation. The caller frees *gathered, also after an error.
tlu_status gather(struct gathered *gathered, const char *path, const struct row_source *row_source,
                  const tlu_options *options, tlu_error *error);
void gathered_free(struct gathered *gathered);
// Scales the values of the rows that take part as training does (SCALE_...); they become floats.
// The other rows are removed.
tlu_status gathered_scale(struct gathered *gathered, const char *only, int kind, tlu_error *error);
// In a computation: makes examples of the rows and frees these, but for the schema and the labels,
// which the examples refer to.
tlu_status examples_make(struct examples *examples, struct gathered *gathered,
                         const struct grouping *grouping, bool bias, tlu_error *error);
// The first label of a group; and the column of the labels, NULL unless the data is CSV.
const char *examples_label(const struct examples *examples, uint32_t group);
const char *examples_label_column(const struct examples *examples);

// out := entry k of row i.
static inline void examples_value(const struct examples *examples, size_t i, size_t k, mpz_t out)
{
    if (examples->large[i])
        mpz_set(out, examples->big[examples->whole[k]]);
    else
        integer_set(out, examples->whole[k]);
}
// The length of row i, bias included, in floating point.
static inline double examples_length(const struct examples *examples, size_t i)
{
    double square = 0;
    for (size_t k = examples->offsets[i]; k < examples->offsets[i + 1]; k++)
        square += examples->near[k] * examples->near[k];
    return sqrt(square);
}
// out := 10^ten 2^two; neither exponent is negative.
void scale_factor(struct scale scale, mpz_t out);

#endif
