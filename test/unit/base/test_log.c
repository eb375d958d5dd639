/* SPDX-License-Identifier: Apache-2.0 */
/* Log lines, read back from files that stand for stderr and --log. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "cleanup.h"
#include "log.h"
#include "unit.h"

struct sinks {
    int log_fd;
    int err_fd;
    int saved_fd;
    char text[4096];
};

static void capture(struct sinks *s)
{
    s->log_fd = memfd_create("log", MFD_CLOEXEC);
    s->err_fd = memfd_create("stderr", MFD_CLOEXEC);
    s->saved_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    ck_assert_int_ge(s->log_fd, 0);
    ck_assert_int_ge(s->err_fd, 0);
    ck_assert_int_ge(dup2(s->err_fd, STDERR_FILENO), 0);
}

static void release(struct sinks *s)
{
    ck_assert_int_ge(dup2(s->saved_fd, STDERR_FILENO), 0);
    (void)close(s->saved_fd);
    (void)close(s->log_fd);
    (void)close(s->err_fd);
}

static const char *content(struct sinks *s, int fd)
{
    ssize_t n = pread(fd, s->text, sizeof(s->text) - 1, 0);

    s->text[n > 0 ? n : 0] = '\0';
    return s->text;
}

START_TEST(error_goes_to_stderr_and_as_json_to_the_log)
{
    struct sinks s = { 0 };

    capture(&s);
    log_setup(s.log_fd, LOG_FORMAT_JSON, LOG_LEVEL_INFO);
    log_error("open \"%s\": %s", "a\nb", "no");
    ck_assert_str_eq(content(&s, s.err_fd), "runa: error: open \"a\\x0ab\": no\n");
    const char *line = content(&s, s.log_fd);
    static const char head[] =
        "{\"level\":\"error\",\"msg\":\"open \\\"a\\nb\\\": no\",\"time\":\"2";
    ck_assert_mem_eq(line, head, sizeof(head) - 1);
    ck_assert_str_eq(line + strlen(line) - 4, "Z\"}\n");
    ck_assert_uint_eq(strlen(line), sizeof(head) - 1 + strlen("026-01-02T03:04:05Z\"}\n"));
    release(&s);
}
END_TEST

START_TEST(text_format_has_time_level_msg)
{
    struct sinks s = { 0 };

    capture(&s);
    log_setup(s.log_fd, LOG_FORMAT_TEXT, LOG_LEVEL_INFO);
    log_warn("say \"hi\"\n");
    ck_assert_str_eq(content(&s, s.err_fd), "");
    const char *line = content(&s, s.log_fd);
    ck_assert_mem_eq(line, "time=\"2", 7);
    ck_assert_str_eq(strstr(line, "Z\" "), "Z\" level=warning msg=\"say \\\"hi\\\"\\x0a\"\n");
    release(&s);
}
END_TEST

START_TEST(without_log_file_all_goes_to_stderr)
{
    struct sinks s = { 0 };

    capture(&s);
    log_setup(-1, LOG_FORMAT_JSON, LOG_LEVEL_WARN);
    log_warn("w");
    log_info("hidden by the level");
    log_error("e");
    ck_assert_str_eq(content(&s, s.err_fd), "runa: warning: w\nruna: error: e\n");
    release(&s);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = { error_goes_to_stderr_and_as_json_to_the_log,
        text_format_has_time_level_msg, without_log_file_all_goes_to_stderr };

    return unit_run("log", tests, ARRAY_SIZE(tests));
}
