// CLAS: the classes.
#include "base/memory.h"
#include "model/file/sections.h"

#include <string.h>

void put_classes(struct out *out, const tlu_model *model)
{
    const struct schema *schema = &model->schema;
    put_count(out, schema_classes(schema));
    if (schema_classes(schema) == 2)
        put_fixed(out, model->positive, 1);
    for (uint32_t i = 0; i < schema_classes(schema); i++) {
        put_text_of(out, table_text(&schema->labels, i), table_length(&schema->labels, i));
        put_text(out, schema->spelled[i]);
        put_count(out, model->class_examples[i]);
    }
}

static void get_class(struct unpack *in, uint32_t class_index)
{
    struct schema *schema = &in->model->schema;
    size_t length;
    const char *label = unpack_text(in, &length);
    if (unpack_failed(in))
        return;
    uint32_t number = table_add(&schema->labels, label, length);
    if (number == TABLE_NONE) {
        unpack_checked(in, NULL);
    } else if (number != class_index) {
        unpack_damaged(in, "two labels are the same");
    } else {
        schema->spelled[number] = unpack_copy_text(in);
        in->model->class_examples[number] = unpack_count(in);
    }
}

_Static_assert(SCHEME_OVR - SCHEME_WTA == MULTICLASS_OVR &&
                   SCHEME_OVO - SCHEME_WTA == MULTICLASS_OVO,
               "schemes are in the order of --multiclass");

#define PAIRED_MAX 65536 // classes whose pairs a 32-bit number can count

void unpack_classes(struct unpack *in)
{
    tlu_model *model = in->model;
    uint64_t count = unpack_length(in, 3, "classes");
    if (count < 2 || count >= BATCH_LOCAL)
        unpack_damaged(in, "a model cannot have %llu classes", (unsigned long long)count);
    model->scheme = SCHEME_TWO;
    if (count > 2)
        model->scheme =
            (enum scheme_kind)(SCHEME_WTA + options_choice(model->options, OPTION_MULTICLASS));
    if (model->scheme == SCHEME_OVO && count > PAIRED_MAX)
        unpack_damaged(in, "%llu classes have too many pairs", (unsigned long long)count);
    model->positive = count == 2 ? unpack_choice(in, 1, "the positive class") : SCHEMA_NONE;
    if (unpack_failed(in))
        return;
    model->schema.spelled =
        unpack_checked(in, memory_new((size_t)count, sizeof *model->schema.spelled));
    model->class_examples =
        unpack_checked(in, memory_new((size_t)count, sizeof *model->class_examples));
    for (uint32_t i = 0; i < count && !unpack_failed(in); i++) {
        model->schema.spelled_capacity = (size_t)count;
        get_class(in, i);
    }
    for (uint32_t i = 0; i < count && !unpack_failed(in); i++) {
        const char *spelled = model->schema.spelled[i];
        if (schema_class_find(&model->schema, spelled, strlen(spelled)) != i)
            unpack_damaged(in, "label %u is not spelled as it is compared", i);
    }
}
