/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Which process am I. Set right after each fork; every function that changes the kernel's state says which
 *          roles may run it, so that code of one side of the fence cannot run on the other.
 * Runs in  any
 */
#pragma once

enum role {
    ROLE_PARENT = 1 << 0, /* the command itself */
    ROLE_RELAY = 1 << 1,  /* joins namespaces between parent and init */
    ROLE_INIT = 1 << 2,   /* the container's first process, until it execs the payload */
    ROLE_WORKER = 1 << 3, /* a short-lived helper of the parent */
    ROLE_UNPACK = 1 << 4, /* runa-unpack */
};

void role_set(enum role role);
const char *role_name(void);
/* Aborts when the role is not one of the mask: a programmer's error. */
void role_require(unsigned mask);
