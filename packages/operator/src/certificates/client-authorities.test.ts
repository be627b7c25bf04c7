import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { FakeClock, nextTurn } from "@homeostat/core";
import { silentLogger } from "@homeostat/runtime";
import type { ClientCertificates } from "@homeostat/webhook";
import { makeAuthority } from "@homeostat/x509";
import { followClientAuthorities } from "./client-authorities.ts";

const life = { validFrom: new Date(0), validUntil: new Date(4_000_000_000_000) };
const first = makeAuthority({ subject: { commonName: "first" }, ...life }).cert;
const second = makeAuthority({ subject: { commonName: "second" }, ...life }).cert;

describe("followClientAuthorities", () => {
  it("serves the CAs once they can be read, and again when the file changed and is valid", async () => {
    const folder = await mkdtemp(join(tmpdir(), "client-ca-"));
    const file = join(folder, "ca.crt");
    const clock = new FakeClock();
    const served: ClientCertificates[] = [];
    const warnings: string[] = [];
    const stop = new AbortController();
    const log = { ...silentLogger, warn: (message: string) => void warnings.push(message) };
    const names = ["kube-apiserver"];
    const following = followClientAuthorities(
      { file, names, clock, log, pollMs: 1_000, serve: (certificates) => served.push(certificates) },
      stop.signal,
    );
    /** Waits until the file was read, advances the clock, and waits until it was read again. */
    const poll = async (): Promise<void> => {
      while (clock.pending === 0) await nextTurn();
      await clock.advance(1_000);
      while (clock.pending === 0) await nextTurn();
    };

    await poll();
    assert.deepEqual([served.length, warnings.length], [0, 2], "the file is missing");
    await writeFile(file, first);
    await poll();
    await poll();
    assert.deepEqual(served, [{ authorities: first, names }]);
    await writeFile(file, "-----BEGIN CERTIFICATE-----\nbroken\n-----END CERTIFICATE-----\n");
    await poll();
    await writeFile(file, "");
    await poll();
    assert.deepEqual([served.length, warnings.length], [1, 4], "the previous CAs stay in use");
    await writeFile(file, `${first}${second}`);
    await poll();
    stop.abort();
    await following;

    assert.deepEqual(served.at(-1), { authorities: `${first}${second}`, names });
    assert.equal(clock.pending, 0);
    await rm(folder, { recursive: true, force: true });
  });
});
