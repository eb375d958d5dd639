/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Writes a root_file.
 * Runs in  init, after mount_apply and before mount_protect_apply, as root of the container
 * Trusts   nothing in the root: what has the name is taken away, be it a link or a FIFO; the file is new
 * Fails    the start
 */
#pragma once

struct error;
struct root;
struct root_file;

int root_file_apply(const struct root *root, const struct root_file *file, struct error *err);
