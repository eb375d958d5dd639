/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  "user[:group]" of an image or a command line → numbers, with the image's own /etc/passwd and /etc/group.
 * Runs in  parent
 * Trusts   nothing: the files are the image's. Read in-root, regular files only, at most USER_FILE_SIZE_MAX bytes.
 * Owns     strings and lists live in the arena
 * Fails    as user_parse
 */
#pragma once

struct arena;
struct error;
struct root;
struct user;

int image_user_find(
    struct arena *arena, const struct root *root, const char *spec, struct user *ret, struct error *err);
