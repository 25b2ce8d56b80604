// Draw rounds of token rejection, and write them as JSON Lines:
//
//   node sampler.mjs instance.json 100000 > outcomes.jsonl
//
// Any program that can write lines can have its outcomes checked; what it draws from, and how, need
// not be known.  With a third argument, recoveredFromTarget, it has a slip.

import { readFileSync } from "node:fs";
import { choose, verify } from "../vectors_javascript/round.mjs";

const [path, size, slip] = process.argv.slice(2);
const instance = JSON.parse(readFileSync(path));
const gamma = instance.parameters.gamma;

function row(model, context) {
  return (model[context.join(",")] ?? model["*"]).map((text) => {
    const [numerator, denominator = 1] = text.split("/").map(Number);
    return numerator / denominator;
  });
}

/** A rejected token is replaced from the target's own row, and not from the residual. */
function recoveredFromTarget(targetProbs, draftProbs, draftTokens, uniforms) {
  const tokens = verify(targetProbs, draftProbs, draftTokens, uniforms);
  const last = tokens.length - 1;
  return [...tokens.slice(0, last), choose(targetProbs[last], uniforms.at(-1))];
}

function emitted() {
  const draftTokens = [];
  const draftProbs = [];
  for (let i = 0; i < gamma; i++) {
    draftProbs.push(row(instance.draft, draftTokens));
    draftTokens.push(choose(draftProbs[i], Math.random()));
  }
  const lengths = [...Array(gamma + 1).keys()];
  const targetProbs = lengths.map((i) => row(instance.target, draftTokens.slice(0, i)));
  const uniforms = lengths.map(() => Math.random());
  const round = slip === "recoveredFromTarget" ? recoveredFromTarget : verify;
  return round(targetProbs, draftProbs, draftTokens, uniforms);
}

const lines = [JSON.stringify({ instance: JSON.stringify(instance), outcomes: Number(size) })];
for (let i = 0; i < Number(size); i++) lines.push(JSON.stringify({ tokens: emitted() }));
process.stdout.write(`${lines.join("\n")}\n`);
