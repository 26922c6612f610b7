// The type Stream: a model file that learns from rows of text, with the durability of the command.

#include <string.h>

#include "tlu_python.h"

struct stream_object {
    PyObject_HEAD tlu_stream *stream; // NULL: closed
    PyObject *path;                   // as given
    char *rest;                       // [rest_size] the start of a row whose end has not come yet
    size_t rest_size, rest_capacity;
    int busy; // a call runs without the GIL
};

static struct stream_object *own(PyObject *self)
{
    return (struct stream_object *)self;
}

// Whether no call runs and the stream is open; else sets an exception.
static int is_ready(const struct stream_object *self)
{
    if (self->stream && !self->busy) {
        return 1;
    }
    PyErr_SetString(self->stream ? PyExc_RuntimeError : PyExc_ValueError,
                    self->stream ? "another thread uses this stream" : "the stream is closed");
    return 0;
}

static void stream_dealloc(PyObject *self)
{
    tlu_stream_close(own(self)->stream);
    Py_XDECREF(own(self)->path);
    PyMem_Free(own(self)->rest);
    Py_TYPE(self)->tp_free(self);
}

// The path of the journal as new memory: the path of the model and the suffix.
static char *journal_path(const char *path)
{
    const size_t length = strlen(path);
    char *journal = PyMem_Malloc(length + sizeof TLU_JOURNAL_SUFFIX);
    if (!journal) {
        PyErr_NoMemory();
        return NULL;
    }
    memcpy(journal, path, length);
    memcpy(journal + length, TLU_JOURNAL_SUFFIX, sizeof TLU_JOURNAL_SUFFIX);
    return journal;
}

static tlu_stream *open_stream(const char *path, PyObject *dict, const char *journal,
                               tlu_stream_settings *settings)
{
    tlu_options *options;
    if (options_from_dict(dict, &options) != 0) {
        return NULL;
    }
    struct call call;
    tlu_error error;
    tlu_stream *stream;
    settings->size = sizeof *settings;
    settings->journal = journal;
    call_begin(&call, NULL);
    const tlu_status status = tlu_stream_open(path, options, settings, &stream, &error);
    call_end(&call);
    tlu_options_free(options);
    if (status != TLU_OK) {
        raise_error(&error);
        return NULL;
    }
    return stream;
}

static PyObject *stream_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"path",   "options",       "journal", "window",
                            "scores", "probabilities", NULL};
    PyObject *path;
    PyObject *dict = NULL;
    int journal = 1;
    Py_ssize_t window = 0;
    int scores = 0;
    int probabilities = 0;
    const char *name;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|Opnpp", names, &path, &dict, &journal,
                                     &window, &scores, &probabilities)) {
        return NULL;
    }
    if (window < 0) {
        PyErr_SetString(PyExc_ValueError, "window is a number of rows, 1 or more");
        return NULL;
    }
    PyObject *owner = path_bytes(path, &name);
    char *beside = owner && journal ? journal_path(name) : NULL;
    tlu_stream_settings settings = {
        .window = (size_t)window, .scores = scores, .probabilities = probabilities};
    tlu_stream *stream =
        owner && (beside || !journal) ? open_stream(name, dict, beside, &settings) : NULL;
    PyMem_Free(beside);
    Py_XDECREF(owner);
    PyObject *self = stream ? type->tp_alloc(type, 0) : NULL;
    if (!self) {
        tlu_stream_close(stream);
        return NULL;
    }
    own(self)->stream = stream;
    own(self)->path = Py_NewRef(path);
    return self;
}

// Text is fed in pieces that take about this long.
#define PIECE_SECONDS 0.02
#define PIECE_MIN ((size_t)1 << 16)

struct answers {
    char *bytes; // PyMem_Raw: allocated without the GIL
    size_t length;
    int is_short; // there was no memory
};

