/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  One job of runa-unpack from its arguments to the report on the channel.
 * Runs in  runa-unpack
 * Fails    never returns an error: it is in the report. The return value is the exit status.
 */
#pragma once

int unpack_run(int argc, char *const *argv);
