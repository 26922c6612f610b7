// Rows of CSV by short cuts; see csv_row.h.
#include "format/csv/row.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

// ---- rows as they usually are ----
//
// The scan says where fields end. What a field holds is found by short cuts that give up rather
// than guess; a row that is given up is undone and parsed by the rules, which know the
// message too.

// The text with zeros after it, as two words.
static inline void load_words(uint64_t words[2], const char *text, size_t length, const char *limit)
{
#ifdef SCAN_SSE2
    static const uint8_t first[32] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                                      0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    if (limit - text >= 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)text);
        __m128i mask = _mm_loadu_si128((const __m128i *)(const void *)(first + 16 - length));
        _mm_storeu_si128((__m128i *)(void *)words, _mm_and_si128(bytes, mask));
        return;
    }
#endif
    (void)limit;
    words[0] = words[1] = 0;
    memcpy(words, text, length);
}

// The first of the two places where the text's result may be; NULL for a longer text.
static inline struct recent *recent_places(struct csv_quick *quick, struct recent *wanted,
                                           size_t column, const char *text, size_t length)
{
    if (length > sizeof wanted->text)
        return NULL;
    load_words(wanted->text, text, length, quick->scan.limit);
    wanted->tag = (uint64_t)column << 8 | (length + 1);
    uint64_t hash = (wanted->text[0] ^ wanted->tag) * 0x9E3779B97F4A7C15u;
    hash = (hash ^ (hash >> 32) ^ wanted->text[1]) * 0xC4CEB9FE1A85EC53u;
    return &quick->recent[hash >> 32 & (RECENT_COUNT - 2)];
}

static inline bool is_recent(const struct recent *place, const struct recent *wanted)
{
    return place->tag == wanted->tag && place->text[0] == wanted->text[0] &&
           place->text[1] == wanted->text[1];
}

// A category or a label without its quotes and blanks.
static enum parse_result quick_text(struct csv_rows *row, size_t i, const char *text, size_t length)
{
    const struct plan_column *column = &row->parser->plan->columns[i];
    struct batch *batch = row->batch;
    bool label = column->kind == COLUMN_LABEL;
    struct recent wanted;
    struct recent *place = recent_places(row->quick, &wanted, i, text, length);
    if (place && (is_recent(place, &wanted) || is_recent(++place, &wanted))) {
        if (label)
            batch->labels[batch->rows] = place->result;
        else if (place->result == SCHEMA_NONE)
            batch->counts.unknown_values++;
        else
            row->quick->take_one(row, place->result);
        return PARSE_OK;
    }
    row->quick->settle(row);
    size_t count = row->count;
    uint64_t unseen = batch->counts.unknown_values;
    struct csv_field field = {.text = text, .length = length, .line = 1, .column = 1};
    enum parse_result result = csv_parse_field(row, column, &field);
    bool known = label ? batch->labels[batch->rows] < TLU_UNKNOWN_LABEL
                       : row->count > count || batch->counts.unknown_values > unseen;
    if (result == PARSE_OK && place && known) {
        wanted.result = label                ? batch->labels[batch->rows]
                        : row->count > count ? batch->indices[count]
                                             : SCHEMA_NONE;
        place[-(place[-1].tag == 0)] = wanted; // the first of the two if it is free
    }
    return result;
}

// A field by the rules, if they agree with the scan on its end.
static enum parse_result strict_field(struct csv_rows *row, struct csv_cursor *cursor, size_t i,
                                      const char *start, const char *end)
{
    struct csv_field field;
    row->quick->settle(row);
    cursor->at = start;
    enum parse_result result = csv_next_field(cursor, &field, row->bad);
    if (result == PARSE_OK && cursor->at != end + 1)
        result = PARSE_BAD;
    return result == PARSE_OK ? csv_parse_field(row, &row->parser->plan->columns[i], &field)
                              : result;
}

// Any field that is not a plain number. PARSE_BAD gives the row up.
static enum parse_result quick_field(struct csv_rows *row, struct csv_cursor *cursor, size_t i,
                                     const char *start, const char *end)
{
    const struct plan_column *column = &row->parser->plan->columns[i];
    const char *text = start, *stop = end;
    enum scan_field found =
        scan_field(row->quick->scan.quotes, row->quick->scan.lines, &text, &stop);
    if (found == SCAN_ODD)
        return PARSE_BAD;
    if (found == SCAN_STRICT)
        return strict_field(row, cursor, i, start, end);
    if (column->kind == COLUMN_IGNORED)
        return PARSE_OK;
    if (column->kind != COLUMN_NUMERIC)
        return quick_text(row, i, text, (size_t)(stop - text));
    if (text < stop && row->quick->take(row, column->feature, text, stop))
        return PARSE_OK;
    row->quick->settle(row);
    struct csv_field field = {
        .text = text, .length = (size_t)(stop - text), .line = 1, .column = 1};
    return csv_parse_field(row, column, &field);
}

