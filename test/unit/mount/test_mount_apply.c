/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: mounts for real: a plan is applied by a process in new namespaces, which then looks at what it sees. All of
 * it on a tmpfs in a private mount namespace of the test, so nothing can be left behind. Needs root. */
#include "mount_apply.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "arena.h"
#include "buf.h"
#include "cleanup.h"
#include "err.h"
#include "fault.h"
#include "file.h"
#include "kernel_const.h"
#include "mount_call.h"
#include "mount_plan.h"
#include "mount_source.h"
#include "oci_config_parse.h"
#include "procfs.h"
#include "role.h"
#include "root_switch_apply.h"
#include "strv.h"
#include "unit.h"

#define BUNDLE   "/mnt/b"
#define ROOTFS   BUNDLE "/rootfs"
#define SKIPPED  77
#define TEXT_MAX (1U << 20)

#define PROC                                                                                       \
    "{\"destination\":\"/"                                                                         \
    "proc\",\"type\":\"proc\",\"source\":\"proc\",\"options\":[\"nosuid\",\"noexec\",\"nodev\"]}"
#define DEV                                                                                        \
    "{\"destination\":\"/"                                                                         \
    "dev\",\"type\":\"tmpfs\",\"source\":\"tmpfs\",\"options\":[\"nosuid\",\"strictatime\","       \
    "\"mode=755\","                                                                                \
    "\"size=65536k\"]}"
#define PTS                                                                                        \
    "{\"destination\":\"/dev/"                                                                     \
    "pts\",\"type\":\"devpts\",\"source\":\"devpts\",\"options\":[\"nosuid\",\"noexec\","          \
    "\"newinstance\","                                                                             \
    "\"ptmxmode=0666\",\"mode=0620\",\"gid=5\"]}"
#define REST                                                                                       \
    "{\"destination\":\"/dev/"                                                                     \
    "shm\",\"type\":\"tmpfs\",\"source\":\"shm\",\"options\":[\"nosuid\",\"noexec\",\"nodev\","    \
    "\"mode=1777\",\"size=64k\"]},{\"destination\":\"/dev/"                                        \
    "mqueue\",\"type\":\"mqueue\",\"source\":\"mqueue\"},"                                         \
    "{\"destination\":\"/"                                                                         \
    "sys\",\"type\":\"sysfs\",\"source\":\"sysfs\",\"options\":[\"nosuid\",\"noexec\",\"nodev\","  \
    "\"ro\"]},"                                                                                    \
    "{\"destination\":\"/sys/fs/"                                                                  \
    "cgroup\",\"type\":\"cgroup\",\"source\":\"cgroup\",\"options\":[\"nosuid\",\"noexec\","       \
    "\"nodev\",\"relatime\",\"ro\"]}"
#define ALL PROC "," DEV "," PTS "," REST
#define PATHS                                                                                      \
    "\"maskedPaths\":[\"/proc/kcore\",\"/proc/keys\",\"/proc/not-there\",\"/proc/timer_list\",\"/" \
    "sys/firmware\",\"/proc/acpi\"],"                                                              \
    "\"readonlyPaths\":[\"/proc/bus\",\"/proc/sys\",\"/proc/not-there\"]"
#define NAMESPACES                                                                                 \
    "{\"type\":\"mount\"},{\"type\":\"pid\"},{\"type\":\"network\"},{\"type\":\"ipc\"},{\"type\":" \
    "\"cgroup\"}"
#define MAPS                                                                                       \
    "\"uidMappings\":[{\"containerID\":0,\"hostID\":100000,\"size\":1000}],"                       \
    "\"gidMappings\":[{\"containerID\":0,\"hostID\":100000,\"size\":1000}]"

/* Each test is a process of its own. */
static struct arena arena;
static struct error err;

struct trial {
    const char *mounts;
    const char *linux_; /* more members of linux */
    const char *more;   /* more members of the config */
    bool is_root_readonly;
    bool has_user_namespace;
    bool is_rootless; /* with a user namespace: nothing is opened before it */
    bool no_pivot;
    bool want_console;
    int rootfs_fd;       /* 0: none given */
    void (*check)(void); /* inside */
    const char *error;   /* in the text of the error that is expected */
    const char *fault;   /* RUNA_FAULT */
};

/* --- inside ----------------------------------------------------------------------------------------------------- */

#define INSIDE(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            (void)dprintf(2, "%s:%d: not so inside: %s\n", __FILE__, __LINE__, #condition);        \
            _exit(4);                                                                              \
        }                                                                                          \
    } while (0)

/* Of a line of mountinfo: what follows the target, when that is the target asked for. */
static const char *match_line(const char *line, const char *target)
{
    size_t len = strlen(target);

    for (int i = 0; i < 4; i++)
        line += strcspn(line, " ") + 1;
    return strncmp(line, target, len) == 0 && line[len] == ' ' ? line + len : NULL;
}

/* The options of the last mount on target, then its optional fields, as mountinfo has them; NULL: none. */
static const char *mount_at(const char *target)
{
    autofree char *text = NULL;
    const char *found = NULL;
    size_t len;

    INSIDE(file_read(AT_FDCWD, "/proc/self/mountinfo", TEXT_MAX, &text, &len) == 0);
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
        const char *match = match_line(line, target);

        if (match)
            found = match;
    }
    return found ? arena_strndup(&arena, found, strcspn(found, "\n")) : NULL;
}

static bool mount_has(const char *target, const char *text)
{
    const char *line = mount_at(target);

    if (line && strstr(line, text))
        return true;
    (void)dprintf(2, "mount on %s: %s\n", target, line ? line : "none");
    return false;
}

static bool is_device(const char *path, unsigned major_, unsigned minor_, unsigned mode)
{
    struct stat st;

    return lstat(path, &st) == 0 && S_ISCHR(st.st_mode) && st.st_rdev == makedev(major_, minor_) &&
           (st.st_mode & 07777U) == mode && st.st_uid == 0 && st.st_gid == 0;
}

static bool is_link(const char *path, const char *target)
{
    char text[256];
    ssize_t n = readlink(path, text, sizeof(text) - 1);

    if (n < 0)
        return false;
    text[n] = '\0';
    return str_eq(text, target);
}

