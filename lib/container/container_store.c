/* SPDX-License-Identifier: Apache-2.0 */
/* The state directory of containers. */
#include "container_store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc.h"
#include "buf.h"
#include "call.h"
#include "cgroup_apply.h"
#include "cgroup_task_apply.h"
#include "cleanup.h"
#include "directory.h"
#include "err.h"
#include "file.h"
#include "json.h"
#include "json_write.h"
#include "oci_config.h"
#include "oci_config_parse.h"
#include "parse_num.h"
#include "process_call.h"
#include "procfs.h"
#include "role.h"
#include "strv.h"

#define STATE_BYTES_MAX  (1U << 20)
#define CONFIG_BYTES_MAX (8U << 20)

void container_done(struct container *c)
{
    if (c->dir >= 0)
        (void)close(c->dir); /* the lock goes with it */
    if (c->root_dir >= 0)
        (void)close(c->root_dir);
    arena_done(&c->arena);
    *c = (struct container)CONTAINER_INIT;
}

static bool id_byte_is_allowed(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
        byte == '_' || byte == '+' || byte == '-' || byte == '.';
}

int container_id_check(const char *id, struct error *err)
{
    size_t len = strlen(id);
    AUTO(buf) struct buf quoted = BUF_INIT;

    for (size_t i = 0; i < len && i <= CONTAINER_ID_MAX; i++) {
        if (id_byte_is_allowed(id[i]))
            continue;
        buf_put_quoted(&quoted, id, len < CONTAINER_ID_MAX ? len : CONTAINER_ID_MAX);
        return err_set(err, EINVAL, "container id %s: invalid: only letters, digits and _ + - . are allowed",
            buf_str(&quoted));
    }
    if (len == 0)
        return err_set(err, EINVAL, "container id: invalid: it is empty");
    if (len > CONTAINER_ID_MAX)
        return err_set(err, EINVAL, "container id: invalid: %zu bytes, at most %d are allowed", len, CONTAINER_ID_MAX);
    if (str_eq(id, ".") || str_eq(id, ".."))
        return err_set(err, EINVAL, "container id \"%s\": invalid: it is the name of a directory", id);
    if (id[0] == '-' || id[0] == '.') /* options; our own files in ROOT */
        return err_set(err, EINVAL, "container id \"%s\": invalid: it begins with %c", id, id[0]);
    return 0;
}

const char *container_status_name(enum container_status status)
{
    static const char *const names[] = {
        [CONTAINER_CREATING] = "creating",
        [CONTAINER_CREATED] = "created",
        [CONTAINER_RUNNING] = "running",
        [CONTAINER_PAUSED] = "paused",
        [CONTAINER_STOPPED] = "stopped",
    };
    return names[status];
}

/* Every missing level of ROOT, the last one 0700. */
static int root_make(const char *root, int *ret_dir, struct error *err)
{
    int fd = kernel_open(root, O_RDONLY | O_DIRECTORY, 0);

    for (const char *slash = root; fd == -ENOENT && slash;) {
        slash = strchr(slash + 1, '/');
        size_t len = slash ? (size_t)(slash - root) : strlen(root);
        autofree char *level = xstrndup(root, len);
        int r = kernel_mkdirat(AT_FDCWD, level, slash ? 0755 : 0700);
        if (r < 0 && r != -EEXIST)
            return err_sys(err, r, "state directory %s: cannot make %s", root, level);
        if (!slash)
            fd = kernel_open(root, O_RDONLY | O_DIRECTORY, 0);
    }
    if (fd < 0)
        return err_sys(err, fd, "state directory %s: cannot open", root);
    *ret_dir = fd;
    return 0;
}

/* A root that others may write to could hold anything: no container is made or trusted there. */
static int root_verify(int dir, const char *root, struct error *err)
{
    struct stat st;
    int r = kernel_fstat(dir, &st);

    if (r < 0)
        return err_sys(err, r, "state directory %s", root);
    if (st.st_uid != geteuid() && st.st_uid != 0)
        return err_set(err, EPERM, "state directory %s: belongs to uid %u, must be the caller's", root,
            (unsigned)st.st_uid);
    if ((st.st_mode & (S_IWGRP | S_IWOTH)) && !(st.st_mode & S_ISVTX))
        return err_set(err, EPERM, "state directory %s: mode %04o lets others write; chmod it to 0700", root,
            (unsigned)(st.st_mode & 07777));
    return 0;
}