// Room for the next rows, so that not every row has to ask, and for storing four entries where
// there is one.
static bool reserve_rows(struct csv_rows *row)
{
    struct csv_quick *quick = row->quick;
    size_t fields = row->parser->plan->count;
    quick->room = fields < 4096 ? 4096 / fields : 1;
    return batch_reserve(row->batch, quick->room, quick->room * fields + 3);
}

// ---- numbers ----

static bool take_long_number(struct csv_rows *row, uint32_t feature, const char *start,
                             const char *end)
{
    float value;
    if (!scan_long_number(start, end, row->quick->floor, &value))
        return false;
    row->quick->settle(row);
    if (value != 0)
        csv_store(row, feature, value);
    return true;
}

INLINE bool take_plain(struct csv_rows *row, uint32_t feature, const char *start, const char *end)
{
    double number;
    if (!scan_number(start, end, row->quick->floor, &number))
        return false;
    if ((float)number != 0)
        csv_store(row, feature, (float)number);
    return true;
}

static bool take_number(struct csv_rows *row, uint32_t feature, const char *start, const char *end)
{
    return take_plain(row, feature, start, end) || take_long_number(row, feature, start, end);
}

// As many numbers as there are one after the other, from field i on; the field that comes next.
static size_t take_numbers(struct csv_rows *row, size_t i, const char **start)
{
    const struct csv_plan *plan = row->parser->plan;
    struct csv_scan *scan = &row->quick->scan;
    for (; i < plan->count && scan->next < scan->count; i++, scan->next++) {
        const struct plan_column *column = &plan->columns[i];
        const char *end = scan->base + scan->ends[scan->next];
        if (column->kind != COLUMN_NUMERIC || (*end == '\n') != (i + 1 == plan->count) ||
            !take_plain(row, column->feature, *start, end))
            break;
        *start = end + 1;
    }
    return i;
}

static void take_one(struct csv_rows *row, uint32_t feature)
{
    csv_store(row, feature, 1);
}

static void settled(struct csv_rows *row)
{
    (void)row;
}

// ---- numbers, four at a time ----

#ifdef SCAN_SSE2
// Four numbers as floats.
SCAN_AVX2 static inline __m128 convert_four(const struct waiting *waiting, size_t k)
{
    const __m256i tens = _mm256_set1_epi16(1 << 8 | 10);
    const __m256i hundreds = _mm256_set1_epi32(1 << 16 | 100);
    const __m256i myriads = _mm256_set1_epi32(1 << 16 | 10000);
    const __m256i order = _mm256_setr_epi32(0, 4, 2, 6, 1, 5, 3, 7);
    // 16 bytes at a time, as they were stored: the CPU need not wait until they are in the cache.
    const __m128i *digits = (const __m128i *)(const void *)waiting->digits[k];
    __m256i a = _mm256_maddubs_epi16(_mm256_loadu2_m128i(digits + 1, digits), tens);
    __m256i b = _mm256_maddubs_epi16(_mm256_loadu2_m128i(digits + 3, digits + 2), tens);
    __m256i eights = _mm256_madd_epi16(
        _mm256_packus_epi32(_mm256_madd_epi16(a, hundreds), _mm256_madd_epi16(b, hundreds)),
        myriads);
    // The first eight digits of each number, then the last eight of each.
    eights = _mm256_permutevar8x32_epi32(eights, order);
    __m256d first = _mm256_cvtepi32_pd(_mm256_castsi256_si128(eights));
    __m256d last = _mm256_cvtepi32_pd(_mm256_extracti128_si256(eights, 1));
    __m256d whole =
        _mm256_add_pd(_mm256_mul_pd(first, _mm256_set1_pd(1e8)), last); // see scan_number
    return _mm256_cvtpd_ps(_mm256_div_pd(whole, _mm256_loadu_pd(waiting->scales + k)));
}

