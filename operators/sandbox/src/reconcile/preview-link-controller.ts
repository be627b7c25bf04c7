// Reconciles PreviewLinks: issues tokens for the users who created them, and revokes them.

import {
  type Controller,
  defineController,
  type ReconcileContext,
  type ReconcileResult,
  watched,
  when,
} from "homeostat";
import type { Client } from "@homeostat/client";
import { type DeepReadonly, formatTime, keyOf, type KubeObject, parseTime, withoutUndefined } from "@homeostat/core";
import { SubjectAccessReview } from "@homeostat/kubernetes/authorization/v1";
import type { CacheReader, OwnedKinds, StatusPlan } from "@homeostat/runtime";
import { type PreviewClaims, type PreviewSigner, sealToken, signPreviewToken } from "@homeostat/x509";
import { creatorOf } from "../api/created-by.ts";
import { durationSeconds } from "../api/duration.ts";
import { apiVersion, fieldManager } from "../api/identity.ts";
import { shareHost } from "../api/names.ts";
import { type CachedPreviewLink, PreviewLink, usesMax } from "../api/preview-link.ts";
import { type PublishedEndpoint, publishedEndpoints } from "../api/published-endpoints.ts";
import { RouteGroup } from "../api/route-group.ts";
import { type CachedRouteTable, RouteTable } from "../api/route-table.ts";
import { Sandbox } from "../api/sandbox.ts";
import { tokenSecondsMax } from "../decide/preview-keys.ts";
import { decidePreviewLink, type PreviewLinkDecision } from "../decide/preview-link.ts";
import type { SecureBytes } from "../decide/routing-key.ts";
import { configChanges, type FollowConfig } from "../observe/config-changes.ts";
import { linkIndexes } from "../observe/host-claims.ts";
import type { PreviewKeyring } from "../observe/preview-keyring.ts";
import { identifiesUsers, type OperatorConfig } from "../settings/config.ts";

export interface PreviewLinkControllerOptions {
  readonly config: () => OperatorConfig;
  readonly followConfig: FollowConfig;
  readonly ring: () => PreviewKeyring;
  readonly review: () => Client["reviewAccess"];
  readonly secureBytes: SecureBytes;
}

/** Interval at which the access of the creator is reviewed again. */
const reviewMs = 300_000;
/** Retry interval while no signing key exists. */
const keysMs = 1_000;
/** Expired links are kept for this time, so that the gateway can respond that the link has expired. */
const keptMs = 86_400_000;
const suffixLength = 6;

// Only the endpoints of targets and the token uses of tables trigger a reconcile.
const watches = {
  tables: watched(RouteTable, {
    map: linksOfTable,
    indexes: { token: ({ spec }) => [...new Set((spec.hosts ?? []).flatMap(({ tokens }) => tokens ?? []))] },
    when: when.changed(({ status }) => status?.tokenUses),
  }),
  sandboxes: watched(Sandbox, {
    map: (sandbox, cache) => linksOf("Sandbox", sandbox, cache),
    when: when.changed(({ metadata: { uid, deletionTimestamp }, spec, status }) => [
      uid,
      deletionTimestamp,
      spec.endpoints,
      status?.endpoints,
    ]),
  }),
  groups: watched(RouteGroup, {
    map: (group, cache) => linksOf("RouteGroup", group, cache),
    when: when.changed(({ metadata: { uid, deletionTimestamp }, spec, status }) => [
      uid,
      deletionTimestamp,
      spec.endpoints,
      status?.endpoints,
    ]),
  }),
};

type Context = ReconcileContext<PreviewLink, OwnedKinds, typeof watches, "tokenId">;

/** Defines the controller of PreviewLinks. */
export function previewLinkController(options: PreviewLinkControllerOptions): Controller {
  return defineController({
    name: "previewlink",
    for: PreviewLink,
    indexes: { tokenId: linkIndexes.tokenId },
    watches,
    sources: [configChanges(options.followConfig, PreviewLink)],
    fieldManager,
    when: when.changed(({ metadata: { uid, generation, deletionTimestamp, ownerReferences } }) => [
      uid,
      generation,
      deletionTimestamp,
      ownerReferences,
    ]),
    access: [
      { type: PreviewLink, verbs: ["delete", "patch"] },
      { type: SubjectAccessReview, verbs: ["create"] },
    ],
    async reconcile(context) {
      return reconcile(context, options);
    },
  });
}

