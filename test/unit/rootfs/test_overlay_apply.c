/* SPDX-License-Identifier: Apache-2.0 */
/* The overlay as a sandbox gets it: ids of a range inside, ids 0 to 65535 on disk, layers untouched. */
#include <sched.h>
#include <sys/mount.h>
#include <sys/xattr.h>

#include "call.h"
#include "id_range.h"
#include "image_lab.h"
#include "mount_call.h"
#include "namespace.h"
#include "process_call.h"
#include "procfs.h"

#define FIRST 700000U

static struct lab lab;
static struct procfs procfs = PROCFS_INIT;

struct stack {
    int layers[3];
    int upper;
    int userns;
};

static int place(const char *name)
{
    ck_assert_int_eq(mkdirat(lab.dir, name, 0755), 0);
    int fd = openat(lab.dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    return fd;
}

static void stack_open(struct stack *s)
{
    char map[ID_RANGE_MAP_SIZE];
    lab_open(&lab);
    ck_assert_int_eq(procfs_open_host(&procfs), 0);
    id_range_map(FIRST, map);
    s->userns = namespace_new_user(&procfs, map, map);
    ck_assert_int_ge(s->userns, 0);
    s->layers[0] = place("l0");
    s->layers[1] = place("l1");
    s->layers[2] = place("l2");
    s->upper = place("u");
    lab_write(s->layers[0], "base", "base", 4);
    lab_write(s->layers[0], "both", "old", 3);
    lab_write(s->layers[1], "both", "new", 3);
    lab_write(s->layers[2], "top", "top", 3);
    ck_assert_int_eq(fchownat(s->layers[0], "base", 1000, 50, 0), 0);
    ck_assert_int_eq(fchmod(s->layers[2], 0751), 0);
}

static void stack_close(struct stack *s)
{
    for (size_t i = 0; i < 3; i++)
        (void)close(s->layers[i]);
    (void)close(s->upper);
    (void)close(s->userns);
    procfs_done(&procfs);
    lab_close(&lab);
}

static int apply(struct stack *s, bool has_upper, bool is_idmapped)
{
    char l0[] = "l0", l1[] = "l1", l2[] = "l2";
    char *names[] = { l0, l1, l2 };
    const uint32_t first = FIRST;
    struct overlay_plan plan;
    int fd = -1;
    lab.err = (struct error)ERR_INIT;
    ck_assert_int_eq(overlay_plan_build(&lab.arena, names, 3, has_upper ? "u" : NULL, is_idmapped ? &first : NULL,
                         false, &plan, &lab.err),
        0);
    int rc = overlay_apply(&plan, s->layers, has_upper ? s->upper : -1, is_idmapped ? s->userns : -1, &fd, &lab.err);
    ck_assert_msg(rc == 0, "%s", lab.err.text);
    return fd;
}

/* As a container's first process would: in the user namespace, with the mount as its root. Returns its exit status. */
static int inside(const struct stack *s, int mount_fd, int (*run)(void))
{
    pid_t pid = fork();
    if (pid == 0) {
        if (setns(s->userns, CLONE_NEWUSER) < 0 || setgid(0) < 0 || setuid(0) < 0 || unshare(CLONE_NEWNS) < 0)
            _exit(90);
        int old = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (kernel_move_mount_fd(mount_fd, old) < 0 || fchdir(mount_fd) < 0 || kernel_pivot_root(".", ".") < 0 ||
            kernel_umount2(".", MNT_DETACH) < 0 || fchdir(mount_fd) < 0)
            _exit(91);
        _exit(run());
    }
    int status = 0;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int work_inside(void)
{
    struct stat s;
    if (stat("/base", &s) < 0 || s.st_uid != 1000 || s.st_gid != 50)
        return 1;
    if (stat("/", &s) < 0 || s.st_uid != 0 || (s.st_mode & 07777) != 0751)
        return 2;
    int fd = open("/made", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, "m", 1) != 1 || fchown(fd, 33, 44) < 0)
        return 3;
    fd = open("/base", O_WRONLY | O_APPEND | O_CLOEXEC);
    if (fd < 0 || write(fd, "+", 1) != 1)
        return 4;
    if (unlink("/both") < 0 || rename("/top", "/renamed") < 0 || mkdir("/dir", 0700) < 0)
        return 5;
    static const unsigned char cap[20] = { 1, 0, 0, 2, 0, 0x20 };
    if (setxattr("/renamed", "security.capability", cap, sizeof(cap), 0) < 0)
        return 6;
    if (setxattr("/renamed", "trusted.overlay.opaque", "y", 1, 0) == 0 || mknod("/null", S_IFCHR | 0666, 0x103) == 0)
        return 7;
    return 0;
}

START_TEST(sandbox_writes_with_its_ids_and_disk_has_plain_ones)
{
    struct stack s;
    stack_open(&s);
    int mount_fd = apply(&s, true, true);
    ck_assert_uint_eq(lab_stat(mount_fd, "base").st_uid, FIRST + 1000);
    ck_assert_int_eq(inside(&s, mount_fd, work_inside), 0);
    (void)close(mount_fd);
    ck_assert_uint_eq(lab_stat(s.upper, "upper/made").st_uid, 33);
    ck_assert_uint_eq(lab_stat(s.upper, "upper/made").st_gid, 44);
    ck_assert_uint_eq(lab_stat(s.upper, "upper/base").st_uid, 1000);
    ck_assert_uint_eq(lab_stat(s.upper, "upper/dir").st_uid, 0);
    ck_assert(S_ISCHR(lab_stat(s.upper, "upper/both").st_mode));
    ck_assert_uint_eq(lab_stat(s.upper, "upper/both").st_uid, 0);
    ck_assert_str_eq(lab_read(&lab, s.layers[0], "base"), "base");
    ck_assert_str_eq(lab_read(&lab, s.layers[1], "both"), "new");
    stack_close(&s);
}
END_TEST

START_TEST(upper_can_be_used_again_by_another_range)
{
    struct stack s;
    stack_open(&s);
    int first = apply(&s, true, true);
    ck_assert_int_eq(inside(&s, first, work_inside), 0);
    (void)close(first);
    int second = apply(&s, true, false);
    ck_assert_str_eq(lab_read(&lab, second, "base"), "base+");
    ck_assert(!lab_has(second, "both"));
    ck_assert_uint_eq(lab_stat(second, "made").st_uid, 33);
    (void)close(second);
    stack_close(&s);
}
END_TEST

static int is_read_only(void)
{
    return open("/x", O_WRONLY | O_CREAT | O_CLOEXEC, 0600) < 0 && errno == EROFS ? 0 : 1;
}

START_TEST(without_upper_it_is_read_only)
{
    struct stack s;
    stack_open(&s);
    int fd = apply(&s, false, true);
    ck_assert_str_eq(lab_read(&lab, fd, "both"), "new");
    ck_assert_int_eq(inside(&s, fd, is_read_only), 0);
    (void)close(fd);
    stack_close(&s);
}
END_TEST

START_TEST(single_layer_is_a_read_only_tree)
{
    struct stack s;
    char name[] = "l0";
    char *names[] = { name };
    const uint32_t first = FIRST;
    struct overlay_plan plan;
    int fd = -1;
    stack_open(&s);
    ck_assert_int_eq(overlay_plan_build(&lab.arena, names, 1, NULL, &first, false, &plan, &lab.err), 0);
    ck_assert_int_eq(overlay_apply(&plan, s.layers, -1, s.userns, &fd, &lab.err), 0);
    ck_assert_uint_eq(lab_stat(fd, "base").st_uid, FIRST + 1000);
    ck_assert_int_eq(inside(&s, fd, is_read_only), 0);
    (void)close(fd);
    stack_close(&s);
}
END_TEST

START_TEST(many_layers_fit)
{
    enum { N = 120 };
    static char names[N][16];
    static char *list[N];
    static int fds[N];
    struct overlay_plan plan;
    int fd = -1;
    lab_open(&lab);
    for (int i = 0; i < N; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "m%d", i);
        list[i] = names[i];
        fds[i] = place(names[i]);
        lab_write(fds[i], names[i], "x", 1);
    }
    ck_assert_int_eq(overlay_plan_build(&lab.arena, list, N, NULL, NULL, false, &plan, &lab.err), 0);
    ck_assert_msg(overlay_apply(&plan, fds, -1, -1, &fd, &lab.err) == 0, "%s", lab.err.text);
    for (int i = 0; i < N; i++) {
        ck_assert(lab_has(fd, names[i]));
        (void)close(fds[i]);
    }
    (void)close(fd);
    lab_close(&lab);
}
END_TEST

