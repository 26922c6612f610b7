// The standard streams of the command. Output to a terminal and all messages on standard error are
// escaped, so that a name or a label cannot send control sequences to the terminal. Output to a
// file or a pipe is unchanged.
//
// Every file of the command includes this header (scripts/check-architecture checks it). It
// redirects printf and its relatives to the streams below, so that no verb can forget to escape.
#ifndef TLU_CLI_STREAMS_H
#define TLU_CLI_STREAMS_H

#include "tlu.h"

#include <stdbool.h>
#include <stdio.h>

extern FILE *streams_output;   // standard output; on a terminal, through an escaping stream
extern FILE *streams_messages; // standard error, always through an escaping stream

void streams_open(void); // call it before anything is written

// Whether standard output is a terminal.
bool streams_on_terminal(void);
// Whether output to `file`, standard output or standard error, is escaped.
bool streams_escapes(const FILE *file);

// If `file` is a terminal, returns a stream that escapes non-printable characters and writes to
// `file`; else `file`. Closing the stream closes `file`. NULL stays NULL.
FILE *streams_escaping(FILE *file);

// From now on standard output is JSON: on a terminal characters are escaped as \uXXXX.
void streams_json(void);

// Between these calls the command draws on standard output: escape sequences are not escaped.
void streams_begin_drawing(void);
void streams_end_drawing(void);

// Returns a copy of the text, escaped as on standard output; the caller frees it.
char *streams_escaped(const char *text, size_t length, size_t *size);

// Replaces the progress line on standard error, which is a terminal.
void status_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
void status_clear(void);

#ifndef STREAMS_INSIDE // defined by streams.c only
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
