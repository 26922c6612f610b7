#define STREAMS_INSIDE // stdout and stderr themselves
#include "streams.h"

#include "text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- escaping

struct filter {
    FILE *file;         // closed with the filter; NULL: a standard stream
    int descriptor;     // what is written to
    bool json, drawing; // see streams.h
    char waiting[4];    // the beginning of a character whose end is not written yet
    size_t waiting_count;
};

// "\u202e", a pair of surrogates past U+FFFF; U+FFFD for a byte that is not UTF-8.
static size_t escape_for_json(char *out, const char *text, size_t length)
{
    const unsigned char *s = (const unsigned char *)text;
    if (length == 1)
        return (size_t)sprintf(out, "\\u%04x", s[0] < 128 ? s[0] : 0xFFFD);
    uint32_t code = s[0] & (0xFFu >> (length + 1));
    for (size_t i = 1; i < length; i++)
        code = code << 6 | (s[i] & 0x3F);
    if (code < 0x10000)
        return (size_t)sprintf(out, "\\u%04x", code);
    code -= 0x10000;
    return (size_t)sprintf(out, "\\u%04x\\u%04x", 0xD800 + (code >> 10), 0xDC00 + (code & 0x3FF));
}

#define PIECE_MAX 16 // bytes of an escaped character, with a NUL

static size_t escape_one(const struct filter *filter, char *out, const char *text, size_t length)
{
    bool own =
        *text == '\n' || *text == '\t' || (filter->drawing && (*text == '\033' || *text == '\r'));
    bool printable = tlu_text_escape(NULL, 0, text, length) == length;
    if (own || printable) {
        memcpy(out, text, length);
        return length;
    }
    if (filter->json)
        return escape_for_json(out, text, length);
    return tlu_text_escape(out, PIECE_MAX, text, length);
}

// Number of bytes at the end that begin an incomplete character.
static size_t unfinished_bytes(const char *text, size_t length)
{
    for (size_t back = 1; back <= 3 && back <= length; back++) {
        unsigned char lead = (unsigned char)text[length - back];
        size_t whole = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
        if (whole > 1)
            return whole > back ? back : 0;
        if (lead < 0x80)
            return 0;
    }
    return 0;
}

// NULL: out of memory.
static char *escape_all(const struct filter *filter, const char *text, size_t length, size_t *size)
{
    char *out = malloc(length * PIECE_MAX + 1), *to = out;
    for (size_t step; out && length > 0; text += step, length -= step) {
        step = character_length(text, length);
        step += step == 0; // a byte that is not UTF-8
        to += escape_one(filter, to, text, step);
    }
    *size = (size_t)(to - out);
    return out;
}

static bool write_whole(int descriptor, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = write(descriptor, bytes, size);
        if (n < 0 && errno != EINTR)
            return false;
        bytes += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

#define CHUNK 4096 // bytes escaped at once

static bool write_escaped(const struct filter *filter, const char *text, size_t length)
{
    size_t size;
    char *escaped = escape_all(filter, text, length, &size);
    bool written = escaped && write_whole(filter->descriptor, escaped, size);
    free(escaped);
    return written;
}

static ssize_t filter_write(void *context, const char *bytes, size_t size)
{
    struct filter *filter = context;
    char chunk[CHUNK + sizeof filter->waiting];
    for (size_t done = 0, step; done < size; done += step) {
        step = size - done < CHUNK ? size - done : CHUNK;
        memcpy(chunk, filter->waiting, filter->waiting_count);
        memcpy(chunk + filter->waiting_count, bytes + done, step);
        size_t length = filter->waiting_count + step;
        filter->waiting_count = unfinished_bytes(chunk, length);
        length -= filter->waiting_count;
        memcpy(filter->waiting, chunk + length, filter->waiting_count);
        if (!write_escaped(filter, chunk, length))
            return 0;
    }
    return (ssize_t)size;
}

static int filter_close(void *context)
{
    struct filter *filter = context;
    bool written = write_escaped(filter, filter->waiting, filter->waiting_count);
    int closed = filter->file ? fclose(filter->file) : 0;
    if (filter->file)
        free(filter);
    return written ? closed : EOF;
}

static FILE *open_filter(struct filter *filter)
{
    cookie_io_functions_t functions = {.write = filter_write, .close = filter_close};
    FILE *file = need(fopencookie(filter, "w", functions));
    setvbuf(file, NULL, _IOLBF, BUFSIZ);
    return file;
}

FILE *streams_escaping(FILE *file)
{
    if (!file || !isatty(fileno(file)))
        return file;
    struct filter *filter = need(calloc(1, sizeof *filter));
    filter->file = file;
    filter->descriptor = fileno(file);
    return open_filter(filter);
}

// ---- the standard streams

FILE *streams_output, *streams_messages;
static struct filter output = {.descriptor = STDOUT_FILENO};
static struct filter messages = {.descriptor = STDERR_FILENO};

void streams_open(void)
{
    streams_output = stdout; // if there is no memory for the next
    streams_messages = stderr;
    streams_messages = open_filter(&messages);
    streams_output = isatty(STDOUT_FILENO) ? open_filter(&output) : stdout;
}

bool streams_on_terminal(void)
{
    return streams_output != stdout;
}

bool streams_escapes(const FILE *file)
{
    return file == streams_messages || (file == streams_output && streams_on_terminal());
}

void streams_json(void)
{
    output.json = true;
}

void streams_begin_drawing(void)
{
    fflush(streams_output);
    output.drawing = true;
}

void streams_end_drawing(void)
{
    fflush(streams_output);
    output.drawing = false;
}

char *streams_escaped(const char *text, size_t length, size_t *size)
{
    return need(escape_all(&output, text, length, size));
}

void status_line(const char *format, ...)
{
    char line[512], escaped[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    tlu_text_escape(escaped, sizeof escaped, line, strlen(line));
    fprintf(stderr, "\r%s\033[K", escaped);
}

void status_clear(void)
{
    fputs("\r\033[K", stderr);
}
