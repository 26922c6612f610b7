// Dot products of rows of small whole numbers, such as pixels or counts: integers of 16 bits, two
// features at a time. Sums of products are exact as integers, as they are in doubles, so that the
// order of a sum does not matter and the bits are those of a panel (panel.h).
//
// As there, rows stand side by side, SMALL_LANES of them; another row comes as pairs of features
// that are next to each other.
#ifndef TLU_SPACE_SMALL_H
#define TLU_SPACE_SMALL_H

#include "space/panel.h"

#define SMALL_LANES 16

struct small_pair {
    uint32_t place; // features 2 place and 2 place + 1
    int16_t values[2];
};

struct small_rows {
    struct small_pair *pairs;
    size_t count, capacity;
};

struct small_panel {
    int16_t *cells; // [places][SMALL_LANES][2], zero where nothing is spread out
    size_t places;
    const tlu_row *rows[SMALL_LANES]; // spread out
    double norms[SMALL_LANES];
    size_t count;
};

// Whether dot products of such rows can be made: with each other, if none has a larger x . x than
// SMALL_NORM.
bool small_row_fits(const tlu_row *row, double norm);
bool small_features_fit(size_t features);

// The row's pairs at the end; returns their number, or SIZE_MAX: out of memory.
size_t small_rows_add(struct small_rows *rows, const tlu_row *row);
void small_rows_free(struct small_rows *rows);

bool small_panel_init(struct small_panel *panel, size_t features);
void small_panel_free(struct small_panel *panel);
void small_panel_clear(struct small_panel *panel); // no rows
void small_panel_add(struct small_panel *panel, const tlu_row *row, double norm);
// values[i] = K(panel row i, x), i < SMALL_LANES; those past count mean nothing
void small_values(const struct small_panel *panel, const struct kernel *kernel,
                  const struct small_pair *x, size_t pairs, double norm, double *values);

#endif
