/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target once over each file of the folders or files given: the stored corpus as a
 * plain test. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path)
{
    FILE *f = fopen(path, "re");
    if (!f) {
        perror(path);
        return -1;
    }
    static uint8_t data[1U << 20];
    size_t size = fread(data, 1, sizeof(data), f);
    (void)fclose(f);
    uint8_t *exact = malloc(size ? size : 1); /* so that a read beyond the end is seen */
    if (!exact)
        return -1;
    memcpy(exact, data, size);
    (void)LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    return 0;
}

int main(int argc, char **argv)
{
    int n_files = 0;
    for (int i = 1; i < argc; i++) {
        struct dirent **names = NULL;
        int n = scandir(argv[i], &names, NULL, alphasort);
        for (int k = 0; k < n; k++) {
            char path[4096];
            struct stat st;
            int len = snprintf(path, sizeof(path), "%s/%s", argv[i], names[k]->d_name);
            free(names[k]);
            if (len < 0 || (size_t)len >= sizeof(path) || stat(path, &st) < 0 ||
                !S_ISREG(st.st_mode))
                continue;
            if (run_file(path) < 0)
                return 1;
            n_files++;
        }
        free(names);
    }
    printf("%d inputs\n", n_files);
    return n_files > 0 ? 0 : 1;
}
