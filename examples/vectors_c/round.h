/* One round of token rejection with the bonus token: what the vectors are replayed through. */
#ifndef ROUND_H
#define ROUND_H

/* Emits at most gamma + 1 tokens, and returns how many.

   vocab_size, gamma: sizes.
   target_probs:      gamma + 1 rows; row i follows the first i draft tokens.
   draft_probs:       gamma rows.
   draft_tokens:      gamma of them.
   uniforms:          gamma + 1: one for each draft token, then one for the last token emitted. */
int verify(int vocab_size, int gamma, const double *target_probs, const double *draft_probs,
           const int *draft_tokens, const double *uniforms, int *tokens);

/* The token whose cell of the running sums of the weights holds u times their sum. */
int choose(int vocab_size, const double *weights, double u);

#endif
