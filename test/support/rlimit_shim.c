/* SPDX-License-Identifier: Apache-2.0 */
/* LD_PRELOAD for peer runtimes on a host whose root lacks CAP_SYS_RESOURCE. crun 1.8 raises
 * RLIMIT_MEMLOCK before it loads its device filter and gives up when it may not; since Linux 5.11 the raise
 * is not needed. A raise that the kernel refuses is reported as done, with the soft limit at the hard one.
 * Build: cc -shared -fPIC -O2. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sys/resource.h>

typedef int setrlimit_function(__rlimit_resource_t, const struct rlimit *);

int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit)
{
    setrlimit_function *next = (setrlimit_function *)dlsym(RTLD_NEXT, "setrlimit");
    struct rlimit now;

    if (next(resource, limit) == 0)
        return 0;
    if (errno != EPERM || getrlimit(resource, &now) < 0)
        return -1;
    now.rlim_cur = limit->rlim_cur < now.rlim_max ? limit->rlim_cur : now.rlim_max;
    return next(resource, &now);
}

/* struct rlimit and struct rlimit64 are the same on 64-bit machines. */
int setrlimit64(__rlimit_resource_t resource, const struct rlimit64 *limit)
{
    return setrlimit(resource, (const struct rlimit *)limit);
}
