import { type Clock, formatTime, type JsonRecord, parseApiVersion, type Random, uuid } from "@homeostat/core";
import type { SigningKey } from "./jwt.ts";
import { badRequest, conflict, invalid, notFound, type Refusal } from "./refusal.ts";
import type { TokenObject, TokenObjects } from "./service-account-tokens.ts";
import { serviceAccountUserName } from "./user.ts";
import { quote } from "@homeostat/cel";

/** Issues service account tokens. */
export interface TokenIssuer {
  readonly issuer: string;
  readonly key: SigningKey;
  /** Audiences of a token whose request names none. */
  readonly apiAudiences: readonly string[];
  readonly objects: TokenObjects;
  readonly clock: Pick<Clock, "now">;
  readonly random: Random;
  /** Longest lifetime of a token; unlimited if undefined. */
  readonly expirationSecondsMax?: number;
}

/** The parts of a TokenRequest body that are used. */
export interface TokenRequestBody {
  readonly metadata?: { readonly name?: string; readonly namespace?: string; readonly uid?: string } | undefined;
  readonly spec?:
    | {
        readonly audiences?: readonly string[] | null | undefined;
        readonly expirationSeconds?: number | null | undefined;
        readonly boundObjectRef?: BoundRef | null | undefined;
      }
    | undefined;
}

/** The object that a token is bound to: the token becomes invalid when it is deleted. */
export interface BoundRef {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
}

/** The response to a TokenRequest. */
export interface TokenResponse {
  /** A complete `TokenRequest` without managed fields. */
  readonly object: JsonRecord;
  readonly warnings: readonly string[];
}

const group = "authentication.k8s.io";
const defaultSeconds = 3600;
const secondsMin = 600;
const secondsMax = 2 ** 32;
/**
 * The lifetime that the kubelet requests by default. Such a token is issued for one year instead, as in Kubernetes
 * (`--service-account-extend-token-expiration`), so that old clients that do not reload tokens keep working.
 */
const kubeletSeconds = 3607;
const extendedSeconds = 365 * 24 * 3600;

