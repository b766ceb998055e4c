#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct string_list {
    char **items;
    size_t length;
    size_t capacity;
};

void string_list_init(struct string_list *list)
{
    list->items = NULL;
    list->length = 0;
    list->capacity = 0;
}

static bool grow(struct string_list *list)
{
    size_t capacity = list->capacity == 0 ? 8 : list->capacity * 2;
    char **items = realloc(list->items, capacity * sizeof(*items));
    if (items == NULL)
        return false;
    list->items = items;
    list->capacity = capacity;
    return true;
}

bool string_list_add(struct string_list *list, const char *text)
{
    if (list->length == list->capacity && !grow(list))
        return false;
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (copy == NULL)
        return false;
    memcpy(copy, text, size);
    list->items[list->length++] = copy;
    return true;
}

ptrdiff_t string_list_find(const struct string_list *list, const char *text)
{
    for (size_t i = 0; i < list->length; i++) {
        if (strcmp(list->items[i], text) == 0)
            return (ptrdiff_t)i;
    }
    return -1;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void string_list_sort(struct string_list *list)
{
    qsort(list->items, list->length, sizeof(*list->items), compare);
}

void string_list_print(const struct string_list *list, FILE *out)
{
    for (size_t i = 0; i < list->length; i++)
        fprintf(out, "%s\n", list->items[i]);
}

void string_list_free(struct string_list *list)
{
    for (size_t i = 0; i < list->length; i++)
        free(list->items[i]);
    free(list->items);
    string_list_init(list);
}
