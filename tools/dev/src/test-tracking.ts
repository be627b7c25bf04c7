import asyncHooks from "node:async_hooks";

/** The async hook of node:test in this process. */
export interface TestTracking {
  /** Lets promises and other resources be created without the hook. */
  pause(): void;
  /** Enables the hook. Suites and tests can be declared only while it is enabled. */
  resume(): void;
}

/**
 * Loads node:test so that its async hook can be paused while tests run.
 *
 * The hook maps every promise, timer and socket to the test that created it. node:test needs the map while a file is loaded, to find the suite of
 * each `it`, and afterwards only to name the test of an error that no test caught. The second use doubles the CPU time of code with
 * many promises, because V8 then calls JavaScript for each promise, and tracks its garbage collection.
 *
 * Call it before any module loads node:test, which takes `createHook` from `node:async_hooks` when it is loaded. If a version of Node.js has another
 * mechanism, the returned functions do nothing.
 */
export async function loadTestTracking(): Promise<TestTracking> {
  const { createHook } = asyncHooks;
  const hooks: asyncHooks.AsyncHook[] = [];
  const captured: typeof createHook = (callbacks) => {
    const hook = createHook(callbacks);
    hooks.push(hook);
    return hook;
  };
  Object.defineProperty(asyncHooks, "createHook", { value: captured });
  await import("node:test");
  Object.defineProperty(asyncHooks, "createHook", { value: createHook });
  // Node.js 20 decides how it tracks promises when a hook is enabled, but not when one is disabled while others stay, as that of an
  // AsyncLocalStorage does.
  const last = createHook({ init() {} });
  return {
    pause: () => {
      for (const hook of hooks) hook.disable();
      last.enable().disable();
    },
    resume: () => {
      for (const hook of hooks) hook.enable();
    },
  };
}
