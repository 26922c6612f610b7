// Labels in messages.
#include "base/error.h"
#include "base/near.h"
#include "data/schema.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define LABELS_SHOWN 8

// How far class c is from a label: fewer changes first, then the order of the labels.
static bool is_before(const struct schema *schema, const char *label, uint32_t a, uint32_t b)
{
    size_t x = tlu_text_distance(schema->spelled[a], label);
    size_t y = tlu_text_distance(schema->spelled[b], label);
    return x != y ? x < y : schema_label_compare(schema->spelled[a], schema->spelled[b]) < 0;
}

const char *schema_near_label(const struct schema *schema, const char *label)
{
    uint32_t nearest = 0;
    if (schema_classes(schema) == 0)
        return NULL;
    for (uint32_t c = 1; c < schema_classes(schema); c++)
        if (is_before(schema, label, c, nearest))
            nearest = c;
    size_t distance = tlu_text_distance(schema->spelled[nearest], label);
    return near_enough(distance, strlen(label)) ? schema->spelled[nearest] : NULL;
}

const char *schema_list_labels(const struct schema *schema, const char *label, char *out,
                               size_t size)
{
    uint32_t shown[LABELS_SHOWN], count = 0, classes = schema_classes(schema);
    for (uint32_t c = 0; c < classes; c++) { // those nearest so far, in order
        uint32_t at = count < LABELS_SHOWN ? count++ : LABELS_SHOWN;
        for (; at > 0 && is_before(schema, label, c, shown[at - 1]); at--)
            if (at < LABELS_SHOWN)
                shown[at] = shown[at - 1];
        if (at < LABELS_SHOWN)
            shown[at] = c;
    }
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < count && used < size; i++) {
        char quoted[48];
        const char *text = schema->spelled[shown[i]];
        used += (size_t)snprintf(out + used, size - used, "%s'%s'", i ? ", " : "",
                                 error_quote(quoted, sizeof quoted, text, strlen(text)));
    }
    if (count < classes && used < size)
        snprintf(out + used, size - used, " and %u more", classes - count);
    return out;
}