#ifdef RUNA_FAULT_TABLE
/* Kernels before 6.13 do not take layers by descriptor; the other way must give the same. */
START_TEST(layers_by_name_give_the_same)
{
    static const char *const faults[] = { "fsconfig_fd:EINVAL", "fsconfig_fd:EBADF", "fsconfig_fd:EOPNOTSUPP" };
    for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
        struct stack s;
        stack_open(&s);
        lab_fault(faults[i], NULL);
        int fd = apply(&s, true, true);
        lab_fault(NULL, NULL);
        ck_assert_uint_eq(lab_stat(fd, "base").st_uid, FIRST + 1000);
        ck_assert_str_eq(lab_read(&lab, fd, "both"), "new");
        ck_assert_int_eq(inside(&s, fd, work_inside), 0);
        (void)close(fd);
        ck_assert_uint_eq(lab_stat(s.upper, "upper/made").st_uid, 33);
        stack_close(&s);
    }
}
END_TEST

static struct stack fault_stack;
static struct overlay_plan fault_plan;

static void apply_once(struct lab *l)
{
    int fd = -1;
    l->err = (struct error)ERR_INIT;
    int rc = overlay_apply(&fault_plan, fault_stack.layers, fault_stack.upper, fault_stack.userns, &fd, &l->err);
    ck_assert_int_eq(rc == 0, fd >= 0);
    if (rc < 0)
        ck_assert_int_ne(l->err.text[0], '\0');
    if (fd >= 0)
        (void)close(fd);
}

