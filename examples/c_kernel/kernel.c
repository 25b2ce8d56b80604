/* A verification kernel in C, many rounds at once, in floats.  Compiled with -DSLIP_EQUALITY it
   accepts at equality too, with -DSLIP_BOUNDS it looks tokens up without asking whether they are
   in the vocabulary. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef SLIP_EQUALITY
#define ACCEPTS(u, p, q) ((u) * (q) <= (p))
#else
#define ACCEPTS(u, p, q) ((u) * (q) < (p))
#endif

typedef struct {
    int64_t rounds, gamma, vocab_size;
} Sizes;

static int usable(float weight) { return isfinite(weight) && weight > 0; }

/* q is NULL where the token comes from the target's row itself. */
static float weight(const float *p, const float *q, int64_t token) {
    return q == NULL ? p[token] : p[token] - q[token];
}

static int64_t choose(int64_t vocab_size, const float *p, const float *q, float u,
                      int64_t rejected) {
    float total = 0, sum = 0;
    int64_t last = -1;
    for (int64_t token = 0; token < vocab_size; token++) {
        float w = weight(p, q, token);
        if (token != rejected && usable(w)) total += w;
    }
    for (int64_t token = 0; token < vocab_size; token++) {
        float w = weight(p, q, token);
        if (token == rejected || !usable(w)) continue;
        sum += w;
        last = token;
        if (u * total < sum) return token;
    }
    if (last >= 0) return last; /* the largest u, and sums that fell short of the total */
    return rejected == 0 ? 1 : 0; /* no weight at all */
}

static int inside(int64_t token, int64_t vocab_size) {
#ifdef SLIP_BOUNDS
    (void)token;
    (void)vocab_size;
    return 1;
#else
    return token >= 0 && token < vocab_size;
#endif
}

void verify(const Sizes *sizes, const int64_t *draft_tokens, const float *target_probs,
            const float *draft_probs, const float *uniforms, int64_t *tokens) {
    int64_t gamma = sizes->gamma, vocab_size = sizes->vocab_size;
    for (int64_t round = 0; round < sizes->rounds; round++) {
        const int64_t *drafted = draft_tokens + round * gamma;
        const float *u = uniforms + round * (gamma + 1);
        int64_t *emitted = tokens + round * (gamma + 1), i = 0;
        const float *p = target_probs + round * (gamma + 1) * vocab_size, *q = NULL;
        for (; i < gamma; i++, p += vocab_size) {
            int64_t token = drafted[i];
            q = draft_probs + (round * gamma + i) * vocab_size;
            if (!inside(token, vocab_size) || !ACCEPTS(u[i], p[token], q[token])) break;
            emitted[i] = token;
        }
        int64_t rejected = i < gamma ? drafted[i] : -1;
        emitted[i] = choose(vocab_size, p, i < gamma ? q : NULL, u[gamma], rejected);
        for (i++; i <= gamma; i++) emitted[i] = -1;
    }
}
