// exp and log with the same bits everywhere: those of libm differ in the last bit from one machine
// to another. Within 2.5 units in the last place of the true value.
#ifndef TLU_NUMERIC_EXP_LOG_H
#define TLU_NUMERIC_EXP_LOG_H

double same_exp(double x);   // 0 and infinity past what a double can hold
double same_log(double x);   // -infinity of 0; not a number below it
double same_log1p(double x); // log(1 + x) for x >= 0

double sigmoid(double x); // 1 / (1 + exp(-x)), also where that is tiny

#endif
