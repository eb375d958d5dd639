/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Bring an interface of the current network namespace up: lo is down in a new one.
 * Runs in  init; CAP_NET_ADMIN over the namespace
 * Source   netdevice(7) SIOCSIFFLAGS
 */
#pragma once

int netif_up(const char *name); /* 0 too when it was up */
