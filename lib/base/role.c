/* SPDX-License-Identifier: Apache-2.0 */
/* Which process am I. */
#include "role.h"

#include <stdio.h>
#include <stdlib.h>

static enum role role_now = ROLE_PARENT;

void role_set(enum role role)
{
    role_now = role;
}

const char *role_name(void)
{
    switch (role_now) {
    case ROLE_PARENT:
        return "parent";
    case ROLE_RELAY:
        return "relay";
    case ROLE_INIT:
        return "init";
    case ROLE_WORKER:
        return "worker";
    case ROLE_UNPACK:
        return "unpack";
    }
    return "none";
}

void role_require(unsigned mask)
{
    if ((unsigned)role_now & mask)
        return;
    (void)dprintf(2, "runa: error: code of roles 0x%x ran as %s\n", mask, role_name());
    abort();
}
