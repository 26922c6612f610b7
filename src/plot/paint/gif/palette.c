#include "plot/paint/gif/palette.h"
#include "base/memory.h"

#define FIRST_SLOTS 1024

struct hue {
    colour colour;
    uint32_t away; // from the nearest chosen colour, squared
    uint64_t pixels;
    uint8_t nearest; // of the chosen
};

// ---- which colours there are

static size_t slot_of(const struct palette *palette, colour of)
{
    size_t slot = (of * 0x9e3779b1u >> 8) & (palette->slot_count - 1);
    while (palette->slots[slot] && palette->hues[palette->slots[slot] - 1].colour != of)
        slot = (slot + 1) & (palette->slot_count - 1);
    return slot;
}

static bool widen(struct palette *palette)
{
    size_t count = palette->slot_count ? 2 * palette->slot_count : FIRST_SLOTS;
    uint32_t *slots = memory_new(count, sizeof *slots);
    if (!slots)
        return false;
    memory_free(palette->slots);
    palette->slots = slots;
    palette->slot_count = count;
    for (size_t i = 0; i < palette->hue_count; i++)
        slots[slot_of(palette, palette->hues[i].colour)] = (uint32_t)(i + 1);
    return true;
}

// NULL: out of memory.
static struct hue *find_or_add(struct palette *palette, colour of)
{
    if (2 * palette->hue_count >= palette->slot_count && !widen(palette))
        return NULL;
    uint32_t *place = &palette->slots[slot_of(palette, of)];
    if (*place)
        return &palette->hues[*place - 1];
    if (!memory_reserve(&palette->hues, &palette->hue_capacity, palette->hue_count + 1,
                        sizeof *palette->hues))
        return NULL;
    palette->hues[palette->hue_count++] = (struct hue){of, UINT32_MAX, 0, 0};
    *place = (uint32_t)palette->hue_count;
    return &palette->hues[palette->hue_count - 1];
}

bool palette_see(struct palette *palette, const uint32_t *pixels, size_t count)
{
    struct hue *hue = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!hue || hue->colour != pixels[i]) {
            hue = find_or_add(palette, pixels[i]);
            if (!hue)
                return false;
        }
        hue->pixels++;
    }
    return true;
}

// ---- which of them are chosen

static uint32_t apart(colour a, colour b)
{
    int red = (int)(a >> 16 & 255) - (int)(b >> 16 & 255);
    int green = (int)(a >> 8 & 255) - (int)(b >> 8 & 255);
    int blue = (int)(a & 255) - (int)(b & 255);
    return (uint32_t)(3 * red * red + 4 * green * green + 2 * blue * blue); // as eyes see them
}

// The next is always the one whose pixels are worst off with those that there are: the grounds come
// first, then rare colours that are like no other, then the shades of their edges.
void palette_choose(struct palette *palette, size_t most)
{
    palette->count = 0;
    while (palette->count < most) {
        struct hue *worst = NULL;
        for (size_t i = 0; i < palette->hue_count; i++) {
            struct hue *hue = &palette->hues[i];
            if (hue->away &&
                (!worst || (double)hue->pixels * hue->away > (double)worst->pixels * worst->away))
                worst = hue;
        }
        if (!worst)
            return;
        colour chosen = worst->colour;
        for (size_t i = 0; i < palette->hue_count; i++) {
            struct hue *hue = &palette->hues[i];
            uint32_t away = apart(hue->colour, chosen);
            if (away < hue->away) {
                hue->away = away;
                hue->nearest = (uint8_t)palette->count;
            }
        }
        palette->colours[palette->count++] = chosen;
    }
}

void palette_indices(const struct palette *palette, const uint32_t *pixels, size_t count,
                     uint8_t *indices)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && pixels[i] == pixels[i - 1])
            indices[i] = indices[i - 1];
        else
            indices[i] = palette->hues[palette->slots[slot_of(palette, pixels[i])] - 1].nearest;
    }
}

void palette_free(struct palette *palette)
{
    memory_free(palette->hues);
    memory_free(palette->slots);
}
