/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Purpose  Calls that have no place here do not compile. Included by the build before everything else.
 * Runs in  any
 */
#pragma once
#include <dirent.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#undef sprintf /* macros in some C libraries */
#undef vsprintf
#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf gets strtok system popen tmpnam tempnam mktemp
#pragma GCC poison realpath access atoi atol atoll atof getpwnam getgrnam getpwuid getgrgid
