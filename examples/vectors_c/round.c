/* See round.h.  Compiled with -DSLIP, a rejected token is replaced from the target's own row. */
#include "round.h"

#include <stdlib.h>

int choose(int vocab_size, const double *weights, double u) {
    double total = 0, sum = 0;
    int last = 0;
    for (int token = 0; token < vocab_size; token++) total += weights[token];
    for (int token = 0; token < vocab_size; token++) {
        if (weights[token] <= 0) continue;
        sum += weights[token];
        last = token;
        if (u * total < sum) break;
    }
    return last;
}

static int recovered(int vocab_size, const double *p, const double *q, double u) {
    double *weights = calloc((size_t)vocab_size, sizeof *weights);
    for (int token = 0; token < vocab_size; token++) {
#ifdef SLIP
        (void)q;
        weights[token] = p[token];
#else
        weights[token] = p[token] > q[token] ? p[token] - q[token] : 0;
#endif
    }
    int token = choose(vocab_size, weights, u);
    free(weights);
    return token;
}

int verify(int vocab_size, int gamma, const double *target_probs, const double *draft_probs,
           const int *draft_tokens, const double *uniforms, int *tokens) {
    for (int i = 0; i < gamma; i++) {
        const double *p = target_probs + i * vocab_size;
        const double *q = draft_probs + i * vocab_size;
        int token = draft_tokens[i];
        if (!(uniforms[i] * q[token] < p[token])) {
            tokens[i] = recovered(vocab_size, p, q, uniforms[gamma]);
            return i + 1;
        }
        tokens[i] = token;
    }
    tokens[gamma] = choose(vocab_size, target_probs + gamma * vocab_size, uniforms[gamma]);
    return gamma + 1;
}
