// The model file: header, sections, checksum (docs/model-format.md). The bytes that are read are
// not trusted (struct unpack).
#include "base/file.h"
#include "base/call/fp_env.h"
#include "base/crc.h"
#include "base/memory.h"
#include "model/file/sections.h"

#include <assert.h>
#include <string.h>

// ---- the table of sections ----

static bool always(const tlu_model *model)
{
    (void)model;
    return true;
}

static bool never(const tlu_model *model)
{
    (void)model;
    return false;
}

static bool for_csv(const tlu_model *model)
{
    return schema_is_csv(&model->state.schema);
}

static bool for_words(const tlu_model *model)
{
    const struct scale_rule rule = scale_rule_of(model->state.options, SCALE_NONE);
    return scale_rule_counts(&rule);
}

static bool for_adaptive(const tlu_model *model)
{
    return model->state.decision.kind == DECIDE_ADAPTIVE;
}

static bool for_gains(const tlu_model *model)
{
    return model_keeps_gains(model) && model->state.decision.history->count;
}

static bool for_checkpoint_net(const tlu_model *model)
{
    return model->checkpoint.size && model_has_layers(model);
}

#define SECTION_ONE(tag, name, required) +1
enum {
    SECTION_COUNT = 0 MODEL_SECTIONS(SECTION_ONE), // of a model, and then those of its checkpoint
    SECTION_END = SECTION_COUNT RUN_SECTIONS(SECTION_ONE)
};

#define MODEL_ROW(tag, name, required) {tag, put_##name, unpack_##name, required},
#define RUN_ROW(tag, name, required) {tag, NULL, unpack_##name, required},
static const struct section {
    char tag[FORMAT_TAG_SIZE + 1];
    void (*put)(struct packer *out, const tlu_model *model);
    void (*unpack)(struct unpack *in);
    bool (*is_required)(const tlu_model *model); // a file without it is damaged
} model_sections[SECTION_END] = {MODEL_SECTIONS(MODEL_ROW) RUN_SECTIONS(RUN_ROW)};

// ---- writing ----
//
// The length of a section comes before it. So every section is put twice: once to count its bytes,
// and once into the file. That needs no memory, however large the model.

// Version 0.1.0 passes over options and sections that it does not know.
static uint64_t format_version(const tlu_model *model)
{
    const tlu_options *options = model->state.options;
    bool words = model->state.schema.words.chars_max || options_flag(options, OPTION_TFIDF) ||
                 options_count(options, OPTION_MIN_COUNT) > 1 ||
                 options_text(options, OPTION_STOP_WORDS)[0];
    bool newer = model->state.schema.multilabel || words || options_flag(options, OPTION_NORMALIZE);
    return newer ? FORMAT_VERSION : 1;
}

static void put_all(struct packer *out, const tlu_model *model, const uint64_t *sizes,
                    uint64_t size)
{
    put_bytes(out, FORMAT_MAGIC, FORMAT_MAGIC_SIZE);
    put_fixed(out, format_version(model), 4);
    put_fixed(out, size, 8);
    for (int i = 0; i < SECTION_COUNT; i++) {
        if (sizes[i] == 0)
            continue;
        put_bytes(out, model_sections[i].tag, FORMAT_TAG_SIZE);
        put_fixed(out, sizes[i], 8);
        model_sections[i].put(out, model);
    }
    put_bytes(out, model->checkpoint.bytes, model->checkpoint.size);
    put_flush(out);
    put_fixed(out, out->crc, FORMAT_CHECKSUM_SIZE);
    put_flush(out);
}

