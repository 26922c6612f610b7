// The type Rows: the arrays of the caller as tlu_rows, without a copy of the entries.
//
// Arrays are taken by the buffer protocol, so that the extension is built without NumPy and works
// with any version of it. The Python part converts other types of numbers (python/tlu/_input.py).

#include <string.h>

#include "tlu_python.h"

#define ROW_BUFFERS 6 // values, indices, offsets, labels, weights, label offsets

struct rows_object {
    PyObject_HEAD tlu_rows rows;
    Py_buffer buffers[ROW_BUFFERS];
    size_t buffer_count;
    uint64_t *offsets;     // converted; NULL: those of a buffer
    PyObject *names[2];    // lists of bytes: labels, features
    const char **texts[2]; // [count] in these
};

// ---- buffers ------------------------------------------------------------------------------------

// The letter of a format of one native item, or 0.
static char item_format(const Py_buffer *view)
{
    const char *format = view->format ? view->format : "B";
    if (*format == '@' || *format == '=' || *format == '<') {
        format++;
    }
    return format[0] && !format[1] ? format[0] : '\0';
}

static int is_integer_of(const Py_buffer *view, Py_ssize_t size)
{
    const char format = item_format(view);
    return format && strchr("iIlLqQ", format) && view->itemsize == size;
}

