#include "train/fingerprint.h"

#include "data/large.h"

#include <assert.h>
#include <string.h>

static uint64_t mix(uint64_t sum, uint64_t value)
{
    sum = (sum ^ value) * 0x9E3779B97F4A7C15u;
    return sum ^ sum >> 29;
}

static uint64_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t mix_row(uint64_t sum, const struct batch *batch, size_t i)
{
    tlu_row row = batch_row(batch, i);
    const uint32_t *set = batch_set(batch, i);
    sum = mix(sum, (set ? set[0] : batch->labels[i]) | bits_of(batch_weight(batch, i)) << 32);
    for (uint32_t k = 1; set && k <= set[0]; k++)
        sum = mix(sum, set[k]);
    sum = mix(sum, row.count);
    for (size_t k = 0; k < row.count; k++)
        sum = mix(sum, row_feature(&row, k) | bits_of(row.values ? row.values[k] : 1) << 32);
    return sum;
}

void fingerprint_add(struct fingerprint *print, const struct batch *batch, size_t count,
                     uint64_t every)
{
    assert(count <= batch->rows && every > 0);
    for (size_t i = 0; i < count; i++)
        if ((print->rows + i) % every == 0)
            print->sum = mix_row(print->sum, batch, i);
    print->rows += count;
    print->nonzeros += count ? batch->offsets[count] - batch->offsets[0] : 0;
}

static uint64_t mix_text(uint64_t sum, const char *text, size_t length)
{
    sum = mix(sum, length);
    for (size_t i = 0; i < length; i++)
        sum = mix(sum, (unsigned char)text[i]);
    return sum;
}

void fingerprint_add_texts(struct fingerprint *print, const struct schema *schema, uint32_t classes,
                           uint32_t names)
{
    for (uint32_t c = 0; c < classes; c++)
        print->sum = mix_text(print->sum, schema->spelled[c], strlen(schema->spelled[c]));
    for (uint32_t i = 0; i < names; i++) {
        char scratch[LARGE_SCRATCH];
        size_t length;
        const char *name = schema_name_at(schema, i, scratch, &length);
        print->sum = mix_text(print->sum, name, length);
    }
}

void fingerprint_add_counts(struct fingerprint *print, const uint64_t *class_rows, uint32_t classes,
                            uint32_t names)
{
    for (uint32_t c = 0; c < classes; c++)
        print->sum = mix(print->sum, class_rows[c]);
    print->sum = mix(print->sum, names);
}
