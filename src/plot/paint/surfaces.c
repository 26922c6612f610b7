// PNG, PDF and pixels by cairo; svg.c has SVG.
#include "plot/paint/surfaces.h"
#include "base/memory.h"
#include "tlu_plot.h"

#include <math.h>

#ifdef TLU_HAVE_CAIRO

#define ROUND 0.01 // how far off a circle may be, in points

cairo_status_t surface_bytes(void *context, const unsigned char *data, unsigned int size)
{
    struct bytes *bytes = context;
    bytes_add(bytes, data, size);
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

// A date would make each file another one.
#define NO_DATE "2000-01-01T00:00:00Z"

tlu_status paint_pdf(const tlu_picture *picture, struct bytes *to, tlu_error *error)
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

tlu_status paint_png(const tlu_picture *picture, struct bytes *to, tlu_error *error)
{
    struct cairo cairo;
    struct pixels pixels;
    TRY(surface_library(&cairo, error));
    cairo_surface_t *surface = new_image(&cairo, picture, &pixels);
    TRY(enough_memory(surface != NULL, error));
    tlu_status status = surface_paint(&cairo, surface, picture->pages[0], false, error);
    if (status == TLU_OK)
        status = cairo_failed(&cairo, cairo.surface_write_to_png_stream(surface, surface_bytes, to),
                              error);
    status = surface_finish(&cairo, surface, status, error);
    memory_free(pixels.at);
    return status;
}

tlu_status paint_pixels(const tlu_picture *picture, const struct page *page, struct pixels *pixels,
                        tlu_error *error)
{
    struct cairo cairo;
    TRY(surface_library(&cairo, error));
    cairo_surface_t *surface = new_image(&cairo, picture, pixels);
    TRY(enough_memory(surface != NULL, error));
    tlu_status status = surface_paint(&cairo, surface, page, false, error);
    status = surface_finish(&cairo, surface, status, error);
    for (size_t i = 0; status == TLU_OK && i < pixels->width * pixels->height; i++)
        pixels->at[i] &= 0xffffff;
    if (status != TLU_OK) {
        memory_free(pixels->at);
        pixels->at = NULL;
    }
    return status;
}

#else

static tlu_status no_cairo(tlu_error *error)
{
    return error_system(error, "this tlu was built without cairo, which draws pictures");
}

tlu_status paint_svg(const tlu_picture *picture, struct bytes *to, tlu_error *error)
{
    (void)picture, (void)to;
    return no_cairo(error);
}

tlu_status paint_pdf(const tlu_picture *picture, struct bytes *to, tlu_error *error)
{
    (void)picture, (void)to;
    return no_cairo(error);
}

tlu_status paint_png(const tlu_picture *picture, struct bytes *to, tlu_error *error)
{
    (void)picture, (void)to;
    return no_cairo(error);
}

tlu_status paint_pixels(const tlu_picture *picture, const struct page *page, struct pixels *pixels,
                        tlu_error *error)
{
    (void)picture, (void)page, (void)pixels;
    return no_cairo(error);
}
#endif
