// A headless Chromium, driven over the pipe of its DevTools protocol: messages of JSON, each with NUL after it.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";

type Result = Readonly<Record<string, unknown>>;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly sessionId?: string;
  readonly result?: Result;
  readonly error?: { readonly message: string };
}

/** A running browser with one page. */
export class Browser implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "chromium-"));
  readonly #child: ChildProcess;
  readonly #input: Writable;
  readonly #waiting = new Map<number, { resolve: (result: Result) => void; reject: (error: Error) => void }>();
  readonly #loads: (() => void)[] = [];
  #session: string | undefined;
  #log = "";
  #count = 0;

  private constructor() {
    const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"];
    const quiet = [
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-proxy-server",
    ];
    this.#child = spawn(
      "chromium",
      [...flags, ...quiet, "--remote-debugging-pipe", `--user-data-dir=${this.#folder}`, "about:blank"],
      { stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"] },
    );
    this.#child.stderr?.on("data", (chunk: Buffer) => (this.#log = (this.#log + chunk.toString()).slice(-5_000)));
    this.#input = this.#child.stdio[3] as Writable;
    this.#input.on("error", () => undefined);
    this.#child.on("exit", () => this.#fail());
    this.#child.on("error", () => this.#fail());
    let text = "";
    (this.#child.stdio[4] as Readable).on("data", (chunk: Buffer) => {
      const messages = (text + chunk.toString()).split("\0");
      text = messages.pop() ?? "";
      for (const message of messages) this.#receive(JSON.parse(message) as Message);
    });
  }

  static async start(): Promise<Browser> {
    const browser = new Browser();
    const { targetId } = await browser.#send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await browser.#send("Target.attachToTarget", { targetId, flatten: true });
    browser.#session = String(sessionId);
    await browser.#send("Page.enable");
    await browser.#send("Network.enable");
    return browser;
  }

  /** Adds header fields to all requests of the page. */
  async setHeaders(headers: Readonly<Record<string, string>>): Promise<void> {
    await this.#send("Network.setExtraHTTPHeaders", { headers });
  }

  /** Loads a page. */
  async open(url: string): Promise<void> {
    const loaded = new Promise<void>((resolve) => this.#loads.push(resolve));
    const { errorText } = await this.#send("Page.navigate", { url });
    if (errorText !== undefined) throw new Error(`${url}: ${JSON.stringify(errorText)}`);
    await loaded;
  }

  /** Returns the result of an expression, after the promise that it returns. */
  async evaluate(expression: string): Promise<unknown> {
    const { result, exceptionDetails } = await this.#send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined) throw new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`);
    return (result as { readonly value?: unknown }).value;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.pid !== undefined) {
      const ended = new Promise((resolve) => this.#child.once("exit", resolve));
      await Promise.race([this.#send("Browser.close").catch(() => undefined), ended]);
      this.#child.kill("SIGKILL");
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10 });
  }

  #send(method: string, params: object = {}): Promise<Result> {
    const id = ++this.#count;
    const sessionId = this.#session;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#input.write(`${JSON.stringify({ id, method, params, ...(sessionId !== undefined && { sessionId }) })}\0`);
    });
  }

  #receive({ id, method, result = {}, error }: Message): void {
    if (method === "Page.loadEventFired") for (const resolve of this.#loads.splice(0)) resolve();
    if (id === undefined) return;
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new Error(error.message));
  }

  #fail(): void {
    for (const { reject } of this.#waiting.values()) reject(new Error(`chromium has ended: ${this.#log}`));
    this.#waiting.clear();
  }
}
