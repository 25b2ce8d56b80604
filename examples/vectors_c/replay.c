/* Replays the test vectors of one rule: replay VECTORS.json

   The uniforms of a vector are, in order: one for each draft token that is drawn, one for each
   draft token's acceptance, and one for the last token emitted.  Exits with 0 if every vector
   comes out as it must, with 1 if one does not, with 2 if the file cannot be read, is not the one
   that SHA256SUMS beside it was written for, or is of another rule. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "round.h"
#include "sha256.h"

static const char rule[] = "token_rejection_bonus";

enum { MAX_GAMMA = 8, MAX_VOCAB = 64, MAX_KEY = 256 };

static void refuse(const char *path, const char *why) {
    fprintf(stderr, "%s: %s\n", path, why);
    exit(2);
}

static char *content(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) refuse(path, "cannot be opened");
    long size = ftell(file);
    if (size < 0) refuse(path, "cannot be read");
    rewind(file);
    char *text = calloc((size_t)size + 1, 1);
    *length = (size_t)size;
    if (text == NULL || fread(text, 1, *length, file) != *length) refuse(path, "cannot be read");
    fclose(file);
    return text;
}

/* Refuses a file that SHA256SUMS in its folder does not name with the sum that it has. */
static void require_listed(const char *path, const char *text, size_t length) {
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    size_t folder = (size_t)(name - path), sums_length;
    char *sums_path = calloc(folder + sizeof "SHA256SUMS", 1);
    char *line = calloc(SHA256_HEX + strlen(name) + 4, 1);
    if (sums_path == NULL || line == NULL) refuse(path, "out of memory");
    memcpy(sums_path, path, folder);
    strcat(sums_path, "SHA256SUMS");
    sha256((const unsigned char *)text, length, line);
    sprintf(line + SHA256_HEX, "  %s\n", name);
    char *sums = content(sums_path, &sums_length);
    if (strstr(sums, line) == NULL) refuse(path, "not the file that SHA256SUMS was written for");
    free(sums);
    free(line);
    free(sums_path);
}

static const Node *listed_cases(const char *path) {
    size_t length;
    char *text = content(path, &length);
    require_listed(path, text, length);
    const Node *document = json_parse(text);
    const Node *name = json_member(document, "rule");
    if (name == NULL || strcmp(name->text, rule) != 0) refuse(path, "of another rule");
    free(text);
    return json_member(document, "cases");
}

static void row(const Node *model, const int *context, int length, double *probs) {
    char key[MAX_KEY] = "";
    for (int i = 0; i < length; i++) {
        snprintf(key + strlen(key), MAX_KEY - strlen(key), i ? ",%d" : "%d", context[i]);
    }
    const Node *found = json_member(model, key);
    if (found == NULL) found = json_member(model, "*");
    if (found == NULL) {
        fprintf(stderr, "no row for the context '%s'\n", key);
        exit(2);
    }
    for (const Node *prob = found->child; prob != NULL; prob = prob->next) {
        *probs++ = json_number(prob);
    }
}

static int replayed(const Node *instance, const double *uniforms, int *tokens) {
    int vocab_size = (int)json_number(json_member(instance, "vocab_size"));
    int gamma = (int)json_number(json_member(json_member(instance, "parameters"), "gamma"));
    static double target_probs[(MAX_GAMMA + 1) * MAX_VOCAB], draft_probs[MAX_GAMMA * MAX_VOCAB];
    int draft_tokens[MAX_GAMMA];
    if (vocab_size > MAX_VOCAB || gamma > MAX_GAMMA) {
        fprintf(stderr, "an instance larger than this program takes\n");
        exit(2);
    }
    for (int i = 0; i < gamma; i++) {
        double *q = draft_probs + i * vocab_size;
        row(json_member(instance, "draft"), draft_tokens, i, q);
        draft_tokens[i] = choose(vocab_size, q, uniforms[i]);
    }
    for (int i = 0; i <= gamma; i++) {
        double *p = target_probs + i * vocab_size;
        row(json_member(instance, "target"), draft_tokens, i, p);
    }
    return verify(vocab_size, gamma, target_probs, draft_probs, draft_tokens, uniforms + gamma,
                  tokens);
}

static int agrees(const Node *instance, const Node *vector) {
    double uniforms[2 * MAX_GAMMA + 1] = {0};
    int tokens[MAX_GAMMA + 1], drawn = 0, i = 0;
    for (const Node *u = json_member(vector, "uniforms")->child; u != NULL; u = u->next) {
        if (drawn < 2 * MAX_GAMMA + 1) uniforms[drawn++] = json_number(u);
    }
    int length = replayed(instance, uniforms, tokens);
    const Node *expected = json_member(vector, "tokens");
    if (length != expected->size) return 0;
    if (length - 1 != (int)json_number(json_member(vector, "accepted"))) return 0;
    for (const Node *token = expected->child; token != NULL; token = token->next) {
        if (tokens[i++] != (int)json_number(token)) return 0;
    }
    return 1;
}

int main(int count, char **arguments) {
    int vectors = 0, wrong = 0;
    if (count != 2) {
        fprintf(stderr, "usage: replay VECTORS.json\n");
        return 2;
    }
    const Node *cases = listed_cases(arguments[1]);
    for (const Node *one = cases->child; one != NULL; one = one->next) {
        const Node *instance = json_member(one, "instance");
        const Node *listed = json_member(one, "vectors");
        for (const Node *vector = listed->child; vector != NULL; vector = vector->next) {
            vectors++;
            wrong += !agrees(instance, vector);
        }
    }
    printf("%d vectors, %d wrong\n", vectors, wrong);
    return wrong ? 1 : 0;
}
