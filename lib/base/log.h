/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Lines for people and engines: text or JSON as runc writes them ({"level","msg","time"}), to stderr and the
 *          --log file. Only the mains in cmd/ and serving loops log.
 *          Errors go to both, as "runa: error: text" to stderr; other lines to stderr only when there is no file.
 * Runs in  parent, monitor, gateway
 */
#pragma once
#include <stdarg.h>
#include <stdbool.h>

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };
enum log_format { LOG_FORMAT_TEXT, LOG_FORMAT_JSON };

void log_setup(int fd, enum log_format format, enum log_level level); /* fd is borrowed; -1: stderr only */
void log_line(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define log_error(...) log_line(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warn(...)  log_line(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_info(...)  log_line(LOG_LEVEL_INFO, __VA_ARGS__)
