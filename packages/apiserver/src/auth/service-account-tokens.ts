import { type Clock, isList, isRecord, type JsonRecord, ownValue } from "@homeostat/core";
import { quote } from "@homeostat/cel";
import { goQuoteList, joinProblems } from "./go-quote.ts";
import { readToken, type ReadToken, type TokenKey } from "./jwt.ts";
import { extraKeys, serviceAccountGroups, serviceAccountUserName, type User } from "./user.ts";

/** The properties of an object that tokens depend on. */
export interface TokenObject {
  readonly uid: string;
  /** Deletion time in milliseconds since 1970; undefined if the object is not being deleted. */
  readonly deletedAtMs?: number | undefined;
}

/** The properties of a pod that tokens depend on. */
export interface TokenPod extends TokenObject {
  readonly serviceAccountName: string;
  /** Empty if the pod is not scheduled yet. */
  readonly nodeName: string;
}

/** Looks up the objects that tokens are bound to; undefined if an object does not exist. */
export interface TokenObjects {
  serviceAccount(namespace: string, name: string): TokenObject | undefined;
  pod(namespace: string, name: string): TokenPod | undefined;
  secret(namespace: string, name: string): TokenObject | undefined;
  node(name: string): TokenObject | undefined;
}

/** The user that a token authenticates. */
export interface TokenHolder {
  readonly user: User;
  /** The requested audiences that the token is valid for. */
  readonly audiences: readonly string[];
}

/** Options of {@link ServiceAccountTokens}. */
export interface ServiceAccountTokensOptions {
  /** Accepted issuers. The first is used for new tokens. */
  readonly issuers: readonly string[];
  readonly keys: readonly TokenKey[];
  /** Audiences of tokens meant for this server. */
  readonly apiAudiences: readonly string[];
  readonly objects: TokenObjects;
  readonly clock: Pick<Clock, "now">;
}

/** Tolerated clock skew. A token stays valid this long after it expires. */
const leewayMs = 60_000;

/** Number of tokens whose verified signature is cached. */
const verifiedMax = 1000;

/**
 * Validates service account tokens: signature, issuer, audience, time, and that the objects they are bound to still
 * exist.
 */
export class ServiceAccountTokens {
  readonly #options: ServiceAccountTokensOptions;
  readonly #verified = new Map<string, JsonRecord>();

  constructor(options: ServiceAccountTokensOptions) {
    this.#options = options;
  }

  /**
   * Returns the user of a token; or the reason why it is invalid, in the words of the API server; or undefined if it is
   * not a token of this server: not a JWT, or from another issuer. Other authenticators may then accept it.
   */
  check(token: string, audiences: readonly string[] = this.#options.apiAudiences): TokenHolder | string | undefined {
    const claims = this.#signedClaims(token);
    if (claims === undefined || typeof claims === "string") return claims;
    const { apiAudiences } = this.#options;
    const claimedAudiences = listOf(ownValue(claims, "aud"));
    const tokenAudiences = claimedAudiences.length === 0 ? apiAudiences : claimedAudiences;
    const matching = tokenAudiences.filter((audience) => audiences.includes(audience));
    if (matching.length === 0 && apiAudiences.length > 0) {
      const target = goQuoteList(audiences);
      return `token audiences ${goQuoteList(tokenAudiences)} is invalid for the target audiences ${target}`;
    }
    const problem = this.#timeProblem(claims);
    if (problem !== undefined) return problem;
    const user = this.#userOf(claims);
    return typeof user === "string" ? user : { user, audiences: matching };
  }

  #signedClaims(token: string): JsonRecord | string | undefined {
    const cached = this.#verified.get(token);
    if (cached !== undefined) return cached;
    const read = readToken(token);
    if (read === undefined || !this.#isOurIssuer(read.claims)) return undefined;
    const problem = this.#signatureProblem(read);
    if (problem !== undefined) return problem;
    if (this.#verified.size >= verifiedMax) this.#verified.clear();
    this.#verified.set(token, read.claims);
    return read.claims;
  }

  #isOurIssuer(claims: JsonRecord): boolean {
    const issuer = ownValue(claims, "iss");
    return typeof issuer === "string" && this.#options.issuers.includes(issuer);
  }

