// Cairo: loading it, fonts, and the files that it writes: PNG, PDF, and pixels for GIF.
#include "plot/paint/cairo.h"
#include "base/load/library.h"
#include "base/memory.h"
#include "plot/paint/paint.h"
#include "plot/terminal/terminal.h"

#include <math.h>
#include <string.h>

// ---- loading

#ifdef TLU_HAVE_CAIRO

#define CAIRO_FILE "libcairo.so.2"

bool cairo_load(struct cairo *cairo)
{
#define CAIRO_NAME(name) "cairo_" #name,
    static const char *const names[] = {CAIRO_FUNCTIONS(CAIRO_NAME)};
#undef CAIRO_NAME
    _Static_assert(sizeof names == sizeof *cairo, "a name for each pointer");
    return library_load(CAIRO_FILE, names, cairo, LIBRARY_COUNT(*cairo), false, NULL) ==
           LIBRARY_LOADED;
}
#endif

// ---- fonts

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
// Fonts are neither fitted to whole pixels nor coloured for a screen, so that files are the same
// everywhere.
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

// Hinted glyphs may be higher than unhinted ones, by which text is measured, and cairo cuts off
// what is higher than measured. So glyphs are placed by unhinted and painted with hinted metrics.
void font_paint(const struct cairo *cairo, cairo_t *to, double x, double y, const char *text)
{
    cairo_glyph_t *glyphs = NULL;
    int count = 0;
    cairo_status_t status = cairo->scaled_font_text_to_glyphs(
        cairo->get_scaled_font(to), x, y, text, -1, &glyphs, &count, NULL, NULL, NULL);
    if (status != CAIRO_STATUS_SUCCESS) {
        cairo->show_text(to, text); // sets the error of the context
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

// ---- surfaces

#ifdef TLU_HAVE_CAIRO

#define ROUND 0.01 // how far off a circle may be, in points

cairo_status_t surface_bytes(void *context, const unsigned char *data, unsigned int size)
{
    struct byte_buffer *bytes = context;
    buffer_add(bytes, data, size);
    return bytes->failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

static tlu_status cairo_failed(const struct cairo *cairo, cairo_status_t status, tlu_error *error)
{
    if (status == CAIRO_STATUS_SUCCESS)
        return TLU_OK;
    if (status == CAIRO_STATUS_NO_MEMORY)
        return error_memory(error);
    return error_system(error, "cairo could not draw the picture: %s",
                        cairo->status_to_string(status));
}

tlu_status surface_paint(const struct cairo *cairo, cairo_surface_t *surface,
                         const struct page *page, bool vectors, tlu_error *error)
{
    double scale = vectors ? 1 : page->picture->scale;
    struct brush brush = {cairo, cairo->create(surface), page, scale, vectors};
    cairo->scale(brush.to, scale, scale);
    if (vectors)
        cairo->set_tolerance(brush.to, ROUND);
    cairo_status_t status = marks_paint(&brush);
    cairo->show_page(brush.to);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo->status(brush.to);
    cairo->destroy(brush.to);
    cairo->surface_flush(surface);
    return cairo_failed(cairo, status, error);
}

tlu_status surface_finish(const struct cairo *cairo, cairo_surface_t *surface, tlu_status so_far,
                          tlu_error *error)
{
    cairo->surface_finish(surface);
    cairo_status_t status = cairo->surface_status(surface);
    cairo->surface_destroy(surface);
    return so_far != TLU_OK ? so_far : cairo_failed(cairo, status, error);
}

tlu_status surface_library(struct cairo *cairo, tlu_error *error)
{
    if (cairo_load(cairo))
        return TLU_OK;
    return error_system(error, "cairo, which draws pictures, cannot be loaded (Debian: libcairo2)");
}

// ---- PDF

// Constant, so that the same picture gives the same file.
#define NO_DATE "2000-01-01T00:00:00Z"

tlu_status paint_pdf(const tlu_picture *picture, struct byte_buffer *to, tlu_error *error)
{
    struct cairo cairo;
    TRY(surface_library(&cairo, error));
    cairo_surface_t *surface =
        cairo.pdf_surface_create_for_stream(surface_bytes, to, picture->width, picture->height);
    cairo.pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, picture->title);
    cairo.pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_SUBJECT, picture->caption);
    cairo.pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, NO_DATE);
    tlu_status status = TLU_OK;
    for (size_t i = 0; status == TLU_OK && i < picture->page_count; i++)
        status = surface_paint(&cairo, surface, picture->pages[i], true, error);
    return surface_finish(&cairo, surface, status, error);
}

// ---- pixels

static cairo_surface_t *new_image(const struct cairo *cairo, const tlu_picture *picture,
                                  struct pixels *pixels)
{
    pixels->width = (size_t)ceil(picture->width * picture->scale);
    pixels->height = (size_t)ceil(picture->height * picture->scale);
    pixels->at = memory_new(pixels->width * pixels->height, sizeof *pixels->at);
    if (!pixels->at)
        return NULL;
    return cairo->image_surface_create_for_data((unsigned char *)pixels->at, CAIRO_FORMAT_RGB24,
                                                (int)pixels->width, (int)pixels->height,
                                                (int)(sizeof *pixels->at * pixels->width));
}

// Frees the pixels after an error.
static tlu_status paint_surface(const tlu_picture *picture, const struct page *page,
                                struct pixels *pixels, struct byte_buffer *png, tlu_error *error)
{
    struct cairo cairo;
    TRY(surface_library(&cairo, error));
    cairo_surface_t *surface = new_image(&cairo, picture, pixels);
    TRY(enough_memory(surface != NULL, error));
    tlu_status status = surface_paint(&cairo, surface, page, false, error);
    if (status == TLU_OK && png)
        status = cairo_failed(
            &cairo, cairo.surface_write_to_png_stream(surface, surface_bytes, png), error);
    status = surface_finish(&cairo, surface, status, error);
    if (status != TLU_OK)
        memory_free(pixels->at);
    return status;
}

tlu_status paint_png(const tlu_picture *picture, struct byte_buffer *to, tlu_error *error)
{
    struct pixels pixels;
    TRY(paint_surface(picture, picture->pages[0], &pixels, to, error));
    memory_free(pixels.at);
    return TLU_OK;
}

tlu_status paint_pixels(const tlu_picture *picture, const struct page *page, struct pixels *pixels,
                        tlu_error *error)
{
    TRY(paint_surface(picture, page, pixels, NULL, error));
    for (size_t i = 0; i < pixels->width * pixels->height; i++)
        pixels->at[i] &= 0xffffff;
    return TLU_OK;
}
#else

tlu_status paint_pixels(const tlu_picture *picture, const struct page *page, struct pixels *pixels,
                        tlu_error *error)
{
    (void)picture, (void)page, (void)pixels;
    return error_system(error, "this tlu was built without cairo, which draws pictures");
}
#endif
