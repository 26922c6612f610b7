// The standard streams of the command. What goes to a terminal or into a message on standard error
// is escaped, so that a name or a label cannot send the terminal a command; what goes to a file or
// a pipe stays as it is.
//
// Every file of the command includes this header (scripts/check-house checks it), so that printf
// and its relatives write to the streams below and no verb can forget to escape.
#ifndef TLU_CLI_STREAMS_H
#define TLU_CLI_STREAMS_H

#include "tlu.h"

#include <stdbool.h>
#include <stdio.h>

extern FILE *streams_output;   // standard output; on a terminal, through an escaping stream
extern FILE *streams_messages; // standard error, always through an escaping stream

void streams_open(void); // before anything is written

// Whether standard output is a terminal.
bool streams_on_terminal(void);
// Whether what is written to standard output or standard error is escaped.
bool streams_escapes(const FILE *file);

// A stream over `file` that escapes what is not printable, if `file` is a terminal; else `file`.
// Closing it closes `file`. NULL stays NULL.
FILE *streams_escaping(FILE *file);

// From now on standard output is JSON: on a terminal characters are escaped as \uXXXX.
void streams_json(void);

// Between these calls the command draws on standard output: its escape sequences are let through.
void streams_begin_drawing(void);
void streams_end_drawing(void);

// Copies text for the terminal as the stream of standard output does; the caller frees it.
char *streams_escaped(const char *text, size_t length, size_t *size);

// Replaces the line of progress on standard error, which is a terminal.
void status_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
void status_clear(void);

#ifndef STREAMS_INSIDE // streams.c alone
#undef stdout
#undef stderr
#undef putchar
#define stdout streams_output
#define stderr streams_messages
#define printf(...) fprintf(streams_output, __VA_ARGS__)
#define puts(text) fprintf(streams_output, "%s\n", text)
#define putchar(c) fputc(c, streams_output)
#endif

#endif