static int write_errno(const char *path)
{
    autoclose int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

    return fd < 0 || write(fd, "x", 1) < 0 ? errno : 0;
}

static ssize_t read_count(const char *path)
{
    char byte;
    autoclose int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    return fd < 0 ? -1 : read(fd, &byte, 1);
}

static bool has_text(const char *path, const char *expected)
{
    autofree char *text = NULL;
    size_t len;

    return file_read(AT_FDCWD, path, TEXT_MAX, &text, &len) == 0 && str_eq(text, expected);
}

/* --- frame ------------------------------------------------------------------------------------------------------ */

#ifdef RUNA_FAULT_TABLE
static void arm_fault(const char *order)
{
    if (order)
        (void)setenv("RUNA_FAULT", order, 1);
    else
        (void)unsetenv("RUNA_FAULT");
    kernel_fault_reset();
}
#else
static void arm_fault(const char *order)
{
    ck_assert_ptr_null(order);
}
#endif

static unsigned count_fds(void)
{
    unsigned n = 0;

    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static void put_file(const char *path, const char *text)
{
    autoclose int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(file_write_all(fd, text, strlen(text)), 0);
}

static void put_dir(const char *path, mode_t mode)
{
    ck_assert_int_eq(mkdir(path, 0755), 0);
    ck_assert_int_eq(chmod(path, mode), 0);
}

static void open_bundle(void)
{
    ck_assert_int_eq(unshare(CLONE_NEWNS), 0);
    ck_assert_int_eq(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
    ck_assert_int_eq(mount("tmpfs", "/mnt", "tmpfs", 0, NULL), 0);
    (void)umask(0);
    put_dir(BUNDLE, 0755);
    put_dir(ROOTFS, 0755);
    (void)umask(077); /* that of the caller must not matter */
}

static struct oci_config *parse_config(const struct trial *trial)
{
    const char *text = arena_printf(&arena,
        "{\"ociVersion\":\"1.2.0\",\"root\":{\"path\":\"rootfs\",\"readonly\":%s},\"mounts\":[%s],%"
        "s%s"
        "\"linux\":{\"namespaces\":[%s%s]%s%s%s}}",
        trial->is_root_readonly ? "true" : "false", trial->mounts, trial->more ? trial->more : "",
        trial->more ? "," : "", NAMESPACES, trial->has_user_namespace ? ",{\"type\":\"user\"}" : "",
        trial->has_user_namespace ? "," MAPS : "", trial->linux_ ? "," : "",
        trial->linux_ ? trial->linux_ : "");
    struct oci_config *config;

    ck_assert_msg(oci_config_parse(&arena, "config.json", text, strlen(text), &config, &err) == 0,
        "%s\n%s", err.text, text);
    return config;
}

static int apply_console(struct mount_root *root)
{
    autoclose int controller = -1;
    autoclose int terminal = -1;
    struct stat st;
    struct stat at;
    int r = console_open_apply(root, &controller, &terminal, &err);

    if (r == 0)
        r = console_mount_apply(root, terminal, &err);
    if (r < 0)
        return r;
    INSIDE(fstat(terminal, &st) == 0 &&
           fstatat(root->root.fd, "dev/console", &at, AT_SYMLINK_NOFOLLOW) == 0);
    INSIDE(S_ISCHR(at.st_mode) && st.st_rdev == at.st_rdev);
    return 0;
}

static int apply_inside(
    const struct trial *trial, const struct mount_plan *plan, struct mount_sources *sources)
{
    struct mount_root root = MOUNT_ROOT_INIT;
    unsigned n_fds = count_fds();
    int r;

    role_set(ROLE_INIT);
    r = trial->is_rootless ? mount_sources_open(&arena, plan, NULL, &(int){ -1 }, sources, &err)
                           : 0;
    if (r == 0)
        r = mount_apply(plan, sources, &root, &err);
    if (r == 0 && trial->want_console)
        r = apply_console(&root);
    if (r == 0)
        r = root_switch_apply(plan, &root, &err);
    if (r == 0)
        r = mount_protect_apply(plan, &root, &err);
    mount_root_done(&root);
    mount_sources_done(sources);
    INSIDE(umask(077) == 077);
    INSIDE(r < 0 || trial->is_rootless || count_fds() < n_fds);
    INSIDE(r == 0 || err.code == -r);
    return r;
}

static void be_init(const struct trial *trial, const struct mount_plan *plan,
    struct mount_sources *sources, int text_fd)
{
    if (apply_inside(trial, plan, sources) < 0) {
        (void)!write(text_fd, err.text, strlen(err.text));
        _exit(3);
    }
    arm_fault(NULL);
    if (trial->check)
        trial->check();
    _exit(0);
}

/* The namespaces first, then the first process of the pid namespace, once the ids are mapped. */
static void be_relay(const struct trial *trial, const struct mount_plan *plan,
    struct mount_sources *sources, int text_fd, int sync_fd)
{
    int flags = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWCGROUP;
    char byte = 0;
    pid_t pid;
    int status;

    if (trial->has_user_namespace)
        flags |= CLONE_NEWUSER;
    INSIDE(unshare(flags) == 0);
    INSIDE(write(sync_fd, &byte, 1) == 1 && read(sync_fd, &byte, 1) == 1);
    INSIDE(!trial->has_user_namespace || (setresgid(0, 0, 0) == 0 && setresuid(0, 0, 0) == 0));
    pid = fork();
    INSIDE(pid >= 0);
    if (pid == 0)
        be_init(trial, plan, sources, text_fd);
    INSIDE(waitpid(pid, &status, 0) == pid);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 5);
}

static void map_ids(const struct trial *trial, const struct mount_plan *plan,
    const struct mount_sources *sources, pid_t pid)
{
    static const char *const files[] = { "uid_map", "gid_map" };
    autoclose int userns_fd = -1;

    if (!trial->has_user_namespace)
        return;
    for (size_t i = 0; i < ARRAY_SIZE(files); i++)
        ck_assert_int_eq(
            file_write_control(AT_FDCWD, arena_printf(&arena, "/proc/%d/%s", (int)pid, files[i]),
                "0 100000 1000\n"),
            0);
    userns_fd = open(arena_printf(&arena, "/proc/%d/ns/user", (int)pid), O_RDONLY | O_CLOEXEC);
    ck_assert_int_ge(userns_fd, 0);
    if (plan->need_own_userns)
        ck_assert_msg(mount_sources_idmap(plan, sources, userns_fd, &err) == 0, "%s", err.text);
}

static int run_child(
    const struct trial *trial, const struct mount_plan *plan, struct mount_sources *sources)
{
    int text_pipe[2];
    int sync[2];
    char byte = 0;
    pid_t pid;
    int status;
    ssize_t n;

    ck_assert_int_eq(pipe2(text_pipe, O_CLOEXEC), 0);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sync), 0);
    pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        (void)close(sync[0]);
        be_relay(trial, plan, sources, text_pipe[1], sync[1]);
    }
    (void)close(sync[1]);
    (void)close(text_pipe[1]);
    ck_assert_int_eq(read(sync[0], &byte, 1), 1);
    map_ids(trial, plan, sources, pid);
    ck_assert_int_eq(write(sync[0], &byte, 1), 1);
    n = read(text_pipe[0], err.text, sizeof(err.text) - 1);
    err.text[n > 0 ? n : 0] = '\0';
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    (void)close(sync[0]);
    (void)close(text_pipe[0]);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 6;
}

