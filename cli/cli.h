// What every verb uses: arguments, text, JSON and the standard headers.
#ifndef TLU_CLI_CLI_H
#define TLU_CLI_CLI_H

#include "arguments.h"
#include "json.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#endif
