import { findCondition, UsageError } from "@homeostat/core";
import { previewHeader } from "@homeostat/routing";
import { PreviewLink } from "@homeostat/sandbox-operator";
import type { CommandContext } from "../command/context.ts";
import { CommandError, exitCodes } from "../command/errors.ts";
import type { Flags, OutputFormat } from "../command/flags.ts";
import type { CommandInput } from "../command/input.ts";
import { tableLines } from "../output/table-lines.ts";
import { type IssuedLink, issueLink, type PreviewTarget, readTarget } from "./issue-link.ts";
import type { previewLinkFlags, previewTargetFlags } from "./definitions.ts";

type OpenInput = CommandInput<typeof previewTargetFlags>;
/** The part of both that names the object. */
interface TargetInput {
  isSet(name: "routegroup"): boolean;
  argument(name: string): string;
}
type LinkInput = CommandInput<typeof previewTargetFlags & typeof previewLinkFlags>;

/** Prints the address of an endpoint, with a token for this user if it needs one. */
export async function openPreview(input: OpenInput, context: CommandContext): Promise<number> {
  using cluster = await context.connect(input.connection);
  const target = targetOf(input);
  const shared = { ...issueTools(context), ...cluster, target };
  const found = await readTarget(shared);
  const endpoint = input.optionalArgument("ENDPOINT") ?? onlyEndpoint(target, found.spec.endpoints);
  const state = found.status?.endpoints?.find(({ name }) => name === endpoint);
  if (state?.url !== undefined && state.auth !== undefined && state.auth !== "Token") {
    const { url } = state;
    context.print(input.output === "json" ? JSON.stringify({ url }, undefined, 2) : url);
    return exitCodes.done;
  }
  // The operator limits the lifetime of personal tokens.
  const link = await issueLink({ ...shared, endpoint, mode: "Personal", expires: "28d" });
  printLink(link, input.output, context);
  return exitCodes.done;
}

function onlyEndpoint({ kind, name }: PreviewTarget, endpoints: readonly { readonly name: string }[]): string {
  const [first] = endpoints;
  if (first === undefined)
    throw new CommandError(`${kind} ${name} has no endpoints; add one to spec.endpoints`, exitCodes.notFound);
  if (endpoints.length === 1) return first.name;
  const names = endpoints.map((each) => each.name).join(", ");
  throw new CommandError(`${kind} ${name} has the endpoints ${names}; name one of them`, exitCodes.usage);
}

/** Creates a link that can be shared. */
export async function shareLink(input: LinkInput, context: CommandContext): Promise<number> {
  const expires = expiresOf(input.text("expires"));
  const forUser = userOf(input.text("for"));
  using cluster = await context.connect(input.connection);
  const target = targetOf(input);
  const endpoint = input.argument("ENDPOINT");
  const shared = { ...issueTools(context), ...cluster, target, expires, forUser, mode: "Share" as const };
  await readTarget(shared);
  printLink(await issueLink({ ...shared, endpoint }), input.output, context);
  return exitCodes.done;
}

function printLink(
  { id, url, token, expiresAt }: IssuedLink,
  output: OutputFormat,
  { print, note }: CommandContext,
): void {
  if (output === "json") {
    print(JSON.stringify({ id, url, expiresAt, header: { [previewHeader]: token } }, undefined, 2));
    return;
  }
  print(url);
  note(`note: valid until ${expiresAt}; revoke it with: sandboxctl preview revoke ${id}`);
}

/** Lists the preview links of a namespace. */
export async function listLinks(input: CommandInput<Flags>, context: CommandContext): Promise<number> {
  using cluster = await context.connect(input.connection);
  const { items } = await cluster.client.list(PreviewLink, { namespace: cluster.namespace, signal: context.signal });
  const links = items.map(({ metadata, spec, status }) => ({
    id: metadata.name ?? "",
    target: `${spec.targetRef.kind.toLowerCase()}/${spec.targetRef.name}`,
    endpoint: spec.endpoint,
    mode: spec.mode,
    user: status?.createdBy ?? "",
    for: spec.forUser ?? "",
    expiresAt: status?.expiresAt ?? "",
    uses: (status?.uses ?? []).reduce((sum, { count }) => sum + count, 0),
    state: findCondition(status?.conditions ?? [], "Ready")?.reason ?? "Pending",
  }));
  if (input.output === "json") context.print(JSON.stringify(links, undefined, 2));
  else if (links.length === 0) context.note(`note: namespace ${cluster.namespace} has no preview links`);
  else {
    const head = ["ID", "TARGET", "ENDPOINT", "MODE", "USER", "FOR", "EXPIRES", "USES", "STATE"];
    const rows = links.map((each) => Object.values(each).map(String));
    for (const line of tableLines([head, ...rows])) context.print(line);
  }
  return exitCodes.done;
}

/** Deletes a preview link, which revokes it within seconds. */
export async function revokeLink(input: CommandInput<Flags>, context: CommandContext): Promise<number> {
  const id = input.argument("ID");
  using cluster = await context.connect(input.connection);
  const { client, namespace } = cluster;
  const { wasFound } = await client.delete(PreviewLink, { namespace, name: id }, { signal: context.signal });
  if (!wasFound) {
    const message = `PreviewLink ${namespace}/${id} does not exist; see sandboxctl preview links -n ${namespace}`;
    throw new CommandError(message, exitCodes.notFound);
  }
  context.print(`Revoked ${id}`);
  return exitCodes.done;
}

function targetOf(input: TargetInput): PreviewTarget {
  return { kind: input.isSet("routegroup") ? "RouteGroup" : "Sandbox", name: input.argument("NAME") };
}

function expiresOf(text = "8h"): string {
  if (/^[0-9]+(s|m|h|d|w)?$/.test(text)) return text;
  throw new UsageError(
    `--expires is ${JSON.stringify(text)}; it must be a duration such as 30m, 8h or 7d, at most 28d.`,
  );
}

function userOf(text: string | undefined): string | undefined {
  if (text === undefined || /^[!-~]{1,256}$/.test(text)) return text;
  throw new UsageError(
    `--for is ${JSON.stringify(text)}; it must be the name of a user as the authentication service of the gateway gives it, without spaces.`,
  );
}

function issueTools({ signal, note, clock, random }: CommandContext) {
  return { signal, note, clock, random };
}
