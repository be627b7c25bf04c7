import type { Clock } from "@homeostat/core";
import type { Connection } from "../kubeconfig/connection.ts";
import type { ExecEntry } from "../kubeconfig/kubeconfig.ts";
import { CredentialsError } from "./errors.ts";

/** What a plugin hands out. */
export interface Handed {
  readonly token: string | undefined;
  readonly certificate: { readonly cert: string; readonly key: string } | undefined;
  /** When it ends, in milliseconds since 1970; for ever when the plugin does not say. */
  readonly expiresAt: number;
}

/** How a plugin ended. */
export interface PluginResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a plugin. Rejects when the program cannot be started; `code` is then that of the system, such as `ENOENT`. */
export type RunPlugin = (
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  signal?: AbortSignal,
) => Promise<PluginResult>;

/**
 * A credential plugin (`client.authentication.k8s.io`), with what it handed out last.
 *
 * One run at a time: requests that need credentials while the plugin runs wait for the same run.
 */
export class ExecPlugin {
  readonly #entry: ExecEntry;
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #run: RunPlugin;
  #handed: Handed | undefined;
  #running: Promise<Handed> | undefined;

  constructor(entry: ExecEntry, connection: Connection, { clock, run }: { clock: Clock; run: RunPlugin }) {
    this.#entry = entry;
    this.#connection = connection;
    this.#clock = clock;
    this.#run = run;
  }

  async current(signal?: AbortSignal): Promise<Handed> {
    if (this.#handed !== undefined && this.#clock.now() < this.#handed.expiresAt) return this.#handed;
    this.#running ??= this.#ask(signal).finally(() => (this.#running = undefined));
    this.#handed = await this.#running;
    return this.#handed;
  }

  /** Forgets what was handed out if it is what the server refused: a newer one may have come in the meantime. */
  refused(authorization: string | undefined): void {
    if (authorization === undefined || authorization === `Bearer ${this.#handed?.token}`) this.#handed = undefined;
  }

  async #ask(signal: AbortSignal | undefined): Promise<Handed> {
    const { command, args, env, interactiveMode } = this.#entry;
    if (interactiveMode === "Always") {
      throw new CredentialsError(
        `${command} wants to talk to a person (interactiveMode: Always), which a controller cannot. Use another login.`,
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
      throw new CredentialsError(`${command} ended with code ${result.exitCode}. It said: ${shortened(result.stderr)}`);
    }
    return readAnswer(result.stdout, this.#entry);
  }

  async #start(
    command: string,
    args: readonly string[],
    env: Record<string, string>,
    signal: AbortSignal | undefined,
  ): Promise<PluginResult> {
    try {
      return await this.#run(command, args, env, signal);
    } catch (cause) {
      signal?.throwIfAborted();
      const isMissing = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
      const hint = this.#entry.installHint === undefined ? "" : ` ${this.#entry.installHint}`;
      throw new CredentialsError(
        `${command} ${isMissing ? "is not installed, or not in PATH" : "could not be started"}.${hint}`,
        { cause },
      );
    }
  }

  #info(): unknown {
    const { server, tls, proxyUrl } = this.#connection;
    const cluster = {
      server,
      ...(tls.serverName === undefined ? {} : { "tls-server-name": tls.serverName }),
      ...(tls.insecureSkipVerify ? { "insecure-skip-tls-verify": true } : {}),
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

/** Reads the ExecCredential that a plugin printed. Never quotes it: it holds the secret. */
function readAnswer(text: string, { command, apiVersion }: ExecEntry): Handed {
  const fault = (problem: string): CredentialsError =>
    new CredentialsError(`${command} ${problem}. Update the plugin, or check its configuration.`);
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw fault("did not print JSON");
  }
  if (field(answer, "kind") !== "ExecCredential") throw fault("did not print an ExecCredential");
  if (field(answer, "apiVersion") !== apiVersion) {
    throw fault(`printed an ExecCredential of another version than ${apiVersion}`);
  }
  const status = field(answer, "status");
  const token = field(status, "token");
  const cert = field(status, "clientCertificateData");
  const key = field(status, "clientKeyData");
  const expiry = field(status, "expirationTimestamp");
  if (typeof token !== "string" && typeof cert !== "string")
    throw fault("handed out neither a token nor a certificate");
  if ((typeof cert === "string") !== (typeof key === "string"))
    throw fault("handed out a certificate or a key without the other");
  const expiresAt = typeof expiry === "string" ? Date.parse(expiry) : Infinity;
  if (Number.isNaN(expiresAt)) throw fault("gave an expirationTimestamp that is not a time");
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
  return line === "" ? "nothing." : line.length > 300 ? `${line.slice(0, 300)}…` : line;
}
