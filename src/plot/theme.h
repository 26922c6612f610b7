// Colours that readers can tell apart, most of the colour-blind too (M. Okabe and K. Ito, Color
// Universal Design, 2008), for paper and for dark screens.
#ifndef TLU_PLOT_THEME_H
#define TLU_PLOT_THEME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t colour; // 0xRRGGBB
#define COLOUR_NONE UINT32_MAX
#define THEME_COLOURS 8

struct theme {
    const char *name;
    colour background, panel; // panel: where the data is
    colour ink, faint;        // text and axes; what is less important
    colour grid;
    colour wrong; // mistakes, wrong regions
    colour series[THEME_COLOURS];
};

const struct theme *theme_named(const char *name); // NULL if there is none; "light", "dark"

// The colour of a class or a curve, by its number.
colour theme_series(const struct theme *theme, size_t index);
// A background on which dots of that colour are visible.
colour theme_region(const struct theme *theme, size_t index);
// (1 - share) * a + share * b
colour colour_mix(colour a, colour b, double share);

#endif
