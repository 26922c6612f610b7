// At most 256 colours for all the pixels of an animation.
#ifndef TLU_PLOT_PAINT_GIF_PALETTE_H
#define TLU_PLOT_PAINT_GIF_PALETTE_H

#include "plot/theme.h"

#define PALETTE_MAX 256

struct palette {
    colour colours[PALETTE_MAX];
    size_t count;
    struct hue *hues; // every colour that was seen, once each
    size_t hue_count, hue_capacity;
    uint32_t *slots; // [slot_count]: where a colour is found among them, plus 1; a power of two
    size_t slot_count;
};

// Counts the colours of so many pixels; false: out of memory.
bool palette_see(struct palette *palette, const uint32_t *pixels, size_t count);
// Chooses at most `most` of the colours that were seen: all of them if they are no more.
void palette_choose(struct palette *palette, size_t most);
// Which of them is nearest to each pixel.
void palette_indices(const struct palette *palette, const uint32_t *pixels, size_t count,
                     uint8_t *indices);
void palette_free(struct palette *palette);

#endif
