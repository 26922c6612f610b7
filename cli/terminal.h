// Pictures on the terminal.
#ifndef TLU_CLI_TERMINAL_H
#define TLU_CLI_TERMINAL_H

#include "tlu.h"
#include "tlu_plot.h"

#include <stdbool.h>

// Whether standard output is a terminal that can move its cursor.
bool screen_is_there(void);

// The width of standard output: $COLUMNS, or that of the terminal, or 80.
size_t screen_columns(void);

// How many letters there is room for, whether they may have colours, which files never have, and
// the theme, unless it is set: what fits the ground of the terminal. $COLUMNS and $LINES come
// before what the terminal says; without either it is 80 by 24.
void screen_measure(tlu_picture_style *style, bool here);

// Says on standard error that the terminal may not show what is written, if the locale has an
// encoding other than UTF-8.
void screen_note_encoding(void);

// Prints the picture; on a terminal all its frames, one in the place of the other, until Ctrl-C.
tlu_status screen_show(const tlu_picture *picture, double fps, tlu_error *error);

#endif
