/* Replays the test vectors of token_rejection_bonus: replay VECTORS.json

   The uniforms of a vector are, in order: one for each draft token that is drawn, one for each
   draft token's acceptance, and one for the last token emitted.  Exits with 0 if every vector
   comes out as it must, with 1 if one does not, with 2 if the file cannot be read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "round.h"

enum { MAX_GAMMA = 8, MAX_VOCAB = 64, MAX_KEY = 256 };

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
    const Node *document = json_read(arguments[1]);
    const Node *cases = json_member(document, "cases");
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