async function reconcile(context: Context, options: PreviewLinkControllerOptions): Promise<ReconcileResult> {
  const { object: link, serverClock, client, namespace, name, signal } = context;
  const { uid, creationTimestamp } = link.metadata;
  const now = serverClock.now();
  const createdAt = creationTimestamp === undefined ? now : parseTime(creationTimestamp);
  const secondsMax = link.spec.mode === "Personal" ? options.config().preview.tokenSeconds : tokenSecondsMax;
  const seconds = Math.min(durationSeconds(link.spec.expires) ?? 0, secondsMax, tokenSecondsMax);
  const expiresAt = createdAt + seconds * 1_000;
  if (now >= expiresAt + keptMs) {
    await client.delete(PreviewLink, { namespace, name }, { preconditions: { uid }, signal });
    return {};
  }
  await own(context);
  if (now >= expiresAt) {
    context.setCondition("Ready", { status: false, reason: "Expired", message: "The token has expired" });
    await context.saveStatus();
    return { requeueAfterMs: expiresAt + keptMs - now };
  }
  const signer = options.ring().signer(now);
  const decision = await decide(context, options, signer !== undefined);
  context.setStatusPlan(statusOf(link, decision, { options, signer, expiresAt, uses: usesOf(context) }));
  await context.saveStatus();
  if (decision.state === "refused" && decision.reason === "WaitingForKeys") return { requeueAfterMs: keysMs };
  return { requeueAfterMs: Math.max(1, Math.min(reviewMs, expiresAt - now)) };
}

/** Observes the target and reviews the access of the creator. */
async function decide(
  { object: link, watched: { sandboxes, groups }, namespace, signal }: Context,
  { review, config }: PreviewLinkControllerOptions,
  hasSigner: boolean,
): Promise<PreviewLinkDecision> {
  const { targetRef, endpoint, forUser } = link.spec;
  const key = { namespace, name: targetRef.name };
  const target = targetRef.kind === "Sandbox" ? sandboxes.get(key) : groups.get(key);
  const type = targetRef.kind === "Sandbox" ? Sandbox : RouteGroup;
  const creator = creatorOf(link);
  const verdict =
    creator === undefined
      ? undefined
      : await review()(creator, { verb: "get", type, namespace, name: targetRef.name }, { signal });
  return decidePreviewLink({
    target: targetRef,
    endpoint,
    hasTarget: target !== undefined && target.metadata.deletionTimestamp === undefined,
    endpoints: target?.spec.endpoints.map(({ name }) => name) ?? [],
    published: publishedEndpoints(target?.status?.endpoints).find(({ name }) => name === endpoint),
    user: creator?.user,
    isAllowed: verdict?.isAllowed,
    hasSigner,
    forUser,
    identifiesUsers: identifiesUsers(config()),
  });
}

interface IssueTools {
  readonly options: PreviewLinkControllerOptions;
  readonly signer: PreviewSigner | undefined;
  readonly expiresAt: number;
  readonly uses: Uses | undefined;
}

function statusOf(link: CachedPreviewLink, decision: PreviewLinkDecision, tools: IssueTools): StatusPlan<PreviewLink> {
  const { expiresAt, uses } = tools;
  const fields = {
    ...(uses !== undefined && { uses }),
    observedGeneration: link.metadata.generation ?? 0,
    createdBy: creatorOf(link)?.user,
    expiresAt: formatTime(expiresAt),
  };
  if (decision.state === "refused" || tools.signer === undefined) {
    const { reason, message } =
      decision.state === "refused"
        ? decision
        : { reason: "WaitingForKeys" as const, message: "no signing key is available yet" };
    return {
      fields: { ...fields, host: link.status?.host, tokenId: undefined, token: undefined, url: undefined },
      conditions: { Ready: { status: false, reason, message } },
    };
  }
  const { endpoint, user } = decision;
  const host = hostOf(link, endpoint, tools.options);
  const { uid: tokenId = "" } = link.metadata;
  const isIssued = link.status?.host === host && link.status.tokenId === tokenId && link.status.token !== undefined;
  const claims: PreviewClaims = {
    host,
    key: endpoint.routingKey ?? "",
    exp: Math.floor(expiresAt / 1_000),
    jti: tokenId,
    sub: user,
    ...withoutUndefined({ for: link.spec.forUser }),
  };
  const { scheme } = tools.options.config().preview;
  return {
    fields: {
      ...fields,
      host,
      tokenId,
      url: `${scheme}://${host}${endpoint.path}`,
      token: isIssued ? link.status.token : sealToken(signPreviewToken(claims, tools.signer), link.spec.publicKey),
    },
    conditions: { Ready: { status: true, reason: "Issued", message: `The token is valid for ${host}` } },
  };
}

