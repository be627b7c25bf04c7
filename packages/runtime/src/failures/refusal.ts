// The refusals that the API server and the built-in controllers report as text only: a quota or an admission step rejected an
// object. The patterns follow the message texts of kube-apiserver.

/** What rejected a request at admission. */
export interface AdmissionDenier {
  /** `policy` is a ValidatingAdmissionPolicy or MutatingAdmissionPolicy, `plugin` an admission plugin of the API server. */
  readonly type: "webhook" | "policy" | "plugin";
  /** The name of the webhook or policy, or of the plugin: `PodSecurity`, `LimitRanger`. */
  readonly name: string;
}

/** Why an object was rejected by a quota or at admission. */
export type Refusal =
  | {
      readonly reason: "QuotaExceeded";
      /** The name of the ResourceQuota. */
      readonly quota: string;
      /** Whether the quota needs requests or limits that the pod does not declare, instead of being used up. */
      readonly isIncomplete: boolean;
    }
  | { readonly reason: "AdmissionDenied"; readonly deniedBy: AdmissionDenier };

/** A pattern and what it means. The first capture group is a name. */
type Row = readonly [pattern: RegExp, meaning: (name: string) => Refusal];

const plugin = (name: string) => (): Refusal => ({ reason: "AdmissionDenied", deniedBy: { type: "plugin", name } });

const rows: readonly Row[] = [
  [/exceeded quota: ([^,\s]+)/, (quota) => ({ reason: "QuotaExceeded", quota, isIncomplete: false })],
  [/failed quota: ([^:,\s]+)/, (quota) => ({ reason: "QuotaExceeded", quota, isIncomplete: true })],
  [
    /admission webhook "([^"]+)" (?:denied the request|does not support dry run|attempted to modify)/,
    (name) => ({ reason: "AdmissionDenied", deniedBy: { type: "webhook", name } }),
  ],
  [
    /AdmissionPolicy '([^']+)'(?: with binding '[^']+')? denied request/,
    (name) => ({ reason: "AdmissionDenied", deniedBy: { type: "policy", name } }),
  ],
  [/violates PodSecurity/, plugin("PodSecurity")],
  [/(?:minimum|maximum) \S+ usage per \w+ is |max limit to request ratio per \w+ is /, plugin("LimitRanger")],
  [/error looking up service account /, plugin("ServiceAccount")],
  [/no PriorityClass with name /, plugin("Priority")],
  [/pod rejected: RuntimeClass /, plugin("RuntimeClass")],
];

/**
 * Returns the quota or admission step that a message of the API server blames, or undefined when it blames none.
 *
 * Controllers of Kubernetes repeat such messages: a ReplicaSet in its `ReplicaFailure` condition, a Job or StatefulSet in
 * `FailedCreate` events. Of several matches the first in the text counts, because a webhook's own words follow its name.
 *
 * @example
 * refusalIn('pods "a" is forbidden: exceeded quota: small, requested: pods=1, used: pods=3, limited: pods=3');
 * // { reason: "QuotaExceeded", quota: "small", isIncomplete: false }
 */
export function refusalIn(message: string): Refusal | undefined {
  let first: { readonly index: number; readonly refusal: Refusal } | undefined;
  for (const [pattern, meaning] of rows) {
    const match = pattern.exec(message);
    if (match === null || (first !== undefined && first.index <= match.index)) continue;
    first = { index: match.index, refusal: meaning(match[1] ?? "") };
  }
  return first?.refusal;
}
