/** Version of all packages and programs of a release. `npm run release:version` sets it. */
export const releaseVersion = "0.1.0";