// How many bytes each section has, and the whole. `name` is for the message.
static tlu_status measure(const tlu_model *model, const char *name, uint64_t *sizes, uint64_t *size,
                          tlu_error *error)
{
    size_t rows =
        model->state.kernel.kind ? model->supports.count : schema_features(&model->state.schema);
    if (!model->state.schema.frozen || model->state.weights.features != rows)
        return error_system(error, "%s: not saved: the model is not complete", name);
    *size = FORMAT_HEADER_SIZE + FORMAT_CHECKSUM_SIZE + model->checkpoint.size;
    for (int i = 0; i < SECTION_COUNT; i++) {
        struct packer counted = {0};
        model_sections[i].put(&counted, model);
        if (counted.infinite || model->checkpoint.infinite) // the loader would refuse it
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
    struct packer out = {0};
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
    struct packer out = {.memory = memory_new(1, (size_t)whole)};
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

// ---- reading ----

// The file does not have the sections from `next` to before `end`: none of them may be required.
static void skip_sections(struct unpack *in, int next, int end)
{
    for (; next < end && !unpack_failed(in); next++)
        if (model_sections[next].is_required(in->known))
            unpack_damaged(in, "section %s is missing or not in its place",
                           model_sections[next].tag);
}

// Reads the header of a section: its number, or SECTION_END for one that is not known.
static int get_tag(struct unpack *in, uint64_t *length)
{
    const unsigned char *tag = unpack_take(in, FORMAT_TAG_SIZE);
    *length = unpack_fixed(in, 8);
    if (*length > unpack_left(in))
        unpack_damaged(in, "a section is longer than the file");
    int i = 0;
    while (!unpack_failed(in) && i < SECTION_END &&
           memcmp(tag, model_sections[i].tag, FORMAT_TAG_SIZE) != 0)
        i++;
    return i;
}

static void get_section(struct unpack *in, const struct section *section, uint64_t length)
{
    const unsigned char *end = in->end;
    in->section = section->tag;
    in->end = in->at + length;
    section->unpack(in);
    if (in->at != in->end)
        unpack_damaged(in, "bytes are left over");
    in->end = end;
}

// A checkpoint stays packed in the model.
static void keep_packed(struct unpack *in, const unsigned char *section)
{
    struct packed_checkpoint *packed = &in->model->checkpoint;
    assert(in->checkpoint); // RUN is the first of these sections
    size_t size = (size_t)(in->at - section);
    if (!memory_reserve(&packed->bytes, &packed->capacity, packed->size + size, 1)) {
        unpack_checked(in, NULL);
        return;
    }
    memcpy(packed->bytes + packed->size, section, size);
    packed->size += size;
    packed->pass = in->checkpoint->run.pass;
    packed->examples = in->checkpoint->run.now.examples;
}

// The sections from number `next` on.
static void get_sections(struct unpack *in, int next)
{
    while (in->at < in->end && !unpack_failed(in)) {
        uint64_t length;
        const unsigned char *start = in->at;
        in->section = "the list of sections";
        int i = get_tag(in, &length);
        if (unpack_failed(in))
            return;
        if (i == SECTION_END) {
            in->at += length;
            continue;
        }
        if (i < next)
            unpack_damaged(in, "section %s is there twice or not in its place",
                           model_sections[i].tag);
        skip_sections(in, next, i);
        if (unpack_failed(in))
            return;
        get_section(in, &model_sections[i], length);
        if (i >= SECTION_COUNT && in->model && !unpack_failed(in))
            keep_packed(in, start);
        next = i + 1;
    }
    in->section = "the list of sections";
    skip_sections(in, next, SECTION_END);
}

// What a file that is not a model is, by its first bytes.
static const char *other_kind(const unsigned char *bytes, size_t size)
{
    if (size >= 4 &&
        (memcmp(bytes, "\x1F\x8B", 2) == 0 || memcmp(bytes, "\x28\xB5\x2F\xFD", 4) == 0))
        return ", but a compressed file; give a model that tlu train made";
    for (size_t i = 0; i < size && i < 64; i++)
        if (bytes[i] == 127 || (bytes[i] < ' ' && !strchr("\t\n\r\f", bytes[i])) || bytes[i] == 0)
            return "";
    return ", but text, perhaps data; give a model that tlu train made";
}

static tlu_status check_magic(const unsigned char *bytes, size_t size, const char *name,
                              tlu_error *error)
{
    size_t n = size < FORMAT_MAGIC_SIZE ? size : FORMAT_MAGIC_SIZE;
    if (size == 0)
        return error_at(error, name, 0, 0, "not a tlu model: it is empty");
    if (memcmp(bytes, FORMAT_MAGIC, n) == 0)
        return TLU_OK;
    if (size >= 4 && memcmp(bytes, FORMAT_MAGIC, 4) == 0)
        return error_at(error, name, 0, 0,
                        "the model is damaged: its line ends were changed; copy it as binary data");
    return error_at(error, name, 0, 0, "not a tlu model%s", other_kind(bytes, size));
}

static tlu_status check_frame(const unsigned char *bytes, size_t size, const char *name,
                              tlu_error *error)
{
    TRY(check_magic(bytes, size, name, error));
    uint64_t version = size >= 12 ? unpack_fixed_of(bytes + 8, 4) : FORMAT_VERSION;
    if (version > FORMAT_VERSION)
        return error_at(error, name, 0, 0,
                        "the model was made by a newer version (format %llu), and this is tlu %s, "
                        "which reads format %d; install the newer one, or train again",
                        (unsigned long long)version, TLU_VERSION, FORMAT_VERSION);
    if (version == 0)
        return error_at(error, name, 0, 0, "the model is damaged: there is no format 0");
    if (size < FORMAT_HEADER_SIZE + FORMAT_CHECKSUM_SIZE)
        return error_at(error, name, 0, 0,
                        "the model is cut short: it has only %zu bytes; copy it again", size);
    uint64_t whole = unpack_fixed_of(bytes + 12, 8);
    if (size < whole)
        return error_at(error, name, 0, 0,
                        "the model is cut short: it has %zu of %llu bytes; copy it again", size,
                        (unsigned long long)whole);
    if (size > whole)
        return error_at(error, name, 0, 0,
                        "the model is damaged: %llu bytes follow its end; copy it again",
                        (unsigned long long)(size - whole));
    uint64_t stored = unpack_fixed_of(bytes + size - FORMAT_CHECKSUM_SIZE, FORMAT_CHECKSUM_SIZE);
    uint32_t found = crc32_add(0, bytes, size - FORMAT_CHECKSUM_SIZE);
    if (stored != found)
        return error_at(error, name, 0, 0,
                        "the model is damaged: its checksum is %08X, not %08X; copy it again",
                        (unsigned)found, (unsigned)stored);
    return TLU_OK;
}

// Fills in->model.
static tlu_status get_model(struct unpack *in, const char *name, tlu_error *error)
{
    get_sections(in, 0);
    unpack_check_names(in);
    checkpoint_free(in->checkpoint); // which was checked
    if (in->no_memory)
        return error_memory(error);
    if (in->wrong[0] != '\0')
        return error_at(error, name, 0, 0, "%s", in->wrong);
    TRY(model_prepare(in->model, error));
    model_set_errors(in->model);
    return TLU_OK;
}

static tlu_status load_named(const unsigned char *bytes, size_t size, const char *name,
                             tlu_model **model, tlu_error *error)
{
    TRY(check_frame(bytes, size, name, error));
    struct unpack in = {.at = bytes + FORMAT_HEADER_SIZE,
                        .end = bytes + size - FORMAT_CHECKSUM_SIZE,
                        .model = model_new()};
    if (!in.model)
        return error_memory(error);
    in.known = in.model;
    tlu_status status = get_model(&in, name, error);
    if (status == TLU_OK)
        *model = in.model;
    else
        tlu_model_free(in.model);
    return status;
}

tlu_status tlu_model_load_bytes(const void *bytes, size_t size, tlu_model **model, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    *model = NULL;
    TRY(check_given(bytes || !size, "array of bytes", error));
    return load_named(bytes, size, NULL, model, error);
}

// Called with the first bytes of a file: checks that it is a model, and limits the bytes to read to
// the size that it states.
static tlu_status check_start(const char *path, const unsigned char *bytes, size_t size,
                              uint64_t *most, tlu_error *error)
{
    TRY(check_magic(bytes, size, path, error));
    uint64_t whole = size >= FORMAT_HEADER_SIZE ? unpack_fixed_of(bytes + 12, 8) : size;
    if (whole < *most)
        *most = whole > size ? whole : size;
    return TLU_OK;
}

tlu_status tlu_model_load(const char *path, tlu_model **model, tlu_error *error)
{
    FP_ENV_DEFAULT(caller);
    *model = NULL;
    unsigned char *bytes;
    size_t size;
    TRY(check_given(path != NULL, "path", error));
    TRY(file_read(path, SIZE_MAX, check_start, &bytes, &size, error));
    tlu_status status = load_named(bytes, size, path, model, error);
    memory_free(bytes);
    return status;
}

tlu_status checkpoint_unpack(const struct packed_checkpoint *packed, const tlu_model *known,
                             struct checkpoint **checkpoint, tlu_error *error)
{
    assert(packed->size > 0);
    struct unpack in = {.at = packed->bytes, .end = packed->bytes + packed->size, .known = known};
    get_sections(&in, SECTION_COUNT);
    *checkpoint = in.checkpoint;
    if (!unpack_failed(&in))
        return TLU_OK;
    checkpoint_free(in.checkpoint);
    *checkpoint = NULL;
    return in.no_memory ? error_memory(error) : error_input(error, "%s", in.wrong);
}
