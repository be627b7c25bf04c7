import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { after, before, describe, it } from "node:test";
import { systemClock } from "@homeostat/core";
import { eventually } from "@homeostat/testing";
import { isIgnored, watchFolders } from "./watch-folders.ts";

describe("the folders of a project", () => {
  const changed: string[] = [];
  let folder: string;
  let watching: Disposable;
  const path = (name: string): string => join(folder, name);
  /** Makes a change, and waits until it is the only one that was noticed. */
  const noticed = async (name: string, change: () => void): Promise<void> => {
    changed.length = 0;
    change();
    await eventually(() => assert.deepEqual(changed, [name]));
  };

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "watch-"));
    for (const name of ["api", "dist", "node_modules"]) mkdirSync(path(name));
    writeFileSync(path("api/site.ts"), "1");
    watching = watchFolders([folder], {
      ignored: [path("dist")],
      clock: systemClock,
      onChange: (file) => changed.push(relative(folder, file)),
      onError: (error) => assert.fail(String(error)),
    });
  });
  after(() => {
    watching[Symbol.dispose]();
    rmSync(folder, { recursive: true });
  });

  it("are watched for files that are written in place, again and again", async () => {
    for (const text of ["2", "3"]) await noticed("api/site.ts", () => writeFileSync(path("api/site.ts"), text));
  });

  it("are watched for files that an editor writes beside their place and renames, again and again", async () => {
    for (const text of ["4", "5", "6"])
      await noticed("api/site.ts", () => {
        writeFileSync(path("api/4913"), text);
        renameSync(path("api/4913"), path("api/site.ts"));
      });
  });

  it("are watched for folders that are added, and for those that return after their removal", async () => {
    for (const _ of ["first", "second"]) {
      await noticed("webhooks", () => mkdirSync(path("webhooks")));
      await noticed("webhooks/site.ts", () => writeFileSync(path("webhooks/site.ts"), "1"));
      changed.length = 0;
      rmSync(path("webhooks"), { recursive: true });
      await eventually(() => assert.equal(changed.length, 1));
    }
  });

  it("are not watched for packages, hidden files, compiled files and backups of editors", async () => {
    await noticed("api/site.ts", () => {
      for (const name of ["dist/a.js", "node_modules/a.js", ".hidden", "api/.site.ts.swp", "api/site.ts~"])
        writeFileSync(path(name), "1");
      writeFileSync(path("api/site.ts"), "7");
    });
    assert.equal(isIgnored("/p/distant/a.ts", ["/p/dist"]), false);
  });
});
