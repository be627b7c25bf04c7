// Rejections by quota and admission, which the API server and the built-in controllers report as text only. The patterns follow the message
// texts of kube-apiserver.

/** The webhook, policy or plugin that rejected a request at admission. */
export interface AdmissionDenier {
  /** `policy` is a ValidatingAdmissionPolicy or MutatingAdmissionPolicy, `plugin` an admission plugin of the API server. */
  readonly type: "webhook" | "policy" | "plugin";
  /** The name of the webhook or policy, or of the plugin: `PodSecurity`, `LimitRanger`. */
  readonly name: string;
}

/** A rejection of an object by a quota or at admission. */
export type Refusal =
  | {
      readonly reason: "QuotaExceeded";
      /** The name of the ResourceQuota. */
      readonly quota: string;
      /** True if the quota requires requests or limits that the pod does not declare; false if the quota is used up. */
      readonly isIncomplete: boolean;
    }
  | { readonly reason: "AdmissionDenied"; readonly deniedBy: AdmissionDenier };

/** A pattern, and a function that builds the rejection from its first capture group, a name. */
type Row = readonly [pattern: RegExp, build: (name: string) => Refusal];

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
 * Returns the quota or admission step that a message of the API server names as the cause of a rejection; undefined when it names none.
 *
 * Controllers of Kubernetes repeat such messages: a ReplicaSet in its `ReplicaFailure` condition, a Job or StatefulSet in `FailedCreate`
 * events. If several patterns match, the first match in the text counts: the free text of a webhook follows its name and may contain anything.
 *
 * @example
 * refusalIn('pods "a" is forbidden: exceeded quota: small, requested: pods=1, used: pods=3, limited: pods=3');
 * // { reason: "QuotaExceeded", quota: "small", isIncomplete: false }
 */
export function refusalIn(message: string): Refusal | undefined {
  let first: { readonly index: number; readonly refusal: Refusal } | undefined;
  for (const [pattern, build] of rows) {
    const match = pattern.exec(message);
    if (match === null || (first !== undefined && first.index <= match.index)) continue;
    first = { index: match.index, refusal: build(match[1] ?? "") };
  }
  return first?.refusal;
}
