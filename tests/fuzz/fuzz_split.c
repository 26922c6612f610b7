// Any bytes as data that is split; the first two choose options. Every row is in one part, whatever
// way rows are divided, and the parts can be split again.
#include "reading.h"

#include <sys/stat.h>

// A folder of its own, in memory if there is such a file system: files are written to the disk.
static const char *folder(void)
{
    static char path[64];
    if (!path[0]) {
        strcpy(path, "/dev/shm/fuzz_split_XXXXXX");
        if (!mkdtemp(path)) {
            strcpy(path, "/tmp/fuzz_split_XXXXXX");
            expect(mkdtemp(path) != NULL);
        }
    }
    return path;
}

static void remove_folder(void)
{
    rmdir(folder());
}

static char *read_part(const char *path, size_t *size)
{
    struct stat about;
    FILE *file = fopen(path, "rb");
    expect(file && fstat(fileno(file), &about) == 0);
    *size = (size_t)about.st_size;
    char *bytes = malloc(*size + 1);
    expect(bytes && fread(bytes, 1, *size, file) == *size);
    fclose(file);
    return bytes;
}

// A sum over the lines, whatever their order, without a byte order mark. A comma at the end of a
// line is between rows of an array.
static uint64_t lines_hash(const char *bytes, size_t size)
{
    uint64_t sum = 0;
    size_t start = size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    for (size_t at = start; at < size;) {
        const char *newline = memchr(bytes + at, '\n', size - at);
        size_t end = newline ? (size_t)(newline - bytes) : size, next = newline ? end + 1 : size;
        struct outcome line = {.hash = 14695981039346656037u};
        while (end > at && bytes[end - 1] == ',')
            end--;
        mix(&line, bytes + at, end - at);
        sum += line.hash;
        at = next;
    }
    return sum;
}

static tlu_status split(const char *path, const tlu_options *options, const char *group,
                        bool in_order, double validation, tlu_file_split **out)
{
    char prefix[80];
    tlu_error error = {.status = TLU_OK};
    snprintf(prefix, sizeof prefix, "%s/", folder());
    tlu_split_file_settings settings = {.size = sizeof settings,
                                        .path = path,
                                        .prefix = prefix,
                                        .test = 0.3,
                                        .validation = validation,
                                        .group = group,
                                        .in_order = in_order};
    *out = NULL;
    tlu_status status = tlu_split_file(&settings, options, out, &error);
    expect(status == TLU_OK ? *out != NULL : status == TLU_ERROR_INPUT && error.text[0]);
    return status;
}

// Whether the first row of a part, which was another row before, may be taken for a compressed
// file, for another format or for a comment. The first rows must not have a NUL.
static bool looks_foreign(const char *bytes, size_t size)
{
    for (size_t i = 0; i < size && i < 8; i++)
        if ((unsigned char)bytes[i] >= 127 ||
            ((unsigned char)bytes[i] < ' ' && !strchr("\t\r\n", bytes[i])))
            return true;
    return size && (memchr(bytes, '\0', size) || memmem(bytes, size, "\n#", 2) ||
                    foreign_format(bytes, size));
}

// The rows of all parts as a sum; their files are gone then. With `again`, each part is split
// again: it has as many rows as were put there.
static uint64_t take_parts(tlu_file_split *parts, const tlu_options *options, bool again)
{
    uint64_t sum = 0, rows = 0;
    char *bytes[3];
    size_t sizes[3];
    for (size_t p = 0; p < parts->part_count; p++) {
        const tlu_split_part *part = &parts->parts[p];
        rows += part->rows;
        bytes[p] = read_part(part->path, &sizes[p]);
        sum += lines_hash(bytes[p], sizes[p]);
        unlink(part->path);
    }
    expect(rows == parts->rows);
    for (size_t p = 0; p < parts->part_count; p++) {
        int file;
        tlu_file_split *of_part;
        if (again && parts->parts[p].rows > 1 && !looks_foreign(bytes[p], sizes[p])) {
            const char *path = file_of(bytes[p], sizes[p], &file);
            expect(split(path, options, NULL, true, 0, &of_part) == TLU_OK);
            expect(of_part->rows == parts->parts[p].rows && of_part->skipped == 0);
            take_parts(of_part, options, false);
            close(file);
        }
        free(bytes[p]);
    }
    tlu_file_split_free(parts);
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const formats[] = {"auto",  "csv",  "libsvm",   "vw",
                                          "jsonl", "text", "fasttext", "csv"};
    static const char *const delimiters[] = {",", ";", "tab", "space"};
    static bool known;
    if (size < 2)
        return 0;
    if (!known)
        atexit(remove_folder);
    known = true;
    unsigned choice = bytes[0], more = bytes[1];
    tlu_options *options;
    tlu_options_new(&options, NULL);
    const char *format = formats[choice & 7];
    bool csv = strcmp(format, "csv") == 0, fixed = choice & 7;
    tlu_options_set(options, "format", format, NULL);
    if (csv) { // else what is recognised may differ from part to part
        tlu_options_set(options, "delimiter", delimiters[choice >> 3 & 3], NULL);
        tlu_options_set(options, "header", choice & 32 ? "yes" : "no", NULL);
        tlu_options_set(options, "label", "1", NULL);
    }
    bool json = strcmp(format, "jsonl") == 0;
    if (json)
        tlu_options_set(options, "label", "label", NULL);
    tlu_options_set(options, "skip-bad", choice & 64 ? "yes" : "no", NULL);
    tlu_options_set(options, "multilabel", choice & 128 ? "yes" : "no", NULL);
    tlu_options_set(options, "seed", more & 1 ? "1" : "2", NULL);
    double validation = more & 2 ? 0.2 : 0;
    const char *group = csv ? "1" : "g";
    int file;
    char path[64];
    strcpy(path, file_of(bytes + 2, size - 2, &file));
    tlu_file_split *parts;
    if (split(path, options, NULL, true, validation, &parts) == TLU_OK) {
        uint64_t rows = parts->rows, unlabelled = parts->unlabelled;
        // A part of records must have the member that is the label.
        bool again = fixed && (!json || unlabelled == 0);
        uint64_t sum = take_parts(parts, options, again);
        // Rows without a label are malformed if parts are to have their share of each class.
        if (split(path, options, NULL, false, validation, &parts) == TLU_OK) {
            bool same = parts->rows == rows;
            expect(same || (unlabelled && parts->rows < rows));
            uint64_t found = take_parts(parts, options, false);
            expect(!same || found == sum);
        }
        if (more & 4 && split(path, options, group, false, validation, &parts) == TLU_OK) {
            bool same = parts->rows == rows;
            expect(parts->rows <= rows);
            uint64_t found = take_parts(parts, options, false);
            expect(!same || found == sum);
        }
    }
    close(file);
    tlu_options_free(options);
    return 0;
}
