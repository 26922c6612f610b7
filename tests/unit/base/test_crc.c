// The checksum, against a division bit by bit.
#include "base/crc.h"
#include "base/random.h"
#include "trials.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define MOST 1000

static uint32_t divided(uint32_t crc, const unsigned char *bytes, size_t size)
{
    crc = ~crc;
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    }
    return ~crc;
}

static void as_published(void **state)
{
    (void)state;
    assert_int_equal(crc32_add(0, "123456789", 9), 0xCBF43926u); // the check value of CRC-32
    assert_int_equal(crc32_add(0, "", 0), 0);
}

static void bit_by_bit(void **state)
{
    (void)state;
    unsigned char bytes[MOST + 64];
    struct random random;
    random_seed(&random, 5);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)random_bits(&random);
    for (int i = 0; i < often(3000); i++) {
        const unsigned char *start = bytes + random_below(&random, 64);
        size_t size = (size_t)random_below(&random, i % 2 ? 200 : MOST + 1);
        size_t first = (size_t)random_below(&random, size + 1);
        uint32_t before = (uint32_t)random_bits(&random);
        uint32_t whole = crc32_add(before, start, size);
        assert_int_equal(whole, divided(before, start, size));
        assert_int_equal(whole,
                         crc32_add(crc32_add(before, start, first), start + first, size - first));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_published),
        cmocka_unit_test(bit_by_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
