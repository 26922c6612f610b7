// What train and inspect say alike about how training went.
#ifndef TLU_CLI_REPORT_H
#define TLU_CLI_REPORT_H

#include "json.h"
#include "tlu.h"

// The lines "error", "bound", "margin" and "supports", as far as there is something to say.
void report_errors(FILE *file, const tlu_model *model);

// From "cycle" to "supports".
void report_errors_json(struct json *json, const tlu_report *report);

#endif
