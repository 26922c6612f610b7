// How a model's scores become probabilities and labels, if that is not as usual.
#ifndef TLU_CLI_OUTPUT_H
#define TLU_CLI_OUTPUT_H

#include "json.h"
#include "tlu.h"

#include <stdio.h>

void output_print(FILE *file, const tlu_model *model);
void output_json(struct json *json, const tlu_model *model);

#endif
