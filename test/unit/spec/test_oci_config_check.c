/* SPDX-License-Identifier: Apache-2.0 */
/* Sense and nonsense in configurations that can be read. */
#include <errno.h>

#include "oci_config_check.h"
#include "spec_text.h"

struct fault {
    const char *top;
    const char *process;
    const char *lx;
    const char *message;
};

static void refuse_all(const struct fault *faults, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        AUTO(arena) struct arena arena = ARENA_INIT;
        autofree char *text = spec_text(faults[i].top, faults[i].process, faults[i].lx);
        struct error err = ERR_INIT;
        int rc = oci_config_check(spec_parse(&arena, text), &err);
        ck_assert_msg(rc == -EINVAL, "taken: %s", text);
        ck_assert_str_eq(err.text, faults[i].message);
    }
}

static void accept(const char *top, const char *process, const char *lx)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    autofree char *text = spec_text(top, process, lx);
    struct error err = ERR_INIT;
    ck_assert_msg(oci_config_check(spec_parse(&arena, text), &err) == 0, "%s", err.text);
}

/* A whole document instead of changes to the small one. */
static void refuse_text(const char *text, const char *message)
{
    AUTO(arena) struct arena arena = ARENA_INIT;
    struct error err = ERR_INIT;
    ck_assert_int_eq(oci_config_check(spec_parse(&arena, text), &err), -EINVAL);
    ck_assert_str_eq(err.text, message);
}

START_TEST(configurations_of_engines_pass)
{
    const char *const names[] = { "docker.json", "podman.json", "containerd.json", "minimal.json",
        "null_skipped.json", "full.json" };
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        AUTO(arena) struct arena arena = ARENA_INIT;
        size_t len = 0;
        autofree char *text = spec_file(names[i], &len);
        struct error err = ERR_INIT;
        ck_assert_msg(
            oci_config_check(spec_parse(&arena, text), &err) == 0, "%s: %s", names[i], err.text);
    }
}
END_TEST

START_TEST(version_other_than_1_is_refused)
{
    refuse_text("{}", "ociVersion: missing");
    refuse_text("{\"ociVersion\":\"2.0.0\"}",
        "ociVersion: \"2.0.0\" is not version 1 of the specification");
    const char *const wrong[] = { "1", "1.0", "1.0.", "1.0.x", "v1.0.2", "1.0.0.1", "1.-1.0",
        "1..2", "-1.0.0" };
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        autofree char *text = xasprintf("{\"ociVersion\":\"%s\"}", wrong[i]);
        autofree char *message =
            xasprintf("ociVersion: \"%s\" is not a version like 1.3.0", wrong[i]);
        refuse_text(text, message);
    }
    refuse_text("{\"ociVersion\":\"1.0.2-dev\"}", "root.path: missing");
    refuse_text("{\"ociVersion\":\"1.1.0+x-rc.1\"}", "root.path: missing");
}
END_TEST

START_TEST(host_names_need_their_namespace)
{
    refuse_text("{\"ociVersion\":\"1.0.2\",\"root\":{\"path\":\"r\"},\"hostname\":\"h\"}",
        "hostname: needs a uts namespace in linux.namespaces");
    refuse_text("{\"ociVersion\":\"1.0.2\",\"root\":{\"path\":\"r\"},\"domainname\":\"h\"}",
        "domainname: needs a uts namespace in linux.namespaces");
    const struct fault faults[] = {
        { ",\"hostname\":\"12345678901234567890123456789012345678901234567890123456789012345\"", "",
            "",
            "hostname: \"12345678901234567890123456789012345678901234567890123456789012345\" is "
            "longer than 64 bytes" },
    };
    refuse_all(faults, ARRAY_SIZE(faults));
    accept(",\"hostname\":\"h\",\"domainname\":\"d\"", "", "");
}
END_TEST