/** Issues a token for a service account, as a `create` of its `token` subresource does. */
export function issueToken(
  maker: TokenIssuer,
  { namespace, name, body }: { namespace: string; name: string; body: TokenRequestBody },
): TokenResponse | Refusal {
  const { metadata = {}, spec = {} } = body;
  const target = { group, resource: "TokenRequest", name };
  if ((metadata.namespace ?? namespace) !== namespace && metadata.namespace !== "") {
    return badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  if ((metadata.name ?? name) !== name && metadata.name !== "") {
    const detail = "must match the service account name if specified";
    const shown = quote(metadata.name ?? "");
    return invalid(target, [{ field: "metadata.name", type: "Invalid", shown, detail }]);
  }
  const account = maker.objects.serviceAccount(namespace, name);
  if (account === undefined) return notFound({ group: "", resource: "serviceaccounts", name });
  const requestedUid = metadata.uid ?? "";
  if (requestedUid !== "" && requestedUid !== account.uid) {
    const why = `the UID in the token request (${requestedUid}) does not match the UID of the service account (${account.uid})`;
    return conflict(target, why);
  }
  const requestedSeconds = spec.expirationSeconds ?? defaultSeconds;
  const range =
    requestedSeconds < secondsMin
      ? "less than 10 minutes"
      : requestedSeconds > secondsMax
        ? "larger than 2^32 seconds"
        : undefined;
  if (range !== undefined) {
    const detail = `may not specify a duration ${range}`;
    return invalid({ ...target, name: "" }, [
      { field: "spec.expirationSeconds", type: "Invalid", shown: String(requestedSeconds), detail },
    ]);
  }
  const bound = findBound(maker.objects, { namespace, name, ref: spec.boundObjectRef ?? undefined });
  if ("status" in bound) return bound;
  return sign(maker, { namespace, name, account, spec, requestedSeconds, bound });
}

/** The claims about the object that a token is bound to. */
interface Bound {
  readonly claims: JsonRecord;
  readonly isPod: boolean;
}

function sign(
  maker: TokenIssuer,
  request: {
    namespace: string;
    name: string;
    account: TokenObject;
    spec: NonNullable<TokenRequestBody["spec"]>;
    requestedSeconds: number;
    bound: Bound;
  },
): TokenResponse {
  const { namespace, name, account, spec, requestedSeconds, bound } = request;
  const { expirationSecondsMax = Infinity, apiAudiences } = maker;
  const seconds = Math.min(requestedSeconds, expirationSecondsMax);
  const warnings =
    seconds === requestedSeconds
      ? []
      : [`requested expiration of ${requestedSeconds} seconds shortened to ${seconds} seconds`];
  const audiences =
    spec.audiences === undefined || spec.audiences === null || spec.audiences.length === 0
      ? apiAudiences
      : spec.audiences;
  const isExtended =
    bound.isPod && seconds === kubeletSeconds && audiences.every((audience) => apiAudiences.includes(audience));
  const nowMs = maker.clock.now();
  const now = Math.floor(nowMs / 1000);
  const token = maker.key.sign({
    aud: audiences,
    exp: now + (isExtended ? Math.min(extendedSeconds, expirationSecondsMax) : seconds),
    iat: now,
    iss: maker.issuer,
    jti: uuid(maker.random),
    "kubernetes.io": {
      namespace,
      ...bound.claims,
      serviceaccount: { name, uid: account.uid },
      ...(isExtended ? { warnafter: now + seconds } : {}),
    },
    nbf: now,
    sub: serviceAccountUserName(namespace, name),
  });
  const object = {
    kind: "TokenRequest",
    apiVersion: `${group}/v1`,
    metadata: { name, namespace, uid: account.uid, creationTimestamp: formatTime(nowMs) },
    spec: { audiences, expirationSeconds: seconds, boundObjectRef: spec.boundObjectRef ?? null },
    status: { token, expirationTimestamp: formatTime(nowMs + seconds * 1000) },
  };
  return { object, warnings };
}

function findBound(
  objects: TokenObjects,
  { namespace, name, ref }: { namespace: string; name: string; ref: BoundRef | undefined },
): Bound | Refusal {
  if (ref === undefined) return { claims: {}, isPod: false };
  const { kind = "", name: refName = "", uid: refUid = "" } = ref;
  const { group: refGroup, version } = parseVersion(ref.apiVersion ?? "");
  const missing = (resource: string): Refusal => notFound({ group: "", resource, name: refName });
  const found = (stored: TokenObject, claims: JsonRecord): Bound | Refusal => {
    if (refUid === "" || refUid === stored.uid) return { claims, isPod: kind === "Pod" };
    const why =
      `the UID in the bound object reference (${refUid}) does not match the UID in record. ` +
      "The object might have been deleted and then recreated";
    return conflict({ group: refGroup, resource: kind, name: refName }, why);
  };
  if (refGroup === "" && kind === "Pod") {
    const pod = objects.pod(namespace, refName);
    if (pod === undefined) return missing("pods");
    if (pod.serviceAccountName !== name) {
      const account = quote(name);
      return badRequest(
        `cannot bind token for serviceaccount ${account} to pod running with different serviceaccount name.`,
      );
    }
    const node = pod.nodeName === "" ? {} : { node: nodeClaim(pod.nodeName, objects.node(pod.nodeName)) };
    return found(pod, { ...node, pod: { name: refName, uid: pod.uid } });
  }
  if (refGroup === "" && kind === "Node") {
    const node = objects.node(refName);
    return node === undefined ? missing("nodes") : found(node, { node: nodeClaim(refName, node) });
  }
  if (refGroup === "" && kind === "Secret") {
    const secret = objects.secret(namespace, refName);
    return secret === undefined ? missing("secrets") : found(secret, { secret: { name: refName, uid: secret.uid } });
  }
  return badRequest(`cannot bind token to object of type ${refGroup}/${version}, Kind=${kind}`);
}

/** Returns the node claim. A pod may refer to a deleted node; the claim then has only the name. */
function nodeClaim(name: string, node: TokenObject | undefined): JsonRecord {
  return node === undefined ? { name } : { name, uid: node.uid };
}

/** Parses an apiVersion. A malformed one has an empty group, as in the real server. */
function parseVersion(text: string): { group: string; version: string } {
  try {
    return parseApiVersion(text);
  } catch {
    return { group: "", version: "" };
  }
}
