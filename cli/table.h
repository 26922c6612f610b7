// A table of text, row by row: for terminals, Markdown, CSV and LaTeX.
#ifndef TLU_CLI_TABLE_H
#define TLU_CLI_TABLE_H

#include <stdbool.h>
#include <stdio.h>

// The forms of a table and their names.
#define TABLE_FORMS(ROW)                                                                           \
    ROW(TABLE_TEXT, "text")                                                                        \
    ROW(TABLE_MARKDOWN, "markdown")                                                                \
    ROW(TABLE_CSV, "csv")                                                                          \
    ROW(TABLE_LATEX, "latex")

#define TABLE_FORM(form, name) form,
enum table_form { TABLE_FORMS(TABLE_FORM) };
#undef TABLE_FORM

struct text_table {
    FILE *file;
    enum table_form form;
    bool heading; // the row being written is one of headings
    bool begun;   // something has been printed
    // Rows that wait to be printed, so that columns can be as wide as they need.
    struct table_cell {
        char *text;
        bool number; // to the right
    } * items;
    size_t count, capacity;
    struct table_row {
        size_t first, count;
        bool heading;
    } * rows;
    size_t row_count, row_capacity, row_first;
    int *widths;
    size_t width_count;
};

// By the name of the form; an unknown one is a table of text.
void table_open(struct text_table *table, FILE *file, const char *form);
void table_close(struct text_table *table); // prints what is left, and frees

// Begins a cell. In a row of headings it holds the heading and ignores what is added.
void table_begin_cell(struct text_table *table, const char *heading, bool number);
void table_add(struct text_table *table, const char *text);
void table_add_number(struct text_table *table, double number); // exact in CSV, else 6 digits
void table_end_row(struct text_table *table);

#endif
