import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Service } from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/identity.ts";
import { ineligibility } from "./eligible-service.ts";

function serviceWith(spec: Service["spec"], metadata: Service["metadata"] = {}): Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "cart", namespace: "shop", ...metadata },
    spec: { selector: { app: "cart" }, ports: [{ port: 80 }], ...spec },
  };
}

const cases: readonly (readonly [what: string, service: Service, problem: RegExp | undefined])[] = [
  ["a Service with a selector", serviceWith({}), undefined],
  ["a NodePort Service", serviceWith({ type: "NodePort", externalTrafficPolicy: "Cluster" }), undefined],
  ["a headless Service", serviceWith({ clusterIP: "None" }), /headless/],
  ["an ExternalName", serviceWith({ type: "ExternalName", externalName: "example.com" }), /ExternalName/],
  ["a Service without a selector", serviceWith({ selector: {} }), /no selector/],
  ["a Service of kube-system", serviceWith({}, { namespace: "kube-system" }), /kube-system/],
  ["a Service of another kube- namespace", serviceWith({}, { namespace: "kube-flannel" }), /kube-flannel/],
  ["a Service of the operator's namespace", serviceWith({}, { namespace: "sandbox-system" }), /sandbox-system/],
  ["a Service with a UDP port", serviceWith({ ports: [{ port: 80 }, { port: 53, protocol: "UDP" }] }), /Port 53 .*UDP/],
  ["externalTrafficPolicy Local", serviceWith({ type: "LoadBalancer", externalTrafficPolicy: "Local" }), /Local/],
  [
    "externalTrafficPolicy Local that is allowed",
    serviceWith(
      { type: "LoadBalancer", externalTrafficPolicy: "Local" },
      { annotations: { [annotations.allowTakeover]: "true" } },
    ),
    undefined,
  ],
];

describe("eligibility for a takeover", () => {
  for (const [what, service, problem] of cases) {
    it(`${problem === undefined ? "accepts" : "refuses"} ${what}`, () => {
      const found = ineligibility(service);

      if (problem === undefined) assert.equal(found, undefined);
      else assert.match(found ?? "", problem);
    });
  }
});
