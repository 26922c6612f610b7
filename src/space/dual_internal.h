// The data structures of the dual form.
#ifndef TLU_SPACE_DUAL_INTERNAL_H
#define TLU_SPACE_DUAL_INTERNAL_H

#include "space/dual.h"
#include "space/small.h"

#define DUAL_NONE UINT32_MAX
#define DUAL_THREADS 64 // maximum
#define DUAL_PANELS (DUAL_BLOCK / SMALL_LANES)

struct dual_change { // alpha[support][column] += amount
    uint32_t support, column;
    double amount;
};

struct dual_rows {        // a block
    size_t first, count;  // range of dual_pass.order
    size_t changes_after; // where in the pass's list of changes the block ended
};

struct dual_pass {
    uint64_t *order; // [rows] the rows in the order of the blocks
    size_t ordered;
    struct dual_rows *blocks;
    size_t block_count, block_capacity;
    uint32_t *support_of; // [rows] number among the supports of this pass, or DUAL_NONE
    uint32_t *supports;   // [support_count] rows
    size_t support_count, support_capacity;
    double *delta; // [support_count][columns] sums of the changes
    size_t delta_capacity;
    struct dual_change *changes;
    size_t change_count, change_capacity;
};

struct dual_updated {
    uint64_t id;               // the row that was updated last
    bool known;                // `values` are set
    double values[DUAL_BLOCK]; // K(that row, rows of the block)
};

// Rows of small whole numbers: see dual_small.c.
struct dual_small {
    bool on;
    struct small_panel panels[DUAL_PANELS]; // rows of the block
    double *sums;                           // [DUAL_PANELS][columns][SMALL_LANES] their scores
    struct small_rows supports;             // rows that were updated, in any pass
    size_t *starts;                         // [rows] of supports.pairs
    uint32_t *pairs;                        // [rows] number; 0: never updated, or empty
};

struct dual {
    struct kernel kernel;
    uint32_t columns;
    size_t threads;
    size_t rows;
    tlu_row *row;                      // [rows]
    double *norm;                      // [rows] x . x
    double *scores;                    // [rows][columns] S
    struct panel panels[DUAL_THREADS]; // one per thread; none if rows are small
    struct dual_pass pass;
    struct dual_updated updated;
    struct dual_small small;
    bool no_memory;
    double work;
};

// The nonzero changes of some supports, grouped by support.
struct sparse_delta {
    uint32_t *supports; // [count] rows
    size_t *starts;     // [count + 1]
    struct dual_change *entries;
    size_t count;
};

// ---- dual_small.c ----

struct dual_small_job {
    struct dual *dual;
    const struct sparse_delta *delta;
    const uint64_t *ids; // [count], at most DUAL_BLOCK
    size_t count;
};

// Sets small.on if all rows consist of small whole numbers. False: out of memory.
bool dual_small_init(struct dual *dual, size_t features);
void dual_small_free(struct dual_small *small);
// Adds a row that is updated to the supports. False: out of memory.
bool dual_small_add(struct dual *dual, uint64_t id);
// S of these rows += sum of the changes times kernel values. The last rows, at most DUAL_BLOCK,
// stay in the panels.
void dual_small_apply(struct dual *dual, const struct sparse_delta *delta, const uint64_t *ids,
                      size_t count);
// values := K of an updated row and each row in the panels.
void dual_small_values(const struct dual *dual, uint64_t id, double *values);

// ---- dual.c ----

// Records a change, for the rows of other blocks. False: out of memory.
bool dual_add_change(struct dual *dual, uint64_t id, uint32_t column, double amount);
// Appends a block to the pass without changing its scores. False: out of memory.
bool dual_add_block(struct dual *dual, const uint64_t *ids, size_t count);

#endif