/* In a sticky root anybody may have made a directory of this name, with an init to kill and hooks to run. */
static int dir_verify(int dir, const char *id, struct error *err)
{
    struct stat st;
    int r = kernel_fstat(dir, &st);

    if (r < 0)
        return err_sys(err, r, "container \"%s\": cannot look at its state directory", id);
    if (st.st_uid != geteuid() && st.st_uid != 0)
        return err_set(err, EPERM, "container \"%s\": its state directory belongs to uid %u, must be the caller's", id,
            (unsigned)st.st_uid);
    if (st.st_mode & (S_IWGRP | S_IWOTH))
        return err_set(err, EPERM, "container \"%s\": its state directory can be written by others", id);
    return 0;
}

int container_create(struct container *c, const char *root, const char *id, struct error *err)
{
    role_require(ROLE_PARENT);
    autoclose int root_dir = -1;

    if (container_id_check(id, err) < 0 || root_make(root, &root_dir, err) < 0 || root_verify(root_dir, root, err) < 0)
        return -err->code;
    int r = kernel_mkdirat(root_dir, id, 0700);
    if (r == -EEXIST)
        return err_set(err, EEXIST, "container with given ID already exists: \"%s\"", id);
    if (r < 0)
        return err_sys(err, r, "container \"%s\": cannot make its state directory in %s", id, root);
    autoclose int dir = kernel_openat(root_dir, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    /* It waits: whoever asks for the state of a container that has no init yet tries the lock for a moment. */
    do {
        r = dir < 0 ? dir : kernel_flock(dir, LOCK_EX);
    } while (r == -EINTR);
    if (r < 0) {
        (void)kernel_unlinkat(root_dir, id, AT_REMOVEDIR);
        return err_sys(err, r, "container \"%s\": cannot lock its state directory", id);
    }
    *c = (struct container)CONTAINER_INIT;
    c->record.id = arena_strdup(&c->arena, id);
    c->root_dir = take_fd(&root_dir);
    c->dir = take_fd(&dir);
    c->is_locked = true;
    return 0;
}

static void record_write(const struct container_record *record, struct buf *out)
{
    struct json_writer w = JSON_WRITER_INIT(out, 0);

    json_begin(&w, NULL, '{');
    json_put_u64(&w, "version", 1);
    json_put_str(&w, "id", record->id);
    json_put_str(&w, "bundle", record->bundle);
    json_put_str(&w, "rootfs", record->rootfs);
    json_put_str(&w, "created", record->created);
    json_put_str(&w, "cgroup", record->cgroup);
    json_put_str(&w, "owner", record->owner);
    json_put_u64(&w, "uid", record->uid);
    json_put_bool(&w, "sandbox", record->is_sandbox);
    json_end(&w, '}');
    buf_putc(out, '\n');
}

static int new_file_write(int dir, const char *name, const void *data, size_t len)
{
    autoclose int fd = kernel_openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);

    return fd < 0 ? fd : file_write_all(fd, data, len);
}

int container_save_config(struct container *c, const char *text, size_t len, struct error *err)
{
    role_require(ROLE_PARENT);
    int r = new_file_write(c->dir, "config.json", text, len);

    if (r < 0)
        return err_sys(err, r, "container \"%s\": cannot write config.json to its state directory", c->record.id);
    return 0;
}

int container_save(struct container *c, const struct container_record *record, struct error *err)
{
    role_require(ROLE_PARENT);
    AUTO(buf) struct buf text = BUF_INIT;

    record_write(record, &text);
    int r = new_file_write(c->dir, "state.json", buf_str(&text), text.len);
    if (r < 0)
        return err_sys(err, r, "container \"%s\": cannot write state.json", record->id);
    c->record = *record;
    return 0;
}

