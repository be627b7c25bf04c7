import { Socket } from "node:net";

/** A socket without a connection: the test reads what was written and emits what arrives. Everything happens at once. */
export class TextSocket extends Socket {
  /** Written bytes, as latin1 text. */
  written = "";
  isEnded = false;

  override write(data: Uint8Array | string): boolean {
    this.written += typeof data === "string" ? data : Buffer.from(data).toString("latin1");
    return true;
  }

  override end(): this {
    this.isEnded = true;
    return this;
  }

  override _read(): void {
    // Bytes arrive by `emit`.
  }
}
