// The type Model: a tlu_model, which is immutable, so that threads share it without locks.

#include "tlu_python.h"

struct model_object {
    PyObject_HEAD
    tlu_model *model;
};

static tlu_model *own(PyObject *self)
{
    return ((struct model_object *)self)->model;
}

PyObject *model_wrap(tlu_model *model)
{
    if (!model) {
        return NULL;
    }
    PyObject *self = model_type.tp_alloc(&model_type, 0);
    if (!self) {
        tlu_model_free(model);
        return NULL;
    }
    ((struct model_object *)self)->model = model;
    return self;
}

const tlu_model *model_unwrap(PyObject *object)
{
    if (!PyObject_TypeCheck(object, &model_type)) {
        PyErr_Format(PyExc_TypeError, "expected a tlu model, not %.200s", Py_TYPE(object)->tp_name);
        return NULL;
    }
    return own(object);
}

static void model_dealloc(PyObject *self)
{
    tlu_model_free(own(self));
    Py_TYPE(self)->tp_free(self);
}

static PyObject *model_save(PyObject *self, PyObject *path)
{
    const char *name;
    PyObject *owner = path_bytes(path, &name);
    if (!owner) {
        return NULL;
    }
    struct call call;
    tlu_error error;
    call_begin(&call, NULL);
    const tlu_status status = tlu_model_save(own(self), name, &error);
    call_end(&call);
    Py_DECREF(owner);
    if (status != TLU_OK) {
        return raise_error(&error);
    }
    Py_RETURN_NONE;
}

static PyObject *model_load(PyObject *type, PyObject *path)
{
    (void)type;
    const char *name;
    PyObject *owner = path_bytes(path, &name);
    if (!owner) {
        return NULL;
    }
    struct call call;
    tlu_error error;
    tlu_model *model;
    call_begin(&call, NULL);
    const tlu_status status = tlu_model_load(name, &model, &error);
    call_end(&call);
    Py_DECREF(owner);
    return status == TLU_OK ? model_wrap(model) : raise_error(&error);
}

static PyObject *model_to_bytes(PyObject *self, PyObject *none)
{
    (void)none;
    void *bytes;
    size_t size;
    tlu_error error;
    if (tlu_model_save_bytes(own(self), &bytes, &size, &error) != TLU_OK) {
        return raise_error(&error);
    }
    PyObject *result = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)size);
    tlu_bytes_free(bytes);
    return result;
}

static PyObject *model_from_bytes(PyObject *type, PyObject *object)
{
    (void)type;
    Py_buffer view;
    if (PyObject_GetBuffer(object, &view, PyBUF_SIMPLE) != 0) {
        return NULL;
    }
    tlu_model *model;
    tlu_error error;
    const tlu_status status = tlu_model_load_bytes(view.buf, (size_t)view.len, &model, &error);
    PyBuffer_Release(&view);
    return status == TLU_OK ? model_wrap(model) : raise_error(&error);
}

static PyObject *model_reduce(PyObject *self, PyObject *none)
{
    PyObject *load = PyObject_GetAttrString((PyObject *)&model_type, "from_bytes");
    PyObject *bytes = load ? model_to_bytes(self, none) : NULL;
    PyObject *result = bytes ? Py_BuildValue("O(O)", load, bytes) : NULL;
    Py_XDECREF(load);
    Py_XDECREF(bytes);
    return result;
}

static PyMethodDef methods[] = {
    {"save", model_save, METH_O, "save(path)\n--\n\nSave the model to a file."},
    {"load", model_load, METH_O | METH_CLASS, "load(path)\n--\n\nLoad a model from a file."},
    {"to_bytes", model_to_bytes, METH_NOARGS,
     "to_bytes()\n--\n\nThe model as the bytes of its file."},
    {"from_bytes", model_from_bytes, METH_O | METH_CLASS,
     "from_bytes(bytes)\n--\n\nA model from the bytes of its file."},
    {"__reduce__", model_reduce, METH_NOARGS, NULL},
    {NULL},
};

PyTypeObject model_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tlu.Model",
    .tp_doc = "A trained classifier. It is immutable; threads can share it.",
    .tp_basicsize = sizeof(struct model_object),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_dealloc = model_dealloc,
    .tp_methods = methods,
};

int add_model(PyObject *module)
{
    return PyModule_AddType(module, &model_type);
}
