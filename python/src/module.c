// The module tlu._tlu.

#include "tlu_python.h"

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "tlu._tlu",
    .m_doc = "The part of the package tlu that is written in C. Use the package instead.",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit__tlu(void);

PyMODINIT_FUNC PyInit__tlu(void)
{
    PyObject *module = PyModule_Create(&definition);
#define PART(function)                                                                             \
    if (module && function(module) != 0) {                                                         \
        Py_CLEAR(module);                                                                          \
    }
    PARTS(PART)
#undef PART
    return module;
}
