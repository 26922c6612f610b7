#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

tlu_status fail(tlu_error *error, tlu_status status, const char *format, ...)
{
    char text[sizeof error->text + 4]; // longer than fits, so that the last character is whole
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    memset(error, 0, sizeof *error);
    error->status = status;
    tlu_text_escape(error->text, sizeof error->text, text, strlen(text));
    return status;
}

// The temporary file that is being written, if any: what ends the program removes it.
static char unfinished[4096];

void *need(void *memory)
{
    if (!memory) {
        unlink(unfinished);
        fputs("tlu: out of memory\n", stderr);
        exit(TLU_ERROR_SYSTEM);
    }
    return memory;
}

// ---- buffers for short text

#define BUFFERS 32
#define BUFFER_SIZE 1536

static char *next_buffer(void)
{
    static _Thread_local char buffers[BUFFERS][BUFFER_SIZE];
    static _Thread_local unsigned next;
    return buffers[next++ % BUFFERS];
}

const char *format_text(const char *format, ...)
{
    char *out = next_buffer();
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(out, BUFFER_SIZE, format, arguments);
    va_end(arguments);
    return out;
}

// ---- names

#define SHOWN_ONE 16 // bytes of a character, escaped or not, with a NUL

static bool is_continuation(char byte) // second to fourth byte of a UTF-8 character
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

size_t character_length(const char *text, size_t length)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t bytes = s[0] < 0x80 ? 1 : s[0] < 0xC2 ? 0 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
    if (bytes == 0 || s[0] > 0xF4 || bytes > length)
        return 0;
    for (size_t i = 1; i < bytes; i++)
        if (!is_continuation(text[i]))
            return 0;
    if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F) ||
        (s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F))
        return 0;
    return bytes;
}

size_t text_width(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += !is_continuation(*text);
    return width;
}

// A byte, or on a terminal a character, as text_clip writes it. Returns the bytes read.
static size_t show_one(char out[SHOWN_ONE], const char *text)
{
    unsigned char byte = (unsigned char)*text;
    if (streams_on_terminal()) {
        size_t length = character_length(text, 4);
        length += length == 0;
        tlu_text_escape(out, SHOWN_ONE, text, length);
        return length;
    }
    snprintf(out, SHOWN_ONE, byte < 32 || byte == 127 ? "\\x%02X" : "%c", byte);
    return 1;
}

const char *text_clip(const char *text, size_t width)
{
    char *out = next_buffer();
    size_t used = 0, columns = 0;
    size_t cut = 0; // bytes that stay if "..." must follow
    for (size_t length; *text; text += length) {
        char one[SHOWN_ONE];
        length = show_one(one, text);
        size_t bytes = strlen(one), takes = text_width(one);
        if (used + bytes + 4 > BUFFER_SIZE || columns + takes > width) {
            memcpy(out + cut, "...", 4);
            return out;
        }
        if (columns + 3 <= width && takes)
            cut = used;
        memcpy(out + used, one, bytes);
        used += bytes;
        columns += takes;
    }
    out[used] = '\0';
    return out;
}

const char *path_text(const FILE *file, const char *path)
{
    static char escaped[4096];
    if (!streams_escapes(file))
        return path;
    tlu_text_escape(escaped, sizeof escaped, path, strlen(path));
    return escaped;
}

char *text_put_field(char *to, const char *text)
{
    static const char special[] = "\t\n\r\\", escapes[] = "tnr\\";
    for (; *text; text++) {
        const char *found = strchr(special, *text);
        if (found)
            *to++ = '\\';
        *to++ = found ? escapes[found - special] : *text;
    }
    return to;
}

