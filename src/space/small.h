// Dot products of rows of small whole numbers, such as pixels or counts, with 16-bit integers, two
// features at a time. The sums are exact in integers and in doubles, so the order does not matter
// and the bits are those of a panel (panel.h).
//
// A small panel holds SMALL_LANES rows as dense columns. The other row is a list of pairs of
// adjacent features.
#ifndef TLU_SPACE_SMALL_H
#define TLU_SPACE_SMALL_H

#include "space/panel.h"

#define SMALL_LANES 16

struct small_pair {
    uint32_t place; // of features 2 * place and 2 * place + 1
    int16_t values[2];
};

struct small_rows {
    struct small_pair *pairs;
    size_t count, capacity;
};

struct small_panel {
    int16_t *cells; // [places][SMALL_LANES][2], zero where a row has no entry
    size_t places;
    const tlu_row *rows[SMALL_LANES]; // in the panel
    double norms[SMALL_LANES];
    size_t count;
};

// Whether a row can be used: its values are small whole numbers, and its x . x is at most
// SMALL_NORM.
bool small_row_fits(const tlu_row *row, double norm);
bool small_features_fit(size_t features);

// Appends the pairs of a row. Returns their number, or SIZE_MAX: out of memory.
size_t small_rows_add(struct small_rows *rows, const tlu_row *row);
void small_rows_free(struct small_rows *rows);

bool small_panel_init(struct small_panel *panel, size_t features);
void small_panel_free(struct small_panel *panel);
void small_panel_clear(struct small_panel *panel); // removes all rows
void small_panel_add(struct small_panel *panel, const tlu_row *row, double norm);
// values[i] = K(panel row i, x), i < SMALL_LANES; only the first panel->count are meaningful
void small_values(const struct small_panel *panel, const struct kernel *kernel,
                  const struct small_pair *x, size_t pairs, double norm, double *values);

#endif
