// SVG by cairo, with the title and the caption for those who cannot see it.
#include "base/memory.h"
#include "plot/paint/shorten.h"
#include "plot/paint/surfaces.h"
#include "tlu_plot.h"

#include <string.h>

#ifdef TLU_HAVE_CAIRO

static void add_text(struct bytes *to, const char *text)
{
    bytes_add(to, text, strlen(text));
}

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
    add_text(to, "<");
    add_text(to, name);
    add_text(to, ">");
    add_escaped(to, text);
    add_text(to, "</");
    add_text(to, name);
    add_text(to, ">\n");
}

// What cairo wrote, with the elements after the first one.
static void add_described(struct bytes *to, const struct bytes *drawn, const tlu_picture *picture)
{
    const char *begin = (const char *)drawn->data, *limit = begin + drawn->size;
    const char *svg = drawn->size ? memmem(begin, drawn->size, "<svg", 4) : NULL;
    const char *end = svg ? memchr(svg, '>', (size_t)(limit - svg)) : NULL;
    if (!end)
        return;
    bytes_add(to, begin, (size_t)(end - begin));
    add_text(to, " role=\"img\">\n");
    add_element(to, "title", picture->title);
    add_element(to, "desc", picture->caption);
    svg_shorten(end, (size_t)(limit - end), to);
}

tlu_status paint_svg(const tlu_picture *picture, struct bytes *to, tlu_error *error)
{
    struct cairo cairo;
    struct bytes drawn = {0};
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
