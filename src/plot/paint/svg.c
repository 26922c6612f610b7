// SVG, written by cairo and shortened to a third: numbers with two decimals, relative paths,
// colours as #rrggbb, no default values, and attributes that consecutive paths share only once.
#include "base/memory.h"
#include "plot/paint/cairo.h"
#include "plot/paint/paint.h"

#include <stdlib.h>
#include <string.h>

struct slice {
    const char *at;
    size_t size;
};

// A path is held back until the attributes of the next one are known.
struct shortening {
    struct byte_buffer *to;
    struct byte_buffer attributes, data; // of the path that is held back: attributes, outline
    struct byte_buffer next_attributes, next_data; // of the tag that is read
    bool holding, grouped;
    long long *images; // [image_count]: by what number cairo knows each
    size_t image_count, image_capacity;
};

static bool is(struct slice slice, const char *text)
{
    return slice.size == strlen(text) && memcmp(slice.at, text, slice.size) == 0;
}

static void add(struct byte_buffer *to, const char *text)
{
    buffer_add(to, text, strlen(text));
}

static void add_slice(struct byte_buffer *to, struct slice slice)
{
    buffer_add(to, slice.at, slice.size);
}

static void add_bytes(struct byte_buffer *to, const struct byte_buffer *from)
{
    buffer_add(to, from->data, from->size);
}

static void skip_blanks(struct slice *from)
{
    while (from->size && (*from->at == ' ' || *from->at == '\n'))
        *from = (struct slice){from->at + 1, from->size - 1};
}

// ---- numbers: integers in hundredths, independent of locale and rounding mode

#define HUNDREDTHS 2

// A number times 10^decimals, rounded. False: not a number, or one in a form that cairo does not
// write.
static bool take_number(struct slice *from, int decimals, long long *value)
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
    *from = (struct slice){from->at + i, from->size - i};
    return any && !strange;
}

// 1250 is 12.5; `apart`: follows another number, from which a space or a minus sign separates it.
static void add_number(struct byte_buffer *to, long long value, bool apart)
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
    buffer_add(to, text + end, sizeof text - end);
}

// ---- paths: relative coordinates

struct path_position {
    long long x, y;             // where it is
    long long start_x, start_y; // of the stroke
    bool moved;                 // the start is still to be written
    bool any;
};

static size_t points_of(char command)
{
    return command == 'C' ? 3 : command == 'M' || command == 'L' ? 1 : 0;
}

static void add_move(struct byte_buffer *to, struct path_position *position, long long from_x,
                     long long from_y)
{
    add(to, position->any ? "m" : "M");
    add_number(to, position->start_x - from_x, false);
    add_number(to, position->start_y - from_y, true);
    position->any = true;
}

// A move is written when something is drawn from there. False: unknown commands.
static bool add_path(struct byte_buffer *to, struct slice from)
{
    struct path_position position = {0, 0, 0, 0, false, false};
    long long written_x = 0, written_y = 0, at[6];
    while (from.size) {
        char command = *from.at;
        from = (struct slice){from.at + 1, from.size - 1};
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
            position.x = position.start_x = at[0];
            position.y = position.start_y = at[1];
            position.moved = true;
            continue;
        }
        if (position.moved)
            add_move(to, &position, written_x, written_y);
        position.moved = false;
        add(to, command == 'Z' ? "z" : command == 'C' ? "c" : "l");
        for (size_t i = 0; i < 2 * points; i += 2) {
            add_number(to, at[i] - position.x, i > 0);
            add_number(to, at[i + 1] - position.y, true);
        }
        position.x = written_x = points ? at[2 * points - 2] : position.start_x;
        position.y = written_y = points ? at[2 * points - 1] : position.start_y;
    }
    return true;
}

// ---- attributes, and the declarations of a style, which have the same names

static bool holds_anyway(struct slice name, struct slice value)
{
    static const char *const usual[][2] = {
        {"fill-opacity", "1"},       {"stroke-opacity", "1"},      {"stroke-linecap", "butt"},
        {"stroke-miterlimit", "10"}, {"fill-rule", "nonzero"},     {"clip-rule", "nonzero"},
        {"stroke", "none"},          {"stroke-linejoin", "miter"},
    }; // mitres occur only at right angles, so their limit has no effect
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
        if (is(name, usual[i][0]) && is(value, usual[i][1]))
            return true;
    return false;
}