/* 0, or 3 with the text in err: the error may come from the parent's phase or from the child's. */
static int run_to_end(const struct trial *trial)
{
    const struct mount_plan_input input = {
        .bundle = BUNDLE,
        .is_rootless = trial->is_rootless,
        .no_pivot = trial->no_pivot,
        .is_rootfs_given = trial->rootfs_fd > 0,
    };
    struct oci_config *config = parse_config(trial);
    struct mount_sources sources = MOUNT_SOURCES_INIT;
    struct procfs procfs = PROCFS_INIT;
    struct mount_plan plan;
    int rootfs_fd = trial->rootfs_fd > 0 ? trial->rootfs_fd : -1;
    unsigned n_fds;
    int status;
    int r;

    err = (struct error)ERR_INIT;
    ck_assert_msg(mount_plan_build(&arena, config, &input, &plan, &err) == 0, "%s", err.text);
    ck_assert_int_eq(procfs_open_host(&procfs), 0);
    n_fds = count_fds() - (rootfs_fd >= 0);
    arm_fault(trial->fault);
    r = trial->is_rootless ? 0
                           : mount_sources_open(&arena, &plan, &procfs, &rootfs_fd, &sources, &err);
    status = r < 0 ? 3 : run_child(trial, &plan, &sources);
    arm_fault(NULL);
    mount_sources_done(&sources);
    ck_assert_uint_eq(count_fds(), n_fds);
    procfs_done(&procfs);
    return status;
}

static void run(const struct trial *trial)
{
    int status = run_to_end(trial);

    if (!trial->error) {
        ck_assert_msg(status == 0, "status %d: %s", status, err.text);
        return;
    }
    ck_assert_int_eq(status, 3);
    ck_assert_msg(strstr(err.text, trial->error) != NULL, "%s", err.text);
}

/* --- the usual container ---------------------------------------------------------------------------------------- */

static void check_devices(void)
{
    INSIDE(is_device("/dev/null", 1, 3, 0666));
    INSIDE(is_device("/dev/zero", 1, 5, 0666));
    INSIDE(is_device("/dev/full", 1, 7, 0666));
    INSIDE(is_device("/dev/random", 1, 8, 0666));
    INSIDE(is_device("/dev/urandom", 1, 9, 0666));
    INSIDE(is_device("/dev/tty", 5, 0, 0666));
    INSIDE(read_count("/dev/zero") == 1);
    INSIDE(write_errno("/dev/null") == 0);
    INSIDE(is_link("/dev/fd", "/proc/self/fd"));
    INSIDE(is_link("/dev/stdin", "/proc/self/fd/0"));
    INSIDE(is_link("/dev/stdout", "/proc/self/fd/1"));
    INSIDE(is_link("/dev/stderr", "/proc/self/fd/2"));
    INSIDE(is_link("/dev/core", "/proc/kcore"));
    INSIDE(is_link("/dev/ptmx", "pts/ptmx"));
}

static bool is_host_root(void)
{
    return has_text("/proc/self/uid_map", "         0          0 4294967295\n");
}

static void check_masks(void)
{
    static const char *const files[] = { "/proc/kcore", "/proc/keys", "/proc/timer_list" };
    struct stat st;

    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        if (stat(files[i], &st) < 0)
            continue;
        INSIDE(S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3));
        INSIDE(read_count(files[i]) == 0);
        INSIDE(chmod(files[i], 0600) < 0);
        INSIDE(mount_has(files[i], " ro,nosuid,noexec"));
    }
    INSIDE(mount_has("/proc/keys", " ro") && mount_has("/proc/acpi", " ro,nosuid,nodev,noexec"));
    INSIDE(read_count("/proc/not-there") == -1);
    INSIDE(write_errno("/proc/acpi/x") == EROFS);
    INSIDE(write_errno("/proc/sys/vm/swappiness") == (is_host_root() ? EROFS : EACCES));
    INSIDE(mount_has("/proc/sys", " ro,nosuid,nodev,noexec"));
}

static void check_default(void)
{
    struct stat st;

    INSIDE(mount_has("/proc", " rw,nosuid,nodev,noexec") && mount_has("/proc", "- proc proc"));
    INSIDE(mount_has("/dev", " rw,nosuid") && mount_has("/dev", "- tmpfs tmpfs") &&
           mount_has("/dev", "size=65536k,mode=755"));
    INSIDE(mount_has("/dev/pts", " rw,nosuid,noexec") && mount_has("/dev/pts", "gid=") &&
           mount_has("/dev/pts", "mode=620"));
    INSIDE(
        mount_has("/dev/shm", " rw,nosuid,nodev,noexec") && mount_has("/dev/shm", "- tmpfs shm"));
    INSIDE(mount_has("/dev/mqueue", "- mqueue mqueue"));
    INSIDE(mount_has("/sys", " ro,nosuid,nodev,noexec") && mount_has("/sys", "- sysfs sysfs"));
    INSIDE(mount_has("/sys/fs/cgroup", " ro,nosuid,nodev,noexec") &&
           mount_has("/sys/fs/cgroup", "- cgroup2 cgroup"));
    INSIDE(stat("/dev/shm", &st) == 0 && (st.st_mode & 07777U) == 01777);
    INSIDE(mount_has("/", " ro") && write_errno("/x") == EROFS);
    INSIDE(stat("/mnt", &st) < 0 && stat("/../mnt", &st) < 0);
    check_devices();
    check_masks();
}

