/* SPDX-License-Identifier: Apache-2.0 */
/* Built programs as files named by what they were built from. */
#include "syscall_filter_cache.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "arena.h"
#include "buf.h"
#include "call.h"
#include "cleanup.h"
#include "credential.h"
#include "digest.h"
#include "directory.h"
#include "file.h"
#include "syscall_filter_build.h"
#include "syscall_filter_plan.h"
#include "syscall_filter_rules.h"
#include "trace.h"

#define FILES_MAX                                                                                  \
    256 /* then the cache starts anew: a stranger's profiles must not fill the file system */

static const char magic[8] = "runabpf";

/* A file: this, then n_insns instructions. Only read by the machine that wrote it. */
struct head {
    char magic[8];
    uint8_t key[DIGEST_BYTES];
    uint32_t n_insns;
    uint32_t flags;
    uint32_t wants_listener;
    uint32_t reserved;
    uint8_t contents[DIGEST_BYTES]; /* of everything above, and of the instructions */
};

static void digest_contents(
    const struct head *head, const uint8_t *bytes, size_t n_bytes, uint8_t ret[DIGEST_BYTES])
{
    struct digest_state *state = digest_new();
    digest_add(state, head, offsetof(struct head, contents));
    digest_add(state, bytes, n_bytes);
    digest_final(state, ret);
    (void)digest_free(state);
}

/* --- the key: all that decides about the program, as bytes that can be read in one way only --- */

static void put_number(struct buf *out, uint64_t value)
{
    buf_add(out, &value, sizeof(value));
}

static void put_string(struct buf *out, const char *s)
{
    buf_add(out, s, strlen(s) + 1);
}

static void put_call(struct buf *out, const struct oci_seccomp_syscall *call)
{
    put_number(out, call->action);
    put_number(out, syscall_filter_errno(call->action, call->has_errno_ret, call->errno_ret));
    put_number(out, call->n_args);
    for (size_t i = 0; i < call->n_args; i++) {
        put_number(out, call->args[i].index);
        put_number(out, call->args[i].op);
        put_number(out, call->args[i].value);
        put_number(out, call->args[i].value_two);
    }
    put_number(out, call->n_names);
    for (size_t i = 0; i < call->n_names; i++)
        put_string(out, call->names[i]);
}

/* False when it is too long. */
static bool key_of(const struct syscall_filter_plan *plan, uint8_t ret[DIGEST_BYTES])
{
    AUTO(buf) struct buf text = BUF_INIT;
    put_string(&text, syscall_filter_version());
    put_number(&text, plan->default_action);
    put_number(&text, plan->default_errno_ret);
    put_number(&text, plan->has_enosys_stub);
    put_number(&text, plan->is_strict);
    put_number(&text, plan->flags);
    put_number(&text, plan->n_archs);
    for (size_t i = 0; i < plan->n_archs; i++)
        put_string(&text, plan->archs[i]);
    put_number(&text, plan->document->n_syscalls);
    for (size_t i = 0; i < plan->document->n_syscalls; i++)
        put_call(&text, &plan->document->syscalls[i]);
    if (!buf_ok(&text))
        return false;
    digest_bytes(text.data, text.len, ret);
    return true;
}

/* --- files --- */

static bool is_own(const struct stat *st)
{
    uid_t real;
    uid_t effective;
    uid_t saved;
    return kernel_getresuid(&real, &effective, &saved) == 0 && st->st_uid == effective;
}

static bool is_private_directory(int dir)
{
    struct stat st;
    return kernel_fstat(dir, &st) == 0 && S_ISDIR(st.st_mode) && (st.st_mode & 077) == 0 &&
           is_own(&st);
}

static bool read_exactly(int fd, void *data, size_t len)
{
    size_t done = 0;
    while (done < len) {
        ssize_t n = kernel_read(fd, (uint8_t *)data + done, len - done);
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

static bool load(struct arena *arena, int dir, const char *name, const uint8_t key[DIGEST_BYTES],
    struct syscall_filter *ret)
{
    autoclose int fd = kernel_openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    struct stat st;
    struct head head;
    if (fd < 0 || kernel_fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || (st.st_mode & 022) != 0 ||
        !is_own(&st) || !read_exactly(fd, &head, sizeof(head)))
        return false;
    if (memcmp(head.magic, magic, sizeof(magic)) != 0 || memcmp(head.key, key, DIGEST_BYTES) != 0 ||
        head.n_insns == 0 || head.n_insns > SYSCALL_FILTER_INSNS_MAX)
        return false;
    size_t n_bytes = (size_t)head.n_insns * SYSCALL_FILTER_INSN_BYTES;
    if ((uint64_t)st.st_size != sizeof(head) + n_bytes)
        return false;
    uint8_t *bytes = arena_alloc(arena, n_bytes);
    uint8_t contents[DIGEST_BYTES];
    if (!read_exactly(fd, bytes, n_bytes))
        return false;
    digest_contents(&head, bytes, n_bytes, contents);
    if (memcmp(contents, head.contents, DIGEST_BYTES) != 0)
        return false;
    *ret = (struct syscall_filter){ bytes, head.n_insns, head.flags, head.wants_listener != 0 };
    return true;
}

static void empty_if_full(int dir)
{
    for (int is_removing = 0; is_removing < 2; is_removing++) {
        AUTO(directory) struct directory list = { .fd = -1 };
        struct directory_entry entry;
        size_t n = 0;
        if (directory_open(&list, dir, ".") < 0)
            return;
        while (directory_next(&list, &entry) == 0)
            if (is_removing)
                (void)kernel_unlinkat(dir, entry.name, 0);
            else
                n++;
        if (!is_removing && n < FILES_MAX)
            return;
    }
}

static void store(
    int dir, const char *name, const uint8_t key[DIGEST_BYTES], const struct syscall_filter *filter)
{
    struct head head = { .n_insns = (uint32_t)filter->n_insns,
        .flags = filter->flags,
        .wants_listener = filter->wants_listener };
    AUTO(buf) struct buf text = BUF_INIT;
    size_t n_bytes = filter->n_insns * SYSCALL_FILTER_INSN_BYTES;
    memcpy(head.magic, magic, sizeof(magic));
    memcpy(head.key, key, DIGEST_BYTES);
    digest_contents(&head, filter->bytes, n_bytes, head.contents);
    buf_add(&text, &head, sizeof(head));
    buf_add(&text, filter->bytes, n_bytes);
    empty_if_full(dir);
    int r = buf_ok(&text) ? file_replace(dir, name, text.data, text.len, 0600, 0) : -1;
    trace("sandbox", "seccomp cache: store %s: %s", name, r < 0 ? "failed" : "done");
}

int syscall_filter_get(struct arena *arena, int cache_dir, const struct syscall_filter_plan *plan,
    struct syscall_filter *ret, struct error *err)
{
    uint8_t key[DIGEST_BYTES];
    char name[DIGEST_HEX_SIZE];
    if (cache_dir < 0 || !is_private_directory(cache_dir) || !key_of(plan, key))
        return syscall_filter_build(arena, plan, ret, err);
    digest_hex(key, name);
    if (load(arena, cache_dir, name, key, ret)) {
        trace("sandbox", "seccomp cache: found %s", name);
        return 0;
    }
    int r = syscall_filter_build(arena, plan, ret, err);
    if (r == 0)
        store(cache_dir, name, key, ret);
    return r;
}
