import { join } from "node:path";
import { type Client, createClient } from "@homeostat/client";
import { loopbackEndpoint, serveOnLoopback } from "@homeostat/dashboard";
import { freePorts } from "@homeostat/http";
import { Namespace } from "@homeostat/kubernetes/core/v1";
import { temporaryFolder } from "../temporary-folder.ts";
import type { DevArguments } from "./arguments.ts";
import { ChildProgram } from "./child-program.ts";
import type { DevContext } from "./dev-context.ts";
import { DevSession } from "./dev-session.ts";
import type { WebhookServerAddress } from "./installed-objects.ts";
import { openTarget, type Target } from "./open-target.ts";
import { readProject } from "./project.ts";
import { WebhookCleanup } from "./webhook-cleanup.ts";
import { writeWebhookCertificate } from "./webhook-certificate.ts";

/**
 * Runs an operator against a cluster, and builds and starts it again after each change of its sources, until the signal aborts. The cluster, its objects
 * and the dashboard stay. Returns the exit code.
 */
export async function devCommand(args: DevArguments, context: DevContext): Promise<number> {
  const { print, folder, clock, signal } = context;
  const project = await readProject(args, folder);
  await using target = await openTarget(args, context);
  using client = createClient(target.connection, { userAgent: "homeostat-dev" });
  // An unreachable cluster is reported here, and not by the operator.
  const { gitVersion } = await client.version({ signal });
  await createNamespace(client, args.namespace, signal);
  const [healthPort = 0, metricsPort = 0, webhookPort = 0] = await freePorts(3);
  const host = target.webhookHost;
  await using files = await temporaryFolder();
  const server: WebhookServerAddress | undefined =
    host === undefined
      ? undefined
      : {
          host,
          port: webhookPort,
          authority: await writeWebhookCertificate(files, { host, now: clock.now() }),
        };
  await using dashboard = await serveOnLoopback({
    client,
    connection: target.connection,
    port: args.dashboardPort,
    findOperators: () => Promise.resolve([loopbackEndpoint("operator", () => healthPort)]),
    assets: new URL(".", import.meta.resolve("#page/index.html")),
    onError: (error) => print(`warning: ${error instanceof Error ? error.message : String(error)}`),
  });
  for (const line of greeting({ target, gitVersion, dashboard: dashboard.url, metricsPort })) print(line);
  const child = new ChildProgram({
    folder,
    clock,
    write: context.write,
    onExit: (how) => {
      // An interrupt from the terminal reaches the operator as well.
      if (!signal.aborted) print(`The operator ended with ${how}. Save a file to start it again.`);
    },
    env: {
      ...context.env,
      KUBECONFIG: target.kubeconfig,
      POD_NAMESPACE: args.namespace,
      LOG_FORMAT: "text",
      HEALTH_PROBE_BIND_ADDRESS: `127.0.0.1:${healthPort}`,
      METRICS_BIND_ADDRESS: `127.0.0.1:${metricsPort}`,
      ...(server === undefined
        ? { ENABLE_WEBHOOKS: "false" }
        : { WEBHOOK_PORT: String(webhookPort), WEBHOOK_CERT_DIR: files.path }),
    },
  });
  const stateFile = join(files.path, "tsbuildinfo");
  const cleanup = new WebhookCleanup(client);
  const session = new DevSession({ args, project, context, client, child, server, healthPort, stateFile, cleanup });
  try {
    await session.run();
  } finally {
    await child.stop();
    if (target.isExisting)
      for (const left of await cleanup.run())
        print(`${left} still leads to this machine: apply the manifests of its installation again, or delete it.`);
  }
  print("Stopping.");
  return 0;
}

async function createNamespace(client: Client, name: string, signal: AbortSignal): Promise<void> {
  if ((await client.get(Namespace, { name }, { signal })) !== undefined) return;
  await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } }, { signal });
}

function greeting({
  target,
  gitVersion,
  dashboard,
  metricsPort,
}: {
  readonly target: Target;
  readonly gitVersion: string;
  readonly dashboard: string;
  readonly metricsPort: number;
}): string[] {
  return [
    `Kubernetes ${gitVersion} ${target.text}`,
    ...(target.kubeconfig === undefined ? [] : [`  export KUBECONFIG=${target.kubeconfig}`]),
    "Objects, reconciles and logs in a browser (the link works once):",
    `  ${dashboard}`,
    `Metrics: http://127.0.0.1:${metricsPort}/metrics`,
    "Press Ctrl-C to stop.",
    "",
  ];
}
