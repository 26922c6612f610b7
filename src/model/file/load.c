// Reads a model: the mirror image of save.c (docs/model-format.md). How bytes that cannot be
// trusted are taken apart is in unpack.h.
#include "base/call/fp_env.h"
#include "base/crc.h"
#include "base/file.h"
#include "base/memory.h"
#include "model/file/sections.h"

#include <string.h>

// The file does not have the sections from `next` to before `end`: none of them may be required.
static void skip_sections(struct unpack *in, int next, int end)
{
    for (; next < end && !unpack_failed(in); next++)
        if (model_sections[next].is_required(in->model))
            unpack_damaged(in, "section %s is missing or not in its place",
                           model_sections[next].tag);
}

// Reads the header of a section: its number, or SECTION_COUNT for one that is not known.
static int get_tag(struct unpack *in, uint64_t *length)
{
    const unsigned char *tag = unpack_take(in, FORMAT_TAG_SIZE);
    *length = unpack_fixed(in, 8);
    if (*length > unpack_left(in))
        unpack_damaged(in, "a section is longer than the file");
    int i = 0;
    while (!unpack_failed(in) && i < SECTION_COUNT &&
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

static void get_sections(struct unpack *in)
{
    int next = 0; // the first section that may come
    while (in->at < in->end && !unpack_failed(in)) {
        uint64_t length;
        in->section = "the list of sections";
        int i = get_tag(in, &length);
        if (unpack_failed(in))
            return;
        if (i == SECTION_COUNT) {
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
        next = i + 1;
    }
    in->section = "the list of sections";
    skip_sections(in, next, SECTION_COUNT);
}

// What a file that is not a model is, by its first bytes.
static const char *other_kind(const unsigned char *bytes, size_t size)
{
    if (size >= 4 &&
        (memcmp(bytes, "\x1F\x8B", 2) == 0 || memcmp(bytes, "\x28\xB5\x2F\xFD", 4) == 0))
        return "; it is a compressed file, perhaps data";
    for (size_t i = 0; i < size && i < 64; i++)
        if (bytes[i] == 127 || (bytes[i] < ' ' && !strchr("\t\n\r\f", bytes[i])) || bytes[i] == 0)
            return "";
    return "; it is a text file, perhaps data";
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
                        "the model is damaged: its line ends were changed; was it sent as text?");
    return error_at(error, name, 0, 0, "not a tlu model%s", other_kind(bytes, size));
}

static tlu_status check_frame(const unsigned char *bytes, size_t size, const char *name,
                              tlu_error *error)
{
    TRY(check_magic(bytes, size, name, error));
    uint64_t version = size >= 12 ? unpack_fixed_of(bytes + 8, 4) : FORMAT_VERSION;
    if (version > FORMAT_VERSION)
        return error_at(error, name, 0, 0,
                        "the model was made by a newer version (format %llu); this is tlu %s, "
                        "which reads format %d",
                        (unsigned long long)version, TLU_VERSION, FORMAT_VERSION);
    if (version == 0)
        return error_at(error, name, 0, 0, "the model is damaged: there is no format 0");
    if (size < FORMAT_HEADER_SIZE + FORMAT_CHECKSUM_SIZE)
        return error_at(error, name, 0, 0, "the model is cut short: it has only %zu bytes", size);
    uint64_t whole = unpack_fixed_of(bytes + 12, 8);
    if (size < whole)
        return error_at(error, name, 0, 0, "the model is cut short: it has %zu of %llu bytes", size,
                        (unsigned long long)whole);
    if (size > whole)
        return error_at(error, name, 0, 0, "the model is damaged: %llu bytes follow its end",
                        (unsigned long long)(size - whole));
    uint64_t stored = unpack_fixed_of(bytes + size - FORMAT_CHECKSUM_SIZE, FORMAT_CHECKSUM_SIZE);
    uint32_t found = crc32_add(0, bytes, size - FORMAT_CHECKSUM_SIZE);
    if (stored != found)
        return error_at(error, name, 0, 0, "the model is damaged: its checksum is %08X, not %08X",
                        (unsigned)found, (unsigned)stored);
    return TLU_OK;
}

// Fills in->model.
static tlu_status get_model(struct unpack *in, const char *name, tlu_error *error)
{
    get_sections(in);
    unpack_check_names(in);
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

// The start says whether it is a model, and how large.
static tlu_status look(const char *path, const unsigned char *bytes, size_t size, uint64_t *most,
                       tlu_error *error)
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
    TRY(file_read(path, SIZE_MAX, look, &bytes, &size, error));
    tlu_status status = load_named(bytes, size, path, model, error);
    memory_free(bytes);
    return status;
}
