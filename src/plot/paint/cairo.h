// Cairo, loaded when a picture is first drawn: it brings fonts and X libraries along.
#ifndef TLU_PLOT_PAINT_CAIRO_H
#define TLU_PLOT_PAINT_CAIRO_H

#ifdef TLU_HAVE_CAIRO
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <stdbool.h>

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

#endif
#endif
