#include "plot/chart/chart.h"

struct look class_look(const struct theme *theme, size_t class_index)
{
    return (struct look){theme_series(theme, class_index), theme->panel, 0.8, 0, false, true};
}

// With the colours, SHAPE_COUNT * THEME_COLOURS classes look different.
enum shape class_shape(size_t class_index)
{
    return (enum shape)((class_index + class_index / THEME_COLOURS) % SHAPE_COUNT);
}
