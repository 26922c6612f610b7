#include "networks.h"

#include "arguments.h"
#include "text.h"
#include "tlu_logic.h"

#include <stdlib.h>
#include <string.h>

int write_to_file(void *context, const char *bytes, size_t size)
{
    return fwrite(bytes, 1, size, context) != size;
}

tlu_status network_print(const tlu_network *network, const char *language, const char *path,
                         tlu_error *error)
{
    struct output output;
    TRY(output_open(&output, path, error));
    tlu_status status = tlu_network_write(network, language, write_to_file, output.file, error);
    if (status == TLU_INTERRUPTED) // a write failed: output_close has the reason
        status = TLU_OK;
    return output_close(&output, status, error);
}

// ---- at work

tlu_status player_open(struct network_player *player, const char *path, tlu_error *error)
{
    memset(player, 0, sizeof *player);
    TRY(tlu_network_load(path, &player->network, error));
    TRY(tlu_network_run_new(player->network, &player->run, error));
    player->inputs = tlu_network_input_count(player->network);
    player->outputs = tlu_network_output_count(player->network);
    player->in = need(calloc(player->inputs + 1, 1));
    player->out = need(calloc(player->outputs + 1, 1));
    return TLU_OK;
}

void player_close(struct network_player *player)
{
    tlu_network_run_free(player->run);
    tlu_network_free(player->network);
    free(player->in);
    free(player->out);
}

void player_set(struct network_player *player, uint64_t row)
{
    for (size_t i = player->inputs; i-- > 0; row >>= 1)
        player->in[i] = row & 1;
}

void player_step(struct network_player *player)
{
    tlu_network_run_step(player->run, player->in, player->out);
}

tlu_status player_needs_table(const struct network_player *player, tlu_error *error)
{
    if (tlu_network_delay_count(player->network))
        return fail_input(error,
                          "a network with delays has no truth table; give it rows, one per step");
    if (player->inputs > TABLE_INPUTS_MAX)
        return fail_input(
            error, "a truth table has at most %d inputs, and this network has %zu; give it rows",
            TABLE_INPUTS_MAX, player->inputs);
    return TLU_OK;
}

// ---- rows as text

static tlu_status parse_bits(struct network_player *player, const char *text, tlu_error *error)
{
    size_t count = 0;
    for (const char *at = text; *at; at++) {
        if (*at == ' ' || *at == '\t')
            continue;
        if (*at != '0' && *at != '1')
            return fail_input(error, "expected 0 or 1 for each input, found '%s'",
                              text_clip(at, 20));
        if (count < player->inputs)
            player->in[count] = *at == '1';
        count++;
    }
    if (count != player->inputs)
        return fail_input(error, "a row has %zu inputs here, and this one has %zu", player->inputs,
                          count);
    return TLU_OK;
}

static tlu_status unknown_input(const struct network_player *player, const char *name,
                                tlu_error *error)
{
    const char **names = need(calloc(player->inputs + 1, sizeof *names));
    for (size_t i = 0; i < player->inputs; i++)
        names[i] = tlu_network_input_name(player->network, i);
    const char *near = nearest_name(name, names, player->inputs);
    const char *shown = text_clip(name, 60);
    tlu_status status =
        near ? fail_input(error, "there is no input '%s'; did you mean '%s'?", shown, near)
             : fail_input(error, "there is no input '%s'", shown);
    free(names);
    return status;
}

#define NOT_GIVEN 2

// NAME=0 or NAME=1; the name may have a = as well.
static tlu_status parse_one(struct network_player *player, char *word, tlu_error *error)
{
    char *equal = strrchr(word, '=');
    if (!equal || (strcmp(equal, "=0") != 0 && strcmp(equal, "=1") != 0))
        return fail_input(error, "expected NAME=0 or NAME=1, found '%s'", text_clip(word, 60));
    *equal = '\0';
    for (size_t i = 0; i < player->inputs; i++)
        if (strcmp(tlu_network_input_name(player->network, i), word) == 0) {
            if (player->in[i] != NOT_GIVEN)
                return fail_input(error, "the input '%s' is there twice; remove one",
                                  text_clip(word, 60));
            player->in[i] = equal[1] == '1';
            return TLU_OK;
        }
    return unknown_input(player, word, error);
}

tlu_status player_parse(struct network_player *player, const char *text, tlu_error *error)
{
    if (!strchr(text, '='))
        return parse_bits(player, text, error);
    memset(player->in, NOT_GIVEN, player->inputs);
    char *copy = need(strdup(text)), *rest = copy;
    tlu_status status = TLU_OK;
    for (char *word; status == TLU_OK && (word = strsep(&rest, " \t"));)
        if (*word)
            status = parse_one(player, word, error);
    for (size_t i = 0; i < player->inputs; i++)
        player->in[i] = player->in[i] == 1;
    free(copy);
    return status;
}
