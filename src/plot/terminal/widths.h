// How many cells of a terminal letters take. Asks no locale.
#ifndef TLU_PLOT_TERMINAL_WIDTHS_H
#define TLU_PLOT_TERMINAL_WIDTHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// 0, 1 or 2: East Asian letters and pictures are wide, accents and invisible marks have no cell.
size_t letter_width(uint32_t code);
// Whether it is written over the letter before it. Others without a cell are left out: they would
// turn the direction of a line, or join letters in ways that few terminals agree on.
bool letter_is_accent(uint32_t code);

size_t text_cells(const char *text);   // of valid UTF-8
size_t text_letters(const char *text); // that take cells

#endif
