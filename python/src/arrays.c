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

// Names of the attributes of a sparse matrix.
static struct {
    PyObject *format, *shape, *indptr, *indices, *data;
} row_names;

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
    // An index that is past the columns sets the sign bit of `past`.
    const uint64_t end = is_sound ? last : 0;
    const uint32_t *entry_features = rows->features;
    const uint32_t most = columns > INT32_MAX ? INT32_MAX : (uint32_t)columns - 1;
    uint32_t past = columns == 0 ? UINT32_MAX : 0;
    for (uint64_t i = rows->offsets[0]; i < end; i++) {
        past |= entry_features[i] | (most - entry_features[i]);
    }
    if (!is_sound || (last > rows->offsets[0] && past > INT32_MAX)) {
        PyErr_SetString(PyExc_ValueError, "the sparse matrix is malformed: an index is past its "
                                          "shape, or indptr past its entries");
        return -1;
    }
    return 0;
}

// ---- one row
// --------------------------------------------------------------------------------------

static int is_aligned(const Py_buffer *view)
{
    return view->itemsize > 0 && (uintptr_t)view->buf % (size_t)view->itemsize == 0;
}

// Takes an attribute of a matrix as an array of one dimension. Returns its length, or -1.
static Py_ssize_t take_part(PyObject *matrix, PyObject *name, Py_buffer *view)
{
    PyObject *object = PyObject_GetAttr(matrix, name);
    const int taken =
        object && PyObject_GetBuffer(object, view, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) == 0;
    Py_XDECREF(object);
    if (!taken) {
        view->obj = NULL;
        return -1;
    }
    return view->ndim == 1 && is_aligned(view) ? view->shape[0] : -1;
}

static int has_shape(PyObject *matrix, Py_ssize_t rows, size_t columns)
{
    PyObject *shape = PyObject_GetAttr(matrix, row_names.shape);
    const int fits = shape && PyTuple_Check(shape) && PyTuple_GET_SIZE(shape) == 2 &&
                     PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, 0)) == rows &&
                     PyLong_AsSize_t(PyTuple_GET_ITEM(shape, 1)) == columns;
    Py_XDECREF(shape);
    return fits;
}

static int is_csr(PyObject *matrix)
{
    PyObject *format = PyObject_GetAttr(matrix, row_names.format);
    const int is =
        format && PyUnicode_Check(format) && PyUnicode_CompareWithASCIIString(format, "csr") == 0;
    Py_XDECREF(format);
    return is;
}

// A CSR matrix of one row, whose indices ascend.
static int take_sparse_row(PyObject *matrix, size_t columns, struct one_row *one)
{
    Py_buffer *const places = &one->buffers[0], *const features = &one->buffers[1],
                     *const values = &one->buffers[2];
    if (!is_csr(matrix) || !has_shape(matrix, 1, columns) ||
        take_part(matrix, row_names.indptr, places) != 2 ||
        take_part(matrix, row_names.indices, features) < 0 ||
        take_part(matrix, row_names.data, values) < 0 || !is_integer_of(features, 4) ||
        take_values(&one->rows, values) != 0) {
        return 0;
    }
    const int is_long = is_integer_of(places, 8);
    if (!is_long && !is_integer_of(places, 4)) {
        return 0;
    }
    const int64_t first =
        is_long ? ((const int64_t *)places->buf)[0] : ((const int32_t *)places->buf)[0];
    const int64_t end =
        is_long ? ((const int64_t *)places->buf)[1] : ((const int32_t *)places->buf)[1];
    if (first != 0 || end < 0 || end > features->shape[0] || end > values->shape[0]) {
        return 0;
    }
    const uint32_t *indices = features->buf;
    int is_sound = end == 0 || indices[end - 1] < columns;
    for (int64_t i = 1; i < end; i++) {
        is_sound &= indices[i - 1] < indices[i];
    }
    one->offsets[1] = (uint64_t)end;
    one->rows.rows = 1;
    one->rows.offsets = one->offsets;
    one->rows.features = indices;
    return is_sound;
}

static int take_dense_row(PyObject *array, size_t columns, struct one_row *one)
{
    Py_buffer *view = &one->buffers[0];
    if (PyObject_GetBuffer(array, view, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0) {
        view->obj = NULL;
        return 0;
    }
    one->rows.rows = 1;
    one->rows.columns = columns;
    return view->ndim == 2 && view->shape[0] == 1 && (size_t)view->shape[1] == columns &&
           columns > 0 && is_aligned(view) && take_values(&one->rows, view) == 0;
}

int one_row_take(PyObject *object, size_t columns, struct one_row *one)
{
    *one = (struct one_row){.rows = {.size = sizeof one->rows, .first_feature = 1}};
    const int taken = PyObject_CheckBuffer(object) ? take_dense_row(object, columns, one)
                                                   : take_sparse_row(object, columns, one);
    if (taken) {
        return 1;
    }
    one_row_free(one);
    if (PyErr_Occurred() &&
        (!PyErr_ExceptionMatches(PyExc_Exception) || PyErr_ExceptionMatches(PyExc_MemoryError))) {
        return -1;
    }
    PyErr_Clear();
    return 0;
}

void one_row_free(struct one_row *one)
{
    for (int i = 0; i < 3; i++) {
        if (one->buffers[i].obj) {
            PyBuffer_Release(&one->buffers[i]);
        }
    }
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

static int add_row_names(void)
{
    row_names.format = PyUnicode_InternFromString("format");
    row_names.shape = PyUnicode_InternFromString("shape");
    row_names.indptr = PyUnicode_InternFromString("indptr");
    row_names.indices = PyUnicode_InternFromString("indices");
    row_names.data = PyUnicode_InternFromString("data");
    return row_names.format && row_names.shape && row_names.indptr && row_names.indices &&
                   row_names.data
               ? 0
               : -1;
}

int add_arrays(PyObject *module)
{
    return add_row_names() != 0 ? -1 : PyModule_AddType(module, &rows_type);
}
