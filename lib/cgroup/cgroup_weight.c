/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cpu.shares → cpu.weight: with l = log2(shares), weight = ⌈10^((l² + 125 l)/612 − 7/34)⌉, the
 * curve through the ends and the defaults of both scales, which the other runtimes agreed on. libm
 * is not linked for this one place; the unit test compares every share with libm.
 */
#include "cgroup_weight.h"

#define SHARES_MIN 2
#define SHARES_MAX 262144
#define WEIGHT_MAX 10000
#define LN_10      2.302585092994045684017991454684
/* Weights that are whole numbers must not be rounded up for an error in the last place. */
#define ROUNDING 1e-9

/* x of at least 1 */
static double log2_of(double x)
{
    double whole = 0.0;
    double step = 1.0;
    double part = 0.0;

    for (; x >= 2.0; x /= 2.0)
        whole += 1.0;
    for (int bit = 0; bit < 52; bit++) {
        step /= 2.0;
        x *= x;
        if (x >= 2.0) {
            x /= 2.0;
            part += step;
        }
    }
    return whole + part;
}

/* x from 0 to a few units: eight squarings of a short series */
static double exp_of(double x)
{
    double y = x / 256.0;
    double term = 1.0;
    double sum = 1.0;

    for (int n = 1; n < 14; n++) {
        term *= y / n;
        sum += term;
    }
    for (int i = 0; i < 8; i++)
        sum *= sum;
    return sum;
}

uint64_t cgroup_weight_of_shares(uint64_t shares)
{
    if (shares <= SHARES_MIN)
        return 1;
    if (shares >= SHARES_MAX)
        return WEIGHT_MAX;
    double l = log2_of((double)shares);
    double weight = exp_of(LN_10 * ((l * l + 125.0 * l) / 612.0 - 7.0 / 34.0));
    uint64_t whole = (uint64_t)weight;
    return weight - (double)whole > ROUNDING ? whole + 1 : whole;
}

uint32_t cgroup_weight_of_io(uint32_t weight)
{
    return 1 +
           (weight - CGROUP_IO_WEIGHT_MIN) * 9999 / (CGROUP_IO_WEIGHT_MAX - CGROUP_IO_WEIGHT_MIN);
}
