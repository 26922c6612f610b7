// Dot products of rows with many others, by feature: for each feature the rows that have it. The
// products are made from what the rows share, and what they do not share costs nothing. Features
// that many rows have are kept as columns, with zeros, and added several rows at a time.
//
// The sum over the features of a product goes by their numbers: the order of the kept rows'
// entries, as they are ascending. If they are not, all numbers have to be whole, so that the order
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
    bool ascending;      // entries of rows
    bool whole;          // their values
    double most_norm;    // the highest x . x
};

// How many rows have each feature: [features]; NULL: out of memory.
size_t *postings_count(const tlu_row *rows, size_t count, size_t features);
// Whether the products are made faster by postings than by a panel (of small numbers), and can be
// made so.
bool postings_pay(const tlu_row *rows, const double *norms, size_t count, const size_t *met,
                  size_t features, bool small);
bool postings_make(struct postings *postings, const tlu_row *rows, const double *norms,
                   size_t count, const size_t *met, size_t features); // false: out of memory
void postings_free(struct postings *postings);

// Rows whose products are wanted. All zero at the start. Of one thread.
struct postings_rows {
    struct postings_entry {
        uint32_t feature, next; // the next kept row that has it
        const struct posting *at;
        const float *column; // NULL: it has none
        double value;
    } * entries; // of a row by feature
    size_t count, capacity;
    size_t *starts; // [rows + 1]
    size_t rows, starts_capacity;
    const struct vector_routines *vector;
};

// Whether the products of this row can be made.
bool postings_take(const struct postings *postings, const tlu_row *x);
bool postings_load(const struct postings *postings, struct postings_rows *slot, const tlu_row *rows,
                   size_t count); // false: out of memory
void postings_rows_free(struct postings_rows *slot);
// dots[last - first] of mapped row i with the kept rows first to last - 1, which must be those
// after the last of the call before for this row.
void postings_dots(struct postings_rows *slot, size_t i, size_t first, size_t last, double *dots);

#endif
