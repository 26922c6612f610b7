// Kernel values of rows with all rows that a model keeps, by the cheapest method: an inverted index
// (postings.h), small integers (small.h) or a panel of doubles (panel.h). All methods give the same
// bits.
#ifndef TLU_SPACE_GRAM_H
#define TLU_SPACE_GRAM_H

#include "space/postings.h"
#include "space/small.h"

#define GRAM_LANES 16
#define GRAM_ROWS 256  // maximum number of rows at once, so that a tile is fetched for many rows
#define GRAM_TILE 1024 // kept rows, whose values with GRAM_LANES rows fit the second-level cache

enum gram_way { GRAM_PANEL, GRAM_POSTINGS, GRAM_SMALL };

// The kept rows, which the caller owns.
struct gram {
    struct kernel kernel;
    const tlu_row *rows; // [count]
    const double *norms; // [count]
    size_t count, features;
    enum gram_way way;
    struct postings postings;
    struct small_rows small;
    size_t *small_starts; // [count + 1] of small.pairs
};

struct gram *gram_new(const struct kernel *kernel, const tlu_row *rows, const double *norms,
                      size_t count, size_t features); // by panels; NULL: out of memory
struct gram *gram_faster(const struct gram *gram);    // by the best way; NULL: out of memory
void gram_free(struct gram *gram);                    // NULL is fine

// The rows that are compared with them. The caller zeroes it; each thread has its own.
struct gram_scratch {
    size_t lanes, count; // 1 lane if there is one row
    enum gram_way way;
    struct panel panel;
    struct small_panel small;
    struct postings_rows postings;
    double norms[GRAM_ROWS];
    double *dots;   // [8][GRAM_TILE]
    double *values; // [tile][lanes] for the caller of gram_values
    double *sums;   // [groups][columns][lanes] of gram_scores
    size_t dots_capacity, values_capacity, sums_capacity;
};

// The number of these rows that can be loaded at once: up to GRAM_LANES, or GRAM_ROWS if that pays.
size_t gram_rows_at_once(const struct gram *gram, const tlu_row *rows, size_t count);
// Loads that many rows, which must not change until gram_unload, and makes scratch->values large
// enough for `tile` kept rows. False: out of memory.
bool gram_load(const struct gram *gram, struct gram_scratch *scratch, const tlu_row *rows,
               size_t count, size_t tile);
void gram_unload(struct gram_scratch *scratch);
void gram_scratch_free(struct gram_scratch *scratch);
// values[last - first][lanes] of kept rows first to last - 1 and the group of loaded rows from row
// `start` on. The calls for a group must ask for the kept rows in order, without gaps.
void gram_values(const struct gram *gram, struct gram_scratch *scratch, size_t start, size_t first,
                 size_t last, double *values);

// A weight vector per column, as a sum over the kept rows.
struct gram_weights {
    const double *w;    // [gram->count][columns]
    const double *bias; // [columns]
    uint32_t columns;
    double divisor; // of the scores
};
// scores[count][columns] of any number of rows. False: out of memory.
bool gram_scores(const struct gram *gram, const struct gram_weights *weights, const tlu_row *rows,
                 size_t count, double *scores, struct gram_scratch *scratch);

#endif
