// What a reader for a model knows of the rows of the batch that it handed out last.
#ifndef TLU_MODEL_READ_H
#define TLU_MODEL_READ_H

#include "input/reader.h"
#include "model/model.h"

double model_reader_weight(const tlu_reader *reader, size_t row);
// As it is written, if the row_source has texts; else NULL. Rows of a batch are asked for in
// ascending order.
const char *model_reader_text(tlu_reader *reader, size_t row, size_t *length);

#endif
