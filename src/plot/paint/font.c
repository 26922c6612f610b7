#include "plot/paint/font.h"
#include "base/memory.h"
#include "plot/terminal/widths.h"

#define FAMILY "DejaVu Sans"

struct font {
    bool cells;
#ifdef TLU_HAVE_CAIRO
    struct cairo cairo;
    cairo_surface_t *surface;
    cairo_t *context;
#endif
};

bool font_is_there(void)
{
#ifdef TLU_HAVE_CAIRO
    struct cairo cairo;
    return cairo_load(&cairo);
#else
    return false;
#endif
}

#ifdef TLU_HAVE_CAIRO
// Whole pixels and the colours of a screen's dots are the business of none of our files: the same
// picture is the same everywhere.
static void set_options(const struct cairo *cairo, cairo_t *to, cairo_hint_metrics_t metrics)
{
    cairo_font_options_t *options = cairo->font_options_create();
    cairo->font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo->font_options_set_hint_metrics(options, metrics);
    cairo->font_options_set_hint_style(options, CAIRO_HINT_STYLE_SLIGHT);
    cairo->set_font_options(to, options);
    cairo->font_options_destroy(options);
}

void font_choose(const struct cairo *cairo, cairo_t *to, double size, bool bold)
{
    set_options(cairo, to, CAIRO_HINT_METRICS_OFF);
    cairo->select_font_face(to, FAMILY, CAIRO_FONT_SLANT_NORMAL,
                            bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo->set_font_size(to, size);
}

// Letters that are fitted to pixels may be higher than those that text is measured by, and cairo
// cuts off what is higher than it has measured. So they have their places by the one measure, and
// are painted by the other.
void font_paint(const struct cairo *cairo, cairo_t *to, double x, double y, const char *text)
{
    cairo_glyph_t *glyphs = NULL;
    int count = 0;
    cairo_status_t status = cairo->scaled_font_text_to_glyphs(
        cairo->get_scaled_font(to), x, y, text, -1, &glyphs, &count, NULL, NULL, NULL);
    if (status != CAIRO_STATUS_SUCCESS) {
        cairo->show_text(to, text); // says why
        return;
    }
    set_options(cairo, to, CAIRO_HINT_METRICS_ON);
    cairo->show_glyphs(to, glyphs, count);
    cairo->glyph_free(glyphs);
}
#endif

struct font *font_new(bool cells)
{
    struct font *font = memory_new(1, sizeof *font);
    if (!font)
        return NULL;
    font->cells = cells;
#ifdef TLU_HAVE_CAIRO
    if (cells)
        return font;
    if (!cairo_load(&font->cairo)) {
        memory_free(font);
        return NULL;
    }
    font->surface = font->cairo.image_surface_create(CAIRO_FORMAT_RGB24, 1, 1);
    font->context = font->cairo.create(font->surface);
#endif
    return font;
}

void font_free(struct font *font)
{
#ifdef TLU_HAVE_CAIRO
    if (font && font->context) {
        font->cairo.destroy(font->context);
        font->cairo.surface_destroy(font->surface);
    }
#endif
    memory_free(font);
}

double font_width(struct font *font, const char *text, double size, bool bold)
{
    if (font->cells)
        return (double)text_cells(text) * CELL_WIDTH;
    if (!(size > 0))
        return 0;
#ifdef TLU_HAVE_CAIRO
    cairo_text_extents_t extents;
    font_choose(&font->cairo, font->context, size, bold);
    font->cairo.text_extents(font->context, text, &extents);
    return extents.x_advance;
#else
    (void)size;
    (void)bold;
    return 0;
#endif
}

double font_height(const struct font *font, double size)
{
    return font->cells ? CELL_HEIGHT : 1.35 * size;
}
