// The delimiter of a CSV file, and the options that are about CSV alone.

#include "input/csv/fields.h"

#include <string.h>

#define SAMPLE_ROWS 1000

static size_t count_fields(struct csv_cursor *cursor)
{
    struct csv_field field = {.last = false};
    struct bad_row bad;
    size_t count = 0;
    while (!field.last) {
        if (csv_next_field(cursor, &field, &bad) != PARSE_OK) {
            csv_skip_row(cursor);
            return 0;
        }
        count++;
    }
    return count;
}

size_t csv_comment(const char *bytes, size_t size)
{
    if (size == 0 || bytes[0] != '#' || (size > 1 && !strchr(" \t\r\n", bytes[1])))
        return 0;
    const char *newline = memchr(bytes, '\n', size);
    return newline ? (size_t)(newline - bytes) + 1 : size;
}

char csv_delimiter(const char *bytes, size_t size)
{
    size_t comment = csv_comment(bytes, size);
    bytes += comment;
    size -= comment;
    // The one with which most rows have as many fields as the first; a blank only as a last resort.
    // Rows with broken quotes have 0 fields here.
    // A comma wins only if it is better than the others: it is also a decimal sign.
    static const char candidates[] = "\t;|, ";
    char best = '\0';
    double best_share = 0;
    size_t best_fields = 1;
    for (const char *candidate = candidates; *candidate; candidate++) {
        if (*candidate == ' ' && best)
            break;
        if (!memchr(bytes, *candidate, size)) // rows of one field each, and never the best
            continue;
        struct csv_cursor cursor = csv_start(bytes, size, *candidate);
        cursor.bare = true;
        size_t rows = 0, alike = 0, fields = 0;
        while (rows < SAMPLE_ROWS && csv_next_row(&cursor)) {
            size_t count = count_fields(&cursor);
            rows++;
            if (fields == 0)
                fields = count;
            alike += count && count == fields;
        }
        csv_end(&cursor);
        double share = rows ? (double)alike / (double)rows : 0;
        if (fields > 1 && (share > best_share || (share == best_share && fields > best_fields))) {
            best = *candidate;
            best_share = share;
            best_fields = fields;
        }
    }
    return best;
}

char csv_delimiter_for(const struct schema *schema, const char *bytes, size_t size)
{
    size_t comment = csv_comment(bytes, size);
    struct csv_cursor cursor = csv_start(bytes + comment, size - comment, schema->delimiter);
    cursor.bare = true;
    size_t fields = csv_next_row(&cursor) ? count_fields(&cursor) : 0;
    csv_end(&cursor);
    // A row of one field may be all that the model needs: one feature, and no label.
    char other = fields == 1 && schema->column_count > 2 ? csv_delimiter(bytes, size) : '\0';
    return other ? other : schema->delimiter;
}

tlu_status csv_delimiter_option(const tlu_options *options, char *delimiter, tlu_error *error)
{
    static const struct {
        const char *name;
        char delimiter;
    } names[] = {{"tab", '\t'},  {"\\t", '\t'},      {"space", ' '},
                 {"comma", ','}, {"semicolon", ';'}, {"pipe", '|'}};
    const char *text = options_text(options, OPTION_DELIMITER);
    *delimiter = strcmp(options_text(options, OPTION_FORMAT), "tsv") == 0 ? '\t' : '\0';
    if (text[0] == '\0')
        return TLU_OK;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(text, names[i].name) == 0) {
            *delimiter = names[i].delimiter;
            return TLU_OK;
        }
    if (text[1] != '\0' || strchr("\"\n\r", text[0]))
        return error_input(error,
                           "--delimiter is one character, or tab, space, comma, semicolon or "
                           "pipe, not '%.40s'",
                           text);
    *delimiter = text[0];
    return TLU_OK;
}

tlu_status csv_options_refuse(const tlu_options *options, enum data_format format, const char *file,
                              tlu_error *error)
{
    static const enum option csv_only[] = {OPTION_DELIMITER, OPTION_HEADER,  OPTION_MISSING,
                                           OPTION_LABEL,     OPTION_NUMERIC, OPTION_CATEGORICAL,
                                           OPTION_IGNORE};
    enum data_format chosen;
    for (size_t i = 0; i < sizeof csv_only / sizeof csv_only[0]; i++) {
        const tlu_option_info *info = tlu_option_at(csv_only[i]);
        if (strcmp(options_text(options, csv_only[i]), info->value) != 0)
            return error_at(error, file, 0, 0, "--%s is for CSV, and this is %s%s", info->name,
                            format_table[format].title,
                            format_chosen(options, &chosen)
                                ? ""
                                : " by its looks; give --format if that is wrong");
    }
    return TLU_OK;
}

bool csv_recognise(const char *bytes, size_t size)
{
    return csv_delimiter(bytes, size) != '\0';
}
