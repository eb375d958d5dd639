/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The system calls that runa-unpack may make, as an allow-list: anything else ends the process. Built with
 *          libseccomp.
 * Runs in  runa-unpack, before it reads a byte
 * Fails    negative with err
 * Source   seccomp(2), seccomp_rule_add(3)
 */
#pragma once
#include <stdbool.h>

struct error;

/* Whether the address sanitizer is compiled in: it makes calls and takes address space of its own. GCC and Clang say so
 * apart. */
#define UNPACK_IS_SANITIZED 0
#if defined(__SANITIZE_ADDRESS__)
#undef UNPACK_IS_SANITIZED
#define UNPACK_IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#undef UNPACK_IS_SANITIZED
#define UNPACK_IS_SANITIZED 1
#endif
#endif

/* has_tree: may make files too. */
int unpack_filter_apply(bool has_tree, struct error *err);
