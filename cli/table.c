#include "table.h"

#include "text.h"

#include <stdlib.h>
#include <string.h>

#define ROWS_WAITING 1000 // at most, before they are printed

void cells_open(struct text_table *cells, FILE *file, const char *form)
{
    memset(cells, 0, sizeof *cells);
    cells->file = file;
    cells->form = strcmp(form, "markdown") == 0 ? CELLS_MARKDOWN
                  : strcmp(form, "csv") == 0    ? CELLS_CSV
                  : strcmp(form, "latex") == 0  ? CELLS_LATEX
                                                : CELLS_TEXT;
}

// ---- filling

static void *enlarge(void *array, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity)
        return array;
    *capacity = 2 * needed + 64;
    return need(realloc(array, *capacity * size));
}

static void append(struct text_cell *cell, const char *text)
{
    size_t old = strlen(cell->text), more = strlen(text);
    cell->text = need(realloc(cell->text, old + more + 1));
    memcpy(cell->text + old, text, more + 1);
}

void cells_begin(struct text_table *cells, const char *heading, bool number)
{
    cells->items = enlarge(cells->items, &cells->capacity, cells->count + 1, sizeof *cells->items);
    struct text_cell *cell = &cells->items[cells->count++];
    *cell = (struct text_cell){need(calloc(1, 1)), number};
    if (cells->heading)
        append(cell, heading);
}

void cells_add(struct text_table *cells, const char *text)
{
    if (!cells->heading)
        append(&cells->items[cells->count - 1], text);
}

void cells_add_number(struct text_table *cells, double number)
{
    bool whole = number < 1e15 && number > -1e15 && number == (double)(long long)number;
    cells_add(cells, cells->form == CELLS_CSV
                         ? number_text(number)
                         : format_text("%.*g", whole ? 15 : 6, number == 0 ? 0 : number));
}

// ---- printing

static void print_text_row(struct text_table *cells, const struct cells_row *row)
{
    for (size_t i = 0; i < row->count; i++) {
        const struct text_cell *cell = &cells->items[row->first + i];
        bool last = i + 1 == row->count && !cell->number;
        const char *shown = text_clip(cell->text, 200);
        text_write_column(cells->file, shown,
                          last           ? 0
                          : cell->number ? -cells->widths[i]
                                         : cells->widths[i]);
        fputs(i + 1 < row->count ? "  " : "\n", cells->file);
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

static void print_markdown_row(struct text_table *cells, const struct cells_row *row)
{
    if (row->heading && cells->begun)
        fputc('\n', cells->file); // another table
    fputc('|', cells->file);
    for (size_t i = 0; i < row->count; i++) {
        fputc(' ', cells->file);
        write_markdown(cells->file, cells->items[row->first + i].text);
        fputs(" |", cells->file);
    }
    fputc('\n', cells->file);
    for (size_t i = 0; row->heading && i < row->count; i++)
        fputs(cells->items[row->first + i].number ? (i ? " ---: |" : "| ---: |")
                                                  : (i ? " --- |" : "| --- |"),
              cells->file);
    if (row->heading)
        fputc('\n', cells->file);
}

static void print_csv_row(struct text_table *cells, const struct cells_row *row)
{
    for (size_t i = 0; i < row->count; i++) {
        const char *text = cells->items[row->first + i].text;
        bool quoted = strpbrk(text, ",\"\r\n") != NULL;
        fputs(i ? "," : "", cells->file);
        if (quoted)
            fputc('"', cells->file);
        for (; *text; text++) {
            if (*text == '"')
                fputc('"', cells->file);
            fputc(*text, cells->file);
        }
        if (quoted)
            fputc('"', cells->file);
    }
    fputc('\n', cells->file);
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

static void print_latex_row(struct text_table *cells, const struct cells_row *row)
{
    if (row->heading) {
        if (cells->begun)
            fputs("\\hline\n\\end{tabular}\n\n", cells->file);
        fputs("\\begin{tabular}{", cells->file);
        for (size_t i = 0; i < row->count; i++)
            fputc(cells->items[row->first + i].number ? 'r' : 'l', cells->file);
        fputs("}\n\\hline\n", cells->file);
    }
    for (size_t i = 0; i < row->count; i++) {
        const struct text_cell *cell = &cells->items[row->first + i];
        bool math = cell->number && !row->heading; // with a proper minus
        fputs(i ? " & " : "", cells->file);
        fputs(math ? "$" : "", cells->file);
        write_latex(cells->file, cell->text);
        fputs(math ? "$" : "", cells->file);
    }
    fputs(row->heading ? " \\\\\n\\hline\n" : " \\\\\n", cells->file);
}

// Columns become as wide as what waits, and never narrower again.
static void find_widths(struct text_table *cells)
{
    for (size_t r = 0; r < cells->row_count; r++) {
        const struct cells_row *row = &cells->rows[r];
        if (row->count > cells->width_count) {
            cells->widths = need(realloc(cells->widths, row->count * sizeof *cells->widths));
            for (; cells->width_count < row->count; cells->width_count++)
                cells->widths[cells->width_count] = 0;
        }
        for (size_t i = 0; i < row->count; i++) {
            const char *shown = text_clip(cells->items[row->first + i].text, 200);
            int width = (int)text_width(shown);
            cells->widths[i] = width > cells->widths[i] ? width : cells->widths[i];
        }
    }
}

static void print_waiting(struct text_table *cells)
{
    static void (*const print[])(struct text_table *,
                                 const struct cells_row *) = {[CELLS_TEXT] = print_text_row,
                                                              [CELLS_MARKDOWN] = print_markdown_row,
                                                              [CELLS_CSV] = print_csv_row,
                                                              [CELLS_LATEX] = print_latex_row};
    find_widths(cells);
    for (size_t r = 0; r < cells->row_count; r++) {
        print[cells->form](cells, &cells->rows[r]);
        cells->begun = true;
    }
    for (size_t i = 0; i < cells->count; i++)
        free(cells->items[i].text);
    cells->count = cells->row_count = cells->row_first = 0;
}

void cells_end_row(struct text_table *cells)
{
    cells->rows =
        enlarge(cells->rows, &cells->row_capacity, cells->row_count + 1, sizeof *cells->rows);
    cells->rows[cells->row_count++] =
        (struct cells_row){cells->row_first, cells->count - cells->row_first, cells->heading};
    cells->row_first = cells->count;
    if (cells->row_count == ROWS_WAITING)
        print_waiting(cells);
}

void cells_close(struct text_table *cells)
{
    print_waiting(cells);
    if (cells->begun && cells->form == CELLS_LATEX)
        fputs("\\hline\n\\end{tabular}\n", cells->file);
    free(cells->items);
    free(cells->rows);
    free(cells->widths);
}
