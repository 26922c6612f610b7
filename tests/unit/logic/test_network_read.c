// Networks from text and JSON: what is written is read back the same, whatever the network; what is
// wrong has its place and a reason; failing memory.
#include "base/fault.h"
#include "base/random.h"
#include "networks.h"
#include "tlu_logic.h"
#include "trials.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static tlu_status parse(const char *text, struct tlu_network **network, tlu_error *error)
{
    *network = NULL;
    return tlu_network_parse(text, strlen(text), "net", network, error);
}

// ---- random networks ----

static uint32_t below(struct random *random, uint32_t n)
{
    return (uint32_t)random_below(random, n);
}

static const char *random_name(struct random *random, char *out, char kind, size_t number)
{
    static const char *const odd[] = {"",   " x", "\"",  "\\",           "\xC3\xA9", "\xFF",
                                      "\n", "=1", "\t#", "\xE2\x80\xAE", "\x01",     "unit"};
    sprintf(out, "%c%zu%s", kind, number, odd[below(random, 3) ? 0 : below(random, 12)]);
    return out;
}

static struct tlu_network *random_network(struct random *random)
{
    char name[32];
    size_t inputs = below(random, 6), delays = below(random, 3), units = 1 + below(random, 6);
    struct tlu_network *network = network_new(inputs, delays);
    assert_non_null(network);
    for (size_t i = 0; i < inputs; i++)
        assert_true(network_name_input(network, i, random_name(random, name, 'i', i)));
    for (size_t i = 0; i < delays; i++)
        assert_true(
            network_name_delay(network, i, random_name(random, name, 'd', i), below(random, 2)));
    for (size_t i = 0; i < units; i++) {
        struct link links[16];
        size_t count = 0;
        int64_t most = below(random, 8) ? 5 : (int64_t)1 << 58;
        for (uint32_t from = 0; from < network_signals(network); from++)
            if (below(random, 3))
                links[count++] =
                    (struct link){from, (int64_t)random_below(random, (uint64_t)most) - most / 2};
        int64_t threshold = (int64_t)random_below(random, (uint64_t)most) - most / 3;
        assert_true(network_add_unit(network, random_name(random, name, 'u', i), links, count,
                                     threshold) != SIGNAL_NONE);
    }
    uint32_t signals = (uint32_t)network_signals(network);
    for (size_t i = 0; i < delays; i++)
        network_connect_delay(network, i, below(random, signals));
    for (size_t i = 0; i < 1 + units / 2; i++)
        assert_true(
            network_add_output(network, random_name(random, name, 'o', i), below(random, signals)));
    return network;
}

static void assert_same(const struct tlu_network *a, const struct tlu_network *b, bool names)
{
    assert_true(a->inputs == b->inputs && a->delays == b->delays && a->units == b->units &&
                a->outputs == b->outputs);
    for (size_t i = 0; i < a->inputs && names; i++)
        assert_string_equal(a->input_names[i], b->input_names[i]);
    for (size_t i = 0; i < a->delays; i++) {
        assert_true(a->delay[i].from == b->delay[i].from && a->delay[i].start == b->delay[i].start);
        if (names)
            assert_string_equal(a->delay[i].name, b->delay[i].name);
    }
    for (size_t i = 0; i < a->units; i++) {
        const struct unit *u = &a->unit[i], *v = &b->unit[i];
        assert_true(u->count == v->count && u->threshold == v->threshold);
        for (size_t j = 0; j < u->count; j++)
            assert_true(u->links[j].from == v->links[j].from &&
                        u->links[j].weight == v->links[j].weight);
        if (names)
            assert_string_equal(u->name, v->name);
    }
    for (size_t i = 0; i < a->outputs; i++) {
        assert_int_equal(a->output[i].from, b->output[i].from);
        if (names)
            assert_string_equal(a->output[i].name, b->output[i].name);
    }
}

static void test_round_trip(void **state)
{
    struct random random;
    tlu_error error;
    (void)state;
    random_seed(&random, 1);
    for (int trial = 0; trial < often(20000); trial++) {
        struct tlu_network *network = random_network(&random), *again;
        for (int json = 0; json < 2; json++) {
            char *text = written_as(network, json ? "json" : "text", &error);
            assert_non_null(text);
            if (parse(text, &again, &error) != TLU_OK)
                fail_msg("%s\n%s", error.text, text);
            // JSON has no bytes that are not UTF-8.
            assert_same(network, again, !json || !strstr(text, "\xEF\xBF\xBD"));
            tlu_network_free(again);
            free(text);
        }
        tlu_network_free(network);
    }
}

// Units in any order, over several lines, with and without weights; comments; CRLF.
static void test_freedom(void **state)
{
    static const char text[] = "# xor\r\n"
                               "output f = odd # at the top\r\n"
                               "unit odd = a\r\n"
                               "  + b\r\n"
                               "\r\n"
                               "  -2both # after it\r\n"
                               "  >= +1\r\n"
                               "unit both = a + 1 b >= 2\r\n"
                               "inputs a\r\n"
                               "inputs b\r\n"
                               "unit never = 0 >= 1";
    static const char json[] =
        "\xEF\xBB\xBF{\"outputs\":[{\"from\":\"odd\",\"name\":\"f\"}],\"units\":["
        "{\"threshold\":1,\"name\":\"odd\",\"weights\":{\"a\":1,\"\\u0062\":1,\"both\":-2}},"
        "{\"name\":\"both\",\"weights\":{\"a\":1,\"b\":1},\"threshold\":2},"
        "{\"name\":\"never\",\"weights\":{},\"threshold\":1}],\n"
        "\"inputs\":[\"a\",\"b\"],\"delays\":[]}\n";
    struct tlu_network *one, *two;
    tlu_error error;
    (void)state;
    assert_int_equal(parse(text, &one, &error), TLU_OK);
    assert_int_equal(parse(json, &two, &error), TLU_OK);
    assert_same(one, two, true);
    assert_string_equal(one->unit[0].name, "both");
    for (unsigned row = 0; row < 4; row++) {
        bool signals[5] = {row >> 1, row & 1};
        network_settle(one, signals);
        assert_int_equal(signals[one->output[0].from], row == 1 || row == 2);
        assert_false(signals[4]);
    }
    tlu_network_free(one);
    tlu_network_free(two);
}

