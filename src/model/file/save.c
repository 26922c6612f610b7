// Writes a model: header, sections, checksum (docs/model-format.md).
//
// A section's length comes before it. So every section is put twice: once into nothing, to count
// its bytes, and once into the file. That needs no memory, however large the model.
#include "base/call/fp_env.h"
#include "base/file.h"
#include "base/memory.h"
#include "model/file/sections.h"

static void put_all(struct out *out, const tlu_model *model, const uint64_t *sizes, uint64_t size)
{
    put_bytes(out, FORMAT_MAGIC, FORMAT_MAGIC_SIZE);
    put_fixed(out, FORMAT_VERSION, 4);
    put_fixed(out, size, 8);
    for (int i = 0; i < SECTION_COUNT; i++) {
        if (sizes[i] == 0)
            continue;
        put_bytes(out, model_sections[i].tag, FORMAT_TAG_SIZE);
        put_fixed(out, sizes[i], 8);
        model_sections[i].put(out, model);
    }
    put_flush(out);
    put_fixed(out, out->crc, FORMAT_CHECKSUM_SIZE);
    put_flush(out);
}

// How many bytes each section has, and the whole. `name` is for the message.
static tlu_status measure(const tlu_model *model, const char *name, uint64_t *sizes, uint64_t *size,
                          tlu_error *error)
{
    size_t rows = model->kernel.kind ? model->supports.count : schema_features(&model->schema);
    if (!model->schema.frozen || model->weights.features != rows)
        return error_system(error, "%s: not saved: the model is not complete", name);
    *size = FORMAT_HEADER_SIZE + FORMAT_CHECKSUM_SIZE;
    for (int i = 0; i < SECTION_COUNT; i++) {
        struct out counted = {0};
        model_sections[i].put(&counted, model);
        if (counted.infinite) // the loader would refuse it
            return error_input(error, "%s: not saved: a weight is not a finite number", name);
        sizes[i] = counted.size;
        *size += counted.size ? FORMAT_SECTION_SIZE + counted.size : 0;
    }
    return TLU_OK;
}

tlu_status model_save(const tlu_model *model, const char *path, file_ready *ready, void *context,
                      tlu_error *error)
{
    uint64_t sizes[SECTION_COUNT], size;
    struct out out = {0};
    TRY(check_given(path != NULL, "path", error));
    TRY(measure(model, path, sizes, &size, error));
    TRY(file_begin(&out.file, path, error));
    put_all(&out, model, sizes, size);
    return file_commit(out.file, ready, context, error);
}

tlu_status tlu_model_save(const tlu_model *model, const char *path, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    return model_save(model, path, NULL, NULL, error);
}

tlu_status tlu_model_save_bytes(const tlu_model *model, void **bytes, size_t *size,
                                tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    uint64_t sizes[SECTION_COUNT], whole;
    *bytes = NULL;
    *size = 0;
    TRY(measure(model, "the model", sizes, &whole, error));
    struct out out = {.memory = memory_new(1, (size_t)whole)};
    TRY(enough_memory(out.memory != NULL, error));
    put_all(&out, model, sizes, whole);
    *bytes = out.memory;
    *size = (size_t)whole;
    return TLU_OK;
}

void tlu_bytes_free(void *bytes)
{
    memory_free(bytes);
}
