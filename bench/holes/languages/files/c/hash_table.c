#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 256

struct entry {
    char *key;
    int value;
    struct entry *next;
};

struct hash_table {
    struct entry *buckets[BUCKETS];
    size_t count;
};

static uint32_t hash(const char *key)
{
    uint32_t value = 2166136261u;

    while (*key != '\0') {
        value ^= (unsigned char)*key++;
        value *= 16777619u;
    }
    return value % BUCKETS;
}

struct hash_table *hash_table_new(void)
{
    return calloc(1, sizeof(struct hash_table));
}

static struct entry *find(const struct hash_table *table, const char *key)
{
    struct entry *entry = table->buckets[hash(key)];

    while (entry != NULL && strcmp(entry->key, key) != 0)
        entry = entry->next;
    return entry;
}

int hash_table_get(const struct hash_table *table, const char *key, int fallback)
{
    const struct entry *entry = find(table, key);

    return entry == NULL ? fallback : entry->value;
}

int hash_table_set(struct hash_table *table, const char *key, int value)
{
    struct entry *entry = find(table, key);
    uint32_t bucket = hash(key);

    if (entry != NULL) {
        entry->value = value;
        return 0;
    }
    entry = malloc(sizeof(*entry));
    if (entry == NULL)
        return -1;
    entry->key = strdup(key);
    entry->value = value;
    entry->next = table->buckets[bucket];
    table->buckets[bucket] = entry;
    table->count++;
    return 0;
}

void hash_table_free(struct hash_table *table)
{
    for (size_t i = 0; i < BUCKETS; i++) {
        struct entry *entry = table->buckets[i];

        while (entry != NULL) {
            struct entry *next = entry->next;

            free(entry->key);
            free(entry);
            entry = next;
        }
    }
    free(table);
}