/* Every call fails once: an error with a text, no descriptor, no process left. */
START_TEST(each_failing_call_leaves_nothing)
{
    char name[] = "l0";
    char *names[] = { name, name };
    const uint32_t first = FIRST;
    stack_open(&fault_stack);
    ck_assert_int_eq(overlay_plan_build(&lab.arena, names, 2, "u", &first, false, &fault_plan, &lab.err), 0);
    unsigned n_fds = lab_count_fds();
    unsigned n_calls = lab_count_calls(&lab, apply_once);
    ck_assert_uint_gt(n_calls, 20);
    for (unsigned n = 1; n <= n_calls; n++) {
        char fault[32];
        (void)snprintf(fault, sizeof(fault), "%u:EIO", n);
        lab_fault(fault, NULL);
        apply_once(&lab);
        lab_fault(NULL, NULL);
        ck_assert_msg(lab_count_fds() == n_fds, "call %u: %s", n, lab.err.text);
        ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    }
    stack_close(&fault_stack);
}
END_TEST
#endif

int main(void)
{
    if (lab_cannot_run("overlay_apply"))
        return LAB_SKIPPED;
    const TTest *const tests[] = {
        sandbox_writes_with_its_ids_and_disk_has_plain_ones,
        upper_can_be_used_again_by_another_range,
        without_upper_it_is_read_only,
        single_layer_is_a_read_only_tree,
        many_layers_fit,
#ifdef RUNA_FAULT_TABLE
        layers_by_name_give_the_same,
        each_failing_call_leaves_nothing,
#endif
    };
    return unit_run("overlay_apply", tests, sizeof(tests) / sizeof(tests[0]));
}
