/* SPDX-License-Identifier: Apache-2.0 */
/* Tar streams through the guard. What holds: the verdict does not depend on how the bytes arrive. */
#include <stdint.h>
#include <stdlib.h>

#include "err.h"
#include "tar_guard_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int verdict(const uint8_t *data, size_t size, size_t step, uint64_t *ret_n)
{
    struct tar_guard guard = TAR_GUARD_INIT;
    struct error err = ERR_INIT;
    int rc = 0;
    for (size_t at = 0; rc == 0 && at < size; at += step)
        rc = tar_guard_feed(&guard, data + at, size - at < step ? size - at : step, &err);
    if (rc == 0)
        rc = tar_guard_end(&guard, &err);
    if ((rc < 0) != (err.code != 0))
        abort();
    *ret_n = guard.n_entries;
    tar_guard_done(&guard);
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const size_t steps[] = { 1, 511, 513 };
    uint64_t n_whole;
    int whole = verdict(data, size, size + 1, &n_whole);
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        uint64_t n;
        if (verdict(data, size, steps[i], &n) != whole || n != n_whole)
            abort();
    }
    return 0;
}
