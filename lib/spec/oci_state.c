/* SPDX-License-Identifier: Apache-2.0 */
/* State documents; members in runc's order. */
#include "oci_state.h"

#include "buf.h"
#include "json_write.h"
#include "oci_config.h"
#include "oci_config_check.h"

static void put_optional(struct json_writer *w, const char *key, const char *value)
{
    if (value)
        json_put_str(w, key, value);
}

void oci_state_put(struct json_writer *w, const char *key, const struct oci_state *state)
{
    json_begin(w, key, '{');
    json_put_str(w, "ociVersion", state->oci_version ? state->oci_version : OCI_VERSION_MAX);
    json_put_str(w, "id", state->id);
    json_put_i64(
        w, "pid", state->pid); /* 0 too: engines read it without asking whether it is there */
    json_put_str(w, "status", state->status);
    json_put_str(w, "bundle", state->bundle);
    put_optional(w, "rootfs", state->rootfs);
    put_optional(w, "created", state->created);
    if (state->n_annotations > 0) {
        json_begin(w, "annotations", '{');
        for (size_t i = 0; i < state->n_annotations; i++)
            json_put_str(w, state->annotations[i].key, state->annotations[i].value);
        json_end(w, '}');
    }
    put_optional(w, "owner", state->owner);
    json_end(w, '}');
}

void oci_state_write(const struct oci_state *state, struct buf *out)
{
    struct json_writer w = JSON_WRITER_INIT(out, 0);
    oci_state_put(&w, NULL, state);
}
