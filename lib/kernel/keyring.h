/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Give the calling process a session keyring of its own.
 * Runs in  init
 * Source   keyctl(2) KEYCTL_JOIN_SESSION_KEYRING, KEYCTL_SETPERM
 */
#pragma once
#include <stdint.h>

/* name NULL: an anonymous new one. A name of a keyring that exists joins it. The serial number.
   -ENOSYS without CONFIG_KEYS. */
int kernel_keyring_join(const char *name);
/* Permission bits or'ed in, for a keyring that a later exec joins. */
int kernel_keyring_allow(int serial, uint32_t mask);
