// Test helpers that end-to-end suites and benchmarks share.

export { FollowingProxy, type FollowingProxyOptions } from "./following-proxy.ts";
