// A table of text, row by row: for terminals, Markdown, CSV and LaTeX.
#ifndef TLU_CLI_TABLE_H
#define TLU_CLI_TABLE_H

#include <stdbool.h>
#include <stdio.h>

enum cells_form { CELLS_TEXT, CELLS_MARKDOWN, CELLS_CSV, CELLS_LATEX };

struct text_table {
    FILE *file;
    enum cells_form form;
    bool heading; // the row being written is one of headings
    bool begun;   // something has been printed
    // Rows that wait to be printed, so that columns can be as wide as they need.
    struct text_cell {
        char *text;
        bool number; // to the right
    } * items;
    size_t count, capacity;
    struct cells_row {
        size_t first, count;
        bool heading;
    } * rows;
    size_t row_count, row_capacity, row_first;
    int *widths;
    size_t width_count;
};

// The form by name: "text", "markdown", "csv", "latex".
void cells_open(struct text_table *cells, FILE *file, const char *form);
void cells_close(struct text_table *cells); // prints what is left, and frees

// Begins a cell. In a row of headings it holds the heading and ignores what is added.
void cells_begin(struct text_table *cells, const char *heading, bool number);
void cells_add(struct text_table *cells, const char *text);
void cells_add_number(struct text_table *cells, double number); // exact in CSV, else 6 digits
void cells_end_row(struct text_table *cells);

#endif
