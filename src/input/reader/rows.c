// The origin of batches that is a function which brings rows.
#include "input/reader/internal.h"

static void number_rows(struct batch *batch)
{
    for (size_t i = 0; i < batch->rows; i++)
        batch->line[i] = (uint32_t)(i + 1);
    batch->place.lines = batch->rows;
}

static tlu_status bring_part(struct reader *reader, struct slot *slot, tlu_error *error)
{
    if (!slot->batch)
        slot->batch = batch_new();
    TRY(enough_memory(slot->batch, error));
    batch_clear(slot->batch);
    TRY(reader->row_function.next_rows(reader->row_function.context, slot->batch, error));
    slot->end = slot->batch->rows == 0 && slot->batch->place.lines == 0;
    if (slot->batch->place.lines == 0) // else the function has numbered its rows
        number_rows(slot->batch);
    return TLU_OK;
}

static tlu_status check_part(struct reader *reader, struct slot *slot, tlu_error *error)
{
    struct batch *batch = slot->batch;
    (void)error;
    for (size_t i = 0; i < batch->rows; i++) {
        if (reader->parser.labelled && batch->labels[i] == TLU_NO_LABEL) {
            slot->bad.line = batch->line[i];
            slot->result = bad_row_set(&slot->bad, 0, "has no label: learning needs one");
            return TLU_OK;
        }
    }
    slot->result = rows_hash(reader, batch);
    return TLU_OK;
}

const struct origin origin_rows = {bring_part, check_part, rows_admit};
