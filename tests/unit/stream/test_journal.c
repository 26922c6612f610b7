// The journal: what was acknowledged comes back, whatever was cut or damaged after it.
#include "base/fault.h"
#include "stream/journal/journal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char path[64] = "test.journal";

static char replayed[4096];

// "[7 rows]", with a plan "[7 plan: rows]".
static tlu_status collect(void *context, const struct journal_record *record, tlu_error *error)
{
    (void)context;
    (void)error;
    size_t used = strlen(replayed);
    snprintf(replayed + used, sizeof replayed - used, "[%llu %.*s%s%.*s]",
             (unsigned long long)record->number, (int)record->plan_size,
             record->plan ? record->plan : "", record->plan ? ": " : "", (int)record->size,
             record->bytes);
    return TLU_OK;
}

static tlu_status open_and_replay(struct journal **journal, const char *name,
                                  journal_function *replay, void *context, tlu_error *error)
{
    tlu_status status = journal_open(journal, name, error);
    if (status != TLU_OK)
        return status;
    status = journal_replay(*journal, replay, context, error);
    if (status != TLU_OK) {
        journal_close(*journal);
        *journal = NULL;
    }
    return status;
}

static struct journal *open_it(void)
{
    struct journal *journal;
    tlu_error error;
    replayed[0] = '\0';
    assert_int_equal(open_and_replay(&journal, path, collect, NULL, &error), TLU_OK);
    return journal;
}

static void expect(const char *records)
{
    struct journal *journal = open_it();
    assert_string_equal(replayed, records);
    journal_close(journal);
}

static tlu_status append(struct journal *journal, uint64_t number, const char *plan,
                         const char *text, tlu_error *error)
{
    struct journal_record record = {.number = number,
                                    .plan = plan,
                                    .plan_size = plan ? strlen(plan) : 0,
                                    .bytes = text,
                                    .size = strlen(text)};
    return journal_append(journal, &record, error);
}

static void add(struct journal *journal, uint64_t number, const char *text)
{
    tlu_error error;
    assert_int_equal(append(journal, number, NULL, text, &error), TLU_OK);
}

static void add_planned(struct journal *journal, uint64_t number, const char *plan,
                        const char *text)
{
    tlu_error error;
    assert_int_equal(append(journal, number, plan, text, &error), TLU_OK);
}

static void write_three(void)
{
    unlink(path);
    struct journal *journal = open_it();
    assert_string_equal(replayed, "");
    add(journal, 0, "one");
    add(journal, 1, "");
    add(journal, 7, "three");
    journal_close(journal);
}

static long size_of_file(void)
{
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    return (long)about.st_size;
}

static void comes_back(void **state)
{
    (void)state;
    write_three();
    assert_int_equal(size_of_file(), 8 + 3 * 24 + 8);
    expect("[0 one][1 ][7 three]");
    struct journal *journal = open_it();
    add(journal, 8, "four");
    add_planned(journal, 9, "how", "five");
    add_planned(journal, 10, "", "");
    journal_close(journal);
    expect("[0 one][1 ][7 three][8 four][9 how: five][10 : ]");
}

static void is_emptied(void **state)
{
    (void)state;
    tlu_error error;
    write_three();
    struct journal *journal = open_it();
    assert_int_equal(journal_clear(journal, &error), TLU_OK);
    add(journal, 9, "new");
    journal_close(journal);
    expect("[9 new]");
}

// Cut at every byte: the records that are whole come back, and it can be written to again.
static void cut_anywhere(void **state)
{
    (void)state;
    static const char *const left[] = {"", "[0 one]", "[0 one][1 ]", "[0 one][1 ][7 three]"};
    static const long ends[] = {8, 8 + 27, 8 + 27 + 24, 8 + 27 + 24 + 29};
    for (long size = 0; size <= ends[3]; size++) {
        write_three();
        assert_int_equal(truncate(path, size), 0);
        size_t whole = 0;
        while (whole < 3 && ends[whole + 1] <= size)
            whole++;
        struct journal *journal = open_it();
        assert_string_equal(replayed, left[whole]);
        add(journal, 20, "more");
        journal_close(journal);
        char expected[64];
        snprintf(expected, sizeof expected, "%s[20 more]", left[whole]);
        expect(expected);
    }
}

