#include "text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

tlu_status fail(tlu_error *error, tlu_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    memset(error, 0, sizeof *error);
    error->status = status;
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return status;
}

void *need(void *memory)
{
    if (!memory) {
        fputs("tlu: out of memory\n", stderr);
        exit(TLU_ERROR_SYSTEM);
    }
    return memory;
}

// ---- names

static bool goes_on(char byte) // the second to fourth byte of a UTF-8 character
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

size_t text_width(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += !goes_on(*text);
    return width;
}

const char *text_show(char *out, size_t size, const char *text, size_t width)
{
    size_t used = 0, columns = 0;
    size_t cut = 0; // bytes that stay where "..." must follow
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        bool control = byte < 32 || byte == 127;
        size_t bytes = control ? 4 : 1, takes = control ? 4 : !goes_on(*text);
        if (used + bytes + 4 > size || columns + takes > width) {
            memcpy(out + cut, "...", 4);
            return out;
        }
        if (columns + 3 <= width && takes)
            cut = used;
        if (control)
            snprintf(out + used, 5, "\\x%02X", byte);
        else
            out[used] = (char)byte;
        used += bytes;
        columns += takes;
    }
    out[used] = '\0';
    return out;
}

void text_write_field(FILE *file, const char *text)
{
    while (*text) {
        size_t plain = strcspn(text, "\t\n\r\\");
        fwrite(text, 1, plain, file);
        text += plain;
        if (*text == '\0')
            return;
        fputc('\\', file);
        fputc(*text == '\t' ? 't' : *text == '\n' ? 'n' : *text == '\r' ? 'r' : '\\', file);
        text++;
    }
}

void text_write_column(FILE *file, const char *text, int width)
{
    int blanks = abs(width) - (int)text_width(text);
    if (blanks < 0)
        blanks = 0;
    if (width < 0)
        fprintf(file, "%*s%s", blanks, "", text);
    else
        fprintf(file, "%s%*s", text, blanks, "");
}

void text_write_wrapped(FILE *file, const char *text, size_t indent, size_t column)
{
    bool first = true;
    while (*text) {
        size_t length = strcspn(text, " ");
        if (!first && column + 1 + length > 79) {
            fprintf(file, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            fputc(' ', file);
            column++;
        }
        fwrite(text, 1, length, file);
        column += length;
        first = false;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', file);
}

const char *name_of(struct name *name, const tlu_model *model, size_t feature)
{
    if (feature == TLU_NONE)
        return "(bias)";
    size_t length = tlu_model_feature_name(model, feature, name->text, name->capacity);
    if (length >= name->capacity) {
        free(name->text);
        name->capacity = 2 * length + 64;
        name->text = need(malloc(name->capacity));
        tlu_model_feature_name(model, feature, name->text, name->capacity);
    }
    return name->text;
}

void name_free(struct name *name)
{
    free(name->text);
}

// ---- numbers

const char *number_text(char out[NUMBER_SIZE], double value)
{
    if (value == 0) // never "-0"
        value = 0;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, NUMBER_SIZE, "%.*g", digits, value);
        if (strtod(out, NULL) == value)
            break;
    }
    return out;
}

const char *count_text(char out[64], uint64_t n, const char *word)
{
    bool es = n != 1 && word[strlen(word) - 1] == 's'; // pass, passes
    snprintf(out, 64, "%llu %.30s%s", (unsigned long long)n, word, es ? "es" : n == 1 ? "" : "s");
    return out;
}

const char *percent_text(char out[NUMBER_SIZE], double part, double whole)
{
    if (whole > 0)
        snprintf(out, NUMBER_SIZE, "%.2f%%", 100 * part / whole);
    else
        snprintf(out, NUMBER_SIZE, "-");
    return out;
}

const char *seconds_text(char out[NUMBER_SIZE], double seconds)
{
    snprintf(out, NUMBER_SIZE, "%.*f s", seconds < 1 ? 3 : seconds < 100 ? 1 : 0, seconds);
    return out;
}

const char *size_text(char out[NUMBER_SIZE], double bytes)
{
    if (bytes < 1e3)
        snprintf(out, NUMBER_SIZE, "%.0f bytes", bytes);
    else if (bytes < 1e6)
        snprintf(out, NUMBER_SIZE, "%.1f kB", bytes / 1e3);
    else
        snprintf(out, NUMBER_SIZE, "%.1f MB", bytes / 1e6);
    return out;
}

// ---- output

#define OUTPUT_BUFFER 65536

static bool is_standard(const char *path)
{
    return !path || strcmp(path, "-") == 0;
}

tlu_status output_open(struct output *output, const char *path, tlu_error *error)
{
    output->file = stdout;
    output->why = 0;
    output->path = is_standard(path) ? NULL : path;
    if (output->path)
        output->file = fopen(path, "w");
    if (!output->file)
        return fail(error, TLU_ERROR_INPUT, "cannot write '%s': %s", path, strerror(errno));
    setvbuf(output->file, NULL, _IOFBF, OUTPUT_BUFFER);
    return TLU_OK;
}

static tlu_status write_failed(const struct output *output, int why, tlu_error *error)
{
    const char *path = output->path ? output->path : "standard output";
    return fail(error, TLU_ERROR_SYSTEM, "cannot write %s: %s", path,
                why ? strerror(why) : "an earlier write failed");
}

tlu_status output_flush(const struct output *output, tlu_error *error)
{
    bool failed = fflush(output->file) != 0 || ferror(output->file);
    return failed ? write_failed(output, errno, error) : TLU_OK;
}

tlu_status output_close(struct output *output, tlu_error *error)
{
    errno = 0;
    bool failed = ferror(output->file) != 0;
    if (fflush(output->file) != 0)
        failed = true;
    int why = output->why ? output->why : errno;
    if (output->path && fclose(output->file) != 0 && !failed) {
        failed = true;
        why = errno;
    }
    output->file = NULL;
    return failed ? write_failed(output, why, error) : TLU_OK;
}

tlu_status refuse_overwriting(const char *output, const char *input, tlu_error *error)
{
    struct stat out, in;
    if (is_standard(output) || stat(output, &out) != 0 || !S_ISREG(out.st_mode))
        return TLU_OK;
    if ((is_standard(input) ? fstat(STDIN_FILENO, &in) : stat(input, &in)) != 0)
        return TLU_OK;
    if (out.st_dev != in.st_dev || out.st_ino != in.st_ino)
        return TLU_OK;
    return fail(error, TLU_ERROR_INPUT, "the output '%s' would overwrite the input", output);
}
