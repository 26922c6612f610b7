#include "plot/paint/shorten.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

struct piece {
    const char *at;
    size_t size;
};

// A path is held back until it is known whether the next one looks the same.
struct shortening {
    struct bytes *to;
    struct bytes look, data;           // of the path that is held back: attributes, outline
    struct bytes next_look, next_data; // of the tag that is read
    bool holding, grouped;
    long long *images; // [image_count]: by what number cairo knows each
    size_t image_count, image_capacity;
};

static bool is(struct piece piece, const char *text)
{
    return piece.size == strlen(text) && memcmp(piece.at, text, piece.size) == 0;
}

static void add(struct bytes *to, const char *text)
{
    bytes_add(to, text, strlen(text));
}

static void add_piece(struct bytes *to, struct piece piece)
{
    bytes_add(to, piece.at, piece.size);
}

static void add_bytes(struct bytes *to, const struct bytes *from)
{
    bytes_add(to, from->data, from->size);
}

static void skip_blanks(struct piece *from)
{
    while (from->size && (*from->at == ' ' || *from->at == '\n'))
        *from = (struct piece){from->at + 1, from->size - 1};
}

// ---- numbers: whole ones of a hundredth, so that no locale and no rounding has a say

#define HUNDREDTHS 2

// A number times 10^decimals, rounded. False: none is there, or one that cairo does not write.
static bool take_number(struct piece *from, int decimals, long long *value)
{
    size_t i = 0;
    bool negative = from->size && from->at[0] == '-', any = false, point = false;
    int places = -1;
    *value = 0;
    for (i += negative; i < from->size; i++) {
        char c = from->at[i];
        if (c == '.' && !point) {
            point = true;
            places = 0;
        } else if (c >= '0' && c <= '9') {
            any = true;
            if (point && places++ == decimals) // the first that is left out
                *value += c >= '5';
            else if (places <= decimals)
                *value = *value < 1000000000000 ? 10 * *value + (c - '0') : *value;
        } else {
            break;
        }
    }
    for (places = places < 0 ? 0 : places; places < decimals; places++)
        *value *= 10;
    *value = negative ? -*value : *value;
    bool strange = i < from->size && (from->at[i] == 'e' || from->at[i] == 'E');
    *from = (struct piece){from->at + i, from->size - i};
    return any && !strange;
}

// 1250 is 12.5; `apart`: something is before it, from which a minus would part it too.
static void add_number(struct bytes *to, long long value, bool apart)
{
    char text[32];
    size_t end = sizeof text;
    unsigned long long rest =
        value < 0 ? 0ULL - (unsigned long long)value : (unsigned long long)value;
    bool digits = false;
    for (int place = 0; place <= HUNDREDTHS || rest; place++, rest /= 10) {
        if (place == HUNDREDTHS && digits)
            text[--end] = '.';
        digits = digits || rest % 10 || place >= HUNDREDTHS;
        if (digits && (rest || place < HUNDREDTHS || end == sizeof text))
            text[--end] = (char)('0' + rest % 10);
    }
    if (value < 0)
        text[--end] = '-';
    else if (apart)
        text[--end] = ' ';
    bytes_add(to, text + end, sizeof text - end);
}

// ---- paths: from each point to the next

struct walk {
    long long x, y;             // where it is
    long long start_x, start_y; // of the stroke
    bool moved;                 // the start is still to be written
    bool any;
};

static size_t points_of(char command)
{
    return command == 'C' ? 3 : command == 'M' || command == 'L' ? 1 : 0;
}

static void add_move(struct bytes *to, struct walk *walk, long long from_x, long long from_y)
{
    add(to, walk->any ? "m" : "M");
    add_number(to, walk->start_x - from_x, false);
    add_number(to, walk->start_y - from_y, true);
    walk->any = true;
}