START_TEST(apply_when_default_then_all_is_in_force)
{
    open_bundle();
    run(&(struct trial){
        .mounts = ALL, .linux_ = PATHS, .is_root_readonly = true, .check = check_default });
}
END_TEST

START_TEST(apply_when_user_namespace_then_the_same)
{
    open_bundle();
    ck_assert_int_eq(chown(ROOTFS, 100000, 100000), 0);
    run(&(struct trial){ .mounts = ALL,
        .linux_ = PATHS,
        .is_root_readonly = true,
        .has_user_namespace = true,
        .check = check_default });
}
END_TEST

START_TEST(apply_when_bundle_is_closed_to_the_user_namespace_then_works)
{
    open_bundle();
    ck_assert_int_eq(chown(ROOTFS, 100000, 100000), 0);
    ck_assert_int_eq(chmod(BUNDLE, 0700), 0);
    run(&(struct trial){ .mounts = ALL,
        .linux_ = PATHS,
        .more = "\"hooks\":{\"createRuntime\":[{\"path\":\"/bin/true\"}]}",
        .is_root_readonly = true,
        .has_user_namespace = true,
        .check = check_default });
}
END_TEST

START_TEST(apply_when_hooks_or_no_pivot_then_the_same)
{
    open_bundle();
    run(&(struct trial){ .mounts = ALL,
        .linux_ = PATHS,
        .more = "\"hooks\":{\"createRuntime\":[{\"path\":\"/bin/true\"}]}",
        .is_root_readonly = true,
        .check = check_default });
    run(&(struct trial){ .mounts = ALL,
        .linux_ = PATHS,
        .is_root_readonly = true,
        .no_pivot = true,
        .check = check_default });
}
END_TEST

START_TEST(apply_when_root_is_given_then_used)
{
    int fd;

    open_bundle();
    fd = kernel_open_tree(AT_FDCWD, ROOTFS, OPEN_TREE_CLONE);
    ck_assert_int_gt(fd, 0);
    run(&(struct trial){ .mounts = ALL,
        .linux_ = PATHS,
        .is_root_readonly = true,
        .rootfs_fd = fd,
        .check = check_default });
}
END_TEST

static void check_rootless(void)
{
    struct stat st;

    INSIDE(stat("/dev/null", &st) == 0 && st.st_rdev == makedev(1, 3) &&
           write_errno("/dev/null") == 0);
    INSIDE(mount_has("/sys", " ro,nosuid,nodev,noexec") && mount_has("/data", " ro,nosuid"));
    INSIDE(mount_has("/", " ro") && stat("/mnt/b", &st) < 0);
    check_masks();
}

START_TEST(apply_when_all_is_done_inside_the_user_namespace_then_in_force)
{
    open_bundle();
    ck_assert_int_eq(chown(ROOTFS, 100000, 100000), 0);
    put_dir("/mnt/src", 0755);
    run(&(struct trial){ .mounts = ALL ",{\"destination\":\"/data\",\"source\":\"/mnt/"
                                       "src\",\"options\":[\"rbind\",\"ro\",\"nosuid\"]}",
        .linux_ = PATHS,
        .is_root_readonly = true,
        .has_user_namespace = true,
        .is_rootless = true,
        .check = check_rootless });
}
END_TEST

START_TEST(console_when_mounted_then_is_the_terminal)
{
    open_bundle();
    run(&(struct trial){ .mounts = ALL, .want_console = true });
    ck_assert_int_eq(chown(ROOTFS, 100000, 100000), 0);
    run(&(struct trial){ .mounts = ALL, .want_console = true, .has_user_namespace = true });
}
END_TEST

/* CVE-2025-52565: a link in the place of the console's target is covered, not followed. */
START_TEST(console_when_image_has_link_then_not_followed)
{
    open_bundle();
    put_file(BUNDLE "/canary", "canary");
    put_dir(ROOTFS "/dev", 0755);
    ck_assert_int_eq(symlink("../../canary", ROOTFS "/dev/console"), 0);
    run(&(struct trial){ .mounts = PROC "," PTS, .want_console = true });
    ck_assert(has_text(BUNDLE "/canary", "canary"));
}
END_TEST

/* --- devices ---------------------------------------------------------------------------------------------------- */

static void check_own_device(void)
{
    struct stat st;

    INSIDE(stat("/dev/xnull", &st) == 0 && S_ISCHR(st.st_mode) && (st.st_mode & 07777U) == 0666);
    INSIDE(stat("/dev/foo", &st) == 0 && S_ISBLK(st.st_mode) && st.st_rdev == makedev(1, 5));
    INSIDE((st.st_mode & 07777U) == 0157 && st.st_uid == 10 && st.st_gid == 11);
    INSIDE(
        stat("/sub/dir/pipe", &st) == 0 && S_ISFIFO(st.st_mode) && (st.st_mode & 07777U) == 0622);
}

#define OWN_DEVICES                                                                                \
    "\"devices\":[{\"path\":\"/dev/"                                                               \
    "xnull\",\"type\":\"c\",\"major\":1,\"minor\":3,\"fileMode\":438},"                            \
    "{\"path\":\"/dev/"                                                                            \
    "foo\",\"type\":\"b\",\"major\":1,\"minor\":5,\"uid\":10,\"gid\":11,\"fileMode\":111},"        \
    "{\"path\":\"/sub/dir/pipe\",\"type\":\"p\",\"fileMode\":402}]"

/* crun-1389 */
START_TEST(device_when_umask_is_077_then_mode_is_exact)
{
    open_bundle();
    run(&(struct trial){
        .mounts = PROC "," DEV, .linux_ = OWN_DEVICES, .check = check_own_device });
}
END_TEST

START_TEST(device_when_user_namespace_then_owner_and_mode_are_exact)
{
    open_bundle();
    ck_assert_int_eq(chown(ROOTFS, 100000, 100000), 0);
    run(&(struct trial){ .mounts = PROC "," DEV,
        .linux_ = OWN_DEVICES,
        .has_user_namespace = true,
        .check = check_own_device });
}
END_TEST

