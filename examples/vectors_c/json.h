/* A reader for the JSON of test vectors: objects, lists, strings without escapes, numbers. */
#ifndef JSON_H
#define JSON_H

typedef enum { OBJECT, LIST, STRING, NUMBER, WORD } Kind;

typedef struct Node {
    Kind kind;
    char *key;          /* of a member of an object */
    char *text;         /* of a string, a number or a word */
    int size;           /* members or items */
    struct Node *child; /* the first of them */
    struct Node *next;  /* the one after this */
} Node;

Node *json_parse(const char *text); /* copies what it keeps; exits with a message if it cannot */
const Node *json_member(const Node *object, const char *key); /* NULL if there is none */
double json_number(const Node *node); /* of a number, or of a string such as "1/3" */

#endif
