#include "data/facts.h"

#include "base/memory.h"
#include "data/impute.h"
#include "numeric/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MANY_CLASSES 50 // more classes are suspicious if they are also more than half of the rows
// Labels that are numbers are suspicious if most have a fraction, or if few rows have the same.
#define FEW_FRACTIONS 10 // classes: ratings in steps of a half are fewer
#define FEW_NUMBERS 26   // classes: digits, months and numbered letters are not more
#define FEW_ROWS 5       // of a class on average

static bool note(struct data_facts *facts, const char *format, ...) PRINTF_LIKE(2, 3);

static bool note(struct data_facts *facts, const char *format, ...)
{
    char text[800];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char *copy = memory_copy_text(text, strlen(text));
    if (!copy || !memory_reserve(&facts->notices, &facts->capacity, facts->view.notices + 1,
                                 sizeof *facts->notices)) {
        memory_free(copy);
        return false;
    }
    facts->notices[facts->view.notices++] = copy;
    return true;
}

// ---- columns ----

// A list of columns for a note; those that do not fit are counted.
struct column_list {
    char text[400];
    size_t used, count, left_out;
};

static void list_add(struct column_list *list, const char *format, ...) PRINTF_LIKE(2, 3);

static void list_add(struct column_list *list, const char *format, ...)
{
    char item[160];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(item, sizeof item, format, arguments);
    va_end(arguments);
    list->count++;
    if (length < 0 || list->used + (size_t)length + 3 > sizeof list->text) {
        list->left_out++;
        return;
    }
    list->used += (size_t)snprintf(list->text + list->used, sizeof list->text - list->used, "%s%s",
                                   list->used ? ", " : "", item);
}

static const char *list_end(struct column_list *list, char *out, size_t size)
{
    *out = '\0';
    if (list->left_out)
        snprintf(out, size, " and %zu more", list->left_out);
    return out;
}

// Columns that the first rows have shown to be texts, or to number the rows.
static bool note_recognised(struct data_facts *facts, const struct schema *schema)
{
    struct column_list texts = {0}, identifiers = {0};
    const char *text = NULL, *identifier = NULL;
    char more[40];
    bool fine = true;
    for (size_t i = 0; i < schema->column_count; i++) {
        const struct column *column = &schema->columns[i];
        if (!column->recognised)
            continue;
        if (column->kind == COLUMN_TEXT) {
            list_add(&texts, "%.60s", column->name);
            text = text ? text : column->name;
        } else {
            list_add(&identifiers, "%.60s", column->name);
            identifier = identifier ? identifier : column->name;
        }
    }
    if (texts.count)
        fine =
            fine &&
            note(facts,
                 "%s %s%s %s read as text, word by word; --categorical %.60s would take its values "
                 "as categories",
                 texts.count == 1 ? "column" : "columns", texts.text,
                 list_end(&texts, more, sizeof more), texts.count == 1 ? "is" : "are",
                 texts.count == 1 ? text : "COLUMN");
    if (identifiers.count)
        fine =
            fine &&
            note(facts,
                 "%s %s%s %s left out, because %s rows; --numeric or --categorical %.60s would "
                 "keep it",
                 identifiers.count == 1 ? "column" : "columns", identifiers.text,
                 list_end(&identifiers, more, sizeof more), identifiers.count == 1 ? "is" : "are",
                 identifiers.count == 1 ? "it only identifies" : "they only identify",
                 identifiers.count == 1 ? identifier : "COLUMN");
    return fine;
}

// What missing numbers became.
static const char *replaced_by(int missing, const struct fill *fill, char *out, size_t size)
{
    const char *what = missing == MISSING_MEDIAN ? "the median"
                       : missing == MISSING_MODE ? "the most frequent,"
                                                 : "the mean";
    char number[32] = "";
    if (fill->known)
        number_print_as(number, sizeof number, 'g', 7, fill->value);
    snprintf(out, size, " by %s%s%s", what, fill->known ? " " : "", number);
    return out;
}