void text_write_field(FILE *file, const char *text)
{
    char *field = need(malloc(2 * strlen(text) + 1));
    fwrite(field, 1, (size_t)(text_put_field(field, text) - field), file);
    free(field);
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

const char *name_of(const tlu_model *model, size_t feature)
{
    static char *name;
    static size_t capacity;
    if (feature == TLU_NONE)
        return "(bias)";
    size_t length = tlu_model_feature_name(model, feature, name, capacity);
    if (length >= capacity) {
        capacity = 2 * length + 64;
        name = need(realloc(name, capacity));
        tlu_model_feature_name(model, feature, name, capacity);
    }
    return name;
}

const char *text_of_pair(const char *const (*pairs)[2], const char *key, const char *otherwise)
{
    for (; (*pairs)[0]; pairs++)
        if (strcmp((*pairs)[0], key) == 0)
            return (*pairs)[1];
    return otherwise;
}

// ---- numbers

const char *number_text(double value)
{
    char *out = next_buffer();
    tlu_number_format(out, NUMBER_SIZE, value == 0 ? 0 : value); // never "-0"
    return out;
}

const char *float_text(double value)
{
    if ((double)(float)value != value)
        return number_text(value);
    const char *text = NULL;
    for (int digits = 6; digits <= 9; digits++) {
        text = format_text("%.*g", digits, value == 0 ? 0 : value);
        if (strtof(text, NULL) == (float)value)
            break;
    }
    return text;
}

const char *brief_text(double value)
{
    return format_text("%.9g", value == 0 ? 0 : value);
}

const char *count_text(uint64_t n, const char *word)
{
    bool es = n != 1 && word[strlen(word) - 1] == 's'; // pass, passes
    return format_text("%" PRIu64 " %.30s%s", n, word, es ? "es" : n == 1 ? "" : "s");
}

const char *percent_text(double part, double whole)
{
    return whole > 0 ? format_text("%.2f%%", 100 * part / whole) : "-";
}

const char *seconds_text(double seconds)
{
    return format_text("%.*f s", seconds < 1 ? 3 : seconds < 100 ? 1 : 0, seconds);
}

const char *size_text(double bytes)
{
    if (bytes < 1e3)
        return format_text("%.0f bytes", bytes);
    return bytes < 1e6 ? format_text("%.1f kB", bytes / 1e3) : format_text("%.1f MB", bytes / 1e6);
}

// ---- output

#define OUTPUT_BUFFER 65536

static bool is_standard(const char *path)
{
    return !path || strcmp(path, "-") == 0;
}

static bool is_standard_output(const char *path)
{
    return is_standard(path) || strcmp(path, "/dev/stdout") == 0;
}

static void on_end(int signal_number)
{
    unlink(unfinished);
    raise(signal_number); // SA_RESETHAND: as without this handler
}

static void remove_on_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    struct sigaction action, old;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_end;
    action.sa_flags = (int)(SA_RESETHAND | SA_NODEFER);
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < COUNT_OF(signals); i++)
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(signals[i], &action, NULL);
}

// Whether a path is an open file by another name, such as /dev/stdout: writing must go there.
static bool is_descriptor(const char *path)
{
    return strncmp(path, "/dev/std", 8) == 0 || strncmp(path, "/dev/fd/", 8) == 0 ||
           strncmp(path, "/proc/", 6) == 0;
}

// A new file beside the target; NULL if it has to be written to directly: a device, a pipe, a
// file in a folder where nothing else may be written.
static FILE *open_temporary(struct output *output)
{
    struct stat old, link;
    bool exists = stat(output->path, &old) == 0;
    if (is_descriptor(output->path) || (exists && !S_ISREG(old.st_mode)) ||
        (exists && access(output->path, W_OK) != 0) || (!exists && lstat(output->path, &link) == 0))
        return NULL;
    char *target = exists ? realpath(output->path, NULL) : strdup(output->path);
    const char *slash = target ? strrchr(target, '/') : NULL;
    int folder = slash ? (int)(slash - target) + 1 : 0;
    int n = snprintf(unfinished, sizeof unfinished, "%.*s.tlu-%ld.tmp", folder,
                     target ? target : "", (long)getpid());
    int file = -1;
    if (target && n > 0 && (size_t)n < sizeof unfinished)
        file = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) {
        unfinished[0] = '\0';
        free(target);
        return NULL;
    }
    remove_on_signals();
    if (exists && fchmod(file, old.st_mode & 0777) != 0)
        errno = 0; // then with the permissions of a new file
    output->target = target;
    output->temporary = unfinished;
    return need(fdopen(file, "w"));
}