// rgb(20%,40%,60%); newer versions of cairo have blanks after the commas
static bool add_colour(struct byte_buffer *to, struct slice value)
{
    static const char digits[] = "0123456789abcdef";
    char text[8] = "#";
    if (value.size < 5 || memcmp(value.at, "rgb(", 4) != 0)
        return false;
    value = (struct slice){value.at + 4, value.size - 4};
    for (int i = 0; i < 3; i++) {
        long long percent; // millionths
        skip_blanks(&value);
        if (!take_number(&value, 6, &percent) || value.size < 2 || *value.at != '%')
            return false;
        long long byte = (percent * 255 + 50000000) / 100000000;
        value = (struct slice){value.at + 2, value.size - 2};
        text[1 + 2 * i] = digits[byte >> 4 & 15];
        text[2 + 2 * i] = digits[byte & 15];
    }
    buffer_add(to, text, 7);
    return true;
}

static void add_value(struct byte_buffer *to, struct slice name, struct slice value)
{
    static const char *const lengths[] = {"x", "y", "width", "height", "stroke-width"};
    if (add_colour(to, value))
        return;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        struct slice rest = value;
        long long number;
        if (is(name, lengths[i]) && take_number(&rest, HUNDREDTHS, &number) && !rest.size) {
            add_number(to, number, false);
            return;
        }
    }
    add_slice(to, value);
}

// Takes the text up to a character, and removes the character.
static struct slice take_until(struct slice *from, char until)
{
    const char *end = from->size ? memchr(from->at, until, from->size) : NULL;
    size_t size = end ? (size_t)(end - from->at) : from->size, gone = size + (end != NULL);
    struct slice taken = {from->at, size};
    *from = (struct slice){from->at + gone, from->size - gone};
    return taken;
}

static bool begins(struct slice slice, const char *text)
{
    return slice.size >= strlen(text) && memcmp(slice.at, text, strlen(text)) == 0;
}

