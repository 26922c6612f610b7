// Writing pictures. Each function returns a complete file in memory; the caller frees it with
// memory_free.
#ifndef TLU_PLOT_PAINT_PAINT_H
#define TLU_PLOT_PAINT_PAINT_H

#include "plot/picture.h"

struct byte_buffer {
    unsigned char *data;
    size_t size, capacity;
    bool failed; // out of memory
};
void buffer_add(struct byte_buffer *bytes, const void *data, size_t size);

typedef tlu_status paint_function(const tlu_picture *picture, struct byte_buffer *to,
                                  tlu_error *error);
paint_function paint_svg, paint_png, paint_pdf, paint_gif, paint_text;

// A format by its name, "svg"; NULL: unknown.
struct paint_format {
    const char *name;
    paint_function *paint;
};
const struct paint_format *paint_format_named(const char *name);
// By the ending of a path; TLU_ERROR_INPUT lists the endings.
tlu_status paint_format_of(const char *path, const struct paint_format **format, tlu_error *error);

// A page as pixels, 0x00RRGGBB each. The picture is not for a terminal.
struct pixels {
    size_t width, height;
    uint32_t *at; // [height][width]
};
tlu_status paint_pixels(const tlu_picture *picture, const struct page *page, struct pixels *pixels,
                        tlu_error *error);

// SVG as cairo writes it, in a third of the space: numbers of two decimals, paths from point to
// point, colours as #rrggbb, nothing that holds anyway, and what paths in a row share said once.
// Shortens the SVG that cairo writes (svg.c).
void svg_shorten(const char *svg, size_t size, struct byte_buffer *to);

// ---- fonts: the width of text on paper or in the cells of a terminal

// NULL: out of memory, or cairo is missing (font_is_there).
struct font *font_new(bool cells);
bool font_is_there(void); // cells need no font
double font_width(struct font *font, const char *text, double size, bool bold);
double font_height(const struct font *font, double size); // of a line
void font_free(struct font *font);

#endif
