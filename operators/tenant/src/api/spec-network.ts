import { s } from "homeostat";
import { texts } from "./spec-common.ts";

const namespaceNames = (countMax: number) => s.list(s.string().max(63)).set().max(countMax);

const cidr = s.string().max(64);

const port = s.object({
  protocol: s.enum("TCP", "UDP", "SCTP").optional().describe("Default: TCP."),
  port: s.int().min(1).max(65_535),
  endPort: s.int().min(1).max(65_535).optional().describe("Last port of a range that starts at port."),
});

const block = s.object({
  cidr,
  except: s.list(cidr).atomic().max(50).optional().describe("CIDRs inside the block to exclude."),
});

// Both directions have from and to, so that the wrong one is rejected with a message instead of pruned silently.
const rule = s.object({
  description: s.string().max(256).optional(),
  from: texts(50).optional().describe("Labels of the source pods. Only in ingressRules."),
  to: texts(50).optional().describe("Labels of the destination pods. Only in egressRules."),
  namespaces: namespaceNames(50).optional().describe("Namespaces of those pods. Default: the tenant's namespace."),
  cidrs: s.list(block).atomic().max(50).optional(),
  ports: s.list(port).atomic().max(50).optional().describe("Default: all ports."),
});

const dns = s.object({
  namespaces: namespaceNames(50).optional().describe("Namespaces of the DNS pods. Default: kube-system."),
  podLabels: texts(50)
    .optional()
    .describe("Labels of the DNS pods. Default: k8s-app: kube-dns. Empty: any pod in these namespaces."),
  cidrs: s.list(cidr).set().max(50).optional().describe("Addresses of node-local caches, such as 169.254.20.10/32."),
  ports: s.list(s.int().min(1).max(65_535)).set().max(20).optional().describe("Ports of the DNS service. Default: 53."),
});

export const networkPolicy = s.object({
  enabled: s.bool().default(true).describe("If true, network policies isolate the tenant."),
  allowedNamespaces: namespaceNames(50).optional().describe("Namespaces that may reach the server."),
  ingressRules: s.list(rule).atomic().max(50).optional().describe("Additional allowed sources."),
  egressRules: s.list(rule).atomic().max(50).optional().describe("Additional allowed destinations."),
  dns: dns.optional().describe("Destination of DNS requests."),
});

export const monitoring = s.object({
  enabled: s.bool().optional().describe("If true, Prometheus may scrape the tenant's pods. Default: false."),
  namespaces: namespaceNames(50).optional().describe("Namespaces that may scrape metrics. Default: monitoring."),
  prometheus: s
    .object({
      scrape: s.bool().optional().describe("If true, the pods have scrape annotations. Default: true."),
      port: s.int().min(1).max(65_535).optional().describe("Default: 3030."),
      path: s.string().max(1024).pattern("^/").optional().describe("Default: /metrics."),
      interval: s.duration().min("1s").optional().describe("Default: 15s."),
    })
    .optional()
    .describe("Scrape annotations of the server's pods."),
});