static bool note_missing(struct data_facts *facts, const struct schema *schema, int missing)
{
    struct column_list numbers = {0}, categories = {0};
    char by[64], more[40];
    bool fine = true;
    const bool fits = impute_fits(missing) && !schema->slots.bits; // hashed: as indicator
    for (size_t i = 0; fits && i < schema->column_count; i++) {
        const struct column *column = &schema->columns[i];
        unsigned long long count = column->missing;
        if (column->missing == 0 || column->missing == UINT64_MAX)
            continue;
        if (column->kind == COLUMN_NUMERIC)
            list_add(&numbers, "%llu of %.60s%s", count, column->name,
                     replaced_by(missing, &column->fill, by, sizeof by));
        else if (column->kind == COLUMN_CATEGORICAL && column->fill.text)
            list_add(&categories, "%llu of %.60s by '%.30s'", count, column->name,
                     column->fill.text);
        else if (column->kind == COLUMN_CATEGORICAL)
            list_add(&categories, "%llu of %.60s", count, column->name);
    }
    if (numbers.count)
        fine = fine && note(facts, "missing numbers are replaced%s: %s%s (--missing)",
                            missing == MISSING_AUTO ? " and marked" : "", numbers.text,
                            list_end(&numbers, more, sizeof more));
    if (categories.count)
        fine = fine && note(facts, "missing categories are %s: %s%s (--missing)",
                            missing == MISSING_MODE ? "replaced" : "a value of their own",
                            categories.text, list_end(&categories, more, sizeof more));
    return fine;
}

// ---- all of it ----

const char *label_reason_name(enum label_reason reason)
{
    static const char *const names[] = {[LABEL_UNKNOWN] = NULL,
                                        [LABEL_GIVEN] = "given",
                                        [LABEL_BY_NAME] = "name",
                                        [LABEL_LAST] = "last"};
    return names[reason];
}

const struct column *schema_label_column(const struct schema *schema)
{
    for (size_t i = 0; i < schema->column_count; i++)
        if (schema->columns[i].kind == COLUMN_LABEL)
            return &schema->columns[i];
    return NULL;
}

bool labels_look_wrong(uint64_t rows, uint32_t classes)
{
    return classes > MANY_CLASSES && (uint64_t)classes * 2 > rows;
}

bool labels_look_like_amounts(const struct schema *schema, uint64_t rows)
{
    uint32_t classes = schema_classes(schema), fractions = 0;
    for (uint32_t c = 0; c < classes; c++) {
        const char *label = schema->spelled[c];
        double value;
        if (!number_whole(label, strlen(label), &value))
            return false;
        fractions += value != floor(value);
    }
    return (classes > FEW_FRACTIONS && fractions * 2 > classes) ||
           (classes > FEW_NUMBERS && rows / classes < FEW_ROWS);
}

tlu_status data_facts_make(struct data_facts *facts, const struct schema *schema, int missing,
                           uint64_t rows, uint32_t classes, tlu_error *error)
{
    const struct column *label = schema_label_column(schema);
    *facts = (struct data_facts){0};
    bool fine = note_recognised(facts, schema) && note_missing(facts, schema, missing);
    if (fine && (labels_look_wrong(rows, classes) || labels_look_like_amounts(schema, rows)))
        fine = note(facts,
                    "there are %u different labels in %llu rows: are they classes? tlu does not "
                    "learn quantities; in a table, --label COLUMN chooses the label",
                    classes, (unsigned long long)rows);
    if (fine && label) {
        facts->label = memory_copy_text(label->name, strlen(label->name));
        fine = facts->label != NULL;
        facts->view.label_column = facts->label;
        facts->view.label_reason = label_reason_name(schema->label_reason);
    }
    facts->view.notice = (const char *const *)facts->notices;
    return enough_memory(fine, error);
}

void data_facts_free(struct data_facts *facts)
{
    for (size_t i = 0; i < facts->view.notices; i++)
        memory_free(facts->notices[i]);
    memory_free(facts->notices);
    memory_free(facts->label);
    *facts = (struct data_facts){0};
}
