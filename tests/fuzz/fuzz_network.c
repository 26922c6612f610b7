// Any bytes as a network in its text or JSON form. What is accepted is written in every language,
// and read back from text and JSON to the same; a run of it takes a few steps. What is refused has
// a sentence.
#include "tlu.h"
#include "tlu_logic.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

struct text {
    char *bytes;
    size_t size;
};

static int take(void *context, const char *bytes, size_t size)
{
    struct text *text = context;
    char *grown = realloc(text->bytes, text->size + size);
    if (!grown)
        abort();
    memcpy(grown + text->size, bytes, size);
    text->bytes = grown;
    text->size += size;
    return 0;
}

static struct text write_as(const tlu_network *network, const char *language)
{
    struct text text = {0};
    if (tlu_network_write(network, language, take, &text, NULL) != TLU_OK || !text.size)
        abort();
    return text;
}

static int same(struct text a, struct text b)
{
    return a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
}

// Twice the same: once written, nothing changes any more.
static void write_again(const tlu_network *network, const char *language)
{
    struct text first = write_as(network, language), second;
    tlu_network *again;
    if (tlu_network_parse(first.bytes, first.size, "again", &again, NULL) != TLU_OK)
        abort();
    second = write_as(again, language);
    if (!same(first, second))
        abort();
    tlu_network_free(again);
    free(first.bytes);
    free(second.bytes);
}

static void play(const tlu_network *network)
{
    unsigned char *in = calloc(tlu_network_input_count(network) + 1, 1);
    unsigned char *out = calloc(tlu_network_output_count(network) + 1, 1);
    tlu_network_run *run;
    if (!in || !out || tlu_network_run_new(network, &run, NULL) != TLU_OK)
        abort();
    for (int step = 0; step < 4; step++) {
        memset(in, step & 1, tlu_network_input_count(network));
        tlu_network_run_step(run, in, out);
    }
    tlu_network_run_free(run);
    free(in);
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const others[] = {"dot", "verilog", "c"};
    tlu_network *network = NULL;
    tlu_error error = {0};
    if (tlu_network_parse((const char *)bytes, size, "net", &network, &error) != TLU_OK) {
        if (network || error.status != TLU_ERROR_INPUT || strncmp(error.text, "net:", 4) != 0)
            abort();
        return 0;
    }
    write_again(network, "text");
    write_again(network, "json");
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        free(write_as(network, others[i]).bytes);
    play(network);
    tlu_network_free(network);
    return 0;
}