START_TEST(fault_in_process_is_named)
{
    refuse_text("{\"ociVersion\":\"1.0.2\",\"root\":{\"path\":\"r\"},\"process\":{\"cwd\":\"/\"}}",
        "process.args: missing or empty");
    refuse_text("{\"ociVersion\":\"1.0.2\",\"root\":{\"path\":\"r\"},"
                "\"process\":{\"args\":[\"\"],\"cwd\":\"/\"}}",
        "process.args[0]: empty");
    refuse_text("{\"ociVersion\":\"1.0.2\",\"root\":{\"path\":\"r\"},"
                "\"process\":{\"args\":[\"a\"]}}",
        "process.cwd: missing");
    refuse_text("{\"ociVersion\":\"1.0.2\",\"root\":{\"path\":\"r\"},"
                "\"process\":{\"args\":[\"a\"],\"cwd\":\"srv\"}}",
        "process.cwd: \"srv\" is not an absolute path");
    const struct fault faults[] = {
        { "", ",\"env\":[\"A=1\",\"SECRET\"]", "", "process.env[1]: is not NAME=value" },
        { "", ",\"env\":[\"=1\"]", "", "process.env[0]: has no name before the =" },
        { "", ",\"user\":{\"uid\":4294967295}", "", "process.user.uid: 4294967295 is no user" },
        { "", ",\"user\":{\"gid\":4294967295}", "", "process.user.gid: 4294967295 is no group" },
        { "", ",\"user\":{\"umask\":512}", "", "process.user.umask: larger than 511 (octal 777)" },
        { "", ",\"user\":{\"additionalGids\":[1,4294967295]}", "",
            "process.user.additionalGids[1]: 4294967295 is no group" },
        { "", ",\"oomScoreAdj\":1001", "", "process.oomScoreAdj: not from -1000 to 1000" },
        { "", ",\"oomScoreAdj\":-1001", "", "process.oomScoreAdj: not from -1000 to 1000" },
        { "", ",\"consoleSize\":{\"height\":65536,\"width\":1}", "",
            "process.consoleSize: larger than 65535" },
        { "", ",\"ioPriority\":{\"class\":\"IOPRIO_CLASS_BE\",\"priority\":8}", "",
            "process.ioPriority.priority: not from 0 to 7" },
    };
    refuse_all(faults, ARRAY_SIZE(faults));
    accept("", ",\"env\":[\"A=\",\"B=c=d\"]", "");
}
END_TEST

START_TEST(rlimit_that_cannot_be_is_refused)
{
    const struct fault faults[] = {
        { "", ",\"rlimits\":[{\"type\":\"RLIMIT_CPU\",\"soft\":2,\"hard\":1}]", "",
            "process.rlimits[0]: \"RLIMIT_CPU\" has a soft limit above the hard one" },
        { "",
            ",\"rlimits\":[{\"type\":\"RLIMIT_CPU\",\"soft\":1,\"hard\":1},"
            "{\"type\":\"RLIMIT_CPU\",\"soft\":1,\"hard\":1}]",
            "", "process.rlimits[1]: \"RLIMIT_CPU\" is there twice" },
    };
    refuse_all(faults, ARRAY_SIZE(faults));
}
END_TEST

START_TEST(scheduler_fields_of_another_policy_are_refused)
{
    const struct fault faults[] = {
        { "", ",\"scheduler\":{\"policy\":\"SCHED_OTHER\",\"nice\":20}", "",
            "process.scheduler.nice: not from -20 to 19" },
        { "", ",\"scheduler\":{\"policy\":\"SCHED_BATCH\",\"priority\":1}", "",
            "process.scheduler.priority: only for SCHED_FIFO and SCHED_RR" },
        { "", ",\"scheduler\":{\"policy\":\"SCHED_RR\"}", "",
            "process.scheduler.priority: not from 1 to 99" },
        { "", ",\"scheduler\":{\"policy\":\"SCHED_IDLE\",\"runtime\":5}", "",
            "process.scheduler: runtime, deadline and period are only for SCHED_DEADLINE" },
    };
    refuse_all(faults, ARRAY_SIZE(faults));
    accept("", ",\"scheduler\":{\"policy\":\"SCHED_OTHER\",\"nice\":-20}", "");
    accept("", ",\"scheduler\":{\"policy\":\"SCHED_FIFO\",\"priority\":99}", "");
}
END_TEST

