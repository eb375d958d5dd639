/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: which overlay, decided. */
#include "overlay_plan.h"

#include <errno.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "err.h"

int overlay_plan_build(struct arena *arena, char *const *layers, size_t n_layers, const char *upper,
    const uint32_t *first_id, bool is_volatile, struct overlay_plan *ret, struct error *err)
{
    if (n_layers > OVERLAY_LAYERS_MAX)
        return err_set(
            err, E2BIG, "%zu layers: overlayfs stacks at most %d", n_layers, OVERLAY_LAYERS_MAX);
    if (n_layers == 0 && upper == NULL)
        return err_set(err, EINVAL, "an overlay of nothing");
    struct overlay_plan plan = {
        .layers = arena_new_array(arena, n_layers + 1, const char *),
        .n_layers = n_layers,
        .upper = upper != NULL ? arena_strdup(arena, upper) : NULL,
        .is_idmapped = first_id != NULL,
        .first_id = first_id != NULL ? *first_id : 0,
        .is_volatile = is_volatile && upper != NULL,
        .is_single = n_layers + (upper != NULL) == 1,
    };
    for (size_t i = 0; i < n_layers; i++)
        plan.layers[i] = arena_strdup(arena, layers[i]);
    *ret = plan;
    return 0;
}

static void path_print(const char *what, const char *path, struct buf *out)
{
    buf_printf(out, "%s ", what);
    buf_put_quoted(out, path, strlen(path));
    buf_putc(out, '\n');
}

void overlay_plan_print(const struct overlay_plan *plan, struct buf *out)
{
    buf_printf(out, "rootfs %s%s\n", plan->is_single ? "single" : "overlay",
        plan->upper == NULL ? " read-only" : "");
    for (size_t i = 0; i < plan->n_layers; i++)
        path_print("layer", plan->layers[i], out);
    if (plan->upper != NULL)
        path_print("upper", plan->upper, out);
    if (plan->is_idmapped)
        buf_printf(out, "idmap 0 %u 65536\n", plan->first_id);
    if (plan->is_volatile)
        buf_puts(out, "volatile\n");
}
