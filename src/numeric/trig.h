// Trigonometric and hyperbolic functions and powers with the same bits everywhere.
#ifndef TLU_NUMERIC_TRIG_H
#define TLU_NUMERIC_TRIG_H

#define TRIG_MAX 1e6 // largest argument of sin, cos and tan, in radians

double same_sin(double x); // NaN beyond TRIG_MAX
double same_cos(double x);
double same_tan(double x);
double same_tanh(double x);
double same_pow(double x, double y); // NaN if x < 0 and y is not an integer

#endif
