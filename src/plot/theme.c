#include "plot/theme.h"

#include <assert.h>
#include <string.h>

static const struct theme themes[] = {
    {.name = "light",
     .background = 0xffffff,
     .panel = 0xffffff,
     .ink = 0x1f2328,
     .faint = 0x656d76,
     .grid = 0xe4e7eb,
     .wrong = 0xc4001a,
     .series = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0x56b4e9, 0xe69f00, 0x332288, 0x4d4d4d}},
    {.name = "dark",
     .background = 0x14181d,
     .panel = 0x14181d,
     .ink = 0xe6edf3,
     .faint = 0x9aa4af,
     .grid = 0x2b323a,
     .wrong = 0xff4d5e,
     .series = {0x5a8ee6, 0xf08040, 0x1fd48a, 0xd184b4, 0xaad7ff, 0xf5da52, 0x9370ff, 0xdfe3e8}},
};

const struct theme *theme_named(const char *name)
{
    for (size_t i = 0; i < sizeof themes / sizeof themes[0]; i++)
        if (strcmp(themes[i].name, name) == 0)
            return &themes[i];
    return NULL;
}

colour theme_series(const struct theme *theme, size_t index)
{
    return theme->series[index % THEME_COLOURS];
}

// Classes that share a colour have backgrounds of different strengths, all pale enough for text.
colour theme_region(const struct theme *theme, size_t index)
{
    double share = 0.2 + 0.06 * (double)(index / THEME_COLOURS % 4);
    return colour_mix(theme->panel, theme_series(theme, index), share);
}

colour colour_mix(colour a, colour b, double share)
{
    colour mixed = 0;
    assert(share >= 0 && share <= 1);
    for (int shift = 0; shift < 24; shift += 8) {
        double from = (double)(a >> shift & 255), to = (double)(b >> shift & 255);
        mixed |= (colour)(from + share * (to - from) + 0.5) << shift;
    }
    return mixed;
}