  #signatureProblem(token: ReadToken): string | undefined {
    const id = ownValue(token.head, "kid");
    const keys = this.#options.keys.filter((key) => typeof id !== "string" || id === "" || key.id === id);
    if (keys.length === 0) return "invalid signature, no keys found";
    if (keys.some((key) => key.hasSigned(token))) return undefined;
    return joinProblems(keys.map(() => "go-jose/go-jose: error in cryptographic primitive"));
  }

  #timeProblem(claims: JsonRecord): string | undefined {
    const now = this.#options.clock.now();
    const [notBefore, expires, issued] = ["nbf", "exp", "iat"].map((name) => {
      const seconds = ownValue(claims, name);
      return typeof seconds === "number" ? seconds * 1000 : undefined;
    });
    if (notBefore !== undefined && now + leewayMs < notBefore) return "service account token is not valid yet";
    if (expires !== undefined && now - leewayMs > expires) return "service account token has expired";
    return issued !== undefined && now + leewayMs < issued
      ? "service account token is issued in the future"
      : undefined;
  }

  #userOf(claims: JsonRecord): User | string {
    const own = recordOf(ownValue(claims, "kubernetes.io")) ?? {};
    const namespace = textOf(own, "namespace");
    const account = refOf(own, "serviceaccount") ?? { name: "", uid: "" };
    const problem = this.#boundProblem(own, namespace, account);
    if (problem !== undefined) return problem;
    const pod = refOf(own, "pod");
    const node = refOf(own, "node");
    const id = textOf(claims, "jti");
    const extra: Record<string, string[]> = {};
    if (pod !== undefined && pod.name !== "" && pod.uid !== "") {
      extra[extraKeys.podName] = [pod.name];
      extra[extraKeys.podUid] = [pod.uid];
    }
    if (id !== "") extra[extraKeys.credentialId] = [`JTI=${id}`];
    if (node !== undefined && node.name !== "") extra[extraKeys.nodeName] = [node.name];
    if (node !== undefined && node.name !== "" && node.uid !== "") extra[extraKeys.nodeUid] = [node.uid];
    const name = serviceAccountUserName(namespace, account.name);
    return { name, uid: account.uid, groups: serviceAccountGroups(namespace), extra };
  }

  /** Returns the problem with an object that the token is bound to. */
  #boundProblem(own: JsonRecord, namespace: string, account: Ref): string | undefined {
    const { objects } = this.#options;
    if (account.name === "") return "resource name may not be empty";
    const stored = objects.serviceAccount(namespace, account.name);
    if (stored === undefined) return `serviceaccounts ${quote(account.name)} not found`;
    if (stored.uid !== account.uid) {
      return `service account UID (${stored.uid}) does not match claim (${account.uid})`;
    }
    if (this.#isDeleted(stored)) return `service account ${namespace}/${account.name} has been deleted`;
    const secret = refOf(own, "secret");
    const pod = refOf(own, "pod");
    const node = refOf(own, "node");
    return (
      this.#refProblem("secret", secret, (name) => objects.secret(namespace, name)) ??
      this.#refProblem("pod", pod, (name) => objects.pod(namespace, name)) ??
      // The node of a pod is informational; the token is bound to the pod.
      (pod === undefined ? this.#refProblem("node", node, (name) => objects.node(name)) : undefined)
    );
  }

  #refProblem(kind: string, ref: Ref | undefined, find: (name: string) => TokenObject | undefined): string | undefined {
    if (ref === undefined) return undefined;
    const stored = find(ref.name);
    if (stored === undefined) return "service account token has been invalidated";
    if (stored.uid !== ref.uid) {
      return `${kind} UID (${stored.uid}) does not match service account ${kind} ref claim (${ref.uid})`;
    }
    return this.#isDeleted(stored) ? "service account token has been invalidated" : undefined;
  }

  #isDeleted({ deletedAtMs }: TokenObject): boolean {
    return deletedAtMs !== undefined && deletedAtMs < this.#options.clock.now() - leewayMs;
  }
}

interface Ref {
  readonly name: string;
  readonly uid: string;
}

function refOf(record: JsonRecord, key: string): Ref | undefined {
  const ref = recordOf(ownValue(record, key));
  return ref === undefined ? undefined : { name: textOf(ref, "name"), uid: textOf(ref, "uid") };
}

function recordOf(value: unknown): JsonRecord | undefined {
  return isRecord(value) ? value : undefined;
}

function textOf(record: JsonRecord, key: string): string {
  const value = ownValue(record, key);
  return typeof value === "string" ? value : "";
}

function listOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return isList(value) ? value.filter((item) => typeof item === "string") : [];
}