// [lanes][byte] shuffles that move the lanes whose bits are set to the front.
static const uint8_t fronts[16][16] = {
#define LANE(i) 4 * (i), 4 * (i) + 1, 4 * (i) + 2, 4 * (i) + 3
    {0},
    {LANE(0)},
    {LANE(1)},
    {LANE(0), LANE(1)},
    {LANE(2)},
    {LANE(0), LANE(2)},
    {LANE(1), LANE(2)},
    {LANE(0), LANE(1), LANE(2)},
    {LANE(3)},
    {LANE(0), LANE(3)},
    {LANE(1), LANE(3)},
    {LANE(0), LANE(1), LANE(3)},
    {LANE(2), LANE(3)},
    {LANE(0), LANE(2), LANE(3)},
    {LANE(1), LANE(2), LANE(3)},
    {LANE(0), LANE(1), LANE(2), LANE(3)},
#undef LANE
};

// Stores the numbers that wait, other than 0.
SCAN_AVX2 static void store_waiting(struct csv_rows *row)
{
    struct waiting *waiting = &row->quick->waiting;
    struct batch *batch = row->batch;
    size_t n = waiting->count, count = row->count;
    unsigned others = 0; // than ones
    for (size_t k = 0; k < n; k += 4) {
        __m128 four = convert_four(waiting, k);
        __m128i features = _mm_loadu_si128((const __m128i *)(const void *)(waiting->features + k));
        unsigned there = n - k < 4 ? (1u << (n - k)) - 1 : 15;
        there &= (unsigned)_mm_movemask_ps(_mm_cmpneq_ps(four, _mm_setzero_ps()));
        others |= (unsigned)_mm_movemask_ps(_mm_cmpneq_ps(four, _mm_set1_ps(1))) & there;
        if (there == 15) { // known before the numbers are, by and large
            _mm_storeu_ps(batch->values + count, four);
            _mm_storeu_si128((__m128i *)(void *)(batch->indices + count), features);
            count += 4;
            continue;
        }
        // Those that are there move to the front; what is after them is overwritten next.
        __m128i front = _mm_loadu_si128((const __m128i *)(const void *)fronts[there]);
        _mm_storeu_si128((__m128i *)(void *)(batch->values + count),
                         _mm_shuffle_epi8(_mm_castps_si128(four), front));
        _mm_storeu_si128((__m128i *)(void *)(batch->indices + count),
                         _mm_shuffle_epi8(features, front));
        count += (size_t)_mm_popcnt_u32(there);
    }
    batch->ones &= others == 0;
    row->count = count;
    waiting->count = 0;
}

// A plain number made ready; false if it is not one. Nothing is read before end - 16.
SCAN_AVX2 INLINE bool ready_number(const char *start, const char *end, __m128i *digits,
                                   double *scale)
{
    static const double scales[2][17] = {
        {1e0, 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15},
        {-1e0, -1e0, -1e1, -1e2, -1e3, -1e4, -1e5, -1e6, -1e7, -1e8, -1e9, -1e10, -1e11, -1e12,
         -1e13, -1e14, -1e15}};
    bool negative = *start == '-';
    size_t length = (size_t)(end - start) - negative;
    if (length - 1 >= SCAN_NUMBER)
        return false;
    __m128i bytes, values;
    unsigned others = scan_digits(end, length, &bytes, &values);
    if (!scan_is_point(bytes, others, length))
        return false;
    size_t point = _tzcnt_u32(others | 1u << SCAN_NUMBER);
    *digits = scan_without_point(values, length, point);
    *scale = scales[negative][SCAN_NUMBER - point];
    return true;
}

SCAN_AVX2 INLINE void wait_entry(struct waiting *waiting, size_t k, uint32_t feature,
                                 __m128i digits, double scale)
{
    _mm_storeu_si128((__m128i *)(void *)waiting->digits[k], digits);
    waiting->scales[k] = scale;
    waiting->features[k] = feature;
}

// As many numbers as there are one after the other, from field i on; the field that comes next.
SCAN_AVX2 static size_t wait_numbers(struct csv_rows *row, size_t i, const char **start)
{
    const struct csv_plan *plan = row->parser->plan;
    struct csv_quick *quick = row->quick;
    struct csv_scan *scan = &quick->scan;
    const char *from = *start, *base = scan->base, *floor = quick->floor;
    size_t next = scan->next, k = quick->waiting.count;
    for (; i < plan->count && next < scan->count && k < WAITING_MOST; i++, next++, k++) {
        const struct plan_column *column = &plan->columns[i];
        const char *end = base + scan->ends[next];
        __m128i digits;
        double scale;
        if (column->kind != COLUMN_NUMERIC || (*end == '\n') != (i + 1 == plan->count) ||
            end - floor < SCAN_NUMBER || !ready_number(from, end, &digits, &scale))
            break;
        wait_entry(&quick->waiting, k, column->feature, digits, scale);
        from = end + 1;
    }
    *start = from;
    scan->next = next;
    quick->waiting.count = k;
    return i;
}

