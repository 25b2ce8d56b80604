// One round of token rejection with the bonus token, and the same with one slip.

/** The token whose cell of the running sums of the weights holds u times their sum. */
export function choose(weights, u) {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let sum = 0;
  let last = 0;
  for (const [token, weight] of weights.entries()) {
    if (weight <= 0) continue;
    sum += weight;
    last = token;
    if (u * total < sum) break;
  }
  return last;
}

/**
 * Emit the tokens of one round.
 *
 * targetProbs: gamma + 1 rows, row i after the first i draft tokens; draftProbs: gamma rows;
 * uniforms: one for each draft token, then one for the last token emitted.
 */
export function verify(targetProbs, draftProbs, draftTokens, uniforms) {
  return verifyBy((u, p, q) => u * q < p, targetProbs, draftProbs, draftTokens, uniforms);
}

/** Accept at equality too: seen only where a uniform lies on a threshold, or at u = 0 and p = 0. */
export function verifyWithSlip(targetProbs, draftProbs, draftTokens, uniforms) {
  return verifyBy((u, p, q) => u * q <= p, targetProbs, draftProbs, draftTokens, uniforms);
}

function verifyBy(accepts, targetProbs, draftProbs, draftTokens, uniforms) {
  for (const [i, token] of draftTokens.entries()) {
    const [p, q] = [targetProbs[i], draftProbs[i]];
    if (!accepts(uniforms[i], p[token], q[token])) {
      const residual = p.map((prob, other) => Math.max(prob - q[other], 0));
      return [...draftTokens.slice(0, i), choose(residual, uniforms.at(-1))];
    }
  }
  return [...draftTokens, choose(targetProbs.at(-1), uniforms.at(-1))];
}
