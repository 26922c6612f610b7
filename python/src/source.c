// The data of a function of the library that takes a path and options.

#include "tlu_python.h"

static int set_data(struct source *source, const tlu_data *data)
{
    tlu_error error;
    source->path = ROWS_NAME;
    if (tlu_options_set_data(source->options, data, &error) == TLU_OK) {
        return 0;
    }
    raise_error(&error);
    return -1;
}

static int take(struct source *source, PyObject *data)
{
    if (data == Py_None) { // the function needs none
        return 0;
    }
    if (PyObject_TypeCheck(data, &rows_type)) {
        const tlu_data rows = {.size = sizeof rows, .name = ROWS_NAME, .rows = rows_unwrap(data)};
        source->owner = Py_NewRef(data);
        return rows.rows ? set_data(source, &rows) : -1;
    }
    if (!PyObject_CheckBuffer(data)) {
        source->owner = path_bytes(data, &source->path);
        return source->owner ? 0 : -1;
    }
    if (PyObject_GetBuffer(data, &source->bytes, PyBUF_SIMPLE) != 0) {
        return -1;
    }
    const tlu_data bytes = {.size = sizeof bytes,
                            .name = ROWS_NAME,
                            .bytes = source->bytes.len ? source->bytes.buf : "",
                            .byte_count = (size_t)source->bytes.len};
    return set_data(source, &bytes);
}

int source_begin(struct source *source, PyObject *data, PyObject *options)
{
    *source = (struct source){0};
    if (options_from_dict(options, &source->options) == 0 && take(source, data) == 0) {
        return 0;
    }
    source_end(source);
    return -1;
}

void source_end(struct source *source)
{
    Py_CLEAR(source->owner);
    if (source->bytes.obj) {
        PyBuffer_Release(&source->bytes);
    }
    tlu_options_free(source->options);
    source->options = NULL;
}