// A move is written when something is drawn from there. False: this is no path that we know.
static bool add_path(struct bytes *to, struct piece from)
{
    struct walk walk = {0, 0, 0, 0, false, false};
    long long written_x = 0, written_y = 0, at[6];
    while (from.size) {
        char command = *from.at;
        from = (struct piece){from.at + 1, from.size - 1};
        if (command == ' ')
            continue;
        size_t points = points_of(command);
        if (!points && command != 'Z')
            return false;
        for (size_t i = 0; i < 2 * points; i++) {
            skip_blanks(&from);
            if (!take_number(&from, HUNDREDTHS, &at[i]))
                return false;
        }
        if (command == 'M') {
            walk.x = walk.start_x = at[0];
            walk.y = walk.start_y = at[1];
            walk.moved = true;
            continue;
        }
        if (walk.moved)
            add_move(to, &walk, written_x, written_y);
        walk.moved = false;
        add(to, command == 'Z' ? "z" : command == 'C' ? "c" : "l");
        for (size_t i = 0; i < 2 * points; i += 2) {
            add_number(to, at[i] - walk.x, i > 0);
            add_number(to, at[i + 1] - walk.y, true);
        }
        walk.x = written_x = points ? at[2 * points - 2] : walk.start_x;
        walk.y = written_y = points ? at[2 * points - 1] : walk.start_y;
    }
    return true;
}

// ---- attributes, and the declarations of a style, which have the same names

static bool holds_anyway(struct piece name, struct piece value)
{
    static const char *const usual[][2] = {
        {"fill-opacity", "1"},       {"stroke-opacity", "1"},      {"stroke-linecap", "butt"},
        {"stroke-miterlimit", "10"}, {"fill-rule", "nonzero"},     {"clip-rule", "nonzero"},
        {"stroke", "none"},          {"stroke-linejoin", "miter"},
    }; // of right angles alone: the limit of mitres has no meaning
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
        if (is(name, usual[i][0]) && is(value, usual[i][1]))
            return true;
    return false;
}

// rgb(20%,40%,60%), and newer versions have blanks after the commas
static bool add_colour(struct bytes *to, struct piece value)
{
    static const char digits[] = "0123456789abcdef";
    char text[8] = "#";
    if (value.size < 5 || memcmp(value.at, "rgb(", 4) != 0)
        return false;
    value = (struct piece){value.at + 4, value.size - 4};
    for (int i = 0; i < 3; i++) {
        long long percent; // millionths
        skip_blanks(&value);
        if (!take_number(&value, 6, &percent) || value.size < 2 || *value.at != '%')
            return false;
        long long byte = (percent * 255 + 50000000) / 100000000;
        value = (struct piece){value.at + 2, value.size - 2};
        text[1 + 2 * i] = digits[byte >> 4 & 15];
        text[2 + 2 * i] = digits[byte & 15];
    }
    bytes_add(to, text, 7);
    return true;
}

static void add_value(struct bytes *to, struct piece name, struct piece value)
{
    static const char *const lengths[] = {"x", "y", "width", "height", "stroke-width"};
    if (add_colour(to, value))
        return;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        struct piece rest = value;
        long long number;
        if (is(name, lengths[i]) && take_number(&rest, HUNDREDTHS, &number) && !rest.size) {
            add_number(to, number, false);
            return;
        }
    }
    add_piece(to, value);
}

// Up to a character, which is taken away too.
static struct piece take_until(struct piece *from, char until)
{
    const char *end = from->size ? memchr(from->at, until, from->size) : NULL;
    size_t size = end ? (size_t)(end - from->at) : from->size, gone = size + (end != NULL);
    struct piece taken = {from->at, size};
    *from = (struct piece){from->at + gone, from->size - gone};
    return taken;
}

static bool begins(struct piece piece, const char *text)
{
    return piece.size >= strlen(text) && memcmp(piece.at, text, strlen(text)) == 0;
}

// Cairo counts all surfaces of a program: "image6", "#image6", "source-6". The number of an image
// of this file does not depend on what was drawn before it.
static bool add_image_name(struct shortening *of, struct piece value)
{
    struct bytes *to = &of->next_look;
    size_t mark = begins(value, "#");
    struct piece rest = {value.at + mark, value.size - mark};
    size_t length = begins(rest, "image") ? 5 : begins(rest, "source-") ? 7 : 0;
    long long number;
    rest = (struct piece){rest.at + length, rest.size - length};
    if (!length || !take_number(&rest, 0, &number) || rest.size)
        return false;
    size_t i = 0;
    while (i < of->image_count && of->images[i] != number)
        i++;
    if (i == of->image_count) {
        if (!memory_reserve(&of->images, &of->image_capacity, i + 1, sizeof *of->images)) {
            to->failed = true;
            return true;
        }
        of->images[of->image_count++] = number;
    }
    add(to, mark ? "#image" : "image");
    add_number(to, 100 * (long long)i, false);
    return true;
}

