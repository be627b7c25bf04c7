// A small world of service accounts and what tokens are bound to.

import { FakeClock, SeededRandom } from "@homeostat/core";
import { makeSigningKey } from "@homeostat/x509";
import { SigningKey } from "./jwt.ts";
import { ServiceAccountTokens, type TokenObject, type TokenPod } from "./service-account-tokens.ts";
import type { TokenMaker } from "./token-request.ts";

export const issuer = "https://kubernetes.default.svc";
export const clock: FakeClock = new FakeClock({ now: Date.UTC(2026, 0, 2, 3, 4, 5, 678) });
export const key: SigningKey = new SigningKey(makeSigningKey().privateKey);

/** What exists, by kind and name; a test may change it. */
export const world: Map<string, TokenObject & Partial<TokenPod>> = new Map();

/** Puts everything back. */
export function resetWorld(): void {
  world.clear();
  world.set("sa/default/one", { uid: "sa-1" });
  world.set("pod/default/pod", { uid: "pod-1", serviceAccountName: "one", nodeName: "worker" });
  world.set("pod/default/free", { uid: "pod-2", serviceAccountName: "one", nodeName: "" });
  world.set("secret/default/secret", { uid: "secret-1" });
  world.set("node/worker", { uid: "node-1" });
}
resetWorld();

const objects = {
  serviceAccount: (namespace: string, name: string): TokenObject | undefined => world.get(`sa/${namespace}/${name}`),
  pod: (namespace: string, name: string): TokenPod | undefined => {
    const pod = world.get(`pod/${namespace}/${name}`);
    return pod === undefined ? undefined : { serviceAccountName: "", nodeName: "", ...pod };
  },
  secret: (namespace: string, name: string): TokenObject | undefined => world.get(`secret/${namespace}/${name}`),
  node: (name: string): TokenObject | undefined => world.get(`node/${name}`),
};

export const maker: TokenMaker = {
  issuer,
  key,
  apiAudiences: [issuer],
  objects,
  clock,
  random: new SeededRandom("tokens"),
};

/** A new judge of tokens, which remembers nothing. */
export function newTokens(keys: readonly SigningKey["publicKey"][] = [key.publicKey]): ServiceAccountTokens {
  return new ServiceAccountTokens({ issuers: [issuer], keys, apiAudiences: [issuer], objects, clock });
}