static void check_device_mounts_only_masks(void)
{
    INSIDE(is_device("/dev/null", 1, 3, 0666));
    check_masks();
}

/* runc-ghsa-9493 */
START_TEST(device_when_image_has_false_null_then_refused_and_when_none_then_masked)
{
    open_bundle();
    put_dir(ROOTFS "/dev", 0755);
    put_dir(ROOTFS "/tmp", 0755);
    put_file(ROOTFS "/tmp/x", "target");
    ck_assert_int_eq(symlink("/tmp/x", ROOTFS "/dev/null"), 0);
    run(&(struct trial){ .mounts = PROC "," REST,
        .linux_ = PATHS,
        .error = "device /dev/null: the root has something else" });
    ck_assert(has_text(ROOTFS "/tmp/x", "target"));
    ck_assert_int_eq(unlink(ROOTFS "/dev/null"), 0);
    put_file(ROOTFS "/dev/null", "file");
    run(&(struct trial){ .mounts = PROC "," REST,
        .linux_ = PATHS,
        .error = "device /dev/null: the root has something else" });
    ck_assert_int_eq(unlink(ROOTFS "/dev/null"), 0);
    run(&(struct trial){
        .mounts = PROC "," REST, .linux_ = PATHS, .check = check_device_mounts_only_masks });
}
END_TEST

static void check_null(void)
{
    INSIDE(is_device("/dev/null", 1, 3, 0666));
}

START_TEST(device_when_image_has_it_with_other_mode_then_made_anew)
{
    open_bundle();
    put_dir(ROOTFS "/dev", 0755);
    ck_assert_int_eq(mknod(ROOTFS "/dev/null", S_IFCHR | 0600, makedev(1, 3)), 0);
    ck_assert_int_eq(chown(ROOTFS "/dev/null", 4, 4), 0);
    run(&(struct trial){ .mounts = PROC, .check = check_null });
}
END_TEST

/* CVE-2026-41579, CVE-2026-47766 */
START_TEST(device_when_dev_is_link_then_outside_is_untouched)
{
    struct stat st;

    open_bundle();
    put_dir("/mnt/outside", 0755);
    put_file("/mnt/outside/ptmx", "canary");
    ck_assert_int_eq(symlink("../../../mnt/outside", ROOTFS "/dev"), 0);
    run(&(struct trial){ .mounts = PROC });
    ck_assert(has_text("/mnt/outside/ptmx", "canary"));
    ck_assert_int_lt(stat("/mnt/outside/null", &st), 0);
    ck_assert_int_eq(stat(ROOTFS "/mnt/outside/null", &st), 0);
}
END_TEST

/* --- binds ------------------------------------------------------------------------------------------------------ */

static void check_special_binds(void)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "/s1" };
    struct stat st;
    autoclose int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    for (int i = 1; i <= 2; i++) {
        INSIDE(has_text(arena_printf(&arena, "/f%d", i), "host"));
        INSIDE(write_errno(arena_printf(&arena, "/f%d", i)) == EROFS);
        INSIDE(mount_has(arena_printf(&arena, "/f%d", i), " ro"));
        INSIDE(stat(arena_printf(&arena, "/p%d", i), &st) == 0 && S_ISFIFO(st.st_mode));
        INSIDE(stat(arena_printf(&arena, "/s%d", i), &st) == 0 && S_ISSOCK(st.st_mode));
        INSIDE(mount_has(arena_printf(&arena, "/s%d", i), " ro"));
    }
    INSIDE(connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0);
}

/* crun-1463 */
START_TEST(bind_when_file_fifo_or_socket_then_read_only_without_opening)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "/mnt/sock" };
    AUTO(buf) struct buf mounts = BUF_INIT;
    static const char *const names[][2] = { { "f", "file" }, { "p", "fifo" }, { "s", "sock" } };
    autoclose int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    open_bundle();
    put_file("/mnt/file", "host");
    ck_assert_int_eq(mkfifo("/mnt/fifo", 0666), 0);
    ck_assert_int_eq(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
    ck_assert_int_eq(listen(fd, 1), 0);
    buf_puts(&mounts, PROC);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        buf_printf(&mounts,
            ",{\"destination\":\"/%s1\",\"source\":\"/mnt/%s\",\"options\":[\"bind\",\"ro\"]}"
            ",{\"destination\":\"/%s2\",\"source\":\"/mnt/%s\",\"options\":[\"rbind\",\"rro\"]}",
            names[i][0], names[i][1], names[i][0], names[i][1]);
    run(&(struct trial){ .mounts = buf_str(&mounts), .check = check_special_binds });
}
END_TEST

static void check_links(void)
{
    INSIDE(
        has_text("/etc/localtime", "zone") && has_text("/usr/share/zoneinfo/Nowhere/City", "zone"));
    INSIDE(mount_has("/real/conf/stack", "- tmpfs"));
}

/* runc-5090 */
START_TEST(bind_when_destination_is_link_then_resolved_inside)
{
    struct stat st;

    open_bundle();
    put_file("/mnt/zone", "zone");
    put_dir(ROOTFS "/etc", 0755);
    put_dir(ROOTFS "/real", 0755);
    put_dir(ROOTFS "/real/conf", 0755);
    ck_assert_int_eq(symlink("/usr/share/zoneinfo/Nowhere/City", ROOTFS "/etc/localtime"), 0);
    ck_assert_int_eq(symlink("/real/conf", ROOTFS "/conf"), 0);
    run(&(struct trial){
        .mounts = PROC ",{\"destination\":\"/etc/localtime\",\"source\":\"/mnt/"
                       "zone\",\"options\":[\"bind\",\"ro\"]}"
                       ",{\"destination\":\"/conf/stack\",\"type\":\"tmpfs\",\"source\":\"tmpfs\"}",
        .check = check_links });
    ck_assert_int_lt(stat("/usr/share/zoneinfo/Nowhere", &st), 0);
    ck_assert_int_lt(stat("/real", &st), 0);
}
END_TEST