static void test_largest_numbers(void **state)
{
    struct tlu_network *network;
    tlu_error error;
    (void)state;
    assert_int_equal(parse("inputs a b\n"
                           "unit u = 4611686018427387903 a - b >= -4611686018427387904\n"
                           "output f = u",
                           &network, &error),
                     TLU_OK);
    bool signals[3] = {true, true};
    network_settle(network, signals);
    assert_true(signals[2]);
    tlu_network_free(network);
    assert_int_equal(
        parse("inputs a\nunit u = a >= 4611686018427387905\noutput f = u", &network, &error),
        TLU_ERROR_INPUT);
    assert_int_equal(
        parse("inputs a\nunit u = a >= 46116860184273879040\noutput f = u", &network, &error),
        TLU_ERROR_INPUT);
    assert_int_equal(parse("inputs a b\n"
                           "unit u = 4611686018427387903 a - 2 b >= 0\n"
                           "output f = u",
                           &network, &error),
                     TLU_ERROR_INPUT);
    assert_true(error.line == 2 && error.column == 36);
}

static void test_steps(void **state)
{
    static const char text[] = "inputs a\n"
                               "delay q = a start 1\n"
                               "delay r = q start 0\n"
                               "output before = q\noutput earlier = r\n";
    struct tlu_network *network;
    tlu_network_run *run;
    tlu_error error;
    (void)state;
    assert_int_equal(tlu_network_parse(text, strlen(text), "net", &network, &error), TLU_OK);
    assert_true(tlu_network_input_count(network) == 1 && tlu_network_delay_count(network) == 2 &&
                tlu_network_unit_count(network) == 0 && tlu_network_output_count(network) == 2);
    assert_string_equal(tlu_network_input_name(network, 0), "a");
    assert_string_equal(tlu_network_output_name(network, 1), "earlier");
    assert_null(tlu_network_input_name(network, 1));
    assert_null(tlu_network_output_name(network, 2));
    assert_int_equal(tlu_network_run_new(network, &run, &error), TLU_OK);
    for (int twice = 0; twice < 2; twice++) {
        static const unsigned char in[] = {0, 7, 0, 0}, out[][2] = {{1, 0}, {0, 1}, {1, 0}, {0, 1}};
        for (size_t i = 0; i < 4; i++) {
            unsigned char outputs[2];
            tlu_network_run_step(run, &in[i], outputs);
            assert_memory_equal(outputs, out[i], 2);
        }
        tlu_network_run_reset(run);
    }
    tlu_network_run_free(run);
    tlu_network_free(network);
}

// 100,000 units, each looking at the next, and then in a circle: no depth of the stack depends on
// it.
static void test_long_chain(void **state)
{
    enum { UNITS = 100000 };
    struct tlu_network *network;
    tlu_error error;
    (void)state;
    char *text = malloc(UNITS * 40);
    assert_non_null(text);
    size_t used = (size_t)sprintf(text, "inputs u%d\noutput f = u0\n", UNITS), last = used;
    for (int i = 0; i < UNITS; i++) {
        last = used;
        used += (size_t)sprintf(text + used, "unit u%d = 1 u%d >= 1\n", i, i + 1);
    }
    assert_int_equal(parse(text, &network, &error), TLU_OK);
    assert_string_equal(network->unit[0].name, "u99999");
    assert_int_equal(network->output[0].from, UNITS);
    tlu_network_free(network);
    sprintf(text + last, "unit u%d = 1 u%d >= 1\n", UNITS - 1, 0);
    assert_int_equal(parse(text, &network, &error), TLU_ERROR_INPUT);
    assert_non_null(strstr(error.text, "a cycle without a delay: u0 looks at u1 looks at u2"));
    free(text);
}

static void test_failing_memory(void **state)
{
    static const char *const texts[] = {
        "inputs a \"b c\"\ndelay q = u start 1\nunit u = v - q >= 0\nunit v = a + \"b c\" >= 1\n"
        "output f = u\n",
        "{\"inputs\": [\"a\"], \"units\": [{\"name\": \"u\", \"weights\": {\"a\": 2}, "
        "\"threshold\": 1}], \"outputs\": [{\"name\": \"f\", \"from\": \"u\"}]}"};
    tlu_error error;
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        tlu_status status = TLU_ERROR_SYSTEM;
        for (long n = 1; status != TLU_OK; n++) {
            struct tlu_network *network;
            tlu_network_run *run = NULL;
            fault_at(FAULT_MEMORY, n);
            status = parse(texts[i], &network, &error);
            if (status == TLU_OK)
                status = tlu_network_run_new(network, &run, &error);
            fault_at(FAULT_MEMORY, 0);
            assert_true(status == TLU_OK || status == TLU_ERROR_SYSTEM);
            tlu_network_run_free(run);
            tlu_network_free(network);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),      cmocka_unit_test(test_freedom),
        cmocka_unit_test(test_largest_numbers), cmocka_unit_test(test_steps),
        cmocka_unit_test(test_long_chain),      cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