START_TEST(fault_in_mount_or_hook_is_named)
{
    const struct fault faults[] = {
        { ",\"mounts\":[{\"destination\":\"/a\"},{\"type\":\"proc\"}]", "", "",
            "mounts[1].destination: missing" },
        { ",\"mounts\":[{\"destination\":\"/a\",\"uidMappings\":[{\"containerID\":0,\"hostID\":0,"
          "\"size\":1}]}]",
            "", "", "mounts[0]: uidMappings and gidMappings go together" },
        { ",\"mounts\":[{\"destination\":\"/a\",\"uidMappings\":[{\"containerID\":0,\"hostID\":0,"
          "\"size\":0}],\"gidMappings\":[{\"containerID\":0,\"hostID\":0,\"size\":1}]}]",
            "", "", "mounts[0].uidMappings[0].size: is 0" },
        { ",\"hooks\":{\"poststop\":[{\"args\":[\"a\"]}]}", "", "",
            "hooks.poststop[0].path: missing" },
        { ",\"hooks\":{\"prestart\":[{\"path\":\"/a\"},{\"path\":\"a\"}]}", "", "",
            "hooks.prestart[1].path: \"a\" is not an absolute path" },
        { ",\"hooks\":{\"startContainer\":[{\"path\":\"/a\",\"timeout\":0}]}", "", "",
            "hooks.startContainer[0].timeout: not greater than 0" },
        { ",\"hooks\":{\"createRuntime\":[{\"path\":\"/a\",\"env\":[\"x\"]}]}", "", "",
            "hooks.createRuntime[0].env[0]: is not NAME=value" },
        { ",\"annotations\":{\"\":\"x\"}", "", "", "annotations: an empty key" },
    };
    refuse_all(faults, ARRAY_SIZE(faults));
    accept(",\"mounts\":[{\"destination\":\"relative\"}]", "", "");
}
END_TEST

#define SPEC(namespaces, more)                                                                     \
    "{\"ociVersion\":\"1.0.2\",\"root\":{\"path\":\"r\"},\"linux\":{\"namespaces\":[" namespaces   \
    "]" more "}}"
#define MOUNT_NS   "{\"type\":\"mount\"}"
#define ONE_UID    ",\"uidMappings\":[{\"containerID\":0,\"hostID\":0,\"size\":1}]"
#define ONE_GID    ",\"gidMappings\":[{\"containerID\":0,\"hostID\":0,\"size\":1}]"
#define UIDS(list) SPEC(MOUNT_NS ",{\"type\":\"user\"}", ",\"uidMappings\":[" list "]" ONE_GID)

START_TEST(namespaces_that_cannot_be_are_refused)
{
    refuse_text(
        SPEC("", ""), "linux.namespaces: without a mount namespace the host's mounts would change");
    refuse_text(
        SPEC(MOUNT_NS "," MOUNT_NS, ""), "linux.namespaces[1].type: \"mount\" is there twice");
    refuse_text(SPEC(MOUNT_NS ",{\"type\":\"pid\",\"path\":\"proc/1/ns/pid\"}", ""),
        "linux.namespaces[1].path: \"proc/1/ns/pid\" is not an absolute path");
    refuse_text(SPEC(MOUNT_NS, ",\"timeOffsets\":{\"boottime\":{\"secs\":1}}"),
        "linux.timeOffsets: needs a new time namespace in linux.namespaces");
    refuse_text(SPEC(MOUNT_NS ",{\"type\":\"time\",\"path\":\"/t\"}",
                    ",\"timeOffsets\":{\"boottime\":{\"secs\":1}}"),
        "linux.timeOffsets: needs a new time namespace in linux.namespaces");
    refuse_text(SPEC(MOUNT_NS ",{\"type\":\"time\"}",
                    ",\"timeOffsets\":{\"boottime\":{\"nanosecs\":1000000000}}"),
        "linux.timeOffsets.boottime.nanosecs: larger than 999999999");
}
END_TEST

