// Exchanges between the processes of a team, and their errors. Evaluations use them, too.
#include "train/team.h"

#include "base/memory.h"
#include "base/settings.h"

#include <stdio.h>
#include <string.h>

tlu_status team_take(tlu_team *own, const tlu_team *given, tlu_error *error)
{
    TRY(settings_take(own, sizeof *own, given, "tlu_team", error));
    if (!own->exchange || own->ranks == 0 || own->rank >= own->ranks)
        return error_input(error, "a team has a function `exchange` and a rank below `ranks`");
    return TLU_OK;
}

struct team *team_new(const tlu_team *out, uint64_t mix_every)
{
    struct team *team = memory_new(1, sizeof *team);
    if (!team)
        return NULL;
    *team = (struct team){.out = out,
                          .rank = out->rank,
                          .ranks = out->ranks,
                          .mix_every = mix_every,
                          .send = memory_new(out->ranks, sizeof *team->send),
                          .outgoing = memory_new(out->ranks, sizeof *team->outgoing),
                          .incoming = memory_new(out->ranks, sizeof *team->incoming)};
    if (team->send && team->outgoing && team->incoming)
        return team;
    team_free(team);
    return NULL;
}

tlu_status team_for_training(struct team **team, const tlu_team *out, uint64_t mix_every,
                             const char *mix_weights, tlu_error *error)
{
    bool by_cells = mix_weights && strcmp(mix_weights, "cells") == 0;
    *team = NULL;
    if (mix_weights && !by_cells && strcmp(mix_weights, "rows") != 0)
        return error_input(error, "the weights of a team are rows or cells, not '%.80s'",
                           mix_weights);
    *team = team_new(out, mix_every);
    TRY(enough_memory(*team != NULL, error));
    (*team)->by_cells = by_cells;
    return TLU_OK;
}

void team_free(struct team *team)
{
    if (!team)
        return;
    for (size_t i = 0; team->send && i < team->ranks; i++)
        packet_free(&team->send[i]);
    memory_free(team->send);
    memory_free(team->outgoing);
    memory_free(team->incoming);
    weights_free(&team->base);
    memory_free(team);
}

tlu_status team_part(const struct team *team, tlu_options *options, tlu_error *error)
{
    char part[64];
    snprintf(part, sizeof part, "%zu/%zu", team->rank + 1, team->ranks);
    return options_is_set(options, OPTION_PART) ? TLU_OK
                                                : tlu_options_set(options, "part", part, error);
}

// Every message begins with a status; after one that is not TLU_OK follows the error.
void team_begin_packets(struct team *team)
{
    static const unsigned char fine = TLU_OK;
    for (size_t i = 0; i < team->ranks; i++) {
        team->send[i].size = 0;
        team->send[i].no_memory = false;
        packet_put(&team->send[i], &fine, 1);
    }
}

// Sends and receives, and returns the error of the first process that has one.
static tlu_status exchange(struct team *team, struct packet_reader *received, tlu_error *error)
{
    tlu_status failed = TLU_OK;
    if (team->out->exchange(team->out->exchange_context, team->outgoing, team->incoming, error) !=
        0) {
        team->over = true;
        return error && error->status ? error->status
                                      : error_system(error, "the processes of the job cannot reach "
                                                            "each other any more");
    }
    for (size_t i = 0; i < team->ranks; i++) {
        const unsigned char *bytes = team->incoming[i].bytes;
        struct packet_reader in = {bytes, bytes + team->incoming[i].size, false};
        unsigned char status;
        packet_get(&in, &status, 1);
        if (status != TLU_OK && failed == TLU_OK) {
            tlu_error theirs;
            packet_get(&in, &theirs, sizeof theirs);
            failed = in.bad ? TLU_ERROR_SYSTEM : (tlu_status)status;
            if (error && !in.bad)
                *error = theirs;
            team->over = true;
        }
        if (received)
            received[i] = in;
    }
    return failed;
}

tlu_status team_exchange(struct team *team, struct packet_reader *received, tlu_error *error)
{
    for (size_t i = 0; i < team->ranks; i++) {
        if (team->send[i].no_memory)
            return error_memory(error);
        team->outgoing[i] = (tlu_message){team->send[i].bytes, team->send[i].size};
    }
    return exchange(team, received, error);
}

tlu_status team_gather(struct team *team, struct packet_reader *received, tlu_error *error)
{
    if (team->send[0].no_memory)
        return error_memory(error);
    for (size_t i = 0; i < team->ranks; i++)
        team->outgoing[i] = (tlu_message){team->send[0].bytes, team->send[0].size};
    return exchange(team, received, error);
}

void team_fail(struct team *team, const tlu_error *error)
{
    struct {
        unsigned char status;
        tlu_error error;
    } __attribute__((packed)) message = {0};
    if (team->over)
        return;
    message.status = (unsigned char)(error && error->status ? error->status : TLU_ERROR_SYSTEM);
    if (error)
        message.error = *error;
    for (size_t i = 0; i < team->ranks; i++)
        team->outgoing[i] = (tlu_message){&message, sizeof message};
    tlu_error ignored;
    exchange(team, NULL, &ignored);
    team->over = true;
}

tlu_status team_join(struct team *team, const tlu_error *own, tlu_error *error)
{
    if (own->status != TLU_OK) {
        tlu_status status = own->status;
        team_fail(team, own);
        if (error && error != own)
            *error = *own;
        return status;
    }
    team_begin_packets(team);
    return team_gather(team, NULL, error);
}
