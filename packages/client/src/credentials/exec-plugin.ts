import type { Clock } from "@homeostat/core";
import { SharedRun } from "../async/shared-run.ts";
import type { Connection } from "../kubeconfig/connection.ts";
import type { ExecEntry } from "../kubeconfig/kubeconfig.ts";
import { CredentialsError } from "./errors.ts";
import type { CertificatePair } from "./watched-certificate.ts";

/** A plugin that takes longer is most likely waiting for input that never comes. */
const runMsMax = 60_000;

/** The credentials that a plugin issued. */
export interface PluginCredentials {
  readonly token: string | undefined;
  readonly certificate: CertificatePair | undefined;
  /** The expiry in milliseconds since the epoch; `Infinity` if the plugin sets none. */
  readonly expiresAt: number;
}

/** The result of running a plugin. */
export interface PluginResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a plugin. Rejects if the program cannot be started, with the system's error `code` such as `ENOENT`. */
export type RunPlugin = (
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  signal?: AbortSignal,
) => Promise<PluginResult>;

/**
 * A credential plugin (`client.authentication.k8s.io`) and a cache of the credentials that it issued.
 *
 * The plugin runs once at a time: requests that need credentials while it runs wait for the same run. At the start of a manager dozens of
 * requests need the first token at the same moment; without sharing, each would start a process and a call of the identity provider.
 *
 * Credentials are used until `expirationTimestamp`, as in client-go. Plugins usually set it somewhat before the real expiry, to allow for
 * clock skew. If they are refused before, `invalidate` discards them and the next request runs the plugin again.
 */
export class ExecPlugin {
  readonly #entry: ExecEntry;
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #run: RunPlugin;
  readonly #running: SharedRun<PluginCredentials>;
  #cached: PluginCredentials | undefined;

  constructor(entry: ExecEntry, connection: Connection, { clock, run }: { clock: Clock; run: RunPlugin }) {
    this.#entry = entry;
    this.#connection = connection;
    this.#clock = clock;
    this.#run = run;
    this.#running = new SharedRun((signal) => this.#runPlugin(signal));
  }

  async current(signal?: AbortSignal): Promise<PluginCredentials> {
    if (this.#cached !== undefined && this.#clock.now() < this.#cached.expiresAt) return this.#cached;
    return this.#running.join(signal);
  }

  /** Drops the cached credentials if they are the refused ones. Newer ones may have been issued in the meantime; they are kept. */
  invalidate(auth: { authorization: string | undefined; certificate: CertificatePair | undefined }): void {
    const { token, certificate } = this.#cached ?? {};
    const isItsToken = token === undefined || auth.authorization === `Bearer ${token}`;
    const isItsCertificate = certificate === undefined || auth.certificate?.cert === certificate.cert;
    if (isItsToken && isItsCertificate) this.#cached = undefined;
  }

  async #runPlugin(signal: AbortSignal): Promise<PluginCredentials> {
    const { command, args, env, interactiveMode } = this.#entry;
    if (interactiveMode === "Always") {
      throw new CredentialsError(
        `${command} requires a terminal (interactiveMode: Always), which is not available. Use non-interactive credentials.`,
      );
    }
    const variables = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    const result = await this.#start(
      command,
      args,
      { ...variables, KUBERNETES_EXEC_INFO: JSON.stringify(this.#info()) },
      signal,
    );
    if (result.exitCode !== 0) {
      throw new CredentialsError(
        `${command} exited with code ${result.exitCode}. Its standard error: ${shortened(result.stderr)}`,
      );
    }
    this.#cached = parseOutput(result.stdout, this.#entry);
    return this.#cached;
  }

  async #start(
    command: string,
    args: readonly string[],
    env: Record<string, string>,
    signal: AbortSignal,
  ): Promise<PluginResult> {
    // All requests wait for this run. A plugin that hangs, for example at a browser login, must not block the manager for good.
    const timeout = this.#clock.timeout(runMsMax);
    try {
      return await this.#run(command, args, env, AbortSignal.any([signal, timeout.signal]));
    } catch (cause) {
      signal.throwIfAborted();
      throw new CredentialsError(`${command} ${this.#problem(cause, timeout.signal.aborted)}`, { cause });
    } finally {
      timeout[Symbol.dispose]();
    }
  }

  #problem(cause: unknown, isLate: boolean): string {
    if (isLate) return `did not finish within ${runMsMax / 1000} s. Run it by hand to see what it waits for.`;
    const isMissing = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
    const hint = this.#entry.installHint ?? (isMissing ? "Install it." : "Run it by hand to see why.");
    return `${isMissing ? "is not installed or not in PATH" : "could not be started"}. ${hint}`;
  }

  #info(): unknown {
    const { server, tls = {}, proxyUrl } = this.#connection;
    const cluster = {
      server,
      ...(tls.serverName === undefined ? {} : { "tls-server-name": tls.serverName }),
      ...(tls.insecureSkipVerify === true ? { "insecure-skip-tls-verify": true } : {}),
      ...(tls.certificateAuthority !== undefined && "data" in tls.certificateAuthority
        ? { "certificate-authority-data": Buffer.from(tls.certificateAuthority.data).toString("base64") }
        : {}),
      ...(proxyUrl === undefined ? {} : { "proxy-url": proxyUrl }),
    };
    return {
      apiVersion: this.#entry.apiVersion,
      kind: "ExecCredential",
      spec: { interactive: false, ...(this.#entry.provideClusterInfo ? { cluster } : {}) },
    };
  }
}

/** Parses the ExecCredential that a plugin printed. Errors never quote it, because it contains the secret. */
function parseOutput(text: string, { command, apiVersion }: ExecEntry): PluginCredentials {
  const fault = (problem: string): CredentialsError =>
    new CredentialsError(`${command} ${problem}. Update the plugin or check its configuration.`);
  let output: unknown;
  try {
    output = JSON.parse(text);
  } catch {
    throw fault("did not print JSON");
  }
  if (field(output, "kind") !== "ExecCredential") throw fault("did not print an ExecCredential");
  if (field(output, "apiVersion") !== apiVersion) {
    throw fault(`did not print an ExecCredential of version ${apiVersion}`);
  }
  const status = field(output, "status");
  const token = field(status, "token");
  const cert = field(status, "clientCertificateData");
  const key = field(status, "clientKeyData");
  const expiry = field(status, "expirationTimestamp");
  if (typeof token !== "string" && typeof cert !== "string") throw fault("returned neither a token nor a certificate");
  if ((typeof cert === "string") !== (typeof key === "string"))
    throw fault("returned a certificate without a key, or a key without a certificate");
  const expiresAt = typeof expiry === "string" ? Date.parse(expiry) : Infinity;
  if (Number.isNaN(expiresAt)) throw fault("returned an invalid expirationTimestamp");
  return {
    token: typeof token === "string" ? token : undefined,
    certificate: typeof cert === "string" && typeof key === "string" ? { cert, key } : undefined,
    expiresAt,
  };
}

function field(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

function shortened(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  return line === "" ? "(empty)" : line.length > 300 ? `${line.slice(0, 300)}…` : line;
}
