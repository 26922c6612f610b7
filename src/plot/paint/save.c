#include "base/call/fp_env.h"
#include "base/file.h"
#include "base/memory.h"
#include "plot/paint/paint.h"

#include <string.h>
#include <strings.h>

// Functions are NULL if tlu was built without the library that writes the format.
#ifdef TLU_HAVE_CAIRO
#define WITH_CAIRO(function) function
#else
#define WITH_CAIRO(function) NULL
#endif
#ifdef TLU_HAVE_GIF
#define WITH_GIF(function) WITH_CAIRO(function)
#else
#define WITH_GIF(function) NULL
#endif

static const struct paint_format {
    const char *name;
    paint_function *paint;
} formats[] = {
    {"svg", WITH_CAIRO(paint_svg)},
    {"png", WITH_CAIRO(paint_png)},
    {"pdf", WITH_CAIRO(paint_pdf)},
    {"gif", WITH_GIF(paint_gif)},
    {"txt", paint_text},
};

// NULL: unknown.
static const struct paint_format *format_named(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcasecmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

static tlu_status paint(const tlu_picture *picture, const struct paint_format *format,
                        struct byte_buffer *bytes, tlu_error *error)
{
    if (picture->columns && format->paint != paint_text)
        return error_input(error, "a picture for a terminal cannot be saved as %s", format->name);
    if (!picture->columns && format->paint == paint_text)
        return error_input(error, "text is for pictures that were made for a terminal");
    if (!picture->page_count)
        return error_input(error, "the picture has no pages");
    if (!format->paint)
        return error_system(error, "this tlu was built without cairo or giflib, which write %s",
                            format->name);
    tlu_status status = format->paint(picture, bytes, error);
    if (status == TLU_OK && bytes->failed)
        status = error_memory(error);
    if (status != TLU_OK) {
        memory_free(bytes->data);
        bytes->data = NULL;
    }
    return status;
}

tlu_status tlu_picture_save_bytes(const tlu_picture *picture, const char *format, void **bytes,
                                  size_t *size, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    struct byte_buffer made = {0};
    TRY(check_given(format != NULL, "format", error));
    const struct paint_format *kind = format_named(format);
    if (!kind)
        return error_input(
            error, "'%s' is not a format of pictures: expected svg, png, pdf, gif or txt", format);
    TRY(paint(picture, kind, &made, error));
    *bytes = made.data;
    *size = made.size;
    return TLU_OK;
}

tlu_status tlu_picture_save(const tlu_picture *picture, const char *path, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    struct byte_buffer made = {0};
    struct file_writer *writer;
    TRY(check_given(path != NULL, "path", error));
    const char *point = strrchr(path, '.');
    const struct paint_format *kind = point ? format_named(point + 1) : NULL;
    if (!kind)
        return error_input(
            error, "%s: unknown format: expected an ending .svg, .png, .pdf, .gif or .txt", path);
    TRY(paint(picture, kind, &made, error));
    tlu_status status = file_begin(&writer, path, error);
    if (status == TLU_OK) {
        file_put(writer, made.data, made.size);
        status = file_commit(writer, NULL, NULL, error);
    }
    memory_free(made.data);
    return status;
}
