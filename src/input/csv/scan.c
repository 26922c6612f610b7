#include "input/csv/scan.h"

#include "vector/cpu.h"

#include <assert.h>

#define INLINE static inline __attribute__((always_inline))

// ---- masks of a block ----

// `either` is known where this is inlined, and inlined itself.
INLINE struct block_masks masks_of(const char *block, char delimiter, either_function *either)
{
    return (struct block_masks){either(block, delimiter, '\n'), either(block, '\n', '\n'),
                                either(block, '"', '"')};
}

static struct block_masks masks_plain(const char *block, char delimiter)
{
    return masks_of(block, delimiter, either_plain);
}

BYTES_AVX2 static struct block_masks masks_avx2(const char *block, char delimiter)
{
    return masks_of(block, delimiter, either_avx2);
}

// ---- from bits to places ----

// Writes place + i for each bit i and returns how many there are. May write up to 64 places.
static inline size_t places_plain(uint32_t *out, uint64_t bits, uint32_t place)
{
    size_t count = 0;
    for (; bits; bits &= bits - 1)
        out[count++] = place + (uint32_t)__builtin_ctzll(bits);
    return count;
}

#ifdef BYTES_X86
// Eight at a time, whether or not there are as many: a wrong guess of the loop's end costs more.
BYTES_AVX2 static inline size_t places_avx2(uint32_t *out, uint64_t bits, uint32_t place)
{
    size_t count = (size_t)_mm_popcnt_u64(bits);
    for (size_t i = 0; i < count; i += 8) {
        BYTES_UNROLL
        for (size_t k = 0; k < 8; k++) {
            out[i + k] = place + (uint32_t)_tzcnt_u64(bits);
            bits = _blsr_u64(bits);
        }
    }
    return count;
}
#else
#define places_avx2 places_plain
#endif

// ---- a window ----

typedef size_t places_function(uint32_t *out, uint64_t bits, uint32_t place);

// How far the lists are; apart from the scan, so that it can be in registers.
struct lists {
    uint64_t inside, closed;
    size_t count, row_count;
};

// The bytes of a block that make their fields uneven.
static uint64_t uneven_bytes(const struct csv_scan *scan, uint32_t place, uint64_t opening,
                             uint64_t closing, uint64_t ends, uint64_t closed)
{
    const char *at = scan->floor + place;
    uint64_t starts = ends << 1 | (place == 0 || at[-1] == '\n' || at[-1] == scan->delimiter);
    uint64_t uneven = opening & ~starts;
    uint64_t after = (closing << 1 | closed) & ~ends;
    for (; after; after &= after - 1) { // the end of a line, or one for the rules
        const char *byte = at + __builtin_ctzll(after);
        if (byte < scan->limit && (*byte != '\r' || byte + 1 == scan->limit || byte[1] != '\n'))
            uneven |= after & -after;
    }
    return uneven;
}

INLINE void scan_block(struct csv_scan *scan, struct lists *lists, struct block_masks masks,
                       uint32_t place, places_function *places)
{
    uint64_t ends = masks.ends, newlines = masks.newlines;
    if (!(masks.quotes | lists->closed) && lists->inside) { // all of it is in one field
        scan->uneven_count += places_plain(scan->uneven + scan->uneven_count, newlines, place);
        return;
    }
    if (masks.quotes | lists->closed) {
        uint64_t inside = scan_inside(masks.quotes, &lists->inside);
        ends &= ~inside;
        uint64_t opening = masks.quotes & inside, closing = masks.quotes & ~inside;
        uint64_t uneven = uneven_bytes(scan, place, opening, closing, ends, lists->closed);
        uneven |= newlines & inside;
        scan->uneven_count += places_plain(scan->uneven + scan->uneven_count, uneven, place);
        scan->quotes = true;
        lists->closed = closing >> 63;
        newlines &= ~inside;
    }
    lists->count += places(scan->ends + 1 + lists->count, ends, place);
    if (newlines)
        lists->row_count += places_plain(scan->row_ends + lists->row_count, newlines, place);
}