START_TEST(mappings_and_user_namespace_go_together)
{
    refuse_text(SPEC(MOUNT_NS, ONE_UID ONE_GID),
        "linux.uidMappings: needs a user namespace in linux.namespaces");
    refuse_text(SPEC(MOUNT_NS ",{\"type\":\"user\"}", ONE_GID),
        "linux: uidMappings and gidMappings go together");
    refuse_text(SPEC(MOUNT_NS ",{\"type\":\"user\"}", ONE_UID),
        "linux: uidMappings and gidMappings go together");

    AUTO(arena) struct arena arena = ARENA_INIT;
    struct error err = ERR_INIT;
    /* As podman sends them for a pod's containers. */
    const char *text = SPEC(MOUNT_NS ",{\"type\":\"user\",\"path\":\"/u\"}", ONE_UID ONE_GID);
    ck_assert_int_eq(oci_config_check(spec_parse(&arena, text), &err), 0);
    /* As crun's tests do. */
    text = SPEC(MOUNT_NS ",{\"type\":\"user\"}", "");
    ck_assert_int_eq(oci_config_check(spec_parse(&arena, text), &err), 0);
}
END_TEST

START_TEST(mappings_that_overflow_or_overlap_are_refused)
{
    refuse_text(UIDS("{\"containerID\":0,\"hostID\":1,\"size\":4294967295}"),
        "linux.uidMappings[0]: the range goes beyond the last id");
    refuse_text(UIDS("{\"containerID\":4294967295,\"hostID\":0,\"size\":1}"),
        "linux.uidMappings[0]: the range goes beyond the last id");
    refuse_text(UIDS("{\"containerID\":0,\"hostID\":1000,\"size\":2},"
                     "{\"containerID\":1,\"hostID\":5000,\"size\":1}"),
        "linux.uidMappings[1]: overlaps another range");
    refuse_text(UIDS("{\"containerID\":0,\"hostID\":1000,\"size\":2},"
                     "{\"containerID\":2,\"hostID\":1001,\"size\":1}"),
        "linux.uidMappings[1]: overlaps another range");
    AUTO(arena) struct arena arena = ARENA_INIT;
    struct error err = ERR_INIT;
    const char *text = UIDS("{\"containerID\":0,\"hostID\":0,\"size\":4294967295}");
    ck_assert_int_eq(oci_config_check(spec_parse(&arena, text), &err), 0);
}
END_TEST