// ---- Files that are made here, byte by byte ----

enum { ROOM = 1 << 16, HEAD = 24 };

static unsigned char made[ROOM];
static size_t made_size, ends[16], made_count; // ends[k]: where record k begins, k - 1 ends

// CRC-32 bit by bit.
static uint32_t slow_crc(const unsigned char *bytes, size_t size)
{
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < size; i++)
        for (unsigned bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (((crc ^ (unsigned)bytes[i] >> bit) & 1) ? 0xEDB88320u : 0);
    return ~crc;
}

static void number_to(unsigned char *out, uint64_t number, size_t size)
{
    for (size_t i = 0; i < size; i++, number /= 256)
        out[i] = (unsigned char)(number % 256);
}

static uint64_t number_of(const char *bytes)
{
    uint64_t number = 0;
    for (size_t i = 8; i > 0; i--)
        number = number * 256 + (unsigned char)bytes[i - 1];
    return number;
}

static void make_start(void)
{
    memcpy(made, "TLUJRNL4", 8);
    made_size = ends[0] = 8;
    made_count = 0;
}

static void make_kind(const char *kind, uint64_t number, const void *bytes, size_t size)
{
    unsigned char *head = made + made_size, checked[8 + 20];
    assert_true(made_size + HEAD + size <= ROOM);
    head[0] = 0xFF;
    memcpy(head + 1, kind, 3);
    number_to(head + 4, size, 4);
    number_to(head + 8, number, 8);
    number_to(head + 16, slow_crc(bytes, size), 4);
    number_to(checked, made_size, 8);
    memcpy(checked + 8, head, 20);
    number_to(head + 20, slow_crc(checked, 28), 4);
    memcpy(head + HEAD, bytes, size);
    made_size += HEAD + size;
    ends[++made_count] = made_size;
}

static void make_record(uint64_t number, const void *bytes, size_t size)
{
    make_kind("REC", number, bytes, size);
}

// Bodies that look like records: a copy of one, zeros, marks, and sizes of all kinds.
static void make_some(void)
{
    unsigned char bytes[200];
    make_start();
    make_record(0, "spam 1:1\nham 2:1\n", 17);
    make_record(UINT64_MAX, "", 0);
    make_record(2, made + 8, HEAD + 17); // the first record
    memset(bytes, 0, sizeof bytes);
    make_record(3, bytes, 70);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)"\xFFREC"[i % 4];
    make_record((uint64_t)1 << 40, bytes, 50);
    make_record(9, made + ends[2], 90); // the end of one record, the head of the next
    make_kind("PLN", 11, "\4\0\0\0planrows", 12);
    make_kind("PLN", 12, "\0\0\0\0", 4);
    make_record(13, made + ends[6], HEAD + 12); // a record with a plan
    make_kind("MDL", 14,
              "\1\2\0\0\0\0\0\xFF"
              "hashhash\3\0\0\0howrows",
              26);
    make_kind("SAV", 17,
              "\1\0\0\0\0\0\0\x80"
              "HASHHASH",
              16);
}

