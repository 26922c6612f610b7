// Colours as a terminal has them, and letters instead of colours.
#include "plot/terminal/terminal.h"

#include <stdlib.h>
#include <string.h>

// Grounds of classes, light enough for dots to be seen on them.
static const uint32_t class_letters[] = {0xb7, 0x2591, ':', '-', '\'', '=', '~', '"',
                                         ',',  '_',    ';', '^', '`',  '!', '<', '>'};
#define CLASS_LETTERS (sizeof class_letters / sizeof class_letters[0])
#define CLASS_GROUNDS (4 * THEME_COLOURS) // theme_region has so many

// Other grounds, from faint to strong: those with more red than blue, and the others.
#define STRONGEST 4
static const uint32_t warm[STRONGEST + 1] = {' ', 0x2591, 0x2592, 0x2593, 0x2588};
static const uint32_t cold[STRONGEST + 1] = {' ', 0xb7, '-', '=', '#'};

// The cube of 6 x 6 x 6 colours has none that are as close to the paper as grounds should be, and
// as far from each other: these are chosen by eye, in the order of the theme's colours.
static const unsigned char light_grounds[THEME_COLOURS] = {153, 223, 158, 225, 195, 230, 189, 252};
static const unsigned char dark_grounds[THEME_COLOURS] = {17, 94, 22, 53, 23, 58, 60, 238};

// CLASS_GROUNDS: it is not that of a class.
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

// How far it is from the paper: 0 to STRONGEST, which is as far as ink.
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

uint32_t ground_letter(const struct theme *theme, colour ground)
{
    if (ground_is_paper(theme, ground))
        return ' ';
    size_t class_index = class_of_ground(theme, ground);
    if (class_index < CLASS_GROUNDS)
        return class_letters[class_index % CLASS_LETTERS];
    bool is_warm = channel(ground, 16) >= channel(ground, 0);
    return (is_warm ? warm : cold)[strength(theme, ground)];
}

// ---- 256 colours: 16 to 231 are a cube, 232 to 255 are grey

static colour palette(unsigned number)
{
    static const colour cube[] = {0, 95, 135, 175, 215, 255};
    if (number >= 232)
        return (8 + 10 * (number - 232)) * 0x010101;
    number -= 16;
    return cube[number / 36] << 16 | cube[number / 6 % 6] << 8 | cube[number % 6];
}

// Differences between red, green and blue, which make the hue, count again: pale blue becomes
// another blue rather than a grey that is as bright.
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
