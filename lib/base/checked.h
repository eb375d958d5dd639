/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Arithmetic on sizes that strangers choose: true when the result does not fit.
 * Runs in  any (pure)
 */
#pragma once

#define checked_add(a, b, ret) __builtin_add_overflow((a), (b), (ret))
#define checked_sub(a, b, ret) __builtin_sub_overflow((a), (b), (ret))
#define checked_mul(a, b, ret) __builtin_mul_overflow((a), (b), (ret))
