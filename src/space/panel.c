#include "space/panel.h"

#include "base/memory.h"
#include "data/batch.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define WIDE ((size_t)1 << 17) // with at least this many features, a panel has fewer lanes

bool panel_init(struct panel *panel, size_t features)
{
    return panel_init_lanes(panel, features, features < WIDE ? PANEL_LANES : PANEL_LANES / 4);
}

bool panel_init_lanes(struct panel *panel, size_t features, size_t lanes)
{
    *panel = (struct panel){.features = features, .lanes = lanes, .vector = vector_best()};
    assert(lanes <= PANEL_LANES);
    if (features > SIZE_MAX / PANEL_LANES)
        return false;
    panel->cells = memory_new(features * panel->lanes, sizeof *panel->cells);
    return panel->cells != NULL;
}

bool panel_prepare(struct panel *panel, size_t features, size_t lanes)
{
    if (panel->cells && panel->lanes == lanes)
        return true;
    panel_free(panel);
    return panel_init_lanes(panel, features, lanes);
}

void panel_free(struct panel *panel)
{
    memory_free(panel->cells);
    *panel = (struct panel){0};
}

void panel_clear(struct panel *panel)
{
    for (size_t lane = 0; lane < panel->count; lane++)
        for (size_t i = 0; i < panel->rows[lane]->count; i++)
            panel->cells[row_feature(panel->rows[lane], i) * panel->lanes + lane] = 0;
    panel->count = 0;
}

void panel_add(struct panel *panel, const tlu_row *row, double norm)
{
    assert(panel->count < panel->lanes);
    size_t lane = panel->count++;
    panel->rows[lane] = row;
    panel->norms[lane] = norm;
    for (size_t i = 0; i < row->count; i++)
        panel->cells[row_feature(row, i) * panel->lanes + lane] = row_value(row, i);
}

void panel_values(const struct panel *panel, const struct kernel *kernel, const tlu_row *x,
                  double norm, double *values)
{
    double dots[PANEL_LANES];
    memset(dots, 0, panel->lanes * sizeof *dots);
    panel->vector->scores(panel->cells, panel->lanes, x->features, x->values, x->count, dots);
    kernel_values(kernel, dots, panel->count, norm, panel->norms, values);
}

size_t panel_gain(const struct panel *panel, const tlu_row *x, bool with_bias, double sign,
                  const double *gains, double *now)
{
    double dots[PANEL_LANES] = {0};
    for (size_t k = 0; k < x->count; k++) {
        const double *cells = panel->cells + row_feature(x, k) * panel->lanes;
        for (size_t i = 0; i < panel->count; i++)
            dots[i] += gains[k] * cells[i];
    }
    double bias = with_bias ? gains[x->count] : 0;
    for (size_t i = 0; i < panel->count; i++)
        now[i] += sign * (dots[i] + bias);
    return x->count + with_bias;
}

double panel_norm(const tlu_row *x)
{
    double sum = 0;
    for (size_t i = 0; i < x->count; i++)
        sum += row_value(x, i) * row_value(x, i);
    return sum;
}
