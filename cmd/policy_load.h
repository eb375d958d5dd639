/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  The policy that a command line names, from the machine's files: what --policy means to launch and `policy`.
 * Runs in  parent
 * Trusts   the machine's configuration directory, if only root or the caller can write the file; never a workspace or
 *          an image
 * Owns     the policy and what it borrows live in the arena
 */
#pragma once
#include <stddef.h>

struct arena;
struct buf;
struct error;
struct policy;
struct policy_source;
struct policy_text;
struct strv;

#define POLICY_CONFIG_DIR "/etc/runa"
#define POLICY_DEFAULT    "workspace-write" /* of launch */

/* Installed policies: config_dir/policies/NAME.jsonc. config_dir is borrowed. */
struct policy_source policy_source_of(const char *config_dir);
/* The text of a word: a file when it has a "/", else a name. */
int policy_word_text(struct arena *arena, const struct policy_source *source, const char *word,
    struct policy_text *ret, struct error *err);
/* The policy in force: word ∧ config_dir/floor.jsonc, where there is one. faults, notes: NULL, or as of policy_open. */
int policy_load(struct arena *arena, const char *config_dir, const char *word, struct policy **ret,
    struct buf *faults, struct buf *notes, struct error *err);
/* Names of the installed policies, sorted; none when there is no such directory. */
int policy_installed(
    struct arena *arena, const char *config_dir, struct strv *ret, struct error *err);