START_TEST(fault_in_linux_is_named)
{
    const struct fault faults[] = {
        { "", "", ",\"devices\":[{\"type\":\"c\",\"major\":1}]", "linux.devices[0].path: missing" },
        { "", "", ",\"devices\":[{\"path\":\"/dev/../etc/x\",\"type\":\"c\",\"major\":1}]",
            "linux.devices[0].path: \"/dev/../etc/x\" is not an absolute path without .." },
        { "", "", ",\"devices\":[{\"path\":\"dev/x\",\"type\":\"p\"}]",
            "linux.devices[0].path: \"dev/x\" is not an absolute path without .." },
        { "", "", ",\"devices\":[{\"path\":\"/dev/x\",\"type\":\"b\"}]",
            "linux.devices[0]: \"/dev/x\" needs major and minor" },
        { "", "", ",\"devices\":[{\"path\":\"/dev/x\",\"type\":\"b\",\"major\":4096}]",
            "linux.devices[0].major: larger than 4095" },
        { "", "", ",\"devices\":[{\"path\":\"/dev/x\",\"type\":\"b\",\"minor\":1048576}]",
            "linux.devices[0].minor: larger than 1048575" },
        { "", "", ",\"cgroupsPath\":\"/a/../../b\"",
            "linux.cgroupsPath: \"/a/../../b\" has .. in it" },
        { "", "", ",\"cgroupsPath\":\"a:b:..\"", "linux.cgroupsPath: \"a:b:..\" has .. in it" },
        { "", "", ",\"cgroupsPath\":\"a\\nb\"",
            "linux.cgroupsPath: \"a\\x0ab\" has a line end in it" },
        { "", "", ",\"maskedPaths\":[\"/a\",\"b\"]",
            "linux.maskedPaths[1]: \"b\" is not an absolute path" },
        { "", "", ",\"readonlyPaths\":[\"\"]",
            "linux.readonlyPaths[0]: \"\" is not an absolute path" },
        { "", "", ",\"personality\":{\"domain\":\"LINUX\",\"flags\":[\"X\"]}",
            "linux.personality.flags[0]: \"X\" is unknown" },
        { "", "", ",\"sysctl\":{\"net.ipv4.ip_forward\":\"1\\n2\"}",
            "linux.sysctl: \"net.ipv4.ip_forward\" has a value of more than one line" },
    };
    refuse_all(faults, ARRAY_SIZE(faults));
    accept("", "", ",\"cgroupsPath\":\"system.slice:docker:a..b\"");
    accept("", "", ",\"devices\":[{\"path\":\"/dev/x\",\"type\":\"p\"}]");
}
END_TEST

/* runc-3256, group a: names that climb out, in both notations. */
START_TEST(sysctl_that_climbs_is_refused)
{
    const char *const wrong[] = { "net/../kernel/x", "../kernel/x", "net.//.kernel.x", "net..x", "",
        "/net/x", ".net" };
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        autofree char *lx = xasprintf(",\"sysctl\":{\"%s\":\"1\"}", wrong[i]);
        autofree char *message =
            xasprintf("linux.sysctl: \"%s\" is no name of a setting", wrong[i]);
        const struct fault fault = { "", "", lx, message };
        refuse_all(&fault, 1);
    }
    accept("", "", ",\"sysctl\":{\"net/ipv4/conf/v0.100/forwarding\":\"1\"}");
    accept("", "", ",\"sysctl\":{\"net.ipv4.conf.v0/100.forwarding\":\"1\"}");
}
END_TEST

#define FILTER(more) ",\"seccomp\":{\"defaultAction\":\"SCMP_ACT_ALLOW\"" more "}"
#define CALL(more)   FILTER(",\"syscalls\":[{" more "}]")

START_TEST(fault_in_filter_is_named)
{
    const struct fault faults[] = {
        { "", "", ",\"seccomp\":{\"defaultAction\":\"SCMP_ACT_NOTIFY\"}",
            "linux.seccomp.defaultAction: SCMP_ACT_NOTIFY cannot be the default" },
        { "", "", FILTER(",\"defaultErrnoRet\":1"),
            "linux.seccomp.defaultErrnoRet: only for SCMP_ACT_ERRNO and SCMP_ACT_TRACE" },
        { "", "", CALL("\"names\":[],\"action\":\"SCMP_ACT_ERRNO\""),
            "linux.seccomp.syscalls[0].names: missing or empty" },
        { "", "", CALL("\"names\":[\"a\",\"\"],\"action\":\"SCMP_ACT_ERRNO\""),
            "linux.seccomp.syscalls[0].names[1]: empty" },
        { "", "", CALL("\"names\":[\"a\"],\"action\":\"SCMP_ACT_KILL\",\"errnoRet\":1"),
            "linux.seccomp.syscalls[0].errnoRet: only for SCMP_ACT_ERRNO and SCMP_ACT_TRACE" },
        { "", "", CALL("\"names\":[\"a\"],\"action\":\"SCMP_ACT_ERRNO\",\"errnoRet\":4096"),
            "linux.seccomp.syscalls[0].errnoRet: larger than 4095" },
        { "", "", CALL("\"names\":[\"a\"],\"action\":\"SCMP_ACT_TRACE\",\"errnoRet\":65536"),
            "linux.seccomp.syscalls[0].errnoRet: larger than 65535" },
        { "", "",
            CALL("\"names\":[\"a\"],\"action\":\"SCMP_ACT_ERRNO\",\"args\":[{\"index\":6,"
                 "\"value\":0,\"op\":\"SCMP_CMP_EQ\"}]"),
            "linux.seccomp.syscalls[0].args[0].index: larger than 5" },
        { "", "", CALL("\"names\":[\"a\"],\"action\":\"SCMP_ACT_NOTIFY\""),
            "linux.seccomp.listenerPath: missing, but SCMP_ACT_NOTIFY needs it" },
        { "", "", FILTER(",\"listenerPath\":\"run/x\""),
            "linux.seccomp.listenerPath: \"run/x\" is not an absolute path" },
        { "", "", FILTER(",\"listenerMetadata\":\"m\""),
            "linux.seccomp.listenerMetadata: there without listenerPath" },
    };
    refuse_all(faults, ARRAY_SIZE(faults));
}
END_TEST

