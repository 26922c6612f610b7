// SVG, PNG, PDF and pixels by cairo.
#include "base/memory.h"
#include "draw/paint/cairo.h"
#include "draw/paint/marks.h"
#include "draw/paint/paint.h"

#include <math.h>
#include <string.h>

#ifdef TLU_HAVE_CAIRO

static cairo_status_t take_bytes(void *context, const unsigned char *data, unsigned int size)
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

// Paints a page on a surface, which is finished and destroyed.
static tlu_status paint_surface(const struct cairo *cairo, cairo_surface_t *surface,
                                const struct page *page, double scale, tlu_error *error)
{
    cairo_t *to = cairo->create(surface);
    cairo->scale(to, scale, scale);
    marks_paint(cairo, to, page);
    cairo->show_page(to);
    cairo_status_t status = cairo->status(to);
    cairo->destroy(to);
    cairo->surface_flush(surface);
    return cairo_failed(cairo, status, error);
}

static tlu_status finish(const struct cairo *cairo, cairo_surface_t *surface, tlu_status so_far,
                         tlu_error *error)
{
    cairo->surface_finish(surface);
    cairo_status_t status = cairo->surface_status(surface);
    cairo->surface_destroy(surface);
    return so_far != TLU_OK ? so_far : cairo_failed(cairo, status, error);
}

static tlu_status load(struct cairo *cairo, tlu_error *error)
{
    return cairo_load(cairo) ? TLU_OK : error_system(error, "cairo cannot be loaded");
}

// ---- SVG: with the title and the caption for those who cannot see it

static void add_escaped(struct bytes *to, const char *text)
{
    for (; *text; text++) {
        const char *as = *text == '<'   ? "&lt;"
                         : *text == '>' ? "&gt;"
                         : *text == '&' ? "&amp;"
                                        : NULL;
        bytes_add(to, as ? as : text, as ? strlen(as) : 1);
    }
}

static void add_element(struct bytes *to, const char *name, const char *text)
{
    if (!*text)
        return;
    bytes_add(to, "<", 1);
    bytes_add(to, name, strlen(name));
    bytes_add(to, ">", 1);
    add_escaped(to, text);
    bytes_add(to, "</", 2);
    bytes_add(to, name, strlen(name));
    bytes_add(to, ">\n", 2);
}

tlu_status paint_svg(const tlu_picture *picture, struct bytes *to, tlu_error *error)
{
    struct cairo cairo;
    struct bytes drawn = {0};
    TRY(load(&cairo, error));
    cairo_surface_t *surface =
        cairo.svg_surface_create_for_stream(take_bytes, &drawn, picture->width, picture->height);
    cairo.svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
    tlu_status status = paint_surface(&cairo, surface, picture->pages[0], 1, error);
    status = finish(&cairo, surface, status, error);
    const char *svg = drawn.data ? memmem(drawn.data, drawn.size, "<svg", 4) : NULL;
    const char *end =
        svg ? memchr(svg, '>', drawn.size - (size_t)(svg - (char *)drawn.data)) : NULL;
    if (status == TLU_OK && end) {
        size_t head = (size_t)(end + 2 - (char *)drawn.data);
        bytes_add(to, drawn.data, head);
        add_element(to, "title", picture->title);
        add_element(to, "desc", picture->caption);
        bytes_add(to, drawn.data + head, drawn.size - head);
    }
    memory_free(drawn.data);
    return status;
}

tlu_status paint_pdf(const tlu_picture *picture, struct bytes *to, tlu_error *error)
{
    struct cairo cairo;
    TRY(load(&cairo, error));
    cairo_surface_t *surface =
        cairo.pdf_surface_create_for_stream(take_bytes, to, picture->width, picture->height);
    cairo.pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, picture->title);
    cairo.pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_SUBJECT, picture->caption);
    tlu_status status = TLU_OK;
    for (size_t i = 0; status == TLU_OK && i < picture->page_count; i++)
        status = paint_surface(&cairo, surface, picture->pages[i], 1, error);
    return finish(&cairo, surface, status, error);
}

// ---- pixels

static cairo_surface_t *new_image(const struct cairo *cairo, const tlu_picture *picture)
{
    return cairo->image_surface_create(CAIRO_FORMAT_RGB24,
                                       (int)ceil(picture->width * picture->scale),
                                       (int)ceil(picture->height * picture->scale));
}

tlu_status paint_png(const tlu_picture *picture, struct bytes *to, tlu_error *error)
{
    struct cairo cairo;
    TRY(load(&cairo, error));
    cairo_surface_t *surface = new_image(&cairo, picture);
    tlu_status status = paint_surface(&cairo, surface, picture->pages[0], picture->scale, error);
    if (status == TLU_OK)
        status =
            cairo_failed(&cairo, cairo.surface_write_to_png_stream(surface, take_bytes, to), error);
    return finish(&cairo, surface, status, error);
}

tlu_status paint_pixels(const tlu_picture *picture, const struct page *page, struct pixels *pixels,
                        tlu_error *error)
{
    struct cairo cairo;
    TRY(load(&cairo, error));
    cairo_surface_t *surface = new_image(&cairo, picture);
    tlu_status status = paint_surface(&cairo, surface, page, picture->scale, error);
    pixels->width = (size_t)ceil(picture->width * picture->scale);
    pixels->height = (size_t)ceil(picture->height * picture->scale);
    pixels->at = memory_new(pixels->width * pixels->height, sizeof *pixels->at);
    const unsigned char *data = cairo.image_surface_get_data(surface);
    if (status == TLU_OK && pixels->at && data) {
        size_t stride = (size_t)cairo.image_surface_get_stride(surface);
        for (size_t y = 0; y < pixels->height; y++)
            memcpy(pixels->at + y * pixels->width, data + y * stride, 4 * pixels->width);
        for (size_t i = 0; i < pixels->width * pixels->height; i++)
            pixels->at[i] &= 0xffffff;
    } else if (status == TLU_OK) {
        status = error_memory(error);
    }
    status = finish(&cairo, surface, status, error);
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
