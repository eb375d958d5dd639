/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  An entry's name → the directory it lies in, its last component, and what the name means (whiteout, opaque).
 * Runs in  any (pure)
 * Trusts   nothing
 * Owns     the result points into its own storage
 * Fails    -EINVAL ".." or an empty component name, an absolute name, a component with the whiteout prefix that is not
 *          a whiteout of one plain name; -ENAMETOOLONG; -ELOOP too deep
 * Source   image-spec layer.md "Whiteouts"
 */
#pragma once

#include "unpack_order.h"

enum layer_name {
    LAYER_NAME_ROOT,     /* "", ".", "./", "/": the root directory itself; for directories only */
    LAYER_NAME_PLAIN,    /* directory/name */
    LAYER_NAME_WHITEOUT, /* name is what goes from directory */
    LAYER_NAME_OPAQUE,   /* what is below goes from directory */
};

struct layer_path {
    enum layer_name kind;
    const char *directory; /* "" is the root; components joined by one slash */
    const char *name;      /* NULL for ROOT and OPAQUE */
    unsigned depth;        /* components */
    char storage[UNPACK_PATH_MAX + 2];
};

/* may_whiteout: false for archives whose names are only names. */
int layer_path_parse(const char *text, int may_whiteout, struct layer_path *ret, struct error *err);