// Appends bytes to the rest; -1 with an exception.
static int append(struct stream_object *self, const char *bytes, size_t size)
{
    if (self->rest_size + size > self->rest_capacity) {
        const size_t capacity = 2 * (self->rest_size + size);
        char *rest = PyMem_Realloc(self->rest, capacity);
        if (!rest) {
            PyErr_NoMemory();
            return -1;
        }
        self->rest = rest;
        self->rest_capacity = capacity;
    }
    memcpy(self->rest + self->rest_size, bytes, size);
    self->rest_size += size;
    return 0;
}

static void drop(struct stream_object *self, size_t used)
{
    memmove(self->rest, self->rest + used, self->rest_size - used);
    self->rest_size -= used;
}

static void grow(struct answers *answers, const char *text, size_t length)
{
    char *bytes = PyMem_RawRealloc(answers->bytes, answers->length + length + 1);
    if (!bytes) {
        answers->is_short = 1;
        return;
    }
    memcpy(bytes + answers->length, text, length);
    answers->bytes = bytes;
    answers->length += length;
}

// Feeds the rest piece by piece, so that a signal can stop it between two pieces. The answers are
// those of the rows that were processed.
static tlu_status feed_pieces(struct stream_object *self, int end, struct call *call,
                              struct answers *answers, tlu_error *error)
{
    size_t piece = PIECE_MIN, start = 0;
    tlu_status status = TLU_OK;
    int is_last = 0, stop = 0;
    while (status == TLU_OK && !is_last && !stop) {
        const size_t left = self->rest_size - start;
        const char *text = NULL;
        size_t used = 0, length = 0;
        const double began = clock_now();
        is_last = left <= piece;
        status = tlu_stream_feed(self->stream, self->rest + start, is_last ? left : piece,
                                 is_last && end, &used, &text, &length, error);
        start += used;
        if (length) {
            grow(answers, text, length);
        }
        if (is_last) {
            break;
        }
        const double seconds = clock_now() - began;
        if (used == 0 || seconds < PIECE_SECONDS / 2) { // a row may be longer than a piece
            piece *= 2;
        } else if (seconds > PIECE_SECONDS && piece > PIECE_MIN) {
            piece /= 2;
        }
        call_hold(call);
        stop = call_check(call);
        call_release(call);
    }
    drop(self, start);
    return status;
}

// The answers of the rows, one per line, as str. After an error or a signal, those of the rows
// before it, which have been learned from, are `answers` of the exception.
static PyObject *process(struct stream_object *self, int end)
{
    struct call call;
    struct answers answers = {0};
    tlu_error error;
    self->busy = 1;
    call_begin(&call, NULL);
    const tlu_status status = feed_pieces(self, end, &call, &answers, &error);
    call_end(&call);
    self->busy = 0;
    PyObject *text = answers.is_short
                         ? PyErr_NoMemory()
                         : PyUnicode_DecodeUTF8(answers.bytes ? answers.bytes : "",
                                                (Py_ssize_t)answers.length, "surrogateescape");
    PyMem_RawFree(answers.bytes);
    if ((status == TLU_OK && !call.exception) || !text) {
        Py_XDECREF(call_interruption(&call));
        return text;
    }
    call_raise(&call, &error);
    PyObject *type;
    PyObject *value;
    PyObject *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    PyObject_SetAttrString(value, "answers", text);
    PyErr_Restore(type, value, trace);
    Py_DECREF(text);
    drop(self, self->rest_size); // the row that is wrong, and what follows it
    return NULL;
}

static PyObject *stream_feed(PyObject *object, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"text", "end", NULL};
    struct stream_object *self = own(object);
    PyObject *text;
    int end = 0;
    Py_buffer view;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|p", names, &text, &end) ||
        !is_ready(self)) {
        return NULL;
    }
    PyObject *bytes = PyUnicode_Check(text)
                          ? PyUnicode_AsEncodedString(text, "utf-8", "surrogateescape")
                          : Py_NewRef(text);
    if (!bytes || PyObject_GetBuffer(bytes, &view, PyBUF_SIMPLE) != 0) {
        Py_XDECREF(bytes);
        return NULL;
    }
    const int done = append(self, view.buf, (size_t)view.len);
    PyBuffer_Release(&view);
    Py_DECREF(bytes);
    return done == 0 ? process(self, end) : NULL;
}

