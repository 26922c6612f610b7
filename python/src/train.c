// Training from rows in memory.

#include "tlu_python.h"

int add_train(PyObject *module)
{
    (void)module;
    return 0;
}
