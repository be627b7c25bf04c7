import { describe, it } from "node:test";
import * as fc from "fast-check";
import { isDnsSubdomain } from "./name-form.ts";

describe("isDnsSubdomain", () => {
  it("accepts the same texts as the regular expression of Kubernetes", () => {
    const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
    const pattern = new RegExp(`^${label}(\\.${label})*$`);
    const texts = fc.string({ unit: fc.constantFrom("a", "z", "0", "9", "-", ".", "A", "_", "\n", "é"), maxLength: 8 });

    fc.assert(
      fc.property(texts, (text) => isDnsSubdomain(text) === pattern.test(text)),
      { numRuns: 2_000 },
    );
  });
});
