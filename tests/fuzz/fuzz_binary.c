// Any bytes as a binary data file, with checksums made right, mapped and read: for a growing
// schema, for a part of the rows and for models.
#include "reading.h"

#include "base/crc.h"
#include "input/binary/binary.h"

// As far as the sizes lead.
static void sign(char *bytes, size_t size)
{
    struct binary_header header;
    struct binary_block_header block;
    if (size < sizeof header)
        return;
    memcpy(bytes, BINARY_MAGIC, BINARY_MAGIC_SIZE);
    memcpy(&header, bytes, sizeof header);
    if (header.size < BINARY_HEADER || header.size > size)
        return;
    uint32_t crc = crc32_add(0, bytes, BINARY_HEADER - 4);
    crc = crc32_add(crc, bytes + BINARY_HEADER, header.size - BINARY_HEADER);
    memcpy(bytes + BINARY_HEADER - 4, &crc, 4);
    for (size_t at = header.size; at + sizeof block <= size; at += block.size) {
        memcpy(&block, bytes + at, sizeof block);
        if (block.size < BINARY_BLOCK || block.size > size - at || block.head > block.size ||
            block.head < BINARY_BLOCK)
            return;
        crc = crc32_add(0, bytes + at + block.head, block.size - block.head);
        if (block.kind == BINARY_IS_BLOCK)
            memcpy(bytes + at + 24, &crc, 4);
        crc = crc32_add(0, bytes + at + 8, block.head - 8);
        memcpy(bytes + at + 4, &crc, 4);
    }
}

static void read_file(const char *path, const struct subset *subset, const tlu_options *options)
{
    struct schema schema;
    struct reader *reader;
    struct batch *batch;
    struct row_source row_source = {.subset = *subset};
    tlu_error error = {.status = TLU_OK};
    schema_init(&schema);
    tlu_status status = reader_open_source(&reader, path, &row_source, options, &schema, &error);
    while (status == TLU_OK && (status = reader_next(reader, &batch, &error)) == TLU_OK && batch) {
        expect_labels(batch, &schema);
        for (size_t i = 0; i < batch->rows; i++)
            expect(batch->offsets[i] <= batch->offsets[i + 1]);
        for (size_t i = 0; i < batch_nonzeros(batch); i++) {
            expect(batch->indices[i] < schema_features(&schema));
            expect(batch->ones || (isfinite(batch->values[i]) && batch->values[i] != 0));
        }
        reader_recycle(reader, batch);
    }
    expect(status == TLU_OK || (status == TLU_ERROR_INPUT && error.text[0]));
    reader_close(reader);
    schema_free(&schema);
}

static tlu_model *train(const char *text, const char *multilabel, const char *words)
{
    tlu_model *model;
    tlu_options *options;
    int file;
    const char *path = file_of(text, strlen(text), &file);
    tlu_options_new(&options, NULL);
    tlu_options_set(options, "multilabel", multilabel, NULL);
    if (words) {
        tlu_options_set(options, "text", words, NULL);
        tlu_options_set(options, "tfidf", "yes", NULL);
    }
    expect(tlu_train(path, options, &model, NULL) == TLU_OK);
    tlu_options_free(options);
    close(file);
    return model;
}

static void read_for(const tlu_model *model, const char *path)
{
    tlu_reader *reader;
    const tlu_batch *batch;
    tlu_error error = {.status = TLU_OK};
    tlu_status status = tlu_reader_open(model, path, NULL, &reader, &error);
    while (status == TLU_OK && (status = tlu_reader_next(reader, &batch, &error)) == TLU_OK &&
           batch)
        for (size_t i = 0; i < batch->rows; i++) {
            tlu_row row = tlu_batch_row(batch, i);
            for (size_t k = 0; k < row.count; k++)
                expect(row.features[k] < tlu_model_feature_count(model));
            expect_row_labels(model, reader, batch, i);
        }
    expect(status == TLU_OK || (status == TLU_ERROR_INPUT && error.text[0]));
    tlu_reader_close(reader);
}

static int take(void *context, const char *bytes, size_t size)
{
    (void)bytes;
    *(size_t *)context += size;
    return *(size_t *)context > 1u << 17; // a column an index can be a lot
}

static void convert(const char *path, const char *format, const tlu_options *options)
{
    size_t size = 0;
    tlu_error error = {.status = TLU_OK};
    tlu_convert_settings settings = {.size = sizeof settings,
                                     .path = path,
                                     .format = format,
                                     .write = take,
                                     .write_context = &size};
    tlu_status status = tlu_convert(&settings, options, NULL, &error);
    expect(status == TLU_OK || error.text[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static tlu_model *models[5];
    static const uint32_t part[] = {0, 1, 1, 0, 1};
    const struct subset all = {0}, some = {.part = part, .rows = 5, .chosen = 1};
    if (!models[0]) {
        models[0] = train("+1 1:1 2:0.5 5000000:1\n-1 2:2 3:1\n+1 1:3\n", "no", NULL);
        models[1] = train("size,shape,label\n1,round,x\n-2,long,y\n7,\"a,\nb\",x\n", "no", NULL);
        models[2] = train("+1,2 1:1 2:0.5 5000000:1\n-1 2:2 3:1\n 1:3\n", "yes", NULL);
        models[3] = train("t,n,c,label\na b,1,x,p\nthe b,,y,q\nB b,3,,p\n", "no", "t");
        models[4] = train("{\"t\":\"a b\",\"n\":1,\"c\":\"x\",\"label\":\"p\"}\n"
                          "{\"t\":\"b\",\"n\":null,\"c\":null,\"label\":\"q\"}\n",
                          "no", "t");
    }
    char *copy = malloc(size + 1);
    expect(copy != NULL);
    memcpy(copy, bytes, size);
    sign(copy, size);
    tlu_options *options;
    tlu_options_new(&options, NULL);
    int file;
    const char *path = file_of(copy, size, &file);
    read_training(copy, size, options);
    read_file(path, &all, options);
    read_file(path, &some, options);
    expect(tlu_options_set(options, "hash", "10", NULL) == TLU_OK);
    read_file(path, &all, options);
    read_file(path, &some, options);
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
        read_for(models[i], path);
    expect(tlu_options_set(options, "multilabel", "yes", NULL) == TLU_OK);
    read_file(path, &all, options);
    read_file(path, &some, options);
    convert(path, "libsvm", options);
    convert(path, "csv", NULL);
    convert(path, "csv", options);
    convert(path, "binary", NULL);
    close(file);
    tlu_options_free(options);
    free(copy);
    return 0;
}