static void check_recursive(void)
{
    INSIDE(mount_has("/a", " ro,nosuid") && mount_has("/a/sub", " ro,nosuid"));
    INSIDE(mount_has("/b", " ro") && mount_has("/b/sub", " rw"));
    INSIDE(mount_has("/c", " rw") && !mount_at("/c/sub"));
    INSIDE(mount_has("/d", " rw,nodev,noexec,noatime"));
    INSIDE(mount_has("/e", " shared:") && mount_has("/e/sub", " shared:"));
    INSIDE(mount_has("/f", " master:") && !strstr(mount_at("/f"), " shared:"));
    INSIDE(!strstr(mount_at("/a"), "master:") && !strstr(mount_at("/a"), "shared:"));
    INSIDE(mount_has("/g", " unbindable"));
}

START_TEST(bind_when_recursive_words_then_whole_tree_and_propagation_as_asked)
{
    open_bundle();
    put_dir("/mnt/src", 0755);
    put_dir("/mnt/src/sub", 0755);
    ck_assert_int_eq(mount("tmpfs", "/mnt/src", "tmpfs", 0, NULL), 0);
    ck_assert_int_eq(mount(NULL, "/mnt/src", NULL, MS_SHARED, NULL), 0);
    put_dir("/mnt/src/sub", 0755);
    ck_assert_int_eq(mount("tmpfs", "/mnt/src/sub", "tmpfs", 0, NULL), 0);
    run(&(struct trial){
        .mounts = PROC
        ",{\"destination\":\"/a\",\"source\":\"/mnt/"
        "src\",\"options\":[\"rbind\",\"rro\",\"rnosuid\"]}"
        ",{\"destination\":\"/b\",\"source\":\"/mnt/src\",\"options\":[\"rbind\",\"ro\"]}"
        ",{\"destination\":\"/c\",\"source\":\"/mnt/src\",\"options\":[\"bind\"]}"
        ",{\"destination\":\"/d\",\"source\":\"/mnt/src\",\"options\":[\"bind\",\"ro\"]}"
        ",{\"destination\":\"/"
        "d\",\"options\":[\"remount\",\"rw\",\"noexec\",\"nodev\",\"noatime\"]}"
        ",{\"destination\":\"/e\",\"source\":\"/mnt/src\",\"options\":[\"rbind\",\"rshared\"]}"
        ",{\"destination\":\"/f\",\"source\":\"/mnt/src\",\"options\":[\"rbind\",\"rslave\"]}"
        ",{\"destination\":\"/g\",\"type\":\"tmpfs\",\"options\":[\"unbindable\"]}",
        .check = check_recursive });
}
END_TEST

static void check_closed_source(void)
{
    INSIDE(has_text("/foo/content", "hello"));
    INSIDE(mount_has("/foo", " ro"));
}

START_TEST(bind_when_parents_are_closed_to_the_user_namespace_then_works)
{
    open_bundle();
    ck_assert_int_eq(chown(ROOTFS, 100000, 100000), 0);
    put_dir("/mnt/closed", 0755);
    put_dir("/mnt/closed/m", 0755);
    put_file("/mnt/closed/m/content", "hello");
    ck_assert_int_eq(chmod("/mnt/closed/m/content", 0644), 0);
    ck_assert_int_eq(chmod("/mnt/closed", 0), 0);
    ck_assert_int_eq(symlink("/mnt/closed/m", "/mnt/link"), 0);
    run(&(struct trial){
        .mounts = PROC
        ",{\"destination\":\"/foo\",\"source\":\"/mnt/link\",\"options\":[\"bind\",\"ro\"]}",
        .has_user_namespace = true,
        .check = check_closed_source });
}
END_TEST

START_TEST(bind_when_source_is_missing_then_named)
{
    open_bundle();
    run(&(struct trial){
        .mounts = "{\"destination\":\"/foo\",\"source\":\"/mnt/nosuch\",\"options\":[\"bind\"]}",
        .error = "mount on /foo: source /mnt/nosuch: open_tree: No such file" });
    put_file(ROOTFS "/file", "");
    run(&(struct trial){
        .mounts = "{\"destination\":\"/file\",\"source\":\"/mnt\",\"options\":[\"bind\"]}",
        .error = "mount on /file" });
    put_dir(ROOTFS "/dir", 0755);
    put_file("/mnt/file", "");
    run(&(struct trial){
        .mounts = "{\"destination\":\"/dir\",\"source\":\"/mnt/file\",\"options\":[\"bind\"]}",
        .error = "is a directory, the other is not" });
}
END_TEST

static void check_link_copies(void)
{
    struct stat st;

    INSIDE(is_link("/a/sym/link", "point-to-nowhere"));
    INSIDE(lstat("/dest", &st) == 0 && S_ISREG(st.st_mode) && has_text("/dest", "host"));
    INSIDE(!mount_at("/elsewhere"));
}

START_TEST(bind_when_nofollow_words_then_links_are_kept)
{
    open_bundle();
    ck_assert_int_eq(symlink("point-to-nowhere", "/mnt/broken"), 0);
    put_file("/mnt/file", "host");
    put_file(ROOTFS "/elsewhere", "");
    run(&(struct trial){ .mounts = PROC ",{\"destination\":\"/a/sym/link\",\"source\":\"/mnt/"
                                        "broken\",\"options\":[\"rbind\",\"copy-symlink\"]}"
                                        ",{\"destination\":\"/dest\",\"source\":\"/mnt/"
                                        "file\",\"options\":[\"bind\",\"dest-nofollow\"]}",
        .check = check_link_copies });
}
END_TEST

static void check_idmap(void)
{
    struct stat st;

    INSIDE(stat("/w/zero", &st) == 0 && st.st_uid == 7 && st.st_gid == 7);
    INSIDE(stat("/w/five", &st) == 0 && st.st_uid == 65534);
}

START_TEST(bind_when_idmapped_then_owners_are_shifted)
{
    open_bundle();
    put_dir("/mnt/w", 0755);
    put_file("/mnt/w/zero", "");
    put_file("/mnt/w/five", "");
    ck_assert_int_eq(chown("/mnt/w/five", 5, 5), 0);
    run(&(struct trial){
        .mounts =
            PROC ",{\"destination\":\"/w\",\"source\":\"/mnt/w\",\"options\":[\"bind\",\"idmap\"],"
                 "\"uidMappings\":[{\"containerID\":0,\"hostID\":7,\"size\":1}],"
                 "\"gidMappings\":[{\"containerID\":0,\"hostID\":7,\"size\":1}]}",
        .check = check_idmap });
}
END_TEST

