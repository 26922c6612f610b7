#include "input/files.h"

#include "base/error.h"
#include "base/memory.h"
#include "numeric/number.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- the files of a path ----

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static tlu_status add_path(struct file_list *list, const char *path, size_t length,
                           tlu_error *error)
{
    char **paths = memory_resize(list->paths, list->count + 1, sizeof *paths);
    TRY(enough_memory(paths != NULL, error));
    list->paths = paths;
    paths[list->count] = memory_copy_text(path, length);
    TRY(enough_memory(paths[list->count] != NULL, error));
    list->count++;
    return TLU_OK;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// Sorts by bytes: glob itself sorts as the locale says.
static tlu_status add_matches(struct file_list *list, const char *pattern, tlu_error *error)
{
    glob_t found;
    int result = glob(pattern, GLOB_ERR | GLOB_NOSORT, NULL, &found);
    if (result == GLOB_NOSPACE)
        return error_memory(error);
    if (result == GLOB_ABORTED)
        return error_at(error, pattern, 0, 0,
                        "cannot look for files that match: a folder cannot be read");
    if (result != 0)
        return error_at(error, pattern, 0, 0,
                        "no file matches; check the name, and that the shell did not change it");
    qsort(found.gl_pathv, found.gl_pathc, sizeof *found.gl_pathv, compare_paths);
    tlu_status status = TLU_OK;
    for (size_t i = 0; status == TLU_OK && i < found.gl_pathc; i++)
        status = add_path(list, found.gl_pathv[i], strlen(found.gl_pathv[i]), error);
    globfree(&found);
    return status;
}

static tlu_status add_item(struct file_list *list, const char *item, bool alone, tlu_error *error)
{
    if (!alone && strcmp(item, "-") == 0)
        return error_input(error, "standard input cannot be one of several files; write its data "
                                  "to a file, or pipe all files together");
    if (strpbrk(item, "*?[") && !exists(item))
        return add_matches(list, item, error);
    return add_path(list, item, strlen(item), error);
}

static tlu_status add_items(struct file_list *list, char *paths, tlu_error *error)
{
    bool alone = strchr(paths, '\n') == NULL;
    for (char *item = paths, *end; item; item = end) {
        end = strchr(item, '\n');
        if (end)
            *end++ = '\0';
        if (*item)
            TRY(add_item(list, item, alone, error));
    }
    return list->count ? TLU_OK : error_at(error, "", 0, 0, "cannot open: no file is named");
}

tlu_status file_list_make(struct file_list *list, const char *path, tlu_error *error)
{
    *list = (struct file_list){0};
    if (!strpbrk(path, "\n*?[") || exists(path))
        return add_path(list, path, strlen(path), error);
    char *copy = memory_copy_text(path, strlen(path));
    TRY(enough_memory(copy != NULL, error));
    tlu_status status = add_items(list, copy, error);
    memory_free(copy);
    return status;
}

void file_list_free(struct file_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        memory_free(list->paths[i]);
    memory_free(list->paths);
    *list = (struct file_list){0};
}

// ---- --part K/N ----

#define PARTS_MAX 1000000

static bool parse_count(const char *text, size_t length, uint64_t *count)
{
    *count = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9' || *count > PARTS_MAX)
            return false;
        *count = *count * 10 + (uint64_t)(text[i] - '0');
    }
    return length > 0 && *count > 0 && *count <= PARTS_MAX;
}

tlu_status data_part_of(struct data_part *part, const tlu_options *options, tlu_error *error)
{
    const char *text = options ? options_text(options, OPTION_PART) : "";
    *part = (struct data_part){1, 1};
    if (text[0] == '\0')
        return TLU_OK;
    size_t length = strcspn(text, "/");
    if (text[length] && parse_count(text, length, &part->number) &&
        parse_count(text + length + 1, strlen(text + length + 1), &part->count) &&
        part->number <= part->count)
        return TLU_OK;
    char quoted[64];
    return error_input(error,
                       "--part expects K/N, such as 2/8 for the second of eight parts, with K from "
                       "1 to N and N up to %d, not '%s'",
                       PARTS_MAX, error_quote(quoted, sizeof quoted, text, strlen(text)));
}

// total * k / count without overflow.
static uint64_t share(uint64_t total, uint64_t k, uint64_t count)
{
    return total / count * k + total % count * k / count;
}

uint64_t data_part_start(const struct data_part *part, uint64_t total)
{
    return share(total, part->number - 1, part->count);
}

uint64_t data_part_end(const struct data_part *part, uint64_t total)
{
    return share(total, part->number, part->count);
}