tlu_status output_open(struct output *output, const char *path, tlu_error *error)
{
    *output = (struct output){.file = stdout, .path = is_standard_output(path) ? NULL : path};
    if (output->path) {
        output->file = open_temporary(output);
        if (!output->file)
            output->file = streams_escaping(fopen(path, "w"));
    }
    if (!output->file)
        return fail_input(error, "cannot write '%s': %s", path, strerror(errno));
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

// Puts the temporary file in its place, or removes it: 0, or errno.
static int finish_temporary(struct output *output, bool keep)
{
    int why = 0;
    if (output->temporary && keep && rename(output->temporary, output->target) != 0)
        why = errno;
    if (output->temporary && (!keep || why))
        unlink(output->temporary);
    if (output->temporary)
        output->temporary[0] = '\0';
    free(output->target);
    output->target = output->temporary = NULL;
    return why;
}

tlu_status output_close(struct output *output, tlu_status so_far, tlu_error *error)
{
    errno = 0;
    bool failed = ferror(output->file) != 0;
    if (fflush(output->file) != 0)
        failed = true;
    else if (output->sync && output->temporary && so_far == TLU_OK && !failed)
        failed = fsync(fileno(output->file)) != 0;
    int why = output->why ? output->why : errno;
    if (output->path && fclose(output->file) != 0 && !failed) {
        failed = true;
        why = errno;
    }
    output->file = NULL;
    int renaming = finish_temporary(output, !failed && so_far == TLU_OK);
    if (so_far != TLU_OK)
        return so_far;
    return failed || renaming ? write_failed(output, failed ? why : renaming, error) : TLU_OK;
}

char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return need(slash ? strndup(path, (size_t)(slash - path + 1)) : strdup("."));
}

static bool same_place(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool same_output(const char *a, const char *b)
{
    struct stat x, y;
    if (is_standard(a) || is_standard(b))
        return is_standard(a) && is_standard(b);
    bool x_there = stat(a, &x) == 0, y_there = stat(b, &y) == 0;
    if (x_there || y_there) // devices take whatever comes
        return x_there && y_there && S_ISREG(x.st_mode) && same_place(&x, &y);
    char *x_folder = folder_of(a), *y_folder = folder_of(b);
    const char *x_slash = strrchr(a, '/'), *y_slash = strrchr(b, '/');
    bool same = stat(x_folder, &x) == 0 && stat(y_folder, &y) == 0 && same_place(&x, &y) &&
                strcmp(x_slash ? x_slash + 1 : a, y_slash ? y_slash + 1 : b) == 0;
    free(x_folder);
    free(y_folder);
    return same;
}

// Whether the file is this one, or matches this pattern.
static bool is_input(const char *output, const struct stat *out, const char *input)
{
    struct stat in;
    if ((is_standard(input) ? fstat(STDIN_FILENO, &in) : stat(input, &in)) == 0)
        return same_place(out, &in);
    return fnmatch(input, output, FNM_PATHNAME) == 0;
}

tlu_status refuse_overwriting(const char *output, const char *input, tlu_error *error)
{
    struct stat out;
    if (is_standard(output) || stat(output, &out) != 0 || !S_ISREG(out.st_mode))
        return TLU_OK;
    bool found = input && is_input(output, &out, input);
    for (const char *at = input ? input : ""; *at && !found; at += strspn(at, "\n")) {
        size_t length = strcspn(at, "\n");
        char *path = need(strndup(at, length));
        found = is_input(output, &out, path);
        free(path);
        at += length;
    }
    if (!found)
        return TLU_OK;
    return fail_input(error, "the output '%s' would overwrite the input; name another file",
                      output);
}

double whole_bound(double bound)
{
    return floor(bound * (1 + 1e-12));
}
