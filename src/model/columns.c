#include "model/columns.h"

#include "base/memory.h"

#include <string.h>

#define SLOT_SHIFT 23 // leaves VALUE_SLOTS of 32 bits
_Static_assert(VALUE_SLOTS == 1u << (32 - SLOT_SHIFT) && VALUE_SLOTS > FEW_VALUES + 1, "room");

static size_t numeric_columns(const struct schema *schema)
{
    size_t count = 0;
    for (size_t i = 0; i < schema->column_count; i++)
        count += schema->columns[i].kind == COLUMN_NUMERIC;
    return count;
}

// A row has no entries of value 0, which marks a slot that is free.
static void add_value(struct column_values *column, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (column->count > FEW_VALUES)
        return;
    size_t slot = bits * 0x9E3779B1u >> SLOT_SHIFT;
    while (column->slots[slot] && column->slots[slot] != bits)
        slot = (slot + 1) % VALUE_SLOTS;
    column->count += column->slots[slot] == 0;
    column->slots[slot] = bits;
}

bool columns_add(struct columns *columns, const struct schema *schema, const struct batch *batch)
{
    if (!columns->of) {
        columns->count = numeric_columns(schema);
        columns->of = memory_new(columns->count + 1, sizeof *columns->of);
    }
    if (!columns->of)
        return false;
    for (size_t i = 0; i < batch->rows; i++) {
        tlu_row row = batch_row(batch, i);
        for (size_t k = 0; k < row.count; k++) {
            uint32_t feature = row_feature(&row, k);
            if (feature < columns->count)
                add_value(&columns->of[feature], row.values ? row.values[k] : 1);
        }
    }
    return true;
}

static bool has_few(const struct column_values *column, uint64_t rows)
{
    return column->count > 1 && column->count <= FEW_VALUES &&
           (uint64_t)column->count * FEW_ROWS <= rows;
}

char *columns_few(const struct columns *columns, const struct schema *schema, uint64_t rows)
{
    char *list = NULL;
    size_t size = 0, capacity = 0;
    for (size_t i = 0; columns->of && i < schema->column_count; i++) {
        const struct column *column = &schema->columns[i];
        size_t length = strlen(column->name);
        if (column->kind != COLUMN_NUMERIC || column->feature >= columns->count ||
            !has_few(&columns->of[column->feature], rows) || strchr(column->name, ',') ||
            column->name[0] == ' ' || column->name[length - 1] == ' ')
            continue;
        if (!memory_reserve(&list, &capacity, size + length + 2, 1)) {
            memory_free(list);
            return NULL;
        }
        if (size)
            list[size++] = ',';
        memcpy(list + size, column->name, length + 1);
        size += length;
    }
    return list;
}

void columns_free(struct columns *columns)
{
    memory_free(columns->of);
}
