/* SPDX-License-Identifier: Apache-2.0 */
/* Purpose: arguments, confinement, job, report. */
#include "unpack_run.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "archive_stream.h"
#include "channel.h"
#include "layer_unpack_apply.h"
#include "role.h"
#include "unpack_confine_apply.h"
#include "unpack_order.h"

static int job_parse(int argc, char *const *argv, enum unpack_job *ret, struct error *err)
{
    if (argc == 3 && strcmp(argv[1], "inflate") == 0)
        *ret = UNPACK_JOB_INFLATE;
    else if (argc == 2 && strcmp(argv[1], "layer") == 0)
        *ret = UNPACK_JOB_LAYER;
    else if (argc == 2 && strcmp(argv[1], "archive") == 0)
        *ret = UNPACK_JOB_ARCHIVE;
    else
        return err_set(err, EINVAL, "runa-unpack is started by runa, not by hand");
    return 0;
}

static int job_run(int argc, char *const *argv, struct unpack_report *report)
{
    struct error *err = &report->error;
    enum unpack_job job = UNPACK_JOB_INFLATE;
    int rc = job_parse(argc, argv, &job, err);
    if (rc == 0)
        rc = archive_stream_prepare(err);
    if (rc == 0 && unpack_confine_apply(job, err) < 0)
        return err_in(err, "confine runa-unpack");
    if (rc < 0)
        return rc;
    if (job == UNPACK_JOB_INFLATE)
        return archive_stream_inflate(0, 1, argv[2], err);
    return layer_unpack_apply(0, UNPACK_FD_ROOT, job == UNPACK_JOB_LAYER, report, err);
}

int unpack_run(int argc, char *const *argv)
{
    role_set(ROLE_UNPACK);
    struct unpack_report report = { .error = ERR_INIT };
    int rc = job_run(argc, argv, &report);
    int sent = channel_send(UNPACK_FD_CHANNEL, UNPACK_REPORT, &report, sizeof(report), NULL, 0);
    return rc < 0 || sent < 0 ? 1 : 0;
}
