// Characters of a terminal: how many cells they take, and which of them stand for colours.
#include "input/text/unicode.h"
#include "plot/terminal/terminal.h"

#include <stdlib.h>
#include <string.h>

// ---- widths

// Wide by Unicode's East Asian Width, in ranges that leave rare gaps out.
static const struct unicode_range wide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x23e9, 0x23ec},   {0x25fd, 0x25fe},
    {0x2614, 0x2615},   {0x2648, 0x2653},   {0x26aa, 0x26ab},   {0x26bd, 0x26be},
    {0x26c4, 0x26c5},   {0x2705, 0x2705},   {0x270a, 0x270b},   {0x2728, 0x2728},
    {0x274c, 0x274c},   {0x2753, 0x2755},   {0x2795, 0x2797},   {0x2b1b, 0x2b1c},
    {0x2b50, 0x2b50},   {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},
    {0x4e00, 0xa4cf},   {0xa960, 0xa97c},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},
    {0xfe10, 0xfe19},   {0xfe30, 0xfe6f},   {0xff01, 0xff60},   {0xffe0, 0xffe6},
    {0x16fe0, 0x18cff}, {0x1b000, 0x1b2ff}, {0x1f004, 0x1f004}, {0x1f0cf, 0x1f0cf},
    {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a}, {0x1f200, 0x1f320}, {0x1f32d, 0x1f335},
    {0x1f337, 0x1f37c}, {0x1f37e, 0x1f393}, {0x1f3a0, 0x1f3ca}, {0x1f3cf, 0x1f3d3},
    {0x1f3e0, 0x1f3f0}, {0x1f3f4, 0x1f3f4}, {0x1f3f8, 0x1f43e}, {0x1f440, 0x1f440},
    {0x1f442, 0x1f4fc}, {0x1f4ff, 0x1f53d}, {0x1f54b, 0x1f567}, {0x1f57a, 0x1f57a},
    {0x1f595, 0x1f596}, {0x1f5a4, 0x1f5a4}, {0x1f5fb, 0x1f64f}, {0x1f680, 0x1f6c5},
    {0x1f6cc, 0x1f6cc}, {0x1f6d0, 0x1f6d2}, {0x1f6eb, 0x1f6ec}, {0x1f6f4, 0x1f6fc},
    {0x1f7e0, 0x1f7eb}, {0x1f90c, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
};

// Invisible: joiners, marks of direction, soft hyphens, variation selectors, tags.
static const struct unicode_range invisible[] = {
    {0xad, 0xad},     {0x61c, 0x61c},   {0x1160, 0x11ff},   {0x180b, 0x180f},
    {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},   {0xfe00, 0xfe0f},
    {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe0fff},
};

static bool is_invisible(uint32_t code)
{
    return unicode_is_in(invisible, sizeof invisible / sizeof invisible[0], code);
}

bool glyph_is_accent(uint32_t code)
{
    return code >= 0x300 && !is_invisible(code) && unicode_kind(code) == CHARACTER_MARK;
}

size_t glyph_width(uint32_t code)
{
    if (code < 0x300)
        return code != 0xad;
    if (is_invisible(code) || glyph_is_accent(code))
        return 0;
    return unicode_is_in(wide, sizeof wide / sizeof wide[0], code) ? 2 : 1;
}

size_t text_cells(const char *text)
{
    const char *end = text + strlen(text);
    size_t cells = 0;
    for (size_t length; text < end; text += length)
        cells += glyph_width(unicode_read(text, end, &length));
    return cells;
}

size_t text_glyphs(const char *text)
{
    const char *end = text + strlen(text);
    size_t font = 0;
    for (size_t length; text < end; text += length)
        font += glyph_width(unicode_read(text, end, &length)) > 0;
    return font;
}

// ---- colours, and characters that stand for them

// Backgrounds of classes, light enough for dots.
static const uint32_t class_glyphs[] = {0xb7, 0x2591, ':', '-', '\'', '=', '~', '"',
                                        ',',  '_',    ';', '^', '`',  '!', '<', '>'};