static PyObject *stream_save(PyObject *object, PyObject *none)
{
    (void)none;
    struct stream_object *self = own(object);
    if (!is_ready(self)) {
        return NULL;
    }
    struct call call;
    tlu_error error;
    self->busy = 1;
    call_begin(&call, NULL);
    const tlu_status status = tlu_stream_save(self->stream, &error);
    call_end(&call);
    self->busy = 0;
    if (status != TLU_OK) {
        return raise_error(&error);
    }
    Py_RETURN_NONE;
}

static PyObject *stream_close(PyObject *object, PyObject *none)
{
    (void)none;
    struct stream_object *self = own(object);
    if (self->busy) {
        is_ready(self);
        return NULL;
    }
    tlu_stream_close(self->stream);
    self->stream = NULL;
    self->rest_size = 0;
    Py_RETURN_NONE;
}

static PyObject *stream_stats(PyObject *object, void *unused)
{
    (void)unused;
    struct stream_object *self = own(object);
    if (!is_ready(self)) {
        return NULL;
    }
    const tlu_stream_stats *stats = tlu_stream_get_stats(self->stream);
#define COUNT(name) #name, (unsigned long long)stats->name
    return Py_BuildValue("{s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:z}", COUNT(rows),
                         COUNT(examples), COUNT(correct), COUNT(window), COUNT(window_correct),
                         COUNT(learned), COUNT(replayed), COUNT(skipped), COUNT(features),
                         COUNT(classes), COUNT(slots), COUNT(slots_used), COUNT(slots_shared),
                         "decided_by", stats->decided_by);
#undef COUNT
}

static PyObject *stream_assumption(PyObject *object, void *unused)
{
    (void)unused;
    return is_ready(own(object)) ? text_new(tlu_stream_assumption(own(object)->stream)) : NULL;
}

static PyObject *stream_path(PyObject *object, void *unused)
{
    (void)unused;
    return Py_NewRef(own(object)->path);
}

static PyObject *stream_closed(PyObject *object, void *unused)
{
    (void)unused;
    return PyBool_FromLong(!own(object)->stream);
}

static PyMethodDef methods[] = {
    {"feed", (PyCFunction)(void (*)(void))stream_feed, METH_VARARGS | METH_KEYWORDS,
     "feed(text, end=False)\n--\n\n"
     "Predict the complete rows of the text, then learn from those with a label. The answers are\n"
     "one str with a line per row. An incomplete last row waits for the next call, unless `end`."},
    {"save", stream_save, METH_NOARGS, "save()\n--\n\nSave the model and empty the journal."},
    {"close", stream_close, METH_NOARGS, "close()\n--\n\nClose without saving."},
    {NULL},
};

static PyGetSetDef attributes[] = {
    {"stats", stream_stats, NULL, "Counts of rows, correct predictions, ..., as a dict.", NULL},
    {"assumption", stream_assumption, NULL, "What was assumed about ambiguous first rows, or None.",
     NULL},
    {"path", stream_path, NULL, "The path of the model.", NULL},
    {"closed", stream_closed, NULL, "Whether the stream is closed.", NULL},
    {NULL},
};

static PyTypeObject stream_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tlu._tlu.Stream",
    .tp_doc = "Stream(path, options=None, journal=True, window=0, scores=False, "
              "probabilities=False)\n--\n\nA model file that learns from rows of text.",
    .tp_basicsize = sizeof(struct stream_object),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_new = stream_new,
    .tp_dealloc = stream_dealloc,
    .tp_methods = methods,
    .tp_getset = attributes,
};

int add_stream(PyObject *module)
{
    return PyModule_AddType(module, &stream_type);
}