#define RESOURCES(more) ",\"resources\":{" more "}"

START_TEST(fault_in_resources_is_named)
{
    const struct fault faults[] = {
        { "", "", RESOURCES("\"devices\":[{\"allow\":true,\"access\":\"rx\"}]"),
            "linux.resources.devices[0].access: \"rx\" has other letters than rwm" },
        { "", "", RESOURCES("\"memory\":{\"limit\":-2}"),
            "linux.resources.memory.limit: less than -1" },
        { "", "", RESOURCES("\"memory\":{\"swappiness\":101}"),
            "linux.resources.memory.swappiness: larger than 100" },
        { "", "", RESOURCES("\"cpu\":{\"cpus\":\"0-x\"}"),
            "linux.resources.cpu.cpus: \"0-x\" is no list like 0-3,7" },
        { "", "", RESOURCES("\"cpu\":{\"mems\":\"a\"}"),
            "linux.resources.cpu.mems: \"a\" is no list like 0-3,7" },
        { "", "", RESOURCES("\"cpu\":{\"quota\":-2}"), "linux.resources.cpu.quota: less than -1" },
        { "", "", RESOURCES("\"cpu\":{\"idle\":2}"), "linux.resources.cpu.idle: neither 0 nor 1" },
        { "", "", RESOURCES("\"pids\":{\"limit\":-2}"),
            "linux.resources.pids.limit: less than -1" },
        { "", "", RESOURCES("\"blockIO\":{\"weight\":9}"),
            "linux.resources.blockIO.weight: not from 10 to 1000" },
        { "", "",
            RESOURCES("\"blockIO\":{\"weightDevice\":[{\"major\":8,\"minor\":0,\"weight\":1001}]}"),
            "linux.resources.blockIO.weightDevice[0]: a weight is not from 10 to 1000" },
        { "", "", RESOURCES("\"hugepageLimits\":[{\"limit\":1}]"),
            "linux.resources.hugepageLimits[0].pageSize: missing" },
        { "", "", RESOURCES("\"hugepageLimits\":[{\"pageSize\":\"2MB/../x\",\"limit\":1}]"),
            "linux.resources.hugepageLimits[0].pageSize: \"2MB/../x\" is no size like 2MB" },
        { "", "", RESOURCES("\"unified\":{\"../memory.high\":\"1\"}"),
            "linux.resources.unified: \"../memory.high\" is no limit of a cgroup" },
        { "", "", RESOURCES("\"unified\":{\"cgroup.procs\":\"1\"}"),
            "linux.resources.unified: \"cgroup.procs\" is no limit of a cgroup" },
    };
    refuse_all(faults, ARRAY_SIZE(faults));
    accept("", "", RESOURCES("\"unified\":{\"cgroup.max.depth\":\"1\",\"hugetlb.2MB.max\":\"0\"}"));
}
END_TEST

