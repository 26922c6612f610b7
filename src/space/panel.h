// Kernel values between many rows: the inner loop of the dual form.
//
// A panel [features][lanes] holds up to PANEL_LANES rows as dense columns. The dot products of
// another row with all of them are then computed like the scores of several classes
// (vector_routines), entry by entry in order, so that the bits are the same on every CPU.
#ifndef TLU_SPACE_PANEL_H
#define TLU_SPACE_PANEL_H

#include "space/kernel.h"
#include "tlu.h"
#include "vector/vector.h"

#include <stdbool.h>

#define PANEL_LANES 32

struct panel {
    double *cells; // [features][lanes], zero where a row has no entry
    size_t features, lanes;
    const tlu_row *rows[PANEL_LANES]; // in the panel
    double norms[PANEL_LANES];
    size_t count;
    const struct vector_routines *vector;
};

bool panel_init(struct panel *panel, size_t features);
bool panel_init_lanes(struct panel *panel, size_t features, size_t lanes); // at most PANEL_LANES
// The same, unless the panel already has this many lanes.
bool panel_prepare(struct panel *panel, size_t features, size_t lanes);
void panel_free(struct panel *panel);
void panel_clear(struct panel *panel); // removes all rows
void panel_add(struct panel *panel, const tlu_row *row, double norm);
// values[i] = K(panel row i, x), i < count. `values` must have PANEL_LANES elements.
void panel_values(const struct panel *panel, const struct kernel *kernel, const tlu_row *x,
                  double norm, double *values);
// LEARNER_STATE: replays a part of a step. now[i] += sign * (panel row i . gains), i < count. The
// gains are those of the entries of x, then that of the bias if there is one. Returns their number.
size_t panel_gain(const struct panel *panel, const tlu_row *x, bool with_bias, double sign,
                  const double *gains, double *now);

double panel_norm(const tlu_row *x); // x . x

#endif