int container_save_init(struct container *c, pid_t pid, struct error *err)
{
    role_require(ROLE_PARENT);
    struct procfs procfs = PROCFS_INIT;
    unsigned long long ticks = 0;
    char text[64];
    char state;

    int r = procfs_open_host(&procfs);
    if (r == 0)
        r = procfs_start_time(&procfs, pid, &ticks, &state);
    procfs_done(&procfs);
    if (r < 0)
        return err_sys(err, r, "container \"%s\": cannot read the start time of process %d", c->record.id, (int)pid);
    int len = snprintf(text, sizeof(text), "%d %llu\n", (int)pid, ticks);
    r = new_file_write(c->dir, "init", text, (size_t)len);
    if (r < 0)
        return err_sys(err, r, "container \"%s\": cannot write init to its state directory", c->record.id);
    c->pid = pid;
    c->start_time = ticks;
    return 0;
}

/* A string member of state.json: there, and a string. */
static const char *record_string(const struct json *object, const char *key)
{
    const struct json *value = json_get(object, key);

    return value && value->type == JSON_STRING ? value->string.text : NULL;
}

static int record_parse(struct container *c, const char *text, size_t len, struct error *err)
{
    struct json *tree;
    struct container_record record = { .id = c->record.id };
    uint64_t uid;
    uint64_t version;
    AUTO(buf) struct buf name = BUF_INIT;

    buf_printf(&name, "state.json of container \"%s\"", c->record.id);
    if (json_parse(&c->arena, buf_str(&name), text, len, NULL, &tree, err) < 0)
        return -err->code;
    record.bundle = record_string(tree, "bundle");
    record.rootfs = record_string(tree, "rootfs");
    record.created = record_string(tree, "created");
    record.cgroup = record_string(tree, "cgroup");
    record.owner = record_string(tree, "owner");
    const struct json *sandbox = json_get(tree, "sandbox");
    record.is_sandbox = sandbox && sandbox->type == JSON_BOOL && sandbox->boolean;
    const struct json *uid_value = json_get(tree, "uid");
    const struct json *version_value = json_get(tree, "version");
    if (!version_value || json_u64(version_value, UINT32_MAX, &version) < 0 || version != 1)
        return err_set(err, EINVAL, "%s: not of a version that this runa knows", buf_str(&name));
    if (!record.bundle || !record.rootfs || !record.created || !record.cgroup || !record.owner || !uid_value ||
        json_u64(uid_value, UINT32_MAX, &uid) < 0 || !str_eq(record_string(tree, "id"), record.id))
        return err_set(err, EINVAL, "%s: damaged: a member is missing or wrong", buf_str(&name));
    record.uid = (uint32_t)uid;
    c->record = record;
    return 0;
}

/* "PID STARTTIME\n" */
static int init_parse(struct container *c)
{
    char line[64];
    uint64_t pid;
    uint64_t ticks;
    ssize_t len = file_read_line(c->dir, "init", line, sizeof(line));

    if (len < 0)
        return (int)len;
    const char *space = memchr(line, ' ', (size_t)len);
    if (!space || parse_u64(line, (size_t)(space - line), INT32_MAX, &pid) < 0 || pid == 0 ||
        parse_u64(space + 1, (size_t)(line + len - space - 1), UINT64_MAX, &ticks) < 0)
        return -EINVAL;
    c->pid = (pid_t)pid;
    c->start_time = ticks;
    return 0;
}

/* ROOT and ROOT/ID; nothing of what they hold is read. */
static int directories_open(struct container *c, const char *root, const char *id, struct error *err)
{
    if (container_id_check(id, err) < 0)
        return -err->code;
    autoclose int root_dir = kernel_open(root, O_RDONLY | O_DIRECTORY, 0);
    if (root_dir == -ENOENT)
        return CONTAINER_NOT_FOUND;
    if (root_dir < 0)
        return err_sys(err, root_dir, "state directory %s: cannot open", root);
    if (root_verify(root_dir, root, err) < 0)
        return -err->code;
    autoclose int dir = kernel_openat(root_dir, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);
    if (dir == -ENOENT)
        return CONTAINER_NOT_FOUND;
    if (dir < 0)
        return err_sys(err, dir, "container \"%s\": cannot open its state directory in %s", id, root);
    if (dir_verify(dir, id, err) < 0)
        return -err->code;

    *c = (struct container)CONTAINER_INIT;
    c->record.id = arena_strdup(&c->arena, id);
    c->root_dir = take_fd(&root_dir);
    c->dir = take_fd(&dir);
    return 0;
}

