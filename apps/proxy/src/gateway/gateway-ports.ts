import { join } from "node:path";
import type { Clock } from "@homeostat/core";
import { type ListenerPort, type Listeners, ServerCertificates } from "@homeostat/proxy";
import type { Logger } from "@homeostat/runtime";
import { CertificateFiles } from "@homeostat/webhook";
import type { KeyPair } from "@homeostat/x509";
import type { TableError } from "../routes/table-store.ts";
import type { ProxySettings } from "../settings/flags.ts";
import type { GatewayRouter } from "./gateway-router.ts";

export interface GatewayPortsOptions {
  readonly listeners: Listeners;
  readonly router: GatewayRouter;
  readonly settings: Pick<ProxySettings, "httpPort" | "httpsPort" | "certDir">;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The two ports of a gateway. The port with TLS opens as soon as there is a certificate. */
export class GatewayPorts {
  readonly #options: GatewayPortsOptions;
  readonly #failed = new Map<number, string>();
  readonly #open = new Map<"http" | "https", number>();
  #certificates: ServerCertificates | undefined;
  #opening: Promise<void> | undefined;

  constructor(options: GatewayPortsOptions) {
    this.#options = options;
  }

  /** Ports that could not be opened, with the reason. */
  get failed(): ReadonlyMap<number, string> {
    return this.#failed;
  }

  /** No table names a port of the gateway, so none has a problem because of one. */
  get errors(): readonly TableError[] {
    return [];
  }

  /** Numbers of the open ports. */
  get ports(): ReadonlyMap<"http" | "https", number> {
    return this.#open;
  }

  /** Opens the ports that are not open yet. */
  async sync(): Promise<void> {
    this.#opening ??= this.#openAll().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** Follows the files of the certificate until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { settings, clock, log } = this.#options;
    await this.sync();
    if (settings.certDir === "") return;
    let problems = 0;
    const files = new CertificateFiles({
      certPath: join(settings.certDir, "tls.crt"),
      keyPath: join(settings.certDir, "tls.key"),
      clock,
      serve: (pair) => this.#use(pair),
      onProblem: (error) => {
        // The Secret is optional and may be created later; one line in ten minutes is enough.
        if (problems % 60 === 0) log.warn("Failed to read certificate", { folder: settings.certDir, error });
        problems += 1;
      },
    });
    await files.run(signal);
  }

  #use(pair: KeyPair): void {
    const certificate = { ...pair, source: this.#options.settings.certDir };
    if (this.#certificates === undefined) this.#certificates = new ServerCertificates([certificate]);
    else this.#certificates.replace([certificate]);
    void this.sync();
  }

  async #openAll(): Promise<void> {
    const { settings, router } = this.#options;
    const shared = { router, baseline: () => undefined, protocolsOf: (name: string) => router.protocolsOf(name) };
    if (!this.#open.has("http")) await this.#openPort("http", { ...shared, port: settings.httpPort });
    if (this.#certificates !== undefined && !this.#open.has("https"))
      await this.#openPort("https", { ...shared, port: settings.httpsPort, tls: this.#certificates });
  }

  async #openPort(name: "http" | "https", target: ListenerPort): Promise<void> {
    const { listeners, log } = this.#options;
    try {
      const { port } = await listeners.open(target);
      this.#open.set(name, port);
      this.#failed.delete(target.port);
      log.info("Listening", { port, protocol: name });
    } catch (error) {
      this.#failed.set(target.port, error instanceof Error ? error.message : String(error));
      log.error("Failed to listen", { port: target.port, error });
    }
  }
}
