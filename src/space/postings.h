// Dot products of rows with many kept rows, by an inverted index: a list of postings (row, value)
// for each feature. Features that two rows do not share cost nothing. Features that many rows have
// are stored as dense columns instead, and added several rows at a time.
//
// Each dot product is summed in ascending order of features, which is the order of the kept rows'
// entries. If their entries are not ascending, all values must be whole numbers, so that the order
// of the sum does not matter.
#ifndef TLU_SPACE_POSTINGS_H
#define TLU_SPACE_POSTINGS_H

#include "tlu.h"
#include "vector/vector.h"

#include <stdbool.h>

struct posting {
    uint32_t row; // ascending for each feature; POSTINGS_END after the last
    float value;
};
#define POSTINGS_END UINT32_MAX

struct postings {
    size_t rows, features;
    size_t *starts; // [features] of items
    struct posting *items;
    uint32_t *column_of; // [features] number of its column, from 1; 0: it has none
    float *columns;      // [][rows]
    bool ascending;      // the entries of every row are in ascending order
    bool whole;          // all values are whole numbers
    double most_norm;    // the largest x . x
};

// The number of rows that have each feature, [features]. The caller frees it. NULL: out of memory.
size_t *postings_count(const tlu_row *rows, size_t count, size_t features);
// Whether postings can be used and are faster than a panel. `small`: the panel would be one of
// small numbers.
bool postings_pay(const tlu_row *rows, const double *norms, size_t count, const size_t *occurrences,
                  size_t features, bool small);
bool postings_make(struct postings *postings, const tlu_row *rows, const double *norms,
                   size_t count, const size_t *occurrences,
                   size_t features); // false: out of memory
void postings_free(struct postings *postings);

// The rows to multiply with the kept rows. The caller zeroes it; each thread has its own.
struct postings_rows {
    struct postings_entry {
        uint32_t feature;
        uint32_t next; // the next kept row that has the feature
        const struct posting *at;
        const float *column; // NULL: the feature has no column
        double value;
    } * entries; // of each row, by ascending feature
    size_t count, capacity;
    size_t *starts; // [rows + 1]
    size_t rows, starts_capacity;
    const struct vector_routines *vector;
};

// Whether postings can be used for this row.
bool postings_take(const struct postings *postings, const tlu_row *x);
bool postings_load(const struct postings *postings, struct postings_rows *slot, const tlu_row *rows,
                   size_t count); // false: out of memory
void postings_rows_free(struct postings_rows *slot);
// dots[last - first] of loaded row i with the kept rows first to last - 1. `first` must be the
// `last` of the previous call for this row.
void postings_dots(struct postings_rows *slot, size_t i, size_t first, size_t last, double *dots);

#endif
