// Writing a picture. Each function gives the whole of a file in memory, which the caller frees with
// memory_free.
#ifndef TLU_PLOT_PAINT_PAINT_H
#define TLU_PLOT_PAINT_PAINT_H

#include "plot/picture.h"
#include "tlu_plot.h"

struct bytes {
    unsigned char *data;
    size_t size, capacity;
    bool failed; // out of memory
};
void bytes_add(struct bytes *bytes, const void *data, size_t size);

typedef tlu_status paint_function(const tlu_picture *picture, struct bytes *to, tlu_error *error);
paint_function paint_svg, paint_png, paint_pdf, paint_gif, paint_text;

// A format by its name, "svg"; NULL if there is none. An ending is a name with a point before it.
struct paint_format {
    const char *name;
    bool animated; // has frames
    paint_function *paint;
};
const struct paint_format *paint_format_named(const char *name);
// By the ending of a path; TLU_ERROR_INPUT names the endings that there are.
tlu_status paint_format_of(const char *path, const struct paint_format **format, tlu_error *error);

// A page as pixels, 0x00RRGGBB each; NULL: out of memory. Of a picture that is not for a terminal.
struct pixels {
    size_t width, height;
    uint32_t *at; // [height][width]
};
tlu_status paint_pixels(const tlu_picture *picture, const struct page *page, struct pixels *pixels,
                        tlu_error *error);

#endif
