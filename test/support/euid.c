/* SPDX-License-Identifier: Apache-2.0 */
/* euid: prints the effective user; as a set-id program it tells whether the bit gave anything (busybox would drop
 * it). */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    return printf("%u\n", (unsigned)geteuid()) < 0;
}
