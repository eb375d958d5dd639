/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of id ranges and subuid files. What holds: the range that is chosen overlaps none. */
#include <stdint.h>
#include <stdlib.h>

#include "arena.h"
#include "err.h"
#include "id_range.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = ARENA_INIT;
    struct error err = ERR_INIT;
    struct id_range_list list = { 0 };
    const char *text = size > 0 ? (const char *)data : "";
    if (id_range_registry_parse(&arena, text, size, "b", &list, &err) < 0)
        list = (struct id_range_list){ 0 };
    id_range_subid_parse(&arena, text, size, &list);
    uint64_t first = id_range_choose(&list);
    for (size_t i = 0; first != 0 && i < list.n; i++)
        if (list.items[i].n_ids > 0 && list.items[i].first < first + ID_RANGE_SIZE &&
            first < (uint64_t)list.items[i].first + list.items[i].n_ids)
            abort();
    if (first != 0 && (first < ID_RANGE_FIRST || first + ID_RANGE_SIZE > ID_RANGE_END ||
                          first % ID_RANGE_SIZE != 0))
        abort();
    arena_done(&arena);
    return 0;
}
