// Runs a web server for every Site: a Deployment and a Service, with their state in the status of the Site.
import { applied, defineController, defineOperator, defineResource, runOperator, s } from "homeostat";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Service } from "@homeostat/kubernetes/core/v1";

const Site = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Site",
  spec: {
    image: s.string().min(1).describe("Image of the web server. It must listen on port 8080."),
    replicas: s.int().min(0).max(9).default(1),
  },
  status: { url: s.string().optional() },
  conditions: ["Ready"],
  columns: [
    { name: "Ready", condition: "Ready" },
    { name: "URL", jsonPath: ".status.url" },
  ],
});

const sites = defineController({
  for: Site,
  owns: { deployments: applied(Deployment), services: applied(Service) },
  finalizer: "example.com/site",
  async reconcile({ object: { spec }, name, namespace, owned, setStatus, setCondition }) {
    const labels = { "example.com/site": name };
    const container = { name: "web", image: spec.image, ports: [{ containerPort: 8080 }] };

    const deployment = await owned.deployments.apply({
      metadata: { name },
      spec: {
        replicas: spec.replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [container] } },
      },
    });
    await owned.services.apply({
      metadata: { name },
      spec: { selector: labels, ports: [{ name: "http", port: 80, targetPort: 8080 }] },
    });

    const ready = deployment.status?.readyReplicas ?? 0;
    setStatus({ url: `http://${name}.${namespace}.svc` });
    setCondition("Ready", {
      status: ready >= spec.replicas,
      reason: ready >= spec.replicas ? "AllReady" : "Waiting",
      message: `${ready} of ${spec.replicas} replicas are ready`,
    });
  },
  async cleanup({ log }) {
    log.info("Site deleted");
    return "done";
  },
});

export const operator = defineOperator({ name: "sites", resources: [Site], controllers: [sites] });

process.exitCode = await runOperator(operator);
