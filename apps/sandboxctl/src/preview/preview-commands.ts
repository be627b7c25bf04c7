import { findCondition, systemClock, systemRandom } from "@homeostat/core";
import { previewHeader } from "@homeostat/routing";
import { PreviewLink } from "@homeostat/sandbox-operator";
import type { CommandContext } from "../command/cluster.ts";
import { CommandError, exitCodes } from "../command/errors.ts";
import { tableLines } from "./table-lines.ts";
import { type IssuedLink, issueLink, readTarget } from "./issue-link.ts";
import type {
  PreviewLinkArguments,
  PreviewLinksArguments,
  PreviewOpenArguments,
  PreviewRevokeArguments,
} from "../command/preview-arguments.ts";

type Arguments = PreviewOpenArguments | PreviewLinkArguments | PreviewLinksArguments | PreviewRevokeArguments;

/** Runs a preview command. Returns the exit code. */
export async function previewCommand(args: Arguments, context: CommandContext): Promise<number> {
  switch (args.run) {
    case "preview open":
      return openPreview(args, context);
    case "preview link":
      return shareLink(args, context);
    case "preview links":
      return listLinks(args, context);
    case "preview revoke":
      return revokeLink(args, context);
  }
}

/** Prints the address of an endpoint, with a token for this user if it needs one. */
async function openPreview(args: PreviewOpenArguments, context: CommandContext): Promise<number> {
  using cluster = await context.connect(args);
  const shared = { ...issueTools(context), ...cluster, target: args.target };
  const found = await readTarget(shared);
  const endpoint = args.endpoint ?? onlyEndpoint(args, found.spec.endpoints);
  const state = found.status?.endpoints?.find(({ name }) => name === endpoint);
  if (state?.url !== undefined && state.auth !== undefined && state.auth !== "Token") {
    const { url } = state;
    context.print(args.output === "json" ? JSON.stringify({ url }, undefined, 2) : url);
    return exitCodes.done;
  }
  // The operator limits the lifetime of personal tokens.
  const link = await issueLink({ ...shared, endpoint, mode: "Personal", expires: "28d" });
  printLink(link, args, context);
  return exitCodes.done;
}

function onlyEndpoint(
  { target: { kind, name } }: PreviewOpenArguments,
  endpoints: readonly { readonly name: string }[],
): string {
  const [first] = endpoints;
  if (first === undefined)
    throw new CommandError(`${kind} ${name} has no endpoints; add one to spec.endpoints`, exitCodes.notFound);
  if (endpoints.length === 1) return first.name;
  const names = endpoints.map((each) => each.name).join(", ");
  throw new CommandError(`${kind} ${name} has the endpoints ${names}; name one of them`, exitCodes.usage);
}

/** Creates a link that can be passed on. */
async function shareLink(args: PreviewLinkArguments, context: CommandContext): Promise<number> {
  using cluster = await context.connect(args);
  const { target, endpoint, expires } = args;
  const shared = { ...issueTools(context), ...cluster, target, expires, mode: "Share" as const };
  await readTarget(shared);
  printLink(await issueLink({ ...shared, endpoint }), args, context);
  return exitCodes.done;
}

function printLink(
  { id, url, token, expiresAt }: IssuedLink,
  { output }: { readonly output: "text" | "json" },
  { print, note }: CommandContext,
): void {
  if (output === "json") {
    print(JSON.stringify({ id, url, expiresAt, header: { [previewHeader]: token } }, undefined, 2));
    return;
  }
  print(url);
  note(`note: valid until ${expiresAt}; revoke it with: sandboxctl preview revoke ${id}`);
}

async function listLinks(args: PreviewLinksArguments, context: CommandContext): Promise<number> {
  using cluster = await context.connect(args);
  const { items } = await cluster.client.list(PreviewLink, { namespace: cluster.namespace, signal: context.signal });
  const links = items.map(({ metadata, spec, status }) => ({
    id: metadata.name ?? "",
    target: `${spec.targetRef.kind.toLowerCase()}/${spec.targetRef.name}`,
    endpoint: spec.endpoint,
    mode: spec.mode,
    user: status?.createdBy ?? "",
    expiresAt: status?.expiresAt ?? "",
    uses: (status?.uses ?? []).reduce((sum, { count }) => sum + count, 0),
    state: findCondition(status?.conditions ?? [], "Ready")?.reason ?? "Pending",
  }));
  if (args.output === "json") context.print(JSON.stringify(links, undefined, 2));
  else if (links.length === 0) context.note(`note: namespace ${cluster.namespace} has no preview links`);
  else {
    const head = ["ID", "TARGET", "ENDPOINT", "MODE", "USER", "EXPIRES", "USES", "STATE"];
    const rows = links.map((each) => Object.values(each).map(String));
    for (const line of tableLines([head, ...rows])) context.print(line);
  }
  return exitCodes.done;
}

async function revokeLink({ id, ...args }: PreviewRevokeArguments, context: CommandContext): Promise<number> {
  using cluster = await context.connect(args);
  const { client, namespace } = cluster;
  const { wasFound } = await client.delete(PreviewLink, { namespace, name: id }, { signal: context.signal });
  if (!wasFound) {
    const message = `PreviewLink ${namespace}/${id} does not exist; see sandboxctl preview links -n ${namespace}`;
    throw new CommandError(message, exitCodes.notFound);
  }
  context.print(`Revoked ${id}`);
  return exitCodes.done;
}

function issueTools({ signal, note }: CommandContext) {
  return { signal, note, clock: systemClock, random: systemRandom };
}
