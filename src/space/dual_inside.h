// The dual form, inside.
#ifndef TLU_SPACE_DUAL_INSIDE_H
#define TLU_SPACE_DUAL_INSIDE_H

#include "space/dual.h"
#include "space/panel.h"

#define DUAL_NONE UINT32_MAX
#define DUAL_THREADS 64 // at most

struct dual_change { // alpha[support][column] += amount
    uint32_t support, column;
    double amount;
};

struct dual_rows {        // a block
    size_t first, count;  // of order
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
    double *delta; // [support_count][columns] changes, summed up
    size_t delta_capacity;
    struct dual_change *changes;
    size_t change_count, change_capacity;
};

struct dual_updated {
    uint64_t id; // the row that was updated last
    bool known;
    double values[DUAL_BLOCK]; // K(it, rows of the block)
};

struct dual {
    struct kernel kernel;
    uint32_t columns;
    size_t threads;
    size_t rows;
    tlu_row *row;                      // [rows]
    double *norm;                      // [rows] x . x
    double *scores;                    // [rows][columns] S
    struct panel panels[DUAL_THREADS]; // one per thread
    struct dual_pass pass;
    struct dual_updated updated;
    bool no_memory;
    double work;
};

// Counts a change, and sums it up: for the rows of other blocks. False: out of memory.
bool dual_add_change(struct dual *dual, uint64_t id, uint32_t column, double amount);
// A block of rows that comes next; its scores are as they are. False: out of memory.
bool dual_add_block(struct dual *dual, const uint64_t *ids, size_t count);

#endif