#define CLASS_GLYPHS (sizeof class_glyphs / sizeof class_glyphs[0])
#define CLASS_GROUNDS (4 * THEME_COLOURS) // distinct colours of theme_region

// Other backgrounds, from faint to strong: those with more red than blue, and the others.
#define STRONGEST 4
static const uint32_t warm[STRONGEST + 1] = {' ', 0x2591, 0x2592, 0x2593, 0x2588};
static const uint32_t cold[STRONGEST + 1] = {' ', 0xb7, '-', '=', '#'};

// Chosen by eye, in the order of the theme's colours: the nearest colours of the 6 x 6 x 6 cube
// would be too strong, or the same for several classes.
static const unsigned char light_grounds[THEME_COLOURS] = {153, 223, 158, 225, 195, 230, 189, 252};
static const unsigned char dark_grounds[THEME_COLOURS] = {17, 94, 22, 53, 23, 58, 60, 238};

// CLASS_GROUNDS: not the background of a class.
static size_t class_of_ground(const struct theme *theme, colour ground)
{
    size_t i = 0;
    while (i < CLASS_GROUNDS && theme_region(theme, i) != ground)
        i++;
    return i;
}

static int channel(colour of, int shift)
{
    return (int)(of >> shift & 255);
}

static int apart(colour a, colour b)
{
    int most = 0;
    for (int shift = 0; shift < 24; shift += 8) {
        int here = abs(channel(a, shift) - channel(b, shift));
        most = here > most ? here : most;
    }
    return most;
}

// The difference from the panel: 0 to STRONGEST, the difference of ink.
static int strength(const struct theme *theme, colour ground)
{
    int ink = apart(theme->ink, theme->panel), own = apart(ground, theme->panel);
    int steps = (2 * STRONGEST * own + ink) / (2 * ink);
    return steps < STRONGEST ? steps : STRONGEST;
}

bool ground_is_strong(const struct theme *theme, colour ground)
{
    return strength(theme, ground) == STRONGEST;
}

uint32_t ground_glyph(const struct theme *theme, colour ground)
{
    if (ground_is_paper(theme, ground))
        return ' ';
    size_t class_index = class_of_ground(theme, ground);
    if (class_index < CLASS_GROUNDS)
        return class_glyphs[class_index % CLASS_GLYPHS];
    bool is_warm = channel(ground, 16) >= channel(ground, 0);
    return (is_warm ? warm : cold)[strength(theme, ground)];
}

// ---- 256 colours: 16 to 231 are a cube, 232 to 255 are greys

static colour palette(unsigned number)
{
    static const colour cube[] = {0, 95, 135, 175, 215, 255};
    if (number >= 232)
        return (8 + 10 * (number - 232)) * 0x010101;
    number -= 16;
    return cube[number / 36] << 16 | cube[number / 6 % 6] << 8 | cube[number % 6];
}

// Differences of hue are added to those of brightness: pale blue becomes another blue rather than a
// grey.
static int distance(colour a, colour b)
{
    int red = channel(a, 16) - channel(b, 16), green = channel(a, 8) - channel(b, 8);
    int blue = channel(a, 0) - channel(b, 0);
    int warmth = red - green, coldness = green - blue;
    return red * red + green * green + blue * blue + 2 * (warmth * warmth + coldness * coldness);
}

unsigned terminal_colour(colour of)
{
    unsigned best = 16;
    for (unsigned number = 17; number < 256; number++)
        if (distance(of, palette(number)) < distance(of, palette(best)))
            best = number;
    return best;
}

int terminal_ground(const struct theme *theme, colour of)
{
    if (ground_is_paper(theme, of))
        return -1;
    size_t class_index = class_of_ground(theme, of);
    if (class_index == CLASS_GROUNDS)
        return (int)terminal_colour(of);
    bool dark = strcmp(theme->name, "dark") == 0;
    return (dark ? dark_grounds : light_grounds)[class_index % THEME_COLOURS];
}
