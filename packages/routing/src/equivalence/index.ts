// Decisions that the proxy and every renderer of routes must agree on, and headers with the key that every proxy must read from them.
// For tests; there is no compatibility promise.

import type { EquivalenceCase } from "./case.ts";
import { conditionCases } from "./condition-cases.ts";
import { conflictCases } from "./conflict-cases.ts";
import { gatewayCases } from "./gateway-cases.ts";
import { keyCases } from "./key-cases.ts";
import { routeCases } from "./route-cases.ts";

export { baggageCorpus, type HeaderCase } from "./baggage-corpus.ts";
export { type CaseRequest, type EquivalenceCase, type ExpectedOutcome, type Feature, outcomeOf } from "./case.ts";
export { tracestateCorpus } from "./tracestate-corpus.ts";

/** All cases. */
export const equivalenceCases: readonly EquivalenceCase[] = [
  ...keyCases,
  ...conflictCases,
  ...conditionCases,
  ...routeCases,
  ...gatewayCases,
];