static int record_read(struct container *c, struct error *err)
{
    autofree char *text = NULL;
    size_t len;
    int r = file_read(c->dir, "state.json", STATE_BYTES_MAX, &text, &len);

    if (r == -ENOENT || (r == 0 && len == 0))
        return 0; /* create was cut off: nothing is known but the name */
    if (r < 0)
        return err_sys(err, r, "container \"%s\": cannot read state.json", c->record.id);
    return record_parse(c, text, len, err);
}

int container_reread(struct container *c, struct error *err)
{
    int r = record_read(c, err);

    if (r < 0)
        return r;
    r = init_parse(c);
    if (r < 0 && r != -ENOENT)
        return err_sys(err, r, "container \"%s\": file init of its state directory is damaged", c->record.id);
    return 0;
}

int container_open(struct container *c, const char *root, const char *id, struct error *err)
{
    int r = directories_open(c, root, id, err);

    if (r != 0)
        return r;
    r = container_reread(c, err);
    if (r < 0)
        container_done(c);
    return r;
}

int container_open_damaged(struct container *c, const char *root, const char *id, struct error *err)
{
    struct error ignored = ERR_INIT;
    int r = directories_open(c, root, id, err);

    if (r != 0)
        return r;
    (void)record_read(c, &ignored);
    (void)init_parse(c);
    return 0;
}

int container_get(struct container *c, const char *root, const char *id, struct error *err)
{
    int r = container_open(c, root, id, err);

    if (r == CONTAINER_NOT_FOUND)
        return err_set(err, ENOENT, "container \"%s\" does not exist", id);
    return r;
}

int container_lock(struct container *c, struct error *err)
{
    struct stat st;
    int r;

    do {
        r = kernel_flock(c->dir, LOCK_EX);
    } while (r == -EINTR);
    if (r < 0)
        return err_sys(err, r, "container \"%s\": cannot lock its state directory", c->record.id);
    c->is_locked = true;
    /* Whoever held the lock may have deleted it. */
    r = kernel_fstat(c->dir, &st);
    if (r < 0)
        return err_sys(err, r, "container \"%s\": cannot look at its state directory", c->record.id);
    if (st.st_nlink == 0)
        return err_set(err, ENOENT, "container \"%s\" does not exist", c->record.id);
    return 0;
}

int container_pidfd(const struct container *c)
{
    struct procfs procfs = PROCFS_INIT;
    unsigned long long ticks = 0;
    char state = 0;

    if (c->pid <= 0)
        return -ESRCH;
    autoclose int pidfd = kernel_pidfd_open(c->pid);
    if (pidfd == -EINVAL || pidfd == -ENOENT) /* the number is a thread's by now */
        return -ESRCH;
    if (pidfd < 0)
        return pidfd;
    int r = procfs_open_host(&procfs);
    if (r == 0)
        r = procfs_start_time(&procfs, c->pid, &ticks, &state);
    procfs_done(&procfs);
    if (r < 0)
        return r;
    if (ticks != c->start_time || state == 'Z' || state == 'X')
        return -ESRCH;
    return take_fd(&pidfd);
}

static int is_frozen(const struct container *c, bool *ret, struct error *err)
{
    AUTO(cgroup) struct cgroup cgroup = CGROUP_INIT;

    *ret = false;
    if (!c->record.cgroup || !*c->record.cgroup)
        return 0;
    int r = cgroup_open(&cgroup, c->record.cgroup, err);
    return r == 0 ? cgroup_is_frozen(&cgroup, ret, err) : r == CGROUP_NONE ? 0 : r;
}

