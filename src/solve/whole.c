#include "solve/whole.h"

bool whole_take_seats(struct tlu_learner *learner, struct batch *const *batches, size_t batch_count)
{
    struct seats *met = learner->space.weights.seats ? seats_new() : NULL;
    bool fine = met || !learner->space.weights.seats;
    for (size_t b = 0; met && b < batch_count; b++)
        for (size_t i = 0; fine && i < batches[b]->rows; i++) {
            tlu_row x = batch_row(batches[b], i);
            for (size_t k = 0; fine && k < x.count; k++)
                fine = seats_add(met, row_feature(&x, k)) != 0;
        }
    uint32_t seat;
    for (size_t f = met ? seats_next(met, 0, &seat) : SIZE_MAX; fine && f != SIZE_MAX;
         f = seats_next(met, f + 1, &seat))
        fine = weights_add_row(&learner->space.weights, f) != SIZE_MAX;
    seats_release(met);
    return fine;
}
