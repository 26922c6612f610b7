// Calls of the library that take long: without the GIL, with signals and progress.

#include <time.h>

#include "tlu_python.h"

#define CALLS_PER_SECOND 10 // of the function that the user gave

double clock_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void call_begin(struct call *call, PyObject *function)
{
    *call = (struct call){.function = function == Py_None ? NULL : function};
    call->called = clock_now();
    call->thread = PyEval_SaveThread();
}

void call_end(struct call *call)
{
    PyEval_RestoreThread(call->thread);
    call->thread = NULL;
}

void call_hold(struct call *call)
{
    PyEval_RestoreThread(call->thread);
    call->thread = NULL;
}

void call_release(struct call *call)
{
    call->thread = PyEval_SaveThread();
}

// Keeps the exception that is set, the first one alone.
static int keep_exception(struct call *call)
{
    PyObject *type;
    PyObject *value;
    PyObject *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (trace && value) {
        PyException_SetTraceback(value, trace);
    }
    if (!call->exception) {
        call->exception = Py_XNewRef(value);
    }
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return 1;
}

int call_check(struct call *call)
{
    if (call->exception) {
        return 1;
    }
    return PyErr_Occurred() || PyErr_CheckSignals() != 0 ? keep_exception(call) : 0;
}

static PyObject *progress_dict(const tlu_progress *progress)
{
    return Py_BuildValue(
        "{s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:d,s:d,s:d,s:d,s:K,s:K}", "pass",
        (unsigned long long)progress->pass, "passes", (unsigned long long)progress->passes,
        "examples", (unsigned long long)progress->examples, "examples_expected",
        (unsigned long long)progress->examples_expected, "mistakes",
        (unsigned long long)progress->mistakes, "bytes", (unsigned long long)progress->bytes,
        "bytes_expected", (unsigned long long)progress->bytes_expected, "seconds",
        progress->seconds, "work", progress->work, "work_expected", progress->work_expected,
        "seconds_left", progress->seconds_left, "fold", (unsigned long long)progress->fold, "folds",
        (unsigned long long)progress->folds);
}

int call_progress(void *context, const tlu_progress *progress)
{
    struct call *call = context;
    call_hold(call);
    int stop = call_check(call);
    const double time = clock_now();
    if (!stop && call->function && time - call->called >= 1.0 / CALLS_PER_SECOND) {
        call->called = time;
        PyObject *dict = progress_dict(progress);
        PyObject *result = dict ? PyObject_CallOneArg(call->function, dict) : NULL;
        stop = result ? PyObject_IsTrue(result) : -1; // a true value stops
        if (stop < 0) {
            stop = keep_exception(call);
        }
        Py_XDECREF(result);
        Py_XDECREF(dict);
    }
    call_release(call);
    return stop;
}

PyObject *call_raise(struct call *call, const tlu_error *error)
{
    if (call->exception) {
        PyErr_SetObject((PyObject *)Py_TYPE(call->exception), call->exception);
        Py_CLEAR(call->exception);
        return NULL;
    }
    return raise_error(error);
}

PyObject *call_interruption(struct call *call)
{
    PyObject *exception = call->exception;
    call->exception = NULL;
    return exception ? exception : Py_NewRef(Py_None);
}