static void check_own_idmap(void)
{
    struct stat st;

    INSIDE(stat("/w/five", &st) == 0 && st.st_uid == 5 && st.st_gid == 5);
}

START_TEST(bind_when_idmapped_to_own_namespace_then_owners_are_kept_inside)
{
    open_bundle();
    ck_assert_int_eq(chown(ROOTFS, 100000, 100000), 0);
    put_dir("/mnt/w", 0755);
    put_file("/mnt/w/five", "");
    ck_assert_int_eq(chown("/mnt/w/five", 5, 5), 0);
    run(&(struct trial){
        .mounts = PROC
        ",{\"destination\":\"/w\",\"source\":\"/mnt/w\",\"options\":[\"rbind\",\"ridmap\"]}",
        .has_user_namespace = true,
        .check = check_own_idmap });
}
END_TEST

/* --- procfs ----------------------------------------------------------------------------------------------------- */

/* CVE-2019-16884, CVE-2019-19921, CVE-2023-27561, CVE-2023-28642 */
START_TEST(proc_when_image_or_link_would_fake_it_then_refused)
{
    open_bundle();
    put_dir(ROOTFS "/elsewhere", 0755);
    ck_assert_int_eq(symlink("elsewhere", ROOTFS "/proc"), 0);
    run(&(struct trial){
        .mounts = PROC, .error = "mount on /proc: the root has a link or a file" });
    ck_assert_int_eq(unlink(ROOTFS "/proc"), 0);
    put_file(ROOTFS "/proc", "");
    run(&(struct trial){
        .mounts = PROC, .error = "mount on /proc: the root has a link or a file" });
    ck_assert_int_eq(unlink(ROOTFS "/proc"), 0);
    ck_assert_int_eq(symlink("/proc/sys", ROOTFS "/p"), 0);
    run(&(struct trial){ .mounts = PROC ",{\"destination\":\"/p/kernel\",\"type\":\"tmpfs\"}",
        .error = "leads into /proc" });
    put_dir("/mnt/fake", 0755);
    run(&(struct trial){
        .mounts = "{\"destination\":\"/proc\",\"source\":\"/mnt/fake\",\"options\":[\"bind\"]}",
        .error = "is not a procfs" });
}
END_TEST

static void check_meminfo(void)
{
    INSIDE(has_text("/proc/meminfo", "mine"));
}

START_TEST(proc_when_listed_file_is_covered_then_allowed)
{
    open_bundle();
    put_file("/mnt/meminfo", "mine");
    run(&(struct trial){
        .mounts = PROC
        ",{\"destination\":\"/proc/meminfo\",\"source\":\"/mnt/meminfo\",\"options\":[\"bind\"]}",
        .check = check_meminfo });
}
END_TEST

/* --- filesystems ------------------------------------------------------------------------------------------------ */

static void check_copy_up(void)
{
    struct stat st;

    INSIDE(mount_has("/data", " ro") && mount_has("/data", "- tmpfs"));
    INSIDE(stat("/data", &st) == 0 && (st.st_mode & 07777U) == 0712 && st.st_uid == 3);
    INSIDE(has_text("/data/file", "content") && stat("/data/file", &st) == 0 &&
           (st.st_mode & 07777U) == 04640 && st.st_uid == 8);
    INSIDE(has_text("/data/dir/deep", "deep") && stat("/data/dir", &st) == 0 &&
           (st.st_mode & 07777U) == 01770);
    INSIDE(is_link("/data/link", "/etc/shadow"));
    INSIDE(stat("/data/fifo", &st) == 0 && S_ISFIFO(st.st_mode));
    INSIDE(stat("/empty", &st) == 0 && (st.st_mode & 07777U) == 0701);
}

START_TEST(tmpfs_when_copy_up_then_content_mode_and_owner)
{
    open_bundle();
    put_dir(ROOTFS "/data", 0712);
    put_file(ROOTFS "/data/file", "content");
    ck_assert_int_eq(chown(ROOTFS "/data/file", 8, 9), 0);
    ck_assert_int_eq(chmod(ROOTFS "/data/file", 04640), 0);
    put_dir(ROOTFS "/data/dir", 01770);
    put_file(ROOTFS "/data/dir/deep", "deep");
    ck_assert_int_eq(symlink("/etc/shadow", ROOTFS "/data/link"), 0);
    ck_assert_int_eq(mkfifo(ROOTFS "/data/fifo", 0600), 0);
    ck_assert_int_eq(chown(ROOTFS "/data", 3, 3), 0);
    put_dir(ROOTFS "/empty", 0701);
    run(&(struct trial){
        .mounts = PROC
        ",{\"destination\":\"/"
        "data\",\"type\":\"tmpfs\",\"source\":\"tmpfs\",\"options\":[\"tmpcopyup\",\"ro\"]}"
        ",{\"destination\":\"/empty\",\"type\":\"tmpfs\",\"source\":\"tmpfs\"}",
        .check = check_copy_up });
}
END_TEST

START_TEST(tmpfs_when_copy_up_does_not_fit_then_refused)
{
    autofree char *text = calloc(1, 200001);

    open_bundle();
    memset(text, 'x', 200000);
    put_dir(ROOTFS "/data", 0755);
    put_file(ROOTFS "/data/file", text);
    run(&(struct trial){ .mounts =
                             "{\"destination\":\"/"
                             "data\",\"type\":\"tmpfs\",\"options\":[\"tmpcopyup\",\"size=64k\"]}",
        .error = "mount on /data: copy-up of file" });
}
END_TEST

static void check_sb_flags(void)
{
    INSIDE(mount_has("/s", "rw,sync,dirsync"));
    INSIDE(mount_has("/", " shared:"));
}

START_TEST(filesystem_when_sync_words_then_superblock_flags)
{
    open_bundle();
    run(&(struct trial){
        .mounts =
            PROC ",{\"destination\":\"/s\",\"type\":\"tmpfs\",\"options\":[\"sync\",\"dirsync\"]}",
        .linux_ = "\"rootfsPropagation\":\"shared\"",
        .check = check_sb_flags });
}
END_TEST

