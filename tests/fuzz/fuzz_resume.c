// Goes on with a training from any bytes as a model, with size and checksum made right: the rows
// are those that the runs of the corpus were interrupted on, so that the state of a run is reached.
// What comes of it can be saved, and loaded unless the file has said what cannot be.
#include "sealed.h"
#include "tlu.h"

#include <stdlib.h>

enum { ROWS = 40, COLUMNS = 5 };

static tlu_status resume(const tlu_model *model, uint64_t passes, tlu_model **next)
{
    float values[ROWS * COLUMNS];
    uint32_t labels[ROWS], classes = tlu_model_class_count(model) == 2 ? 2 : 3;
    for (uint32_t i = 0; i < ROWS; i++) {
        labels[i] = i % classes;
        for (uint32_t f = 0; f < COLUMNS; f++)
            values[i * COLUMNS + f] =
                (float)((i * 7 + f * f * 5 + i * i * f) % 11) - 5 + (f == labels[i] ? 2.5f : 0);
    }
    tlu_error error;
    tlu_rows rows = {
        .size = sizeof rows, .rows = ROWS, .columns = COLUMNS, .values = values, .labels = labels};
    uint32_t
        set_labels[2 * ROWS]; // of row i: i % 3 and, if i is odd, 1; every fifth lacks the first
    uint64_t offsets[ROWS + 1] = {0};
    for (uint32_t i = 0; i < ROWS; i++) {
        uint64_t end = offsets[i];
        if (i % 5 != 0)
            set_labels[end++] = i % 3;
        if (i % 2 && i % 3 != 1)
            set_labels[end++] = 1;
        offsets[i + 1] = end;
    }
    if (tlu_model_is_multilabel(model)) {
        rows.labels = set_labels;
        rows.label_offsets = offsets;
    }
    tlu_train_settings settings = {.size = sizeof settings, .rows = &rows, .resume = model};
    tlu_options *options;
    tlu_options_new(&options, NULL);
    char epochs[4] = {(char)('0' + passes), '\0'};
    if (!options || tlu_options_set(options, "epochs", epochs, &error) != TLU_OK ||
        tlu_options_set(options, "threads", "1", &error) != TLU_OK)
        abort();
    tlu_status status = tlu_train_with(&settings, options, next, &error);
    tlu_options_free(options);
    if ((status == TLU_OK) != (*next != NULL) || (!*next && error.text[0] == '\0'))
        abort();
    return status;
}

static void look_at(const tlu_model *model)
{
    void *bytes;
    size_t size;
    tlu_model *again;
    tlu_error error;
    if (tlu_model_save_bytes(model, &bytes, &size, &error) != TLU_OK)
        return; // weights that no file holds
    if (tlu_model_load_bytes(bytes, size, &again, &error) == TLU_ERROR_SYSTEM)
        abort();
    tlu_model_free(again);
    tlu_bytes_free(bytes);
}

static void load(const uint8_t *bytes, size_t size)
{
    tlu_model *model, *next;
    tlu_error error;
    uint64_t pass;
    if (tlu_model_load_bytes(bytes, size, &model, &error) != TLU_OK)
        return;
    if (tlu_model_can_resume(model, &pass, NULL) && pass < 8 &&
        resume(model, pass + 1, &next) == TLU_OK) {
        look_at(next);
        tlu_model_free(next);
    }
    tlu_model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    uint8_t *sealed = sealed_copy(bytes, size);
    if (sealed)
        load(sealed, size);
    free(sealed);
    return 0;
}