static void add_attribute(struct shortening *of, struct piece name, struct piece value)
{
    struct bytes *to = &of->next_look;
    if (holds_anyway(name, value) || (is(name, "id") && begins(value, "surface")))
        return;
    add(to, " ");
    add_piece(to, name);
    add(to, "=\"");
    if (!add_image_name(of, value))
        add_value(to, name, value);
    add(to, "\"");
}

// As attributes, of which there may be others by now.
static void add_style(struct shortening *of, struct piece style)
{
    for (skip_blanks(&style); style.size; skip_blanks(&style)) {
        struct piece value = take_until(&style, ';');
        struct piece name = take_until(&value, ':');
        add_attribute(of, name, value);
    }
}

// ---- tags

// Without it readers smooth what is enlarged; the first is for old ones.
#define PIXELS " image-rendering=\"optimizeSpeed\" style=\"image-rendering:pixelated\""

static void let_go(struct shortening *of)
{
    if (!of->holding)
        return;
    add(of->to, "<path");
    if (!of->grouped)
        add_bytes(of->to, &of->look);
    add(of->to, " d=\"");
    add_bytes(of->to, &of->data);
    add(of->to, "\"/>\n");
}

static void end_paths(struct shortening *of)
{
    let_go(of);
    if (of->holding && of->grouped)
        add(of->to, "</g>\n");
    of->holding = of->grouped = false;
}

static void swap(struct bytes *a, struct bytes *b)
{
    struct bytes c = *a;
    *a = *b;
    *b = c;
}

static void hold_path(struct shortening *of)
{
    bool same = of->holding && of->look.size == of->next_look.size &&
                (!of->look.size || memcmp(of->look.data, of->next_look.data, of->look.size) == 0);
    if (same && !of->grouped) {
        add(of->to, "<g");
        add_bytes(of->to, &of->look);
        add(of->to, ">\n");
        of->grouped = true;
    }
    if (same)
        let_go(of);
    else
        end_paths(of);
    of->holding = true;
    swap(&of->look, &of->next_look);
    swap(&of->data, &of->next_data);
}

static void take_attributes(struct shortening *of, struct piece tag)
{
    of->next_look.size = of->next_data.size = 0;
    for (skip_blanks(&tag); tag.size && *tag.at != '/'; skip_blanks(&tag)) {
        struct piece name = take_until(&tag, '=');
        take_until(&tag, '"');
        struct piece value = take_until(&tag, '"');
        if (is(name, "style"))
            add_style(of, value);
        else if (!is(name, "d"))
            add_attribute(of, name, value);
        else if (!add_path(&of->next_data, value)) {
            of->next_data.size = 0;
            add_piece(&of->next_data, value);
        }
    }
}

static void take_tag(struct shortening *of, struct piece tag)
{
    struct piece whole = tag, name = take_until(&tag, ' ');
    bool ends = tag.size && tag.at[tag.size - 1] == '/';
    take_attributes(of, tag);
    if (is(name, "path") && ends) {
        hold_path(of);
        return;
    }
    end_paths(of);
    add(of->to, "<");
    if (tag.size && *name.at != '?') {
        add_piece(of->to, name);
        add_bytes(of->to, &of->next_look);
        if (is(name, "image"))
            add(of->to, PIXELS);
        add(of->to, ends ? "/>\n" : ">\n");
    } else {
        add_piece(of->to, whole);
        add(of->to, ">\n");
    }
}

void svg_shorten(const char *svg, size_t size, struct bytes *to)
{
    struct shortening of = {.to = to};
    struct piece rest = {svg, size};
    while (rest.size) {
        take_until(&rest, '<'); // cairo writes no text
        if (rest.size)
            take_tag(&of, take_until(&rest, '>'));
    }
    end_paths(&of);
    to->failed = to->failed || of.look.failed || of.data.failed || of.next_look.failed ||
                 of.next_data.failed;
    memory_free(of.look.data);
    memory_free(of.data.data);
    memory_free(of.next_look.data);
    memory_free(of.next_data.data);
    memory_free(of.images);
}
