import type { AuditSink } from "../audit/audit-log.ts";
import { AuditRecord } from "../audit/audit-request.ts";
import type { Attributes, Authorizer } from "../auth/attributes.ts";
import { forbiddenRefusal } from "../auth/attributes.ts";
import type { Authenticator } from "../auth/authenticate.ts";
import { impersonatedUser } from "../auth/impersonation-headers.ts";
import type { Impersonation } from "../auth/impersonation.ts";
import type { User } from "../auth/user.ts";
import { negotiateAccept, plainOffer } from "../codec/media-types.ts";
import {
  type HandlerResponse,
  type ResponseHeaders,
  type Handler,
  headerOf,
  type RequestHeaders,
  type ServerRequest,
} from "../http/handler.ts";
import { isLongRunning } from "../request/request-info.ts";
import { statusResponse } from "../http/status-response.ts";
import { type ServerStatus, StatusError } from "../status/status.ts";
import { storageStoppedStatus } from "../status/storage-stopped.ts";
import { StorageStoppedError } from "../storage/errors.ts";
import type { AuthorizedRequest, ServerParts } from "./context.ts";
import { responseWith } from "./response-form.ts";
import { resultOrThrow } from "./result-or-throw.ts";

/** Dependencies of {@link pipeline}. */
export interface PipelineOptions {
  readonly parts: ServerParts;
  readonly authenticator: Authenticator;
  readonly impersonation: Impersonation;
  readonly authorizer: Authorizer;
  /** Returns the response headers that name the FlowSchema and priority level of a request. */
  readonly flowHeaders: (attributes: Attributes) => ResponseHeaders | undefined;
  /** Takes an audit event of each request. Default: no request is audited. */
  readonly audit?: AuditSink | undefined;
  /** Handles an authorized request. */
  readonly route: (authorized: AuthorizedRequest) => Promise<HandlerResponse>;
}

/** Authenticates and authorizes each request, passes it to the routes, and turns a thrown `StatusError` into a response. */
export function pipeline(options: PipelineOptions): Handler {
  const { parts, authenticator, impersonation, authorizer, flowHeaders, route, audit } = options;
  return async (request, signal) => {
    const record =
      audit === undefined ? undefined : new AuditRecord(request, { sink: audit, clock: options.parts.clock });
    const warningTexts: string[] = [];
    let headers: ResponseHeaders | undefined;
    const warn = (text: string): void => void warningTexts.push(text);
    try {
      const user = authenticate(request, { authenticator, impersonation, warn, record });
      const attributes = attributesOf(request, user);
      // Priority and fairness does not apply to long-running requests, except for the start of a watch.
      if (request.info.verb === "watch" || !isLongRunning(request.info)) headers = flowHeaders(attributes);
      const decision = authorizer.authorize(attributes);
      const { isAllowed, reason } = decision;
      if (record !== undefined) record.decision = decision;
      if (!isAllowed) throw new StatusError(forbiddenRefusal(attributes, reason).status);
      const answer = await route({ request, signal, user, warn, parts });
      const response = withExtraHeaders(answer, warningTexts, headers);
      return record === undefined ? response : await record.responded(response);
    } catch (error) {
      const status = statusOf(error);
      await record?.failed(status === undefined ? { error } : { status });
      if (status === undefined) throw error;
      return withExtraHeaders(errorResponse(request, status), warningTexts, headers);
    }
  };
}

/** Returns the status of a rejected request; undefined for unexpected errors. */
function statusOf(error: unknown): ServerStatus | undefined {
  if (error instanceof StatusError) return error.status;
  return error instanceof StorageStoppedError ? storageStoppedStatus(error) : undefined;
}

/** Adds the collected warnings and the priority and fairness headers to a response; error responses have them too. */
function withExtraHeaders(
  answer: HandlerResponse,
  warningTexts: readonly string[],
  headers: ResponseHeaders | undefined,
): HandlerResponse {
  const warned =
    warningTexts.length === 0 ? answer : { ...answer, warnings: [...(answer.warnings ?? []), ...warningTexts] };
  return headers === undefined ? warned : { ...warned, headers: { ...warned.headers, ...headers } };
}

/** Returns the user of a request: authenticated, then replaced by the impersonated user if there are `Impersonate-*` headers. */
function authenticate(
  request: ServerRequest,
  {
    authenticator,
    impersonation,
    warn,
    record,
  }: Pick<PipelineOptions, "authenticator" | "impersonation"> & {
    readonly warn: (text: string) => void;
    readonly record: AuditRecord | undefined;
  },
): User {
  const { headers, info, peer } = request;
  const { user, warnings } = resultOrThrow(
    authenticator.authenticate({
      path: info.path,
      authorization: headerOf(headers, "authorization"),
      certificate: peer.certificate,
    }),
  );
  for (const text of warnings) warn(text);
  if (record !== undefined) record.user = user;
  const requested = resultOrThrow(impersonatedUser(headerPairs(headers)));
  if (requested === undefined) return user;
  const impersonated = resultOrThrow(impersonation.impersonate(requested, attributesOf(request, user)));
  if (record !== undefined) {
    record.impersonated = impersonated;
    record.constraint = impersonation.constraintOf(user.name);
  }
  return impersonated;
}

function* headerPairs(headers: RequestHeaders): Generator<readonly [string, string]> {
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === "string") yield [name, value];
    else for (const each of value ?? []) yield [name, each];
  }
}

/** Returns the attributes of a request for authorization. */
export function attributesOf({ info }: Pick<ServerRequest, "info">, user: User): Attributes {
  const { isResource, verb, path, group, resource, subresource, namespace, name } = info;
  if (!isResource) return { user, verb, path };
  return { user, verb, group, resource, subresource, namespace, name };
}

/** Builds the response with an error status in the form that the client accepts, or in JSON. */
function errorResponse(request: ServerRequest, status: ServerStatus): HandlerResponse {
  const found = negotiateAccept(headerOf(request.headers, "accept") ?? "", plainOffer);
  const plain = statusResponse(status, { isPretty: request.isPretty || status.code === 406 });
  if (found === undefined || found.mediaType === "application/json") return plain;
  const made = responseWith(plain.status, { ...status }, { ...found, isPretty: false });
  return { ...made, headers: { ...plain.headers, ...made.headers } };
}
