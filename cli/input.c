#include "input.h"

#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST 65536 // bytes

static const char *name_of_file(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

tlu_status input_next(struct input_line *line, bool *found, tlu_error *error)
{
    int c = 0;
    line->size = 0;
    while (c != '\n' && (c = getc_unlocked(stdin)) != EOF) {
        if (line->size == INPUT_LINE_MAX)
            return fail_input(error,
                              "standard input: a line has more than %d bytes; give shorter ones",
                              INPUT_LINE_MAX);
        if (line->size + 2 > line->capacity) {
            line->capacity = line->capacity ? 2 * line->capacity : 256;
            line->text = need(realloc(line->text, line->capacity));
        }
        line->text[line->size++] = (char)c;
    }
    *found = line->size > 0;
    if (*found)
        line->text[line->size] = '\0';
    return ferror(stdin) ? fail(error, TLU_ERROR_SYSTEM, "standard input cannot be read") : TLU_OK;
}

tlu_status input_look_text(const char *path, const char *bytes, size_t size, tlu_error *error)
{
    return memchr(bytes, '\0', size)
               ? fail_input(error, "%s: this is not text: it has a byte 0", name_of_file(path))
               : TLU_OK;
}

static tlu_status read_file(FILE *file, const char *path, size_t most, input_look *look,
                            char **bytes, size_t *size, tlu_error *error)
{
    size_t capacity = FIRST + 1, got;
    *bytes = need(malloc(capacity));
    while ((got = fread(*bytes + *size, 1, capacity - 1 - *size, file)) > 0) {
        tlu_status status = *size ? TLU_OK : look(path, *bytes, got, error);
        *size += got;
        if (status == TLU_OK && *size > most)
            status = fail_input(error, "%s: is larger than %zu bytes", name_of_file(path), most);
        if (status != TLU_OK)
            return status;
        if (*size == capacity - 1)
            *bytes = need(realloc(*bytes, capacity *= 2));
    }
    (*bytes)[*size] = '\0';
    return ferror(file) ? fail_input(error, "%s: cannot read: %s", path, strerror(errno)) : TLU_OK;
}

tlu_status input_whole(const char *path, size_t most, input_look *look, char **bytes, size_t *size,
                       tlu_error *error)
{
    bool standard = strcmp(path, "-") == 0;
    FILE *file = standard ? stdin : fopen(path, "rb");
    *bytes = NULL;
    *size = 0;
    if (!file)
        return fail_input(error, "%s: cannot open: %s", path, strerror(errno));
    tlu_status status = read_file(file, path, most, look, bytes, size, error);
    if (!standard)
        fclose(file);
    return status;
}
