// Drawing with cairo. The library is loaded when a picture is first drawn, because it depends on
// font and X libraries.
#ifndef TLU_PLOT_PAINT_CAIRO_H
#define TLU_PLOT_PAINT_CAIRO_H

#include "plot/paint/paint.h"

#ifdef TLU_HAVE_CAIRO
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>

#define CAIRO_FUNCTIONS(ROW)                                                                       \
    ROW(create)                                                                                    \
    ROW(destroy)                                                                                   \
    ROW(status)                                                                                    \
    ROW(status_to_string)                                                                          \
    ROW(save)                                                                                      \
    ROW(restore)                                                                                   \
    ROW(scale)                                                                                     \
    ROW(translate)                                                                                 \
    ROW(rotate)                                                                                    \
    ROW(rectangle)                                                                                 \
    ROW(clip)                                                                                      \
    ROW(new_path)                                                                                  \
    ROW(new_sub_path)                                                                              \
    ROW(move_to)                                                                                   \
    ROW(line_to)                                                                                   \
    ROW(arc)                                                                                       \
    ROW(close_path)                                                                                \
    ROW(set_source_rgb)                                                                            \
    ROW(set_source_rgba)                                                                           \
    ROW(set_source_surface)                                                                        \
    ROW(get_source)                                                                                \
    ROW(pattern_set_filter)                                                                        \
    ROW(pattern_set_extend)                                                                        \
    ROW(set_antialias)                                                                             \
    ROW(set_tolerance)                                                                             \
    ROW(set_line_width)                                                                            \
    ROW(set_line_join)                                                                             \
    ROW(set_line_cap)                                                                              \
    ROW(set_dash)                                                                                  \
    ROW(set_fill_rule)                                                                             \
    ROW(fill)                                                                                      \
    ROW(fill_preserve)                                                                             \
    ROW(stroke)                                                                                    \
    ROW(paint)                                                                                     \
    ROW(set_font_options)                                                                          \
    ROW(font_options_create)                                                                       \
    ROW(font_options_destroy)                                                                      \
    ROW(font_options_set_antialias)                                                                \
    ROW(font_options_set_hint_metrics)                                                             \
    ROW(font_options_set_hint_style)                                                               \
    ROW(select_font_face)                                                                          \
    ROW(set_font_size)                                                                             \
    ROW(text_extents)                                                                              \
    ROW(font_extents)                                                                              \
    ROW(show_text)                                                                                 \
    ROW(get_scaled_font)                                                                           \
    ROW(scaled_font_text_to_glyphs)                                                                \
    ROW(show_glyphs)                                                                               \
    ROW(glyph_free)                                                                                \
    ROW(show_page)                                                                                 \
    ROW(image_surface_create)                                                                      \
    ROW(image_surface_create_for_data)                                                             \
    ROW(surface_write_to_png_stream)                                                               \
    ROW(surface_flush)                                                                             \
    ROW(surface_finish)                                                                            \
    ROW(surface_destroy)                                                                           \
    ROW(surface_status)                                                                            \
    ROW(svg_surface_create_for_stream)                                                             \
    ROW(svg_surface_set_document_unit)                                                             \
    ROW(pdf_surface_create_for_stream)                                                             \
    ROW(pdf_surface_set_metadata)

struct cairo {
#define CAIRO_FIELD(name) __typeof__(&cairo_##name) name;
    CAIRO_FUNCTIONS(CAIRO_FIELD)
#undef CAIRO_FIELD
};

bool cairo_load(struct cairo *cairo);

// Selects the font of the next text, which is as wide as font_width says at any scale.
void font_choose(const struct cairo *cairo, cairo_t *to, double size, bool bold);
// Text as pixels, in the selected font.
void font_paint(const struct cairo *cairo, cairo_t *to, double x, double y, const char *text);

// Where a page is painted.
struct brush {
    const struct cairo *cairo;
    cairo_t *to;
    const struct page *page;
    double scale; // pixels per point
    bool vectors; // SVG or PDF, not pixels
};

// Stops at the first error.
cairo_status_t marks_paint(const struct brush *brush);

// ---- surfaces

tlu_status surface_library(struct cairo *cairo, tlu_error *error);
// Paints a page, pixels at the scale of the picture. The surface can take further pages.
tlu_status surface_paint(const struct cairo *cairo, cairo_surface_t *surface,
                         const struct page *page, bool vectors, tlu_error *error);
// Finishes and destroys the surface. Returns the first error.
tlu_status surface_finish(const struct cairo *cairo, cairo_surface_t *surface, tlu_status so_far,
                          tlu_error *error);
// The output function of surfaces; the context is a struct byte_buffer.
cairo_status_t surface_bytes(void *bytes, const unsigned char *data, unsigned int size);

#endif
#endif
