// Replay the test vectors of token_rejection_bonus: node replay.mjs VECTORS.json [verifyWithSlip]
//
// The uniforms of a vector are, in order: one for each draft token that is drawn, one for each
// draft token's acceptance, and one for the last token emitted.  Exits with 0 if every vector comes
// out as it must, with 1 if one does not, with 2 if the file is not the one that was written, or is
// of another rule.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import * as round from "./round.mjs";

const [path, name = "verify"] = process.argv.slice(2);

function refuse(why) {
  console.error(`${path}: ${why}`);
  process.exit(2);
}

function read(path) {
  try {
    return readFileSync(path);
  } catch (error) {
    return refuse(error.message);
  }
}

function checked(path) {
  const content = read(path);
  const sum = createHash("sha256").update(content).digest("hex");
  const sums = read(join(dirname(path), "SHA256SUMS")).toString();
  if (!sums.split("\n").includes(`${sum}  ${basename(path)}`)) {
    refuse("not the file that SHA256SUMS was written for");
  }
  const document = JSON.parse(content);
  if (document.rule !== "token_rejection_bonus") {
    refuse(`vectors of ${document.rule}, expected token_rejection_bonus`);
  }
  return document;
}

function number(text) {
  const [numerator, denominator = 1] = text.split("/").map(Number);
  return numerator / denominator;
}

function row(model, context) {
  return (model[context.join(",")] ?? model["*"]).map(number);
}

function emitted(instance, uniforms) {
  const gamma = instance.parameters.gamma;
  const draftTokens = [];
  const draftProbs = [];
  for (let i = 0; i < gamma; i++) {
    draftProbs.push(row(instance.draft, draftTokens));
    draftTokens.push(round.choose(draftProbs[i], uniforms[i]));
  }
  const lengths = [...Array(gamma + 1).keys()];
  const targetProbs = lengths.map((i) => row(instance.target, draftTokens.slice(0, i)));
  return round[name](targetProbs, draftProbs, draftTokens, uniforms.slice(gamma));
}

let vectors = 0;
let wrong = 0;
for (const { instance, vectors: listed } of checked(path).cases) {
  for (const { uniforms, tokens, accepted } of listed) {
    const got = emitted(instance, uniforms);
    vectors += 1;
    wrong += got.join() !== tokens.join() || got.length - 1 !== accepted;
  }
}
console.log(`${vectors} vectors, ${wrong} wrong`);
process.exit(wrong ? 1 : 0);