START_TEST(filesystem_when_unknown_then_named)
{
    open_bundle();
    run(&(struct trial){ .mounts = "{\"destination\":\"/s\",\"type\":\"nosuchfs\"}",
        .error = "mount on /s: nosuchfs: fsopen (this kernel" });
    run(&(struct trial){
        .mounts = "{\"destination\":\"/s\",\"type\":\"tmpfs\",\"options\":[\"nosuchoption=1\"]}",
        .error = "mount on /s: tmpfs: nosuchoption" });
}
END_TEST

/* CVE-2026-48749 and its kin */
START_TEST(root_when_link_then_refused)
{
    open_bundle();
    ck_assert_int_eq(rmdir(ROOTFS), 0);
    ck_assert_int_eq(symlink("/", ROOTFS), 0);
    run(&(struct trial){ .mounts = PROC, .error = "rootfs " ROOTFS ": not a directory" });
}
END_TEST

#ifdef RUNA_FAULT_TABLE
#define FAULT_TAIL     8 /* so many runs without an error: the last call has been passed */
#define FAULT_RUNS_MAX 600

static void run_faults(struct trial trial, const char *error_name)
{
    unsigned n_passed = 0;

    for (unsigned i = 1; n_passed < FAULT_TAIL; i++) {
        int status;

        trial.fault = arena_printf(&arena, "%u:%s", i, error_name);
        status = run_to_end(&trial);
        ck_assert_msg(status == 0 || (status == 3 && err.text[0]), "%s: status %d: %s", trial.fault,
            status, err.text);
        n_passed = status == 0 ? n_passed + 1 : 0;
        ck_assert_uint_lt(i, FAULT_RUNS_MAX);
        (void)unlink(ROOTFS "/link");
    }
}

/* Not confined, not started: every call of a whole run fails once. */
START_TEST(apply_when_any_call_fails_then_refused_or_all_in_force)
{
    const struct trial trial = {
        .mounts = ALL, .linux_ = PATHS, .is_root_readonly = true, .check = check_default
    };

    open_bundle();
    run_faults(trial, "EPERM");
    run_faults(trial, "EINVAL");
}
END_TEST

static void check_many(void)
{
    INSIDE(mount_has("/tmp", " ro") && has_text("/tmp/f", "content"));
    INSIDE(mount_has("/w", " ro,nosuid") && has_text("/w/file", "host"));
    INSIDE(mount_has("/x/y/file", " ro,noexec") && has_text("/x/y/file", "host"));
    check_own_device();
}

START_TEST(apply_when_any_call_of_many_kinds_fails_then_refused_or_all_in_force)
{
    const struct trial trial = {
        .mounts = PROC "," DEV ",{\"destination\":\"/tmp\",\"type\":\"tmpfs\","
                       "\"options\":[\"tmpcopyup\",\"ro\",\"rslave\"]}"
                       ",{\"destination\":\"/w\",\"source\":\"/mnt/w\","
                       "\"options\":[\"rbind\",\"rnosuid\",\"ro\",\"idmap\"],"
                       "\"uidMappings\":[{\"containerID\":0,\"hostID\":7,"
                       "\"size\":1}],\"gidMappings\":[{\"containerID\":0,"
                       "\"hostID\":7,\"size\":1}]}"
                       ",{\"destination\":\"/x/y/file\",\"source\":\"/mnt/w/file\","
                       "\"options\":[\"bind\",\"ro\"]}"
                       ",{\"destination\":\"/x/y/file\",\"options\":[\"remount\",\"noexec\"]}"
                       ",{\"destination\":\"/link\",\"source\":\"/mnt/link\","
                       "\"options\":[\"bind\",\"copy-symlink\"]}",
        .linux_ = OWN_DEVICES,
        .want_console = false,
        .check = check_many
    };

    open_bundle();
    put_dir(ROOTFS "/tmp", 01777);
    put_file(ROOTFS "/tmp/f", "content");
    put_dir("/mnt/w", 0755);
    put_file("/mnt/w/file", "host");
    ck_assert_int_eq(symlink("target", "/mnt/link"), 0);
    run_faults(trial, "EIO");
    run_faults(trial, "ENOENT");
}
END_TEST
#endif

int main(void)
{
    const TTest *const tests[] = {
        apply_when_default_then_all_is_in_force,
        apply_when_user_namespace_then_the_same,
        apply_when_bundle_is_closed_to_the_user_namespace_then_works,
        apply_when_hooks_or_no_pivot_then_the_same,
        apply_when_root_is_given_then_used,
        apply_when_all_is_done_inside_the_user_namespace_then_in_force,
        console_when_mounted_then_is_the_terminal,
        console_when_image_has_link_then_not_followed,
        device_when_umask_is_077_then_mode_is_exact,
        device_when_user_namespace_then_owner_and_mode_are_exact,
        device_when_image_has_false_null_then_refused_and_when_none_then_masked,
        device_when_image_has_it_with_other_mode_then_made_anew,
        device_when_dev_is_link_then_outside_is_untouched,
        bind_when_file_fifo_or_socket_then_read_only_without_opening,
        bind_when_destination_is_link_then_resolved_inside,
        bind_when_recursive_words_then_whole_tree_and_propagation_as_asked,
        bind_when_parents_are_closed_to_the_user_namespace_then_works,
        bind_when_source_is_missing_then_named,
        bind_when_nofollow_words_then_links_are_kept,
        bind_when_idmapped_then_owners_are_shifted,
        bind_when_idmapped_to_own_namespace_then_owners_are_kept_inside,
        proc_when_image_or_link_would_fake_it_then_refused,
        proc_when_listed_file_is_covered_then_allowed,
        tmpfs_when_copy_up_then_content_mode_and_owner,
        tmpfs_when_copy_up_does_not_fit_then_refused,
        filesystem_when_sync_words_then_superblock_flags,
        filesystem_when_unknown_then_named,
        root_when_link_then_refused,
#ifdef RUNA_FAULT_TABLE
        apply_when_any_call_fails_then_refused_or_all_in_force,
        apply_when_any_call_of_many_kinds_fails_then_refused_or_all_in_force,
#endif
    };

    if (geteuid() != 0) {
        (void)puts("skipped: mounting needs root");
        return SKIPPED;
    }
    return unit_run("mount_apply", tests, ARRAY_SIZE(tests));
}
