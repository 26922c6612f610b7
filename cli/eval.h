// The parts of tlu eval.
#ifndef TLU_CLI_EVAL_H
#define TLU_CLI_EVAL_H

#include "arguments.h"
#include "json.h"

// eval_errors.c: the rows that the model is most confidently wrong about.
void print_wrong_rows(const tlu_model *model, const tlu_evaluation *evaluation);
void json_wrong_rows(struct json *json, const tlu_model *model, const tlu_evaluation *evaluation);

// Writes the points of a curve as CSV.
tlu_status write_curves(const char *kind, const char *path, const tlu_model *model,
                        const tlu_evaluation *evaluation, tlu_error *error);

#endif