// The functions are known where this is inlined, and are inlined themselves.
INLINE void scan_window(struct csv_scan *scan, either_function *either, places_function *places)
{
    const char *at = scan->at;
    char delimiter = scan->delimiter;
    size_t left = (size_t)(scan->limit - at), done = 0;
    size_t size = left < scan->width ? left : scan->width;
    uint32_t place = (uint32_t)(at - scan->floor);
    struct lists lists = {scan->inside, scan->closed, 0, 0};
    scan->ends[0] = scan->ends[scan->count];
    if (scan->uneven_count) { // the last stays if its field goes on
        uint32_t last = scan->uneven[scan->uneven_count - 1];
        scan->next_uneven = 0;
        scan->uneven[0] = last;
        scan->uneven_count = scan->ends[0] == SCAN_BEFORE || last > scan->ends[0];
    }
    for (; done + BLOCK_BYTES <= size; done += BLOCK_BYTES)
        scan_block(scan, &lists, masks_of(at + done, delimiter, either), place + (uint32_t)done,
                   places);
    if (done < size) { // the end of the chunk
        char block[BLOCK_BYTES] = {0};
        memcpy(block, at + done, size - done);
        scan_block(scan, &lists, masks_of(block, delimiter, either), place + (uint32_t)done,
                   places);
    }
    BYTES_UNROLL
    for (size_t i = 1; i <= SCAN_AHEAD; i++)
        scan->ends[lists.count + i] = scan->ends[lists.count];
    scan->inside = lists.inside;
    scan->closed = lists.closed;
    scan->count = lists.count;
    scan->row_count = lists.row_count;
    scan->next = scan->next_row = 0;
    scan->at = at + size;
    scan->width = scan->width < SCAN_WINDOW ? 2 * scan->width : scan->width;
}

static void window_plain(struct csv_scan *scan)
{
    scan_window(scan, either_plain, places_plain);
}

BYTES_AVX2 static void window_avx2(struct csv_scan *scan)
{
    scan_window(scan, either_avx2, places_avx2);
}

// ---- the choice ----

bool csv_uses_avx2(enum csv_way way)
{
    return (way == CSV_BEST || way == CSV_AVX2) && cpu_level() >= CPU_AVX2;
}

masks_function *csv_masks(void)
{
    return csv_uses_avx2(CSV_BEST) ? masks_avx2 : masks_plain;
}

// Another list, from `at` on.
static void scan_from(struct csv_scan *scan, const char *at)
{
    scan->at = at;
    scan->width = SCAN_FIRST;
    scan->inside = scan->closed = 0;
    scan->ends[0] = (uint32_t)(at - scan->floor) - 1; // SCAN_BEFORE at the floor
    scan->next = scan->count = scan->next_row = scan->row_count = 0;
    scan->next_uneven = scan->uneven_count = 0;
}

void csv_scan_start(struct csv_scan *scan, const char *bytes, const char *limit, char delimiter,
                    enum csv_way way)
{
    scan->floor = bytes;
    scan->limit = limit;
    scan->delimiter = delimiter;
    scan->window = csv_uses_avx2(way) ? window_avx2 : window_plain;
    scan->quotes = false;
    scan_from(scan, bytes);
}

bool csv_scan_more(struct csv_scan *scan)
{
    assert(scan->next == scan->count); // the list is used up
    do {
        if (scan->at == scan->limit)
            return false;
        scan->window(scan);
    } while (scan->count == 0);
    return true;
}

void csv_scan_after(struct csv_scan *scan, const char *at)
{
    uint32_t before = (uint32_t)(at - scan->floor) - 1;
    size_t next = scan->next;
    if (scan->ends[next] > before || scan->ends[next] == SCAN_BEFORE)
        next = 0;
    while (next < scan->count && scan->ends[next] != before)
        next++;
    if (scan->ends[next] != before || before == SCAN_BEFORE) {
        scan_from(scan, at);
        return;
    }
    scan->next = next;
    size_t row = scan->next_row;
    while (row > 0 && scan->row_ends[row - 1] > before)
        row--;
    while (row < scan->row_count && scan->row_ends[row] <= before)
        row++;
    scan->next_row = row;
    scan->next_uneven = 0;
}