/** Returns the host of a link. The host of a share link is chosen once. */
function hostOf(
  { spec, status }: CachedPreviewLink,
  { name, host, routingKey, defaultRoutingKey = "" }: PublishedEndpoint,
  { config, secureBytes }: PreviewLinkControllerOptions,
): string {
  if (spec.mode === "Personal") return host;
  const { domain } = config().preview;
  if (status?.host?.endsWith(`.${domain}`) === true) return status.host;
  return shareHost({ endpoint: name, routingKey: routingKey ?? defaultRoutingKey, domain }, suffix(secureBytes));
}

/** Returns six random characters. */
function suffix(secureBytes: SecureBytes): string {
  const alphabet = "abcdefghijklmnopqrstuvwxyz234567";
  return [...secureBytes(suffixLength)].map((byte) => alphabet[byte % alphabet.length]).join("");
}

/** Makes the target an owner, so the garbage collector deletes the link with it. */
async function own({
  object: link,
  watched: { sandboxes, groups },
  client,
  namespace,
  name,
  signal,
}: Context): Promise<void> {
  const { kind, name: targetName } = link.spec.targetRef;
  const key = { namespace, name: targetName };
  const target = kind === "Sandbox" ? sandboxes.get(key) : groups.get(key);
  const { uid = "", deletionTimestamp } = target?.metadata ?? {};
  const { ownerReferences = [], resourceVersion } = link.metadata;
  if (target === undefined || deletionTimestamp !== undefined || ownerReferences.some((owner) => owner.uid === uid))
    return;
  const others = ownerReferences.filter((owner) => owner.apiVersion !== apiVersion);
  const owners = [...others, { apiVersion, kind, name: targetName, uid }];
  await client.patch(
    PreviewLink,
    { namespace, name },
    { merge: { metadata: { resourceVersion, ownerReferences: owners } } },
    { signal },
  );
}

type Uses = NonNullable<PreviewLink["status"]["uses"]>;

/**
 * Returns the uses of the token: those in the status, and newer ones that the route server has recorded in the table of its host. Entries of deleted
 * replicas are kept.
 */
function usesOf({ object: link, watched: { tables } }: Context): Uses | undefined {
  const { tokenId, uses = [] } = link.status ?? {};
  const [table] = tokenId === undefined ? [] : tables.by("token", tokenId);
  const recorded = table?.status?.tokenUses?.[tokenId ?? ""] ?? {};
  const sums = new Map(uses.map((use) => [use.name, { ...use }]));
  for (const [name, use] of Object.entries(recorded))
    if (use.count > (sums.get(name)?.count ?? 0)) sums.set(name, { name, ...use });
  const all = [...sums.values()].sort((a, b) => ((a.lastUsedAt ?? "") < (b.lastUsedAt ?? "") ? 1 : -1));
  return all.length === 0 ? undefined : all.slice(0, usesMax).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Maps a table to the links whose tokens were used. */
function linksOfTable({ status }: CachedRouteTable, cache: CacheReader): readonly string[] {
  return Object.keys(status?.tokenUses ?? {}).flatMap((id) => cache.by(PreviewLink, "tokenId", id).map(keyOf));
}

/** Maps an object to the links that name it. */
function linksOf(
  kind: "Sandbox" | "RouteGroup",
  { metadata: { namespace = "", name } }: DeepReadonly<KubeObject>,
  cache: CacheReader,
): readonly string[] {
  return cache
    .list(PreviewLink, { namespace })
    .filter(({ spec: { targetRef } }) => targetRef.kind === kind && targetRef.name === name)
    .map(keyOf);
}
