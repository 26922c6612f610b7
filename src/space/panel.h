// Kernel values of many rows against many: the inner loop of the dual form.
//
// Up to PANEL_LANES rows are spread out side by side in a panel [features][lanes]; another row's
// dot products with all of them are then what the scores of several classes are
// (vector_kernels.scores), entry by entry in order, so that the bits are the same everywhere.
#ifndef TLU_SPACE_PANEL_H
#define TLU_SPACE_PANEL_H

#include "space/kernel.h"
#include "tlu.h"
#include "vector/vector.h"

#include <stdbool.h>

#define PANEL_LANES 32

struct panel {
    double *cells; // [features][lanes], zero where nothing is spread out
    size_t features, lanes;
    const tlu_row *rows[PANEL_LANES]; // spread out
    double norms[PANEL_LANES];
    size_t count;
    const struct vector_routines *vector;
};

bool panel_init(struct panel *panel, size_t features);
bool panel_init_lanes(struct panel *panel, size_t features, size_t lanes); // at most PANEL_LANES
// The same, unless the panel is one of so many lanes already.
bool panel_prepare(struct panel *panel, size_t features, size_t lanes);
void panel_free(struct panel *panel);
void panel_clear(struct panel *panel);                                // no rows
void panel_add(struct panel *panel, const tlu_row *row, double norm); // count must be < lanes
// values[i] = K(panel row i, x), i < count; room for PANEL_LANES
void panel_values(const struct panel *panel, const struct kernel *kernel, const tlu_row *x,
                  double norm, double *values);
// LEARNER_STATE: a part of a step played again. now[i] += sign * (panel row i . gains), i < count,
// where the gains are of the entries of x and then, if there is one, of the bias. Returns how many
// these are.
size_t panel_gain(const struct panel *panel, const tlu_row *x, bool with_bias, double sign,
                  const double *gains, double *now);

double panel_norm(const tlu_row *x); // x . x

#endif
