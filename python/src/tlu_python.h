// The extension module tlu._tlu: what its files share. It uses the public headers alone.
//
// A file of python/src holds a type or some functions and adds them to the module by an add_
// function, which is listed in PARTS. Functions that fail set an exception and return NULL or -1.
#ifndef TLU_PYTHON_H
#define TLU_PYTHON_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <tlu.h>

// The parts of the module: each adds its names.
#define PARTS(ROW)                                                                                 \
    ROW(add_tables)                                                                                \
    ROW(add_arrays)                                                                                \
    ROW(add_model)                                                                                 \
    ROW(add_train)                                                                                 \
    ROW(add_online)                                                                                \
    ROW(add_learner)                                                                               \
    ROW(add_stream)                                                                                \
    ROW(add_library)                                                                               \
    ROW(add_plot)                                                                                  \
    ROW(add_logic)
#define PART(function) int function(PyObject *module);
PARTS(PART)
#undef PART

// ---- Errors: errors.c ---------------------------------------------------------------------------

#define ROWS_NAME "rows" // of data in memory, in messages

// Sets the exception of a failed call, with tlu's own sentence, and returns NULL: ValueError for
// TLU_ERROR_INPUT, MemoryError or OSError for TLU_ERROR_SYSTEM. A file that cannot be opened is
// FileNotFoundError or PermissionError. An exception that a callback raised stays.
PyObject *raise_error(const tlu_error *error);

// ---- Options: options.c -------------------------------------------------------------------------

// Makes options from a dict, whose keys are names of options with - or _ between words. A value is
// text, a number, True, False, a tuple of two numbers (a range), a list or a dict (a list of
// NAME=VALUE). None leaves the option unset. `dict` may be NULL or None. The caller frees *options.
// Returns 0, or -1 with an exception.
int options_from_dict(PyObject *dict, tlu_options **options);
// The options that differ from their defaults, or all of them, as a dict of texts.
PyObject *options_to_dict(const tlu_options *options, int all);

// ---- Calls that take long: calls.c --------------------------------------------------------------

// Releases the GIL around a call of the library. While a callback runs, it is held.
//
//     struct call call;
//     call_begin(&call, progress);
//     status = tlu_train_with(...);  // with call_progress and &call as its callback
//     call_end(&call);
struct call {
    PyThreadState *thread; // of the caller; NULL while the GIL is held
    PyObject *function;    // called with a dict; NULL: none
    double called;         // when the function was called last, in seconds
    int is_main;           // signals are handled by the main thread alone
    PyObject *exception;   // that a callback raised, or a signal: KeyboardInterrupt
};

// `function` is NULL, None or a callable.
void call_begin(struct call *call, PyObject *function);
void call_end(struct call *call);
// A tlu_progress_function whose context is a struct call: handles signals and calls the function
// with what is known of the progress, a few times per second.
int call_progress(void *context, const tlu_progress *progress);
// In other callbacks: holds the GIL until call_release; call_check handles signals and returns 1 if
// the call is to stop.
void call_hold(struct call *call);
void call_release(struct call *call);
int call_check(struct call *call);
// After call_end: raises the exception of a callback, or else that of the error. Returns NULL.
PyObject *call_raise(struct call *call, const tlu_error *error);
// After a call that ended early with a result: the exception, or None. The caller owns it.
PyObject *call_interruption(struct call *call);
// Seconds of a clock that only goes forward.
double clock_now(void);

// ---- Arguments: arguments.c ---------------------------------------------------------------------

// Sorts the arguments of a METH_FASTCALL | METH_KEYWORDS function by name: given[limit] starts with
// NULLs. Returns 0, or -1 with TypeError.
int arguments_take(const char *function, const char *const *names, size_t required, size_t limit,
                   PyObject *const *arguments, Py_ssize_t count, PyObject *keywords,
                   PyObject **given);

// ---- Models: model.c ----------------------------------------------------------------------------

extern PyTypeObject model_type;

// Makes a Model, which then owns `model`; frees it if that fails. `model` may be NULL, for an
// exception that is set.
PyObject *model_wrap(tlu_model *model);
// The model of a Model; NULL with TypeError for another object.
const tlu_model *model_unwrap(PyObject *object);
// The labels of the classes, as a list of str.
PyObject *model_labels(const tlu_model *model);
// The name of a feature of the model.
PyObject *model_feature_name(const tlu_model *model, size_t feature);

// ---- Rows in memory: arrays.c -------------------------------------------------------------------

// The rows of an array of two dimensions, float32 or float64, with any strides. The caller releases
// the buffer. Returns 0, or -1 with an exception.
int rows_of_matrix(PyObject *object, Py_buffer *view, tlu_rows *rows);
// The rows of a Rows; NULL with TypeError for another object.
const tlu_rows *rows_unwrap(PyObject *object);
extern PyTypeObject rows_type;

// An array or a CSR matrix of one row.
struct one_row {
    tlu_rows rows;
    uint64_t offsets[2];
    Py_buffer buffers[3];
};
// Takes it without a copy if it needs no conversion: float32 or float64, of `columns` columns;
// sparse indices of int32 that ascend. Returns 0, without an exception, for anything else, and -1
// after a KeyboardInterrupt or without memory.
// one_row_free releases what was taken.
int one_row_take(PyObject *object, size_t columns, struct one_row *one);
void one_row_free(struct one_row *one);

// ---- Data of a call: source.c
// --------------------------------------------------------------------

// The data of a function that takes a path and options, and these options.
struct source {
    const char *path; // of a file, or the name of data in memory, which the options have
    tlu_options *options;
    PyObject *owner; // of the path or the rows
    Py_buffer bytes;
};
// `data` is a path, Rows, a buffer (the bytes of a file) or None. `options` is a dict, None or
// NULL. Returns 0, or -1 with an exception.
int source_begin(struct source *source, PyObject *data, PyObject *options);
void source_end(struct source *source);

// ---- Values: values.c ---------------------------------------------------------------------------

// A list of what `make` returns for 0, 1, ..., count - 1; of counts; of numbers.
PyObject *list_new(size_t count, PyObject *(*make)(const void *context, size_t index),
                   const void *context);
PyObject *counts_new(const uint64_t *counts, size_t count);
PyObject *numbers_new(const double *numbers, size_t count);
// Adds `value`, which it takes, to a dict. -1 with an exception, also if one of them is NULL.
int set_item(PyObject *dict, const char *key, PyObject *value);

// ---- Texts: text.c ------------------------------------------------------------------------------

// Text of the library, which may be NULL (None) and may have bytes that are not UTF-8
// (surrogateescape).
PyObject *text_new(const char *text);
// The bytes of a str, or of the path of a file, as an object that owns *text; NULL with an
// exception. Text with a NUL is a ValueError.
PyObject *text_bytes(PyObject *object, const char **text);
PyObject *path_bytes(PyObject *object, const char **path);

#endif