// Takes a buffer of one dimension and contiguous; NULL with an exception.
static Py_buffer *take_array(struct rows_object *self, PyObject *object, const char *what)
{
    Py_buffer *view = &self->buffers[self->buffer_count];
    if (PyObject_GetBuffer(object, view, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0) {
        return NULL;
    }
    self->buffer_count++;
    if (view->ndim != 1) {
        PyErr_Format(PyExc_ValueError, "%s: expected one dimension, found %d", what, view->ndim);
        return NULL;
    }
    return view;
}

static int take_values(tlu_rows *rows, const Py_buffer *view)
{
    const char format = item_format(view);
    if (format == 'f') {
        rows->values = view->buf;
    } else if (format == 'd') {
        rows->doubles = view->buf;
    } else {
        PyErr_Format(PyExc_TypeError, "expected float32 or float64, found the format '%s'",
                     view->format ? view->format : "B");
        return -1;
    }
    return 0;
}

// A matrix whose strides are multiples of its items, not negative. Returns -1 with an exception, or
// 1 for an array that has to be copied first.
static int take_matrix(tlu_rows *rows, const Py_buffer *view)
{
    if (view->ndim != 2) {
        PyErr_Format(PyExc_ValueError,
                     "Expected 2D array, got %dD array instead. Reshape your data: a row per "
                     "sample, a column per feature",
                     view->ndim);
        return -1;
    }
    if (take_values(rows, view) != 0) {
        return -1;
    }
    rows->rows = (size_t)view->shape[0];
    rows->columns = (size_t)view->shape[1];
    const Py_ssize_t down = view->strides[0], right = view->strides[1], size = view->itemsize;
    if (down < 0 || right < 0 || down % size != 0 || right % size != 0) {
        PyErr_SetString(PyExc_ValueError, "the strides of the array are not those of its items");
        return -1;
    }
    const int plain = right == size && down == size * view->shape[1];
    if (!plain && rows->rows && rows->columns) {
        rows->row_stride = (size_t)(down / size);
        rows->column_stride = (size_t)(right / size);
    }
    return 0;
}

int rows_of_matrix(PyObject *object, Py_buffer *view, tlu_rows *rows)
{
    if (PyObject_GetBuffer(object, view, PyBUF_FORMAT | PyBUF_STRIDED_RO) != 0) {
        return -1;
    }
    *rows = (tlu_rows){.size = sizeof *rows, .first_feature = 1};
    if (take_matrix(rows, view) != 0) {
        PyBuffer_Release(view);
        return -1;
    }
    return 0;
}

// ---- sparse rows --------------------------------------------------------------------------------

static int take_offsets(struct rows_object *self, PyObject *object)
{
    const Py_buffer *view = take_array(self, object, "indptr");
    if (!view) {
        return -1;
    }
    const size_t count = (size_t)(view->len / view->itemsize);
    if (count == 0) {
        PyErr_SetString(PyExc_ValueError, "indptr is empty");
        return -1;
    }
    self->rows.rows = count - 1;
    if (is_integer_of(view, 8)) {
        self->rows.offsets = view->buf;
        return 0;
    }
    if (!is_integer_of(view, 4)) {
        PyErr_SetString(PyExc_TypeError, "expected indptr of int32 or int64");
        return -1;
    }
    uint64_t *offsets = PyMem_Malloc(count * sizeof *offsets);
    if (!offsets) {
        PyErr_NoMemory();
        return -1;
    }
    const uint32_t *from = view->buf;
    for (size_t i = 0; i < count; i++) {
        offsets[i] = from[i];
    }
    self->offsets = offsets;
    self->rows.offsets = offsets;
    return 0;
}

// The arrays of a CSR matrix. What indptr points to is checked here, what the rows hold by the
// library.
static int take_sparse(struct rows_object *self, PyObject *values, PyObject *indices,
                       PyObject *offsets, size_t columns)
{
    tlu_rows *rows = &self->rows;
    if (take_offsets(self, offsets) != 0) {
        return -1;
    }
    const Py_buffer *features = take_array(self, indices, "indices");
    if (!features) {
        return -1;
    }
    if (!is_integer_of(features, 4)) {
        PyErr_SetString(PyExc_TypeError, "expected indices of int32");
        return -1;
    }
    const Py_buffer *entries = take_array(self, values, "data");
    if (!entries || take_values(rows, entries) != 0) {
        return -1;
    }
    rows->features = features->buf;
    const uint64_t count = (uint64_t)(features->len / features->itemsize);
    uint64_t last = 0;
    int is_sound = count <= (uint64_t)(entries->len / entries->itemsize);
    for (size_t i = 0; i <= rows->rows; i++) {
        is_sound &= rows->offsets[i] >= last && rows->offsets[i] <= count;
        last = rows->offsets[i];
    }
    uint32_t highest = 0;
    for (uint64_t i = rows->offsets[0]; is_sound && i < last; i++) {
        highest = rows->features[i] > highest ? rows->features[i] : highest;
    }
    if (!is_sound || (last > rows->offsets[0] && highest >= columns)) {
        PyErr_SetString(PyExc_ValueError, "the sparse matrix is malformed: an index is past its "
                                          "shape, or indptr past its entries");
        return -1;
    }
    return 0;
}

// ---- names --------------------------------------------------------------------------------------

// names[which]: a sequence of str.
static int take_names(struct rows_object *self, int which, PyObject *sequence,
                      const char *const **texts, size_t *count)
{
    PyObject *items = PySequence_Fast(sequence, "expected a sequence of names");
    if (!items) {
        return -1;
    }
    const Py_ssize_t size = PySequence_Fast_GET_SIZE(items);
    PyObject *list = PyList_New(0);
    const char **array = PyMem_Malloc(((size_t)size + 1) * sizeof *array);
    self->names[which] = list;
    self->texts[which] = array;
    int done = list && array ? 0 : -1;
    if (list && !array) {
        PyErr_NoMemory();
    }
    for (Py_ssize_t i = 0; i < size && done == 0; i++) {
        PyObject *bytes = text_bytes(PySequence_Fast_GET_ITEM(items, i), &array[i]);
        done = bytes ? PyList_Append(list, bytes) : -1;
        Py_XDECREF(bytes);
    }
    Py_DECREF(items);
    *texts = array;
    *count = (size_t)size;
    return done;
}

// ---- the type -----------------------------------------------------------------------------------

static void rows_dealloc(PyObject *object)
{
    struct rows_object *self = (struct rows_object *)object;
    for (size_t i = 0; i < self->buffer_count; i++) {
        PyBuffer_Release(&self->buffers[i]);
    }
    for (int which = 0; which < 2; which++) {
        Py_XDECREF(self->names[which]);
        PyMem_Free(self->texts[which]);
    }
    PyMem_Free(self->offsets);
    Py_TYPE(object)->tp_free(object);
}

static int is_given(PyObject *object)
{
    return object && object != Py_None;
}

// An array of one item for each row.
static int take_column(struct rows_object *self, PyObject *object, const char *what, char format,
                       const void **items)
{
    const Py_buffer *view = take_array(self, object, what);
    if (!view) {
        return -1;
    }
    const int fits = format == 'f' ? item_format(view) == 'f' : is_integer_of(view, 4);
    if (!fits) {
        PyErr_Format(PyExc_TypeError, "%s: expected %s", what,
                     format == 'f' ? "float32" : "uint32");
        return -1;
    }
    const size_t count = (size_t)(view->len / view->itemsize);
    if (count != self->rows.rows) {
        PyErr_Format(PyExc_ValueError,
                     "Found input variables with inconsistent numbers of samples: %zu rows, %zu %s",
                     self->rows.rows, count, what);
        return -1;
    }
    *items = view->buf;
    return 0;
}

static int rows_init(PyObject *object, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"values",      "indices", "indptr",        "columns", "labels",
                            "label_names", "weights", "feature_names", NULL};
    struct rows_object *self = (struct rows_object *)object;
    PyObject *values, *indices = NULL, *offsets = NULL, *labels = NULL, *label_names = NULL;
    PyObject *weights = NULL, *feature_names = NULL;
    Py_ssize_t columns = 0;
    if (self->buffer_count) {
        PyErr_SetString(PyExc_TypeError, "Rows cannot be initialised again");
        return -1;
    }
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|OOnOOOO", names, &values, &indices,
                                     &offsets, &columns, &labels, &label_names, &weights,
                                     &feature_names)) {
        return -1;
    }
    tlu_rows *rows = &self->rows;
    if (is_given(offsets)) {
        *rows = (tlu_rows){.size = sizeof *rows, .first_feature = 1};
        if (take_sparse(self, values, indices, offsets, (size_t)columns) != 0) {
            return -1;
        }
    } else {
        if (rows_of_matrix(values, &self->buffers[0], rows) != 0) {
            return -1;
        }
        self->buffer_count = 1;
    }
    const void *items;
    if (is_given(labels)) {
        if (take_column(self, labels, "labels", 'I', &items) != 0) {
            return -1;
        }
        rows->labels = items;
    }
    if (is_given(weights)) {
        if (take_column(self, weights, "weights", 'f', &items) != 0) {
            return -1;
        }
        rows->weights = items;
    }
    if (is_given(label_names) &&
        take_names(self, 0, label_names, &rows->label_names, &rows->label_count) != 0) {
        return -1;
    }
    if (is_given(feature_names)) {
        rows->first_feature = 0;
        if (take_names(self, 1, feature_names, &rows->feature_names, &rows->feature_count) != 0) {
            return -1;
        }
    }
    return 0;
}

PyTypeObject rows_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tlu._tlu.Rows",
    .tp_doc = "Rows in memory: the arrays of the caller, which are kept alive.",
    .tp_basicsize = sizeof(struct rows_object),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = rows_init,
    .tp_dealloc = rows_dealloc,
};

const tlu_rows *rows_unwrap(PyObject *object)
{
    if (!PyObject_TypeCheck(object, &rows_type) || !((struct rows_object *)object)->buffer_count) {
        PyErr_Format(PyExc_TypeError, "expected Rows, not %.200s", Py_TYPE(object)->tp_name);
        return NULL;
    }
    return &((struct rows_object *)object)->rows;
}

int add_arrays(PyObject *module)
{
    return PyModule_AddType(module, &rows_type);
}
