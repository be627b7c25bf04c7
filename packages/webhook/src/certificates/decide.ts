// The life of an authority, as steps that any replica may take. Each is one write of the Secret under its lock, so when
// several replicas decide the same at once, one of them does it and the others read what it did.
//
//   begin ─► (renew the serving certificate, again and again)
//              │ two thirds of the authority's life are over
//          introduce   a next authority is made; it is trusted, but signs nothing yet
//              │ it stands in every bundle
//          published   the moment is written down; a bundle that loses it sets this back
//              │ propagationMs later every API server trusts it
//          promote     it signs the new serving certificate; the old one retires and its key is thrown away
//              │ the last certificate the old one signed has ended, so no replica can be serving one
//           prune      it leaves the bundle

import { issue, makeAuthority } from "@homeostat/x509";
import { type FullPolicy, renewAt } from "./policy.ts";
import { type CertificateState, datePair, type DatedPair, type RetiredAuthority } from "./state.ts";

/** What is to be done to the Secret. */
export type Step = "begin" | "renew" | "introduce" | "published" | "unpublished" | "promote" | "prune";

/** What a decision is based on. Times are in milliseconds since 1970. */
export interface Situation {
  readonly state: CertificateState | undefined;
  readonly now: number;
  /** Whether every bundle was seen to hold all authorities of `state`; more of them do no harm. */
  readonly isPublished: boolean;
  readonly policy: FullPolicy;
}

/** The next step, or undefined when everything is as it should be. */
export function decide({ state, now, isPublished, policy }: Situation): Step | undefined {
  if (state === undefined) return "begin";
  const { current, serving, next, retired } = state;
  // Too late for any order. What has ended is trusted by nobody, so nothing can become worse.
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

/** The state after a step. Makes keys where the step needs new ones. */
export function perform(step: Step, { state, now, policy }: Situation): CertificateState {
  if (state === undefined || step === "begin") return begin({ now, policy, retired: retiredBy(state, now) });
  const { next } = state;
  switch (step) {
    case "renew":
      return sign(state, { now, policy: withHostsOf(state, policy), switchAt: now });
    case "introduce":
      return { ...state, next: { pair: makeNext(now, policy), publishedAt: undefined } };
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

/** A beginning, with authorities of an earlier life that are still to be trusted. */
export function begin(options: {
  now: number;
  policy: FullPolicy;
  retired: readonly RetiredAuthority[];
}): CertificateState {
  const { now, policy, retired } = options;
  const current = makeNext(now, policy);
  const state = { current, signedUntil: 0, serving: undefined, switchAt: 0, next: undefined, retired };
  return sign(state, { now, policy, switchAt: now + policy.propagationMs });
}

function makeNext(now: number, { authorityLifeMs, backdateMs, commonName }: FullPolicy): DatedPair {
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

/** While replicas of two releases ask for different hosts the certificate has those of both, or they would take turns. */
function withHostsOf({ serving }: CertificateState, policy: FullPolicy): FullPolicy {
  if (serving === undefined || !lacksHost(serving, policy)) return policy;
  return { ...policy, hosts: [...new Set([...policy.hosts, ...serving.hosts])] };
}

/** Whom to trust on, of those that sign no more. */
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
