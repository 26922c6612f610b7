// Where the fields of CSV end, found 64 bytes at a time: vector instructions make bit masks of the
// delimiters, newlines and quotes, and the bits that are outside quotes become a list of places.
//
// The list is right if the quotes are. Code that uses it checks the fields and leaves an unusual
// row to csv.c, which alone has the rules and the messages. Nothing here reads outside the chunk.
#ifndef TLU_INPUT_CSV_SCAN_H
#define TLU_INPUT_CSV_SCAN_H

#include "input/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SCAN_WINDOW 2048 // bytes scanned at a time: the places stay in the first-level cache
#define SCAN_FIRST 256   // the first window is small, because its first row may be for the rules

// How rows are parsed. All ways give the same rows and messages; tests try each of them.
enum csv_way {
    CSV_BEST,   // AVX2 if the CPU has it, else plain C
    CSV_STRICT, // without a list: by the rules alone
    CSV_PLAIN,
    CSV_AVX2, // CSV_PLAIN if the CPU does not have it
    CSV_WAYS
};
bool csv_uses_avx2(enum csv_way way);

// The bytes of a block that are of a kind, the first in the lowest bit.
struct block_masks {
    uint64_t ends; // delimiters and newlines
    uint64_t newlines, quotes;
};

struct csv_scan;
typedef void scan_function(struct csv_scan *scan);
typedef struct block_masks masks_function(const char *block, char delimiter);

#define SCAN_MAX INT32_MAX // bytes of a chunk
#define SCAN_AHEAD 8       // entries after a list that may be asked for

// Places count from the floor. Field i of the list is between ends[i] and ends[i + 1].
struct csv_scan {
    const char *floor;      // the start of the chunk
    const char *at, *limit; // what is not yet scanned
    scan_function *window;  // scans the next window
    size_t width;           // of it
    char delimiter;
    bool quotes;                                               // there was one since the start
    uint64_t inside;                                           // all ones if `at` is inside quotes
    uint64_t closed;                                           // 1: the byte before closed them
    size_t next, count;                                        // fields
    size_t next_row, row_count;                                // rows that end in the list
    uint32_t ends[1 + SCAN_WINDOW + BLOCK_BYTES + SCAN_AHEAD]; // [1 + count + SCAN_AHEAD]
    uint32_t row_ends[SCAN_WINDOW + BLOCK_BYTES];              // [row_count] newlines
    // Places of quotes, or right after quotes, that are neither at the start nor at the end of a
    // field, and of newlines inside quotes: such fields are for the rules.
    size_t next_uneven, uneven_count;
    uint32_t uneven[1 + SCAN_WINDOW + BLOCK_BYTES]; // [uneven_count]
};
#define SCAN_BEFORE UINT32_MAX // the place before the floor

// The chunk begins outside quotes.
void csv_scan_start(struct csv_scan *scan, const char *bytes, const char *limit, char delimiter,
                    enum csv_way way);
// Replaces the list, which has been used up, by that of the next window with places in it; false
// at the end of the chunk.
bool csv_scan_more(struct csv_scan *scan);
// Goes on after a row's end at `at`: in the list if it has that place, else by scanning again.
void csv_scan_after(struct csv_scan *scan, const char *at);

masks_function *csv_masks(void);

// What is known of a field whose ends the scan has found.
enum scan_field {
    SCAN_PLAIN,  // it is the text from *text to *stop, without blanks around it
    SCAN_QUOTED, // the same, with a quote before and after it
    SCAN_STRICT, // quoted, and one for the rules
    SCAN_ODD     // its row is one for the rules
};

// quoted: it may have quotes; uneven: they are not all at its start and end.
static inline enum scan_field scan_field(bool quoted, bool uneven, const char **text,
                                         const char **stop)
{
    const char *start = *text, *end = *stop;
    while (start < end && *start == ' ')
        start++;
    if (end > start && *end == '\n' && end[-1] == '\r')
        end--;
    while (end > start && end[-1] == ' ')
        end--;
    *text = start;
    *stop = end;
    if (!quoted || start == end)
        return SCAN_PLAIN;
    if (*start != '"')
        return uneven && memchr(start, '"', (size_t)(end - start)) ? SCAN_ODD : SCAN_PLAIN;
    if (uneven)
        return SCAN_STRICT;
    ++*text;
    --*stop;
    return SCAN_QUOTED;
}

// The next place in the list of uneven ones that is not before `place`; SCAN_BEFORE: none.
static inline uint32_t scan_next_uneven(struct csv_scan *scan, uint32_t place)
{
    while (scan->next_uneven < scan->uneven_count && scan->uneven[scan->next_uneven] < place)
        scan->next_uneven++;
    return scan->next_uneven < scan->uneven_count ? scan->uneven[scan->next_uneven] : SCAN_BEFORE;
}

#endif
