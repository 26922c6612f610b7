// Any sequence of public calls with any arguments. Objects and places for results are valid, and
// arrays are as long as they are said to be; all else may be wrong.
#include "api_logic.h"
#include "tlu_logic.h"
#include "tlu_proof.h"

#define CALLS_MAX 16

static void call_about_model(struct input *in, struct models *models, tlu_model *model)
{
    switch (below(in, 12)) {
    case 0:
    case 1:
    case 2:
        call_predict(in, model);
        break;
    case 3:
    case 4:
        call_batch(in, model);
        break;
    case 5:
        call_named(in, model);
        break;
    case 6:
        call_knowledge(in, model);
        break;
    case 7:
        call_planes(in, model);
        break;
    case 8:
        call_reader(in, model, models->options);
        break;
    case 9:
        call_evaluate(in, model, models->options);
        break;
    case 10:
        call_split(in, model, models->options);
        break;
    default:
        if (one_in(in, 4))
            call_plot(in, model, models->options);
    }
}

static void call_one(struct input *in, struct models *models, struct machines *machines)
{
    tlu_model *model = *a_slot(in, models);
    switch (below(in, 24)) {
    case 0:
    case 1:
    case 2:
    case 3:
        call_options(in, models);
        break;
    case 4:
    case 5:
        call_train(in, models);
        break;
    case 6:
        call_trace(in, models);
        break;
    case 7:
        call_save(in, models);
        break;
    case 8:
    case 9:
        call_learner(in, models);
        break;
    case 10:
        call_measure(in);
        break;
    case 11:
        call_network(in, machines, model);
        break;
    case 12:
        call_function(in);
        break;
    case 13:
        call_automaton(in, machines);
        break;
    case 18:
        call_turing(in, machines);
        break;
    case 14:
        call_game(in, machines);
        break;
    case 15:
        call_live(in, machines, models->options);
        break;
    case 16:
        call_prove(in, models->options);
        break;
    case 17:
        call_generate(in);
        call_count(in);
        break;
    default:
        if (model)
            call_about_model(in, models, model);
        else
            call_train(in, models);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct input in = {.at = bytes, .end = bytes + size};
    struct models models = {.options = quick_options()};
    struct machines machines = {0};
    for (size_t calls = 0; calls < CALLS_MAX && in.at < in.end; calls++) {
        call_one(&in, &models, &machines);
        free_arrays(&in);
    }
    for (size_t i = 0; i < MODELS; i++)
        tlu_model_free(models.of[i]);
    tlu_options_free(models.options);
    tlu_learner_free(models.learner);
    keep_network(&machines, NULL);
    tlu_automaton_free(machines.automaton);
    tlu_turing_free(machines.turing);
    tlu_game_free(machines.game);
    tlu_stream_close(machines.stream);
    return 0;
}
