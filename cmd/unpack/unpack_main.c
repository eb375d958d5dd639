/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: runa-unpack, the program that reads strangers' archives without a right to anything; runa starts it. */
#include "unpack_run.h"

#include <unistd.h>

int main(int argc, char **argv)
{
    _exit(unpack_run(argc, argv)); /* no exit handlers: the filter knows only what the job needs */
}
