// Any bytes as a plane, and as a table of weights: a sentence, or a model that can be saved.
#include "automata.h"
#include "tlu.h"

static void import_and_check(const tlu_import_settings *settings)
{
    tlu_model *model;
    tlu_error error;
    void *bytes;
    size_t size;
    tlu_status status = tlu_import(settings, NULL, &model, &error);
    if (status != TLU_OK) {
        expect(status == TLU_ERROR_INPUT && error.text[0] && !model);
        return;
    }
    expect(tlu_model_class_count(model) >= 2);
    expect(tlu_model_save_bytes(model, &bytes, &size, &error) == TLU_OK);
    tlu_model_free(model);
    expect(tlu_model_load_bytes(bytes, size, &model, &error) == TLU_OK);
    tlu_model_free(model);
    tlu_bytes_free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = calloc(size + 1, 1);
    expect(text != NULL);
    memcpy(text, bytes, size);
    const char *plane = text;
    import_and_check(&(tlu_import_settings){
        .size = sizeof(tlu_import_settings), .planes = &plane, .plane_count = 1});
    import_and_check(&(tlu_import_settings){
        .size = sizeof(tlu_import_settings), .table = text, .table_size = size});
    free(text);
    return 0;
}
