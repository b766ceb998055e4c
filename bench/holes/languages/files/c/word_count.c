#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct counts {
    unsigned long lines;
    unsigned long words;
    unsigned long bytes;
};

static int count_file(FILE *file, struct counts *counts)
{
    int in_word = 0;
    int c;

    while ((c = fgetc(file)) != EOF) {
        counts->bytes++;
        if (c == '\n')
            counts->lines++;
        if (isspace(c)) {
            in_word = 0;
        } else if (!in_word) {
            in_word = 1;
            counts->words++;
        }
    }
    return ferror(file) ? -1 : 0;
}

static void print_counts(const struct counts *counts, const char *name)
{
    printf("%8lu %8lu %8lu", counts->lines, counts->words, counts->bytes);
    if (name != NULL)
        printf(" %s", name);
    putchar('\n');
}

static void add_counts(struct counts *total, const struct counts *counts)
{
    total->lines += counts->lines;
    total->words += counts->words;
    total->bytes += counts->bytes;
}

int main(int argc, char *argv[])
{
    struct counts total = {0};
    int status = EXIT_SUCCESS;

    if (argc < 2) {
        count_file(stdin, &total);
        print_counts(&total, NULL);
        return status;
    }
    for (int i = 1; i < argc; i++) {
        struct counts counts = {0};
        FILE *file = fopen(argv[i], "r");

        if (file == NULL) {
            fprintf(stderr, "%s: %s\n", argv[i], strerror(errno));
            status = EXIT_FAILURE;
            continue;
        }
        if (count_file(file, &counts) < 0) {
            fprintf(stderr, "%s: read error\n", argv[i]);
            status = EXIT_FAILURE;
        }
        fclose(file);
        print_counts(&counts, argv[i]);
        add_counts(&total, &counts);
    }
    if (argc > 2)
        print_counts(&total, "total");
    return status;
}