static void write_file(const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

// Record k must be that of made[].
static tlu_status compare(void *context, const struct journal_record *record, tlu_error *error)
{
    (void)error;
    size_t k = (*(size_t *)context)++;
    unsigned char expected[8];
    number_to(expected, record->number, 8);
    assert_true(k < made_count);
    const unsigned char *at = made + ends[k] + HEAD, kind = made[ends[k] + 1];
    assert_memory_equal(expected, made + ends[k] + 8, 8);
    assert_int_equal(record->plan != NULL, kind == 'P' || kind == 'M');
    assert_int_equal(record->model != NULL, kind == 'S' || kind == 'M');
    if (record->model) {
        unsigned char model[16];
        number_to(model, record->model->size, 8);
        number_to(model + 8, record->model->hash, 8);
        assert_memory_equal(model, at, 16);
        at += 16;
    }
    if (record->plan) {
        number_to(expected, record->plan_size, 4);
        assert_memory_equal(expected, at, 4);
        assert_memory_equal(record->plan, at + 4, record->plan_size);
        at += 4 + record->plan_size;
    }
    assert_int_equal(record->size, made + ends[k + 1] - at);
    assert_memory_equal(record->bytes, at, record->size);
    return TLU_OK;
}

// The file has `size` bytes on the disk: it is the first `whole` records, or an error that leaves
// it as it is.
static void expect_file(const unsigned char *bytes, size_t size, bool fine, size_t whole)
{
    static unsigned char after[ROOM];
    struct journal *journal;
    tlu_error error;
    size_t count = 0;
    write_file(bytes, size);
    tlu_status status = open_and_replay(&journal, path, compare, &count, &error);
    assert_int_equal(status, fine ? TLU_OK : TLU_ERROR_INPUT);
    if (fine)
        assert_int_equal(count, whole);
    else
        assert_non_null(strstr(error.text, path));
    journal_close(journal);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t left = fread(after, 1, ROOM, file);
    fclose(file);
    assert_int_equal(left, fine ? ends[whole] : size);
    assert_memory_equal(after, fine ? made : bytes, left);
}

// What is written is what the header says, bit for bit.
static void format_as_documented(void **state)
{
    (void)state;
    make_some();
    unlink(path);
    struct journal *journal = open_it();
    for (size_t k = 0; k < made_count; k++) {
        const unsigned char *record = made + ends[k];
        uint64_t number = number_of((const char *)record + 8);
        const char *bytes = (const char *)record + HEAD;
        struct journal_model model = {0};
        struct journal_record parts = {.number = number};
        if (record[1] == 'S' || record[1] == 'M') {
            model = (struct journal_model){number_of(bytes), number_of(bytes + 8)};
            parts.model = &model;
            bytes += 16;
        }
        if (record[1] == 'P' || record[1] == 'M') {
            parts.plan = bytes + 4;
            parts.plan_size = (unsigned char)bytes[0];
            bytes = parts.plan + parts.plan_size;
        }
        parts.bytes = bytes;
        parts.size = (size_t)((const char *)made + ends[k + 1] - parts.bytes);
        assert_int_equal(journal_append(journal, &parts, NULL), TLU_OK);
    }
    journal_close(journal);
    unsigned char written[ROOM];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(written, 1, ROOM, file), made_size);
    fclose(file);
    assert_memory_equal(written, made, made_size);
}

static size_t whole_records(size_t size)
{
    size_t whole = 0;
    while (whole < made_count && ends[whole + 1] <= size)
        whole++;
    return whole;
}

// Any byte flipped in any way: in the last record that is a write which was not finished, in any
// other an error. A file that ends anywhere has the records before that.
static void any_byte_any_end(void **state)
{
    (void)state;
    static const unsigned char flips[] = {1, 2, 4, 8, 16, 32, 64, 128, 255, 3};
    make_some();
    for (size_t size = 8; size <= made_size; size++)
        expect_file(made, size, true, whole_records(size));
    static unsigned char bytes[ROOM];
    for (size_t place = 0; place < made_size; place++)
        for (size_t f = 0; f < sizeof flips; f++) {
            memcpy(bytes, made, made_size);
            bytes[place] ^= flips[f];
            expect_file(bytes, made_size, place >= ends[made_count - 1], made_count - 1);
        }
}

// Damage in a record and the crash after that: as long as there is anything to tell that another
// record was begun, it is an error.
static void damage_before_a_crash(void **state)
{
    (void)state;
    static unsigned char bytes[ROOM];
    make_some();
    size_t last = ends[made_count - 1], other = ends[made_count - 2];
    for (size_t place = other; place < last; place++)
        for (size_t size = last; size < made_size; size++) {
            if (size > last + 2 && size != last + HEAD - 1 && size != last + HEAD &&
                size + 1 < made_size)
                continue;
            memcpy(bytes, made, made_size);
            bytes[place] ^= 0x10;
            bool begun = place < other + HEAD ? size >= last + HEAD : size > last;
            expect_file(bytes, size, !begun, made_count - 2);
        }
}