/* A stranger's text in a message is one line of bounded length. */
START_TEST(value_in_message_is_quoted_and_cut)
{
    AUTO(buf) struct buf text = BUF_INIT;
    buf_puts(&text, "{\"ociVersion\":\"1.0.2\",\"root\":{\"path\":\"r\"},\"process\":{\"args\":"
                    "[\"a\"],\"cwd\":\"\\u001b[31m\\n");
    for (int i = 0; i < 5000; i++)
        buf_putc(&text, 'x');
    buf_puts(&text, "\"}}");
    AUTO(arena) struct arena arena = ARENA_INIT;
    struct error err = ERR_INIT;
    ck_assert_int_eq(oci_config_check(spec_parse(&arena, buf_str(&text)), &err), -EINVAL);
    ck_assert_ptr_null(strpbrk(err.text, "\x1b\n"));
    ck_assert_uint_lt(strlen(err.text), 300);
    const char *end = "\"... is not an absolute path";
    ck_assert_str_eq(err.text + strlen(err.text) - strlen(end), end);
}
END_TEST

START_TEST(what_is_not_enforced_yet_is_refused_by_name)
{
    const struct fault asked[] = {
        { "", ",\"execCPUAffinity\":{\"initial\":\"0\"}", "", "process.execCPUAffinity" },
        { "", "", ",\"intelRdt\":{\"closID\":\"c\"}", "linux.intelRdt" },
        { "", "", ",\"memoryPolicy\":{\"mode\":\"MPOL_BIND\"}", "linux.memoryPolicy" },
        { "", "", ",\"netDevices\":{\"eth0\":{}}", "linux.netDevices" },
        { "", "", RESOURCES("\"network\":{\"classID\":1}"), "linux.resources.network" },
        { "", "", RESOURCES("\"rdma\":{\"mlx\":{\"hcaObjects\":1}}"), "linux.resources.rdma" },
    };
    for (size_t i = 0; i < ARRAY_SIZE(asked); i++) {
        AUTO(arena) struct arena arena = ARENA_INIT;
        autofree char *text = spec_text(asked[i].top, asked[i].process, asked[i].lx);
        struct error err = ERR_INIT;
        ck_assert_int_eq(oci_config_unsupported(spec_parse(&arena, text), &err), -ENOTSUP);
        autofree char *message =
            xasprintf("%s: asked for, but not supported by this version of runa", asked[i].message);
        ck_assert_str_eq(err.text, message);
    }
}
END_TEST

START_TEST(configurations_of_engines_ask_for_nothing_unsupported)
{
    const char *const names[] = { "docker.json", "podman.json", "containerd.json" };
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        AUTO(arena) struct arena arena = ARENA_INIT;
        size_t len = 0;
        autofree char *text = spec_file(names[i], &len);
        struct error err = ERR_INIT;
        ck_assert_int_eq(oci_config_unsupported(spec_parse(&arena, text), &err), 0);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { configurations_of_engines_pass, version_other_than_1_is_refused,
        host_names_need_their_namespace, fault_in_process_is_named,
        rlimit_that_cannot_be_is_refused, scheduler_fields_of_another_policy_are_refused,
        fault_in_mount_or_hook_is_named, namespaces_that_cannot_be_are_refused,
        mappings_and_user_namespace_go_together, mappings_that_overflow_or_overlap_are_refused,
        fault_in_linux_is_named, sysctl_that_climbs_is_refused, fault_in_filter_is_named,
        fault_in_resources_is_named, value_in_message_is_quoted_and_cut,
        what_is_not_enforced_yet_is_refused_by_name,
        configurations_of_engines_ask_for_nothing_unsupported };
    return unit_run("oci_config_check", tests, ARRAY_SIZE(tests));
}
