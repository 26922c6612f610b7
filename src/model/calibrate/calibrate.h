// --calibrate: out-of-fold scores, and what is fitted to them (calibration/calibration.h).
#ifndef TLU_MODEL_CALIBRATE_CALIBRATE_H
#define TLU_MODEL_CALIBRATE_CALIBRATE_H

#include "model/model.h"
#include "train/train.h"

#define CALIBRATE_FOLDS 5

// What a calibration needs of the training that comes before it. All zero: there is none to come.
struct calibrator {
    const char *path;
    tlu_split *split;     // into folds
    unsigned char *bytes; // of data that can be read only once
    struct progress_reporter reporter;
    tlu_options *technical; // threads and memory, as given
};

// Before the training begins: deals out its rows if they are to be read again for --calibrate.
// Close whatever comes of it.
tlu_status calibrator_open(struct calibrator *calibrator, struct training *training,
                           const tlu_options *options, tlu_error *error);
// After it: fits the model's calibration. If a function of the user ends this early, the model
// stays without one.
tlu_status calibrator_run(const struct calibrator *calibrator, tlu_model *model, tlu_error *error);
void calibrator_close(struct calibrator *calibrator);

// The model of a complete training again, calibrated on the rows of a training that is not begun.
tlu_status model_calibrate(struct training *training, const tlu_options *options,
                           const tlu_model *complete, tlu_model **model, tlu_error *error);

// Whether the training is complete but for its calibration.
bool model_lacks_calibration(const tlu_model *model);

#endif