// What a power cut can leave of the last record: any of its pages, here of 16 bytes, is there or
// zeros, and the file ends anywhere on a page or where it should.
static void pages_missing(void **state)
{
    (void)state;
    enum { PAGE = 16, PAGES = 7 };
    static unsigned char bytes[ROOM];
    for (size_t shift = 0; shift < PAGE; shift += 5) {
        make_start();
        make_record(5, "0123456789ABCDEF", shift);
        make_record(6, "before", 6);
        size_t start = made_size;
        char text[PAGE * PAGES - 2 * HEAD];
        memset(text, 'x', sizeof text);
        make_record(7, text, sizeof text);
        for (size_t end = start / PAGE * PAGE; end < made_size + PAGE; end += PAGE) {
            size_t size = end < start ? start : end < made_size ? end : made_size;
            size_t pages = (size + PAGE - 1) / PAGE - start / PAGE;
            for (size_t there = 0; there < (size_t)1 << pages; there++) {
                memcpy(bytes, made, size);
                for (size_t i = start; i < size; i++)
                    if (!(there >> (i / PAGE - start / PAGE) & 1))
                        bytes[i] = 0;
                bool whole = size == made_size && memcmp(bytes, made, size) == 0;
                expect_file(bytes, size, true, whole ? 3 : 2);
            }
        }
    }
}

// The head after a damaged one is found wherever it is; zeros and marks are not heads.
static void search_sees_all(void **state)
{
    (void)state;
    static char text[ROOM];
    static unsigned char bytes[ROOM];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = "\xFFREC\0"[i % 5];
    for (size_t size = 16384 - 60; size < 16384 + 60; size++) {
        make_start();
        make_record(1, text, size);
        memcpy(bytes, made, made_size);
        bytes[9] ^= 1;
        expect_file(bytes, made_size, true, 0); // there is no other
        make_record(2, "", 0);
        memcpy(bytes, made, made_size);
        bytes[9] ^= 1;
        expect_file(bytes, made_size, false, 0);
        memset(bytes + 8, 0, ends[1] - 8);
        expect_file(bytes, made_size, false, 0);
        memset(bytes + ends[1], 0, 1);
        expect_file(bytes, made_size, true, 0);
    }
}

// No record is longer than 1 GB: if there is more, that is not an unfinished record.
static void tails_of_zeros(void **state)
{
    (void)state;
    make_some();
    for (int longer = 0; longer < 2; longer++) {
        off_t size = (off_t)made_size + HEAD + (1 << 30) + longer;
        write_file(made, made_size);
        if (truncate(path, size) != 0)
            skip();
        struct journal *journal;
        tlu_error error;
        size_t count = 0;
        tlu_status status = open_and_replay(&journal, path, compare, &count, &error);
        assert_int_equal(status, longer ? TLU_ERROR_INPUT : TLU_OK);
        assert_int_equal(count, made_count);
        journal_close(journal);
        assert_int_equal(size_of_file(), longer ? size : (off_t)made_size);
    }
    assert_int_equal(truncate(path, 0), 0);
}

