#include "base/call/fp_env.h"
#include "base/file.h"
#include "base/memory.h"
#include "plot/paint/paint.h"

#include <string.h>
#include <strings.h>

static const struct paint_format formats[] = {
    {"svg", paint_svg}, {"png", paint_png},  {"pdf", paint_pdf},
    {"gif", paint_gif}, {"txt", paint_text},
};

void buffer_add(struct byte_buffer *bytes, const void *data, size_t size)
{
    if (!size)
        return;
    if (bytes->failed || !memory_reserve(&bytes->data, &bytes->capacity, bytes->size + size, 1)) {
        bytes->failed = true;
        return;
    }
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

const struct paint_format *paint_format_named(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcasecmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

tlu_status paint_format_of(const char *path, const struct paint_format **format, tlu_error *error)
{
    const char *point = strrchr(path, '.');
    *format = point ? paint_format_named(point + 1) : NULL;
    if (*format)
        return TLU_OK;
    return error_input(
        error, "%s: unknown format: expected an ending .svg, .png, .pdf, .gif or .txt", path);
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
    const struct paint_format *kind = paint_format_named(format);
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
    const struct paint_format *kind;
    struct file_writer *writer;
    TRY(check_given(path != NULL, "path", error));
    TRY(paint_format_of(path, &kind, error));
    TRY(paint(picture, kind, &made, error));
    tlu_status status = file_begin(&writer, path, error);
    if (status == TLU_OK) {
        file_put(writer, made.data, made.size);
        status = file_commit(writer, NULL, NULL, error);
    }
    memory_free(made.data);
    return status;
}