SCAN_AVX2 static bool wait_number(struct csv_rows *row, uint32_t feature, const char *start,
                                  const char *end)
{
    struct waiting *waiting = &row->quick->waiting;
    __m128i digits;
    double scale;
    if (end - row->quick->floor < SCAN_NUMBER || !ready_number(start, end, &digits, &scale))
        return take_long_number(row, feature, start, end);
    if (waiting->count == WAITING_MOST)
        store_waiting(row);
    wait_entry(waiting, waiting->count++, feature, digits, scale);
    return true;
}

SCAN_AVX2 static void wait_one(struct csv_rows *row, uint32_t feature)
{
    struct waiting *waiting = &row->quick->waiting;
    if (waiting->count == WAITING_MOST)
        store_waiting(row);
    wait_entry(waiting, waiting->count++, feature,
               _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1), 1);
}
#endif

// ---- a row ----

static enum parse_result quick_fields(struct csv_rows *row, struct csv_cursor *cursor)
{
    const struct csv_plan *plan = row->parser->plan;
    size_t count = plan->count;
    struct csv_quick *quick = row->quick;
    struct csv_scan *scan = &quick->scan;
    const char *start = cursor->at;
    for (size_t i = 0; i < count;) {
        if (plan->columns[i].kind == COLUMN_NUMERIC &&
            (i = quick->numbers(row, i, &start)) == count)
            break;
        if (scan->next == scan->count) {
            if (!csv_scan_more(scan))
                return PARSE_BAD;
            continue;
        }
        if (quick->waiting.count == WAITING_MOST) {
            quick->settle(row);
            continue;
        }
        const char *end = scan->base + scan->ends[scan->next++];
        if ((*end == '\n') != (i + 1 == count))
            return PARSE_BAD;
        enum parse_result result = quick_field(row, cursor, i++, start, end);
        if (result != PARSE_OK)
            return result;
        start = end + 1;
    }
    quick->settle(row);
    cursor->at = start;
    return PARSE_OK;
}

enum parse_result csv_quick_row(struct csv_rows *row, struct csv_cursor *cursor)
{
    struct csv_quick *quick = row->quick;
    struct batch *batch = row->batch;
    if (quick->room == 0 && !reserve_rows(row))
        return PARSE_MEMORY;
    if (cursor->at != quick->expected)
        csv_scan_after(&quick->scan, cursor->at);
    row->count = batch_nonzeros(batch);
    batch->labels[batch->rows] = TLU_NO_LABEL;
    uint64_t line = cursor->line;
    enum parse_result result = quick_fields(row, cursor);
    if (result != PARSE_OK)
        return result;
    if (cursor->line_start != cursor->at) // else it was a strict field that ended the row
        csv_new_line(cursor);
    row_close(batch, row->count, line);
    quick->expected = cursor->at;
    quick->room--;
    return PARSE_OK;
}

void csv_quick_undo(struct csv_rows *row, const struct row_mark *mark)
{
    struct csv_quick *quick = row->quick;
    // The numbers that are taken back may be given to other texts.
    if (row->batch->names.count > mark->names || row->batch->classes.count > mark->classes)
        memset(quick->recent, 0, sizeof quick->recent);
    row_undo(row->batch, mark);
    quick->expected = NULL;
    quick->room = 0;
    quick->waiting.count = 0;
}

void csv_quick_start(struct csv_quick *quick, const struct csv_cursor *cursor, enum csv_way way)
{
    memset(quick, 0, offsetof(struct csv_quick, scan));
    memset(&quick->waiting, 0, sizeof quick->waiting);
    memset(quick->recent, 0, sizeof quick->recent);
    for (size_t k = 0; k < WAITING_MOST; k++)
        quick->waiting.scales[k] = 1; // four are divided even if fewer wait
    quick->floor = quick->expected = cursor->at;
    quick->numbers = take_numbers;
    quick->take = take_number;
    quick->take_one = take_one;
    quick->settle = settled;
#ifdef SCAN_SSE2
    if (csv_best_way(way) >= CSV_AVX2) {
        quick->numbers = wait_numbers;
        quick->take = wait_number;
        quick->take_one = wait_one;
        quick->settle = store_waiting;
    }
#endif
    csv_scan_start(&quick->scan, cursor->at, cursor->limit, cursor->delimiter, way);
}
