// Service accounts, and objects that tokens are bound to.

import { FakeClock, SeededRandom } from "@homeostat/core";
import { makeSigningKey } from "@homeostat/x509";
import { SigningKey } from "../auth/jwt.ts";
import { ServiceAccountTokens, type TokenObject, type TokenPod } from "../auth/service-account-tokens.ts";
import type { TokenIssuer } from "../auth/token-request.ts";

export const issuer = "https://kubernetes.default.svc";
export const clock: FakeClock = new FakeClock({ now: Date.UTC(2026, 0, 2, 3, 4, 5, 678) });
export const key: SigningKey = new SigningKey(makeSigningKey().privateKey);

/** Existing objects by kind and name. Tests may change them. */
export const tokenObjects: Map<string, TokenObject & Partial<TokenPod>> = new Map();

/** Restores the initial objects. */
export function resetTokenObjects(): void {
  tokenObjects.clear();
  tokenObjects.set("sa/default/one", { uid: "sa-1" });
  tokenObjects.set("pod/default/pod", { uid: "pod-1", serviceAccountName: "one", nodeName: "worker" });
  tokenObjects.set("pod/default/free", { uid: "pod-2", serviceAccountName: "one", nodeName: "" });
  tokenObjects.set("secret/default/secret", { uid: "secret-1" });
  tokenObjects.set("node/worker", { uid: "node-1" });
}
resetTokenObjects();

const objects = {
  serviceAccount: (namespace: string, name: string): TokenObject | undefined =>
    tokenObjects.get(`sa/${namespace}/${name}`),
  pod: (namespace: string, name: string): TokenPod | undefined => {
    const pod = tokenObjects.get(`pod/${namespace}/${name}`);
    return pod === undefined ? undefined : { serviceAccountName: "", nodeName: "", ...pod };
  },
  secret: (namespace: string, name: string): TokenObject | undefined => tokenObjects.get(`secret/${namespace}/${name}`),
  node: (name: string): TokenObject | undefined => tokenObjects.get(`node/${name}`),
};

export const maker: TokenIssuer = {
  issuer,
  key,
  apiAudiences: [issuer],
  objects,
  clock,
  random: new SeededRandom("tokens"),
};

/** Returns a new token validator with an empty cache. */
export function newTokens(keys: readonly SigningKey["publicKey"][] = [key.publicKey]): ServiceAccountTokens {
  return new ServiceAccountTokens({ issuers: [issuer], keys, apiAudiences: [issuer], objects, clock });
}
