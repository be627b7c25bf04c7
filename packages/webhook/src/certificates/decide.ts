// Rotation of the CA and of the serving certificate, as steps that any replica may take. Each step is one write of the
// Secret with its resourceVersion (optimistic concurrency). When several replicas decide on the same step at once, one
// write succeeds and the others read its result.
//
//   begin ─► (renew the serving certificate, repeatedly)
//              │ two thirds of the CA's lifetime are over
//          introduce   a next CA is created; it is trusted, but signs nothing yet
//              │ it is in every caBundle
//          published   the time is recorded; if a bundle loses the CA, "unpublished" resets it
//              │ after propagationMs every API server trusts it
//          promote     it signs the new serving certificate; the old CA retires and its key is discarded
//              │ the last certificate that the old CA signed has expired, so no replica can be serving one
//           prune      the old CA is removed from the bundles
//
// The order guarantees that an API server never meets a serving certificate that it does not trust: a CA signs only
// after every API server has had time to read it from its bundle, and leaves the bundles only when nothing that it
// signed can be in use.

import { issue, makeAuthority } from "@homeostat/x509";
import { type FullPolicy, renewAt } from "./policy.ts";
import { type CertificateState, datePair, type DatedPair, type RetiredAuthority } from "./state.ts";

/** A step of the rotation: one write of the Secret. */
export type CertificateRotationStep =
  | "begin"
  | "renew"
  | "introduce"
  | "published"
  | "unpublished"
  | "promote"
  | "prune";

/** Input of {@link decide}. Times are in milliseconds since 1970. */
export interface CertificateRotationInput {
  readonly state: CertificateState | undefined;
  readonly now: number;
  /**
   * True if every bundle was read and contains all CAs of `state`. Additional certificates in a bundle do not matter.
   */
  readonly isPublished: boolean;
  readonly policy: FullPolicy;
}

/** Returns the next step; undefined if nothing is due. */
export function decide({
  state,
  now,
  isPublished,
  policy,
}: CertificateRotationInput): CertificateRotationStep | undefined {
  if (state === undefined) return "begin";
  const { current, serving, next, retired } = state;
  // The current CA has expired. No API server trusts what it signed, so no order of steps can make it worse: replace it
  // at once.
  if (now >= current.validUntil) return next !== undefined && now < next.pair.validUntil ? "promote" : "begin";
  if (serving === undefined || now >= renewAt(serving) || lacksHost(serving, policy)) return "renew";
  if (next === undefined ? now >= renewAt(current) : now >= next.pair.validUntil) return "introduce";
  if (next?.publishedAt === undefined) {
    if (next !== undefined && isPublished) return "published";
  } else {
    if (!isPublished) return "unpublished";
    if (now >= next.publishedAt + policy.propagationMs) return "promote";
  }
  if (retired.some(({ retireAt }) => now >= retireAt)) return "prune";
  return undefined;
}

/** Returns the state after a step. Generates keys if the step needs new ones. */
export function perform(
  step: CertificateRotationStep,
  { state, now, policy }: CertificateRotationInput,
): CertificateState {
  if (state === undefined || step === "begin") return begin({ now, policy, retired: retiredBy(state, now) });
  const { next } = state;
  switch (step) {
    case "renew":
      return sign(state, { now, policy: withHostsOf(state, policy), switchAt: now });
    case "introduce":
      return { ...state, next: { pair: makeDatedAuthority(now, policy), publishedAt: undefined } };
    case "published":
      return next === undefined ? state : { ...state, next: { ...next, publishedAt: now } };
    case "unpublished":
      return next === undefined ? state : { ...state, next: { ...next, publishedAt: undefined } };
    case "promote": {
      if (next === undefined) return state;
      const retired = retiredBy(state, now, { withoutNext: true });
      const promoted = { ...state, current: next.pair, next: undefined, retired, signedUntil: 0 };
      return sign(promoted, { now, policy, switchAt: now });
    }
    case "prune":
      return { ...state, retired: state.retired.filter(({ retireAt }) => now < retireAt) };
  }
}

/** Returns an initial state with a new CA. `retired` are CAs of an earlier state that must still be trusted. */
export function begin(options: {
  now: number;
  policy: FullPolicy;
  retired: readonly RetiredAuthority[];
}): CertificateState {
  const { now, policy, retired } = options;
  const current = makeDatedAuthority(now, policy);
  const state = { current, signedUntil: 0, serving: undefined, switchAt: 0, next: undefined, retired };
  return sign(state, { now, policy, switchAt: now + policy.propagationMs });
}

function makeDatedAuthority(now: number, { authorityLifeMs, backdateMs, commonName }: FullPolicy): DatedPair {
  const subject = { commonName: `${commonName}-ca`, organization: new Date(now).toISOString() };
  return datePair(
    makeAuthority({ subject, validFrom: new Date(now - backdateMs), validUntil: new Date(now + authorityLifeMs) }),
  );
}

function sign(
  state: CertificateState,
  { now, policy, switchAt }: { now: number; policy: FullPolicy; switchAt: number },
): CertificateState {
  const { commonName, hosts, servingLifeMs, backdateMs } = policy;
  const serving = datePair(
    issue(state.current, {
      subject: { commonName },
      hosts,
      usages: ["server"],
      validFrom: new Date(now - backdateMs),
      validUntil: new Date(Math.min(now + servingLifeMs, state.current.validUntil)),
    }),
  );
  return { ...state, serving, switchAt, signedUntil: Math.max(state.signedUntil, serving.validUntil) };
}

function lacksHost({ hosts }: DatedPair, policy: FullPolicy): boolean {
  return policy.hosts.some((host) => !hosts.includes(host));
}

/**
 * Adds the hosts of the current certificate. While replicas of two releases require different hosts, the certificate
 * has those of both; otherwise the replicas would replace each other's certificate in turns.
 */
function withHostsOf({ serving }: CertificateState, policy: FullPolicy): FullPolicy {
  if (serving === undefined || !lacksHost(serving, policy)) return policy;
  return { ...policy, hosts: [...new Set([...policy.hosts, ...serving.hosts])] };
}

/** Returns the CAs that sign no more but must still be trusted. */
function retiredBy(
  state: CertificateState | undefined,
  now: number,
  { withoutNext = false } = {},
): readonly RetiredAuthority[] {
  if (state === undefined) return [];
  const { current, signedUntil, next, retired } = state;
  const ended = [
    ...retired,
    { cert: current.cert, retireAt: Math.min(signedUntil, current.validUntil) },
    ...(next === undefined || withoutNext ? [] : [{ cert: next.pair.cert, retireAt: next.pair.validUntil }]),
  ];
  return ended.filter(({ retireAt }) => now < retireAt);
}
