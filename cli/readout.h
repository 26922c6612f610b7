// How a model's scores become probabilities and labels, if that is not as usual.
#ifndef TLU_CLI_READOUT_H
#define TLU_CLI_READOUT_H

#include "json.h"
#include "tlu.h"

#include <stdio.h>

void readout_print(FILE *file, const tlu_model *model);
void readout_json(struct json *json, const tlu_model *model);

#endif
