import type { Clock } from "@homeostat/core";
import { SharedRun } from "../internal/shared-run.ts";
import type { Connection } from "../kubeconfig/connection.ts";
import type { ExecEntry } from "../kubeconfig/kubeconfig.ts";
import { CredentialsError } from "./errors.ts";
import type { CertificatePair } from "./watched-certificate.ts";

/** A plugin that takes longer waits for something that will not come. */
const runMsMax = 60_000;

/** What a plugin hands out. */
export interface Handed {
  readonly token: string | undefined;
  readonly certificate: CertificatePair | undefined;
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
  readonly #asking: SharedRun<Handed>;
  #handed: Handed | undefined;

  constructor(entry: ExecEntry, connection: Connection, { clock, run }: { clock: Clock; run: RunPlugin }) {
    this.#entry = entry;
    this.#connection = connection;
    this.#clock = clock;
    this.#run = run;
    this.#asking = new SharedRun((signal) => this.#ask(signal));
  }

  async current(signal?: AbortSignal): Promise<Handed> {
    if (this.#handed !== undefined && this.#clock.now() < this.#handed.expiresAt) return this.#handed;
    return this.#asking.join(signal);
  }

  /** Forgets what was handed out if it is what the server refused: a newer one may have come in the meantime. */
  refused(proof: { authorization: string | undefined; certificate: CertificatePair | undefined }): void {
    const { token, certificate } = this.#handed ?? {};
    const isItsToken = token === undefined || proof.authorization === `Bearer ${token}`;
    const isItsCertificate = certificate === undefined || proof.certificate?.cert === certificate.cert;
    if (isItsToken && isItsCertificate) this.#handed = undefined;
  }

  async #ask(signal: AbortSignal): Promise<Handed> {
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
    this.#handed = readAnswer(result.stdout, this.#entry);
    return this.#handed;
  }

  async #start(
    command: string,
    args: readonly string[],
    env: Record<string, string>,
    signal: AbortSignal,
  ): Promise<PluginResult> {
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
    if (isLate) return `did not answer within ${runMsMax / 1000} s. Run it by hand to see what it waits for.`;
    const isMissing = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
    const hint = this.#entry.installHint ?? (isMissing ? "Install it." : "Run it by hand to see why.");
    return `${isMissing ? "is not installed, or not in PATH" : "could not be started"}. ${hint}`;
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
