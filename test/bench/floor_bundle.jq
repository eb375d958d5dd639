# SPDX-License-Identifier: Apache-2.0
# config.json in, floor_bundle.h out: what bench/floor does is what the runtimes are told to do.
def flag: {"ro": "MS_RDONLY", "nosuid": "MS_NOSUID", "nodev": "MS_NODEV", "noexec": "MS_NOEXEC",
    "relatime": "MS_RELATIME", "strictatime": "MS_STRICTATIME", "noatime": "MS_NOATIME"}[.];
def namespace: {"pid": "CLONE_NEWPID", "network": "CLONE_NEWNET", "ipc": "CLONE_NEWIPC", "uts": "CLONE_NEWUTS",
    "mount": "CLONE_NEWNS", "cgroup": "CLONE_NEWCGROUP", "user": "CLONE_NEWUSER", "time": "CLONE_NEWTIME"}[.];
def type: if . == "cgroup" then "cgroup2" else . end;
def either(empty): if . == "" then empty else . end;

"/* SPDX-License-Identifier: Apache-2.0 */",
"/* Written by bench/run from config.json. */",
"#define FLOOR_NAMESPACES (\([.linux.namespaces[].type | namespace] | join(" | ")))",
"#define FLOOR_ROOT_READONLY \(if .root.readonly then 1 else 0 end)",
"static const char floor_hostname[] = \(.hostname // "floor" | tojson);",
"static const struct floor_mount floor_mounts[] = {",
(.mounts[] | "    {\(.source // .type | tojson), \(.destination[1:] | tojson), \(.type | type | tojson), " +
    ([.options[]? | flag // empty] | join(" | ") | either("0")) + ", " +
    ([.options[]? | select((flag // "") == "" and . != "private" and . != "newinstance" and . != "rprivate")]
        | join(",") | either(null) | tojson | if . == "null" then "NULL" else . end) + "},"),
"    {0},",
"};",
"static const char *const floor_masked[] = {",
(.linux.maskedPaths[]? | "    \(tojson),"), "    NULL,", "};",
"static const char *const floor_readonly[] = {",
(.linux.readonlyPaths[]? | "    \(tojson),"), "    NULL,", "};"
