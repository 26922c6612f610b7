#include "table.h"

#include "text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_WAITING 1000 // at most, before they are printed

void table_open(struct text_table *table, FILE *file, const char *form)
{
#define TABLE_NAME(form, name) [form] = name,
    static const char *const names[] = {TABLE_FORMS(TABLE_NAME)};
#undef TABLE_NAME
    memset(table, 0, sizeof *table);
    table->file = file;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (strcmp(form, names[i]) == 0)
            table->form = (enum table_form)i;
}

// ---- filling

static void *enlarge(void *array, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity)
        return array;
    *capacity = 2 * needed + 64;
    return need(realloc(array, *capacity * size));
}

static void append(struct table_cell *cell, const char *text)
{
    size_t old = strlen(cell->text), more = strlen(text);
    cell->text = need(realloc(cell->text, old + more + 1));
    memcpy(cell->text + old, text, more + 1);
}

void table_begin_cell(struct text_table *table, const char *heading, bool number)
{
    table->items = enlarge(table->items, &table->capacity, table->count + 1, sizeof *table->items);
    struct table_cell *cell = &table->items[table->count++];
    *cell = (struct table_cell){need(calloc(1, 1)), number};
    if (table->heading)
        append(cell, heading);
}

void table_add(struct text_table *table, const char *text)
{
    assert(table->count > table->row_first); // after table_begin_cell
    if (!table->heading)
        append(&table->items[table->count - 1], text);
}

void table_add_number(struct text_table *table, double number)
{
    bool whole = number < 1e15 && number > -1e15 && number == (double)(long long)number;
    table_add(table, table->form == TABLE_CSV
                         ? number_text(number)
                         : format_text("%.*g", whole ? 15 : 6, number == 0 ? 0 : number));
}

// ---- printing

static void print_text_row(struct text_table *table, const struct table_row *row)
{
    for (size_t i = 0; i < row->count; i++) {
        const struct table_cell *cell = &table->items[row->first + i];
        bool last = i + 1 == row->count && !cell->number;
        const char *shown = text_clip(cell->text, 200);
        text_write_column(table->file, shown,
                          last           ? 0
                          : cell->number ? -table->widths[i]
                                         : table->widths[i]);
        fputs(i + 1 < row->count ? "  " : "\n", table->file);
    }
}

static void write_markdown(FILE *file, const char *text)
{
    for (; *text; text++) {
        if (*text == '|' || *text == '\\' || *text == '*' || *text == '_' || *text == '<' ||
            *text == '`')
            fputc('\\', file);
        fputc((unsigned char)*text < 32 ? ' ' : *text, file);
    }
}

static void print_markdown_row(struct text_table *table, const struct table_row *row)
{
    if (row->heading && table->begun)
        fputc('\n', table->file); // another table
    fputc('|', table->file);
    for (size_t i = 0; i < row->count; i++) {
        fputc(' ', table->file);
        write_markdown(table->file, table->items[row->first + i].text);
        fputs(" |", table->file);
    }
    fputc('\n', table->file);
    for (size_t i = 0; row->heading && i < row->count; i++)
        fputs(table->items[row->first + i].number ? (i ? " ---: |" : "| ---: |")
                                                  : (i ? " --- |" : "| --- |"),
              table->file);
    if (row->heading)
        fputc('\n', table->file);
}

static void print_csv_row(struct text_table *table, const struct table_row *row)
{
    for (size_t i = 0; i < row->count; i++) {
        const char *text = table->items[row->first + i].text;
        bool quoted = strpbrk(text, ",\"\r\n") != NULL;
        fputs(i ? "," : "", table->file);
        if (quoted)
            fputc('"', table->file);
        for (; *text; text++) {
            if (*text == '"')
                fputc('"', table->file);
            fputc(*text, table->file);
        }
        if (quoted)
            fputc('"', table->file);
    }
    fputc('\n', table->file);
}

static void write_latex(FILE *file, const char *text)
{
    for (; *text; text++) {
        if (strchr("&%$#_{}", *text))
            fprintf(file, "\\%c", *text);
        else if (*text == '\\')
            fputs("\\textbackslash{}", file);
        else if (*text == '~' || *text == '^')
            fprintf(file, "\\%c{}", *text);
        else
            fputc((unsigned char)*text < 32 ? ' ' : *text, file);
    }
}

static void print_latex_row(struct text_table *table, const struct table_row *row)
{
    if (row->heading) {
        if (table->begun)
            fputs("\\hline\n\\end{tabular}\n\n", table->file);
        fputs("\\begin{tabular}{", table->file);
        for (size_t i = 0; i < row->count; i++)
            fputc(table->items[row->first + i].number ? 'r' : 'l', table->file);
        fputs("}\n\\hline\n", table->file);
    }
    for (size_t i = 0; i < row->count; i++) {
        const struct table_cell *cell = &table->items[row->first + i];
        bool math = cell->number && !row->heading; // with a proper minus
        fputs(i ? " & " : "", table->file);
        fputs(math ? "$" : "", table->file);
        write_latex(table->file, cell->text);
        fputs(math ? "$" : "", table->file);
    }
    fputs(row->heading ? " \\\\\n\\hline\n" : " \\\\\n", table->file);
}

// Columns become as wide as what waits, and never narrower again.
static void find_widths(struct text_table *table)
{
    for (size_t r = 0; r < table->row_count; r++) {
        const struct table_row *row = &table->rows[r];
        if (row->count > table->width_count) {
            table->widths = need(realloc(table->widths, row->count * sizeof *table->widths));
            for (; table->width_count < row->count; table->width_count++)
                table->widths[table->width_count] = 0;
        }
        for (size_t i = 0; i < row->count; i++) {
            const char *shown = text_clip(table->items[row->first + i].text, 200);
            int width = (int)text_width(shown);
            table->widths[i] = width > table->widths[i] ? width : table->widths[i];
        }
    }
}

static void print_waiting(struct text_table *table)
{
    static void (*const print[])(struct text_table *,
                                 const struct table_row *) = {[TABLE_TEXT] = print_text_row,
                                                              [TABLE_MARKDOWN] = print_markdown_row,
                                                              [TABLE_CSV] = print_csv_row,
                                                              [TABLE_LATEX] = print_latex_row};
    find_widths(table);
    for (size_t r = 0; r < table->row_count; r++) {
        print[table->form](table, &table->rows[r]);
        table->begun = true;
    }
    for (size_t i = 0; i < table->count; i++)
        free(table->items[i].text);
    table->count = table->row_count = table->row_first = 0;
}

void table_end_row(struct text_table *table)
{
    table->rows =
        enlarge(table->rows, &table->row_capacity, table->row_count + 1, sizeof *table->rows);
    table->rows[table->row_count++] =
        (struct table_row){table->row_first, table->count - table->row_first, table->heading};
    table->row_first = table->count;
    if (table->row_count == ROWS_WAITING)
        print_waiting(table);
}

void table_close(struct text_table *table)
{
    print_waiting(table);
    if (table->begun && table->form == TABLE_LATEX)
        fputs("\\hline\n\\end{tabular}\n", table->file);
    free(table->items);
    free(table->rows);
    free(table->widths);
}
