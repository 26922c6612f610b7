// exp and log with the same bits everywhere: libm's last bit differs between machines. The error is
// at most 2.5 units in the last place.
#ifndef TLU_NUMERIC_EXP_LOG_H
#define TLU_NUMERIC_EXP_LOG_H

double same_exp(double x);   // 0 or infinity if it underflows or overflows
double same_log(double x);   // -infinity for 0, NaN below
double same_log1p(double x); // log(1 + x) for x >= 0

double sigmoid(double x); // 1 / (1 + exp(-x)), accurate for tiny values too

#endif
