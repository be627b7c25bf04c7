// A headless Chromium, driven over the pipe of its DevTools protocol: messages of JSON, each with NUL after it.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";

type Result = Readonly<Record<string, unknown>>;

/** Error of requests that were running when a network interface of the machine was added or removed. */
const networkChanged = "net::ERR_NETWORK_CHANGED";

/** Time that the browser has to end, in milliseconds. */
const endMsMax = 10_000;

/** Time that a page has to reach a state, in milliseconds. */
const patienceMs = 120_000;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Result;
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
  /** Errors of scripts, failed loads, and messages of the console at the levels error and warning, since the last call of {@link takeProblems}. */
  readonly #problems: string[] = [];
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
    await browser.#send("Runtime.enable");
    await browser.#send("Log.enable");
    return browser;
  }

  /** Adds header fields to all requests of the page. */
  async setHeaders(headers: Readonly<Record<string, string>>): Promise<void> {
    await this.#send("Network.setExtraHTTPHeaders", { headers });
  }

  /** Loads a page. Tries again if the network of the machine has changed meanwhile, as it does when another suite starts a node. */
  async open(url: string): Promise<void> {
    for (;;) {
      const loaded = new Promise<void>((resolve) => this.#loads.push(resolve));
      const { errorText } = await this.#send("Page.navigate", { url });
      if (errorText === networkChanged) continue;
      if (errorText !== undefined) throw new Error(`${url}: ${JSON.stringify(errorText)}`);
      await loaded;
      return;
    }
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

  /** Waits until an expression is true. It may throw while the page loads. Fails with the text of the page. */
  async until(expression: string): Promise<void> {
    const end = performance.now() + patienceMs;
    for (;;) {
      const result = await this.evaluate(`Boolean(${expression})`).catch((error: unknown) => String(error));
      if (result === true) return;
      if (performance.now() > end) {
        const text = await this.evaluate("document.body?.innerText").catch((error: unknown) => String(error));
        throw new Error(`${expression} is ${String(result)}: ${String(text)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Sets the size of the page in CSS pixels. */
  async setSize(width: number, height: number): Promise<void> {
    await this.#send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
  }

  async setColorScheme(scheme: "light" | "dark"): Promise<void> {
    await this.#send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
  }

  /** Presses a key, such as `Tab` or `/`. `Enter` sends the form of a focused field. */
  async press(key: string): Promise<void> {
    // Chromium moves the focus by the code of the key.
    const typed = key === "Enter" ? "\r" : key;
    const text = key === "Tab" ? { windowsVirtualKeyCode: 9 } : typed.length === 1 ? { text: typed } : {};
    await this.#send("Input.dispatchKeyEvent", { type: "keyDown", key, code: key, ...text });
    await this.#send("Input.dispatchKeyEvent", { type: "keyUp", key, code: key });
  }

  /** Enters a text in the focused field. */
  async type(text: string): Promise<void> {
    await this.#send("Input.insertText", { text });
  }

  /** Saves downloads of the page in a folder. */
  async setDownloads(folder: string): Promise<void> {
    await this.#send("Page.setDownloadBehavior", { behavior: "allow", downloadPath: folder });
  }

  /** Returns a picture of the visible part of the page, as PNG. */
  async screenshot(): Promise<Buffer> {
    const { data } = await this.#send("Page.captureScreenshot", { format: "png" });
    return Buffer.from(String(data), "base64");
  }

  /** Returns the errors and warnings of the page since the last call, except those of a changed network. */
  takeProblems(): string[] {
    return this.#problems.splice(0).filter((text) => !text.includes(networkChanged));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.pid !== undefined) {
      const ended = new Promise((resolve) => this.#child.once("exit", resolve));
      await Promise.race([this.#send("Browser.close").catch(() => undefined), ended]);
      // Its other processes write to the folder until the browser has ended in order.
      const deadline = setTimeout(() => this.#child.kill("SIGKILL"), endMsMax);
      await ended;
      clearTimeout(deadline);
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

  #receive({ id, method, params = {}, result = {}, error }: Message): void {
    const level =
      method === "Runtime.consoleAPICalled" ? params["type"] : method === "Log.entryAdded" ? levelOf(params) : "";
    if (method === "Runtime.exceptionThrown" || level === "error" || level === "warning")
      this.#problems.push(JSON.stringify(params));
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

function levelOf({ entry }: Result): unknown {
  return (entry as { readonly level?: unknown } | undefined)?.level;
}
