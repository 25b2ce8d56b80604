/* See json.h.  Nodes live until the program ends. */
#include "json.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *at;

static void fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    exit(2);
}

static void space(void) {
    while (isspace((unsigned char)*at)) at++;
}

static int taken(char expected) {
    space();
    if (*at != expected) return 0;
    at++;
    return 1;
}

static char *copied(const char *from, size_t length) {
    char *text = calloc(length + 1, 1);
    if (text == NULL) fail("out of memory");
    return memcpy(text, from, length);
}

static char *string(void) {
    const char *from = at;
    while (*at != '\0' && *at != '"' && *at != '\\') at++;
    if (*at != '"') fail("a string that has an escape or no end");
    return copied(from, (size_t)(at++ - from));
}

static Node *value(void);

static void members(Node *node, char end) {
    Node **last = &node->child;
    if (taken(end)) return;
    do {
        char *key = NULL;
        if (node->kind == OBJECT) {
            if (!taken('"')) fail("an object's key is no string");
            key = string();
            if (!taken(':')) fail("no colon after a key");
        }
        *last = value();
        (*last)->key = key;
        last = &(*last)->next;
        node->size++;
    } while (taken(','));
    if (!taken(end)) fail("an object or a list has no end");
}

static Node *value(void) {
    Node *node = calloc(1, sizeof *node);
    if (node == NULL) fail("out of memory");
    if (taken('{')) {
        node->kind = OBJECT;
        members(node, '}');
    } else if (taken('[')) {
        node->kind = LIST;
        members(node, ']');
    } else if (taken('"')) {
        node->kind = STRING;
        node->text = string();
    } else {
        const char *from = at;
        node->kind = isalpha((unsigned char)*at) ? WORD : NUMBER;
        while (isalnum((unsigned char)*at) || strchr("+-.", *at)) {
            if (*at == '\0') break;
            at++;
        }
        if (at == from) fail("no value where one should be");
        node->text = copied(from, (size_t)(at - from));
    }
    return node;
}

Node *json_parse(const char *text) {
    at = text;
    Node *document = value();
    space();
    if (*at != '\0') fail("something stands after the document");
    return document;
}

const Node *json_member(const Node *object, const char *key) {
    for (const Node *node = object->child; node != NULL; node = node->next) {
        if (node->key != NULL && strcmp(node->key, key) == 0) return node;
    }
    return NULL;
}

double json_number(const Node *node) {
    const char *slash = strchr(node->text, '/');
    double numerator = strtod(node->text, NULL);
    return slash == NULL ? numerator : numerator / strtod(slash + 1, NULL);
}