// Cairo numbers all surfaces of a program: "image6", "#image6", "source-6". Renumbers the images of
// this file, so that it does not depend on earlier pictures.
static bool add_image_name(struct shortening *of, struct slice value)
{
    struct byte_buffer *to = &of->next_attributes;
    size_t mark = begins(value, "#");
    struct slice rest = {value.at + mark, value.size - mark};
    size_t length = begins(rest, "image") ? 5 : begins(rest, "source-") ? 7 : 0;
    long long number;
    rest = (struct slice){rest.at + length, rest.size - length};
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

static void add_attribute(struct shortening *of, struct slice name, struct slice value)
{
    struct byte_buffer *to = &of->next_attributes;
    if (holds_anyway(name, value) || (is(name, "id") && begins(value, "surface")))
        return;
    add(to, " ");
    add_slice(to, name);
    add(to, "=\"");
    if (!add_image_name(of, value))
        add_value(to, name, value);
    add(to, "\"");
}

// Declarations of a style become attributes.
static void add_style(struct shortening *of, struct slice style)
{
    for (skip_blanks(&style); style.size; skip_blanks(&style)) {
        struct slice value = take_until(&style, ';');
        struct slice name = take_until(&value, ':');
        add_attribute(of, name, value);
    }
}

// ---- tags

// Without it viewers smooth enlarged pixels; the first form is for old viewers.
#define PIXELS " image-rendering=\"optimizeSpeed\" style=\"image-rendering:pixelated\""

static void let_go(struct shortening *of)
{
    if (!of->holding)
        return;
    add(of->to, "<path");
    if (!of->grouped)
        add_bytes(of->to, &of->attributes);
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

static void swap(struct byte_buffer *a, struct byte_buffer *b)
{
    struct byte_buffer c = *a;
    *a = *b;
    *b = c;
}

static void hold_path(struct shortening *of)
{
    bool same = of->holding && of->attributes.size == of->next_attributes.size &&
                (!of->attributes.size ||
                 memcmp(of->attributes.data, of->next_attributes.data, of->attributes.size) == 0);
    if (same && !of->grouped) {
        add(of->to, "<g");
        add_bytes(of->to, &of->attributes);
        add(of->to, ">\n");
        of->grouped = true;
    }
    if (same)
        let_go(of);
    else
        end_paths(of);
    of->holding = true;
    swap(&of->attributes, &of->next_attributes);
    swap(&of->data, &of->next_data);
}

static void take_attributes(struct shortening *of, struct slice tag)
{
    of->next_attributes.size = of->next_data.size = 0;
    for (skip_blanks(&tag); tag.size && *tag.at != '/'; skip_blanks(&tag)) {
        struct slice name = take_until(&tag, '=');
        take_until(&tag, '"');
        struct slice value = take_until(&tag, '"');
        if (is(name, "style"))
            add_style(of, value);
        else if (!is(name, "d"))
            add_attribute(of, name, value);
        else if (!add_path(&of->next_data, value)) {
            of->next_data.size = 0;
            add_slice(&of->next_data, value);
        }
    }
}

static void take_tag(struct shortening *of, struct slice tag)
{
    struct slice whole = tag, name = take_until(&tag, ' ');
    bool ends = tag.size && tag.at[tag.size - 1] == '/';
    take_attributes(of, tag);
    if (is(name, "path") && ends) {
        hold_path(of);
        return;
    }
    end_paths(of);
    add(of->to, "<");
    if (tag.size && *name.at != '?') {
        add_slice(of->to, name);
        add_bytes(of->to, &of->next_attributes);
        if (is(name, "image"))
            add(of->to, PIXELS);
        add(of->to, ends ? "/>\n" : ">\n");
    } else {
        add_slice(of->to, whole);
        add(of->to, ">\n");
    }
}

void svg_shorten(const char *svg, size_t size, struct byte_buffer *to)
{
    struct shortening of = {.to = to};
    struct slice rest = {svg, size};
    while (rest.size) {
        take_until(&rest, '<'); // cairo writes no text
        if (rest.size)
            take_tag(&of, take_until(&rest, '>'));
    }
    end_paths(&of);
    to->failed = to->failed || of.attributes.failed || of.data.failed ||
                 of.next_attributes.failed || of.next_data.failed;
    memory_free(of.attributes.data);
    memory_free(of.data.data);
    memory_free(of.next_attributes.data);
    memory_free(of.next_data.data);
    memory_free(of.images);
}

// ---- the file, with title and caption for readers who cannot see it

#ifdef TLU_HAVE_CAIRO

static void add_escaped(struct byte_buffer *to, const char *text)
{
    for (; *text; text++) {
        const char *as = *text == '<'   ? "&lt;"
                         : *text == '>' ? "&gt;"
                         : *text == '&' ? "&amp;"
                                        : NULL;
        buffer_add(to, as ? as : text, as ? strlen(as) : 1);
    }
}

static void add_element(struct byte_buffer *to, const char *name, const char *text)
{
    if (!*text)
        return;
    buffer_print(to, "<%s>", name);
    add_escaped(to, text);
    buffer_print(to, "</%s>\n", name);
}

// The output of cairo, with title and caption after the first tag.
static void add_described(struct byte_buffer *to, const struct byte_buffer *drawn,
                          const tlu_picture *picture)
{
    const char *begin = (const char *)drawn->data, *limit = begin + drawn->size;
    const char *svg = drawn->size ? memmem(begin, drawn->size, "<svg", 4) : NULL;
    const char *end = svg ? memchr(svg, '>', (size_t)(limit - svg)) : NULL;
    if (!end)
        return;
    buffer_add(to, begin, (size_t)(end - begin));
    add(to, " role=\"img\">\n");
    add_element(to, "title", picture->title);
    add_element(to, "desc", picture->caption);
    svg_shorten(end, (size_t)(limit - end), to);
}

tlu_status paint_svg(const tlu_picture *picture, struct byte_buffer *to, tlu_error *error)
{
    struct cairo cairo;
    struct byte_buffer drawn = {0};
    TRY(surface_library(&cairo, error));
    cairo_surface_t *surface =
        cairo.svg_surface_create_for_stream(surface_bytes, &drawn, picture->width, picture->height);
    cairo.svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
    tlu_status status = surface_paint(&cairo, surface, picture->pages[0], true, error);
    status = surface_finish(&cairo, surface, status, error);
    if (status == TLU_OK)
        add_described(to, &drawn, picture);
    memory_free(drawn.data);
    return status;
}
#endif