/* Of one without a known init: its creator holds the lock; without one the create was cut off. */
static int status_of_unfinished(const struct container *c, enum container_status *ret, struct error *err)
{
    int r = c->is_locked ? 0 : kernel_flock(c->dir, LOCK_EX | LOCK_NB);

    if (r < 0 && r != -EWOULDBLOCK)
        return err_sys(err, r, "container \"%s\": cannot tell whether it is being created", c->record.id);
    *ret = r < 0 ? CONTAINER_CREATING : CONTAINER_STOPPED;
    if (r == 0 && !c->is_locked)
        (void)kernel_flock(c->dir, LOCK_UN);
    return 0;
}

int container_status_open(const struct container *c, enum container_status *ret, int *ret_pidfd, struct error *err)
{
    struct stat st;
    bool frozen;

    *ret_pidfd = -1;
    if (c->pid == 0)
        return status_of_unfinished(c, ret, err);
    autoclose int pidfd = container_pidfd(c);
    if (pidfd == -ESRCH) {
        *ret = CONTAINER_STOPPED;
        return 0;
    }
    if (pidfd < 0)
        return err_sys(err, pidfd, "container \"%s\": cannot tell whether its init process lives", c->record.id);
    /* Frozen first: one that is paused before its start must be known as such, or nothing could resume it. */
    if (is_frozen(c, &frozen, err) < 0)
        return -err->code;
    int r = kernel_fstatat(c->dir, "start.sock", &st, AT_SYMLINK_NOFOLLOW);
    if (r < 0 && r != -ENOENT)
        return err_sys(err, r, "container \"%s\": cannot tell whether it was started", c->record.id);
    *ret = frozen ? CONTAINER_PAUSED : r == 0 ? CONTAINER_CREATED : CONTAINER_RUNNING;
    *ret_pidfd = take_fd(&pidfd);
    return 0;
}

int container_status_get(const struct container *c, enum container_status *ret, struct error *err)
{
    autoclose int pidfd = -1;

    return container_status_open(c, ret, &pidfd, err);
}

int container_config(struct container *c, struct oci_config **ret_config, struct error *err)
{
    autofree char *text = NULL;
    size_t len;
    int r = file_read(c->dir, "config.json", CONFIG_BYTES_MAX, &text, &len);

    if (r < 0)
        return err_sys(err, r, "container \"%s\": cannot read config.json of its state directory", c->record.id);
    return oci_config_parse(&c->arena, "config.json", text, len, ret_config, err);
}

int container_remove(struct container *c, struct error *err)
{
    role_require(ROLE_PARENT);
    static const char *const names[] = { "init", "config.json", "state.json" };

    /* As a rule there is nothing else; what is, directory_remove finds. */
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        (void)kernel_unlinkat(c->dir, names[i], 0);
    int r = kernel_unlinkat(c->root_dir, c->record.id, AT_REMOVEDIR);
    if (r < 0)
        r = directory_remove(c->root_dir, c->record.id);

    if (r < 0)
        return err_sys(err, r, "container \"%s\": cannot remove its state directory", c->record.id);
    return 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int container_list(struct arena *arena, const char *root, struct strv *ret, struct error *err)
{
    struct directory directory;
    struct directory_entry entry;
    struct error ignored = ERR_INIT;
    struct strv ids = STRV_INIT;
    int r = directory_open(&directory, AT_FDCWD, root);

    if (r == -ENOENT) {
        *ret = ids;
        return 0;
    }
    if (r < 0)
        return err_sys(err, r, "state directory %s: cannot open", root);
    while ((r = directory_next(&directory, &entry)) == 0) {
        bool may_be_directory = entry.type == DT_DIR || entry.type == DT_UNKNOWN;
        if (may_be_directory && container_id_check(entry.name, &ignored) == 0)
            strv_add(arena, &ids, arena_strdup(arena, entry.name));
    }
    directory_done(&directory);
    if (r < 0)
        return err_sys(err, r, "state directory %s: cannot read", root);
    if (ids.n > 1)
        qsort(ids.items, ids.n, sizeof(ids.items[0]), compare_names);
    *ret = ids;
    return 0;
}