static void beginnings(void **state)
{
    (void)state;
    tlu_error error;
    struct journal *journal;
    static const struct {
        const char *bytes;
        size_t size;
        const char *problem; // NULL: none
    } cases[] = {
        {"", 0, NULL},
        {"TLUJ", 4, NULL},
        {"\0\0\0\0\0\0\0\0", 8, NULL},
        {"TLU\0\0\0\0\0", 8, NULL},
        {"TLUJRNL1", 8, NULL}, // without records
        {"TLUJRNL2", 8, NULL},
        {"TLUJRNL3", 8, NULL},
        {"TLUJRNL1\0", 9, "earlier version"},
        {"\0\0\0\0\0\0\0\0\0", 9, "not a journal"},
        {"TLUJRNL\0\0", 9, "not a journal"},
        {"TLUJRNL5", 8, "not a journal"},
        {"TLUx", 4, "not a journal"},
        {"TLU\0x", 5, "not a journal"},
        {"x", 1, "not a journal"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_file((const unsigned char *)cases[i].bytes, cases[i].size);
        if (!cases[i].problem) {
            journal = open_it();
            add(journal, 1, "first");
            journal_close(journal);
            expect("[1 first]");
            continue;
        }
        assert_int_equal(open_and_replay(&journal, path, collect, NULL, &error), TLU_ERROR_INPUT);
        assert_non_null(strstr(error.text, cases[i].problem));
        assert_int_equal(size_of_file(), cases[i].size);
    }
}

// A plan that is longer than its record is damage, whatever the checksum says.
static void plan_past_the_end(void **state)
{
    (void)state;
    for (size_t size = 0; size < 12; size++)
        for (unsigned char says = 0; says < 16; says++) {
            char bytes[12] = {(char)says};
            make_start();
            make_kind("PLN", 0, bytes, size);
            bool fine = size >= 4 && says <= size - 4;
            expect_file(made, made_size, fine, 1);
        }
}

// A save has a model and nothing else; an earlier version had neither.
static void model_of_another_size(void **state)
{
    (void)state;
    char bytes[24] = {0};
    for (size_t size = 0; size < 24; size++)
        for (char version = '2'; version <= '4'; version++) {
            make_start();
            made[7] = (unsigned char)version;
            make_kind("SAV", 0, bytes, size);
            expect_file(made, made_size, version == '4' && size == 16, 1);
            made_size = 8;
            make_kind("MDL", 0, bytes, size);
            ends[1] = made_size;
            made_count = 1;
            expect_file(made, made_size, version == '4' && size >= 20, 1);
        }
}

// ---- Earlier versions ----

static void made_before(char version)
{
    make_start();
    made[7] = (unsigned char)version;
    if (version == '2')
        make_record(UINT64_MAX, "opening", 7);
    else
        make_kind("PLN", 0, "\7\0\0\0opening", 11);
    make_record(0, "rows", 4);
}

static char magic_now(void)
{
    char magic[8];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(magic, 1, 8, file), 8);
    fclose(file);
    assert_memory_equal(magic, "TLUJRNL", 7);
    return magic[7];
}

#define BEFORE "[18446744073709551615 opening][0 rows]"
#define BEFORE_MODELS "[0 opening: ][0 rows]"

static void expect_after(const char *records, const char *more)
{
    char all[200];
    snprintf(all, sizeof all, "%s%s", records, more);
    expect(all);
}

// Its records come back. It stays what it is until something is added, which its own version could
// not read; and when that fails, the records are there all the same.
static void expect_version(char version, const char *records)
{
    static const enum fault_kind kinds[] = {FAULT_WRITE, FAULT_FSYNC};
    made_before(version);
    write_file(made, made_size);
    expect(records);
    assert_int_equal(magic_now(), version);
    struct journal *journal = open_it();
    add_planned(journal, 4, "how", "more");
    add(journal, 5, "even more");
    journal_close(journal);
    assert_int_equal(magic_now(), '4');
    expect_after(records, "[4 how: more][5 even more]");
    for (size_t k = 0; k < 2; k++)
        for (long n = 1; n <= 2; n++) {
            write_file(made, made_size);
            journal = open_it();
            fault_at(kinds[k], n);
            assert_int_equal(append(journal, 4, "how", "lost", NULL), TLU_ERROR_SYSTEM);
            fault_at(kinds[k], 0);
            if (n == 2) // and this is not the last that happens to it
                add_planned(journal, 4, "how", "kept");
            journal_close(journal);
            expect_after(records, n == 2 ? "[4 how: kept]" : "");
        }
    write_file(made, made_size); // emptied, then written to
    journal = open_it();
    assert_int_equal(journal_clear(journal, NULL), TLU_OK);
    add_planned(journal, 4, "how", "new");
    journal_close(journal);
    assert_int_equal(magic_now(), '4');
    expect("[4 how: new]");
}

static void versions_before(void **state)
{
    (void)state;
    expect_version('2', BEFORE);
    expect_version('3', BEFORE_MODELS);
}

// ---- What fails, and what is taken back ----

// One record, once; nothing that was there before.
static void undone(void **state)
{
    (void)state;
    write_three();
    struct journal *journal = open_it();
    assert_int_equal(journal_undo(journal, NULL), TLU_OK);
    add(journal, 8, "four");
    add(journal, 9, "a long record that goes");
    assert_int_equal(journal_undo(journal, NULL), TLU_OK);
    assert_int_equal(journal_undo(journal, NULL), TLU_OK);
    add(journal, 9, "five");
    journal_close(journal);
    expect("[0 one][1 ][7 three][8 four][9 five]");
    journal = open_it();
    assert_int_equal(journal_clear(journal, NULL), TLU_OK);
    assert_int_equal(journal_undo(journal, NULL), TLU_OK);
    journal_close(journal);
    expect("");
}

