// Writing pictures. Each function returns a complete file in memory; the caller frees it with
// memory_free.
#ifndef TLU_PLOT_PAINT_PAINT_H
#define TLU_PLOT_PAINT_PAINT_H

#include "plot/picture.h"
#include "plot/text.h"

typedef tlu_status paint_function(const tlu_picture *picture, struct byte_buffer *to,
                                  tlu_error *error);
paint_function paint_svg, paint_png, paint_pdf, paint_gif, paint_text;

// A page as pixels, 0x00RRGGBB each. The picture is not for a terminal.
struct pixels {
    size_t width, height;
    uint32_t *at; // [height][width]
};
tlu_status paint_pixels(const tlu_picture *picture, const struct page *page, struct pixels *pixels,
                        tlu_error *error);

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
