import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { codeOnly, isProductCode, lineAt, readFiles } from "./tree.ts";

// Time and randomness are passed in as Clock and Random, so that tests control them. These calls bypass both.
const forbidden: readonly RegExp[] = [
  /\bDate\.now\b/g,
  /\bnew Date\(\s*\)/g,
  /\bDate\(\s*\)/g,
  // Idle timeouts of sockets are allowed: they run in real time, like the socket.
  /(?<!\b(?:socket|session|stream)\.)\bsetTimeout\b/g,
  /\bsetInterval\b/g,
  /\bsetImmediate\b/g,
  /\bMath\.random\b/g,
  /\bperformance\.(?:now|timeOrigin)\b/g,
  /\bprocess\.(?:hrtime|uptime)\b/g,
  /\bAbortSignal\.timeout\b/g,
  /\bcrypto\.(?:randomUUID|getRandomValues|randomBytes|randomInt)\b/g,
];

const seams = "packages/core/src/seams/";

describe("product code", () => {
  it("gets time and randomness only from Clock and Random", () => {
    const found = readFiles((path) => isProductCode(path) && !path.startsWith(seams)).flatMap(({ path, text }) =>
      violations(text).map(({ call, line }) => `${path}:${line} uses ${call}; take a Clock or a Random instead`),
    );

    assert.deepEqual(found, []);
  });
});

// Times of objects come from the API server and other components; see docs/internals/time.md.
const localTime = /(?<!\bserverClock(?:\(\))?)\.now\(\)/g;

describe("operators", () => {
  it("read the time of day from the API server's clock", () => {
    const isOperatorCode = (path: string): boolean =>
      path.startsWith("operators/") && isProductCode(path) && !path.includes("/app-model/");
    const found = readFiles(isOperatorCode).flatMap(({ path, text }) =>
      violations(text, [localTime]).map(
        ({ line }) => `${path}:${line} uses a local clock; take serverClock.now() instead`,
      ),
    );

    assert.deepEqual(found, []);
  });
});

describe("the clock rule", () => {
  it("distinguishes serverClock from other clocks", () => {
    const text =
      "context.serverClock.now();\nserverClock().now();\ncontext.clock.now();\noptions.now;\nclock().now();\n";

    assert.deepEqual(violations(text, [localTime]), [
      { call: ".now()", line: 3 },
      { call: ".now()", line: 5 },
    ]);
  });

  it("finds calls in code but not in comments and strings", () => {
    const text = '// Date.now()\nconst a = "setTimeout";\nconst b = Date.now();\nsetTimeout(b, 1);\n';

    assert.deepEqual(violations(text), [
      { call: "Date.now", line: 3 },
      { call: "setTimeout", line: 4 },
    ]);
  });
});

function violations(text: string, patterns: readonly RegExp[] = forbidden): { call: string; line: number }[] {
  const code = codeOnly(text);
  return patterns.flatMap((pattern) =>
    [...code.matchAll(pattern)].map((match) => ({ call: match[0], line: lineAt(code, match.index) })),
  );
}