// A file that cannot be cut is not written to until it can be.
static void cut_that_fails(void **state)
{
    (void)state;
    for (int what = 0; what < 3; what++) {
        write_three();
        struct journal *journal = open_it();
        add(journal, 8, "four");
        fault_at(FAULT_FSYNC, 1);
        if (what == 0) {
            fault_at(FAULT_WRITE, 1);
            assert_int_equal(append(journal, 9, NULL, "lost", NULL), TLU_ERROR_SYSTEM);
            fault_at(FAULT_WRITE, 0);
        } else {
            assert_int_equal(what == 1 ? journal_undo(journal, NULL) : journal_clear(journal, NULL),
                             TLU_ERROR_SYSTEM);
        }
        FILE *file = fopen(path, "ab"); // as if it had not been cut
        assert_non_null(file);
        fputs("a part of what was to go", file);
        fclose(file);
        long size = size_of_file();
        tlu_error error;
        fault_at(FAULT_FSYNC, 1);
        assert_int_equal(append(journal, 9, "how", "no", &error), TLU_ERROR_SYSTEM);
        assert_non_null(strstr(error.text, "cut"));
        assert_true(size_of_file() <= size);
        fault_at(FAULT_FSYNC, 0);
        add(journal, 9, "kept");
        journal_close(journal);
        expect(what == 0   ? "[0 one][1 ][7 three][8 four][9 kept]"
               : what == 1 ? "[0 one][1 ][7 three][9 kept]"
                           : "[9 kept]");
    }
}

static void taken_by_one(void **state)
{
    (void)state;
    write_three();
    struct journal *journal = open_it(), *second;
    tlu_error error;
    assert_int_equal(open_and_replay(&second, path, collect, NULL, &error), TLU_ERROR_INPUT);
    assert_non_null(strstr(error.text, "in use"));
    journal_close(journal);
}

// A disk that is full, or fails: nothing of the record is left.
static void disk_fails(void **state)
{
    (void)state;
    static const enum fault_kind kinds[] = {FAULT_WRITE, FAULT_FSYNC};
    for (size_t i = 0; i < 2; i++) {
        tlu_error error;
        write_three();
        struct journal *journal = open_it();
        fault_at(kinds[i], 1);
        assert_int_equal(append(journal, 8, "how", "lost", &error), TLU_ERROR_SYSTEM);
        fault_at(kinds[i], 0);
        add(journal, 8, "kept");
        journal_close(journal);
        expect("[0 one][1 ][7 three][8 kept]");
    }
    tlu_error error;
    struct journal *journal;
    assert_int_equal(open_and_replay(&journal, "no/such/folder", collect, NULL, &error),
                     TLU_ERROR_SYSTEM);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("something else", file);
    fclose(file);
    assert_int_equal(open_and_replay(&journal, path, collect, NULL, &error), TLU_ERROR_INPUT);
}

// In memory if there is a folder for that: thousands of files are synced.
static int choose_path(void **state)
{
    (void)state;
    if (access("/dev/shm", W_OK) == 0)
        snprintf(path, sizeof path, "/dev/shm/tlu-test-%ld.journal", (long)getpid());
    return 0;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back),
        cmocka_unit_test(is_emptied),
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(format_as_documented),
        cmocka_unit_test(any_byte_any_end),
        cmocka_unit_test(damage_before_a_crash),
        cmocka_unit_test(pages_missing),
        cmocka_unit_test(search_sees_all),
        cmocka_unit_test(tails_of_zeros),
        cmocka_unit_test(beginnings),
        cmocka_unit_test(undone),
        cmocka_unit_test(cut_that_fails),
        cmocka_unit_test(taken_by_one),
        cmocka_unit_test(disk_fails),
        cmocka_unit_test(plan_past_the_end),
        cmocka_unit_test(model_of_another_size),
        cmocka_unit_test(versions_before),
    };
    return cmocka_run_group_tests(tests, choose_path, remove_file);
}
