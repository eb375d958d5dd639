/* SPDX-License-Identifier: Apache-2.0 */
/* Lines for people (stderr) and engines (the log file). */
#include "log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "buf.h"
#include "cleanup.h"
#include "json_write.h"

static struct {
    int fd;
    enum log_format format;
    enum log_level level;
} log_to = { .fd = -1, .format = LOG_FORMAT_TEXT, .level = LOG_LEVEL_INFO };

void log_setup(int fd, enum log_format format, enum log_level level)
{
    log_to.fd = fd;
    log_to.format = format;
    log_to.level = level;
}

static const char *level_name(enum log_level level)
{
    switch (level) {
    case LOG_LEVEL_ERROR:
        return "error";
    case LOG_LEVEL_WARN:
        return "warning";
    case LOG_LEVEL_INFO:
        return "info";
    case LOG_LEVEL_DEBUG:
        return "debug";
    }
    return "error";
}

static void time_text(char *ret, size_t size)
{
    struct tm tm = { 0 };
    time_t now = time(NULL);

    if (!gmtime_r(&now, &tm) || strftime(ret, size, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
        (void)snprintf(ret, size, "1970-01-01T00:00:00Z");
}

static void write_line(int fd, struct buf *line)
{
    const char *rest = buf_str(line);
    size_t len = line->len;

    while (len > 0) {
        ssize_t n = write(fd, rest, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return; /* there is no one left to tell */
        rest += n;
        len -= (size_t)n;
    }
}

static void put_file_line(struct buf *line, enum log_level level, const struct buf *text)
{
    char now[32];

    time_text(now, sizeof(now));
    if (log_to.format == LOG_FORMAT_JSON) {
        struct json_writer w = JSON_WRITER_INIT(line, 0);
        json_begin(&w, NULL, '{');
        json_put_str(&w, "level", level_name(level));
        json_put_strn(&w, "msg", buf_str(text), text->len);
        json_put_str(&w, "time", now);
        json_end(&w, '}');
    } else {
        buf_printf(line, "time=\"%s\" level=%s msg=", now, level_name(level));
        buf_put_quoted(line, buf_str(text), text->len);
    }
    buf_putc(line, '\n');
}

void log_line(enum log_level level, const char *format, ...)
{
    AUTO(buf) struct buf text = BUF_INIT;
    AUTO(buf) struct buf line = BUF_INIT;
    va_list ap;

    if (level > log_to.level)
        return;
    va_start(ap, format);
    buf_vprintf(&text, format, ap);
    va_end(ap);
    if (log_to.fd >= 0) {
        put_file_line(&line, level, &text);
        write_line(log_to.fd, &line);
    }
    if (log_to.fd >= 0 && level != LOG_LEVEL_ERROR)
        return;
    buf_reset(&line);
    buf_printf(&line, "runa: %s: ", level_name(level));
    buf_put_plain(&line, buf_str(&text), text.len);
    buf_putc(&line, '\n');
    write_line(STDERR_FILENO, &line);
}
