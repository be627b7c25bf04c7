// The fields that say who may talk with a tenant.

import { s } from "@homeostat/schema";
import { texts } from "./spec-common.ts";

/** What can be allowed between pods. */
export const protocols = ["TCP", "UDP", "SCTP"] as const;

const namespaceNames = (countMax: number) => s.list(s.string().max(63)).set().max(countMax);

const cidr = s.string().max(64);

const port = s.object({
  protocol: s
    .enum(...protocols)
    .optional()
    .describe("TCP when left out."),
  port: s.int().min(1).max(65_535),
  endPort: s.int().min(1).max(65_535).optional().describe("The last of a range of ports."),
});

const block = s.object({
  cidr,
  except: s.list(cidr).atomic().max(50).optional().describe("Parts of the block that are left out."),
});

// Both directions have both of from and to, so that the wrong one is refused with a word instead of dropped in silence.
const rule = s.object({
  description: s.string().max(256).optional(),
  from: texts(50).optional().describe("Labels of the pods that may come in. Only in ingressRules."),
  to: texts(50).optional().describe("Labels of the pods that may be reached. Only in egressRules."),
  namespaces: namespaceNames(50).optional().describe("Where those pods are. When left out: in the tenant's namespace."),
  cidrs: s.list(block).atomic().max(50).optional(),
  ports: s.list(port).atomic().max(50).optional().describe("All ports when left out."),
});

const dns = s.object({
  namespaces: namespaceNames(50).optional().describe("kube-system when left out."),
  podLabels: texts(50).optional().describe("k8s-app: kube-dns when left out; empty for any pod of those namespaces."),
  cidrs: s.list(cidr).set().max(50).optional().describe("For caches on the nodes, such as 169.254.20.10/32."),
  ports: s.list(s.int().min(1).max(65_535)).set().max(20).optional().describe("53 when left out."),
});

/** What a tenant says about its network. */
export const networkPolicy = s.object({
  enabled: s.bool().default(true).describe("Whether the tenant is closed off."),
  allowedNamespaces: namespaceNames(50).optional().describe("Namespaces that may reach the server."),
  ingressRules: s.list(rule).atomic().max(50).optional().describe("Who else may come in."),
  egressRules: s.list(rule).atomic().max(50).optional().describe("What else may be reached."),
  dns: dns.optional().describe("Where names are looked up."),
});

/** What a tenant says about monitoring. */
export const monitoring = s.object({
  enabled: s.bool().optional().describe("False when left out."),
  namespaces: namespaceNames(50).optional().describe("Who may scrape. monitoring when left out."),
  prometheus: s
    .object({
      scrape: s.bool().optional().describe("True when left out."),
      port: s.int().min(1).max(65_535).optional().describe("3030 when left out."),
      path: s.string().max(1024).pattern("^/").optional().describe("/metrics when left out."),
      interval: s.duration().min("1s").optional().describe("15s when left out."),
    })
    .optional()
    .describe("What the annotations of the server's pods say."),
});
