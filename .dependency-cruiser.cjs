/** A rule that the arrows of ARCHITECTURE.md, section 1, rest on; each has a planted violation in test/tooling. */
const rule = (name, comment, from, to) => ({ name, comment, severity: "error", from, to });

/** The files behind the names `coppice`, `coppice/core`, `coppice/tui`, `coppice/ai`, `coppice/testing`. */
const namedModules =
  "^(host/api\\.ts|core/index\\.ts|host/components/index\\.ts|host/ai\\.ts|host/testing\\.ts)$";

/** `name` (an alternation of packages) is imported only from files that match `home`. */
const home = (name, place) =>
  rule(
    `${name.split("|")[0].replace(/^@/, "").replace("/", "-")}-has-one-home`,
    `${name} is imported only in ${place}`,
    { path: "^(host|tui|extensions|examples)/", pathNot: place },
    { path: `(^|/)node_modules/(${name})/|^(${name})$` },
  );

module.exports = {
  forbidden: [
    rule(
      "core-is-pure",
      "core imports nothing but itself: no other folder, no npm package, no node: module",
      { path: "^core/" },
      { pathNot: "^core/" },
    ),
    rule(
      "host-enters-core-by-its-door",
      "host imports core only through core/index.ts",
      { path: "^host/" },
      { path: "^core/", pathNot: "^core/index\\.ts$" },
    ),
    rule(
      "host-knows-no-screen-and-no-extension",
      "host never imports tui, and finds extensions instead of importing them",
      { path: "^host/" },
      { path: "^(tui|extensions|examples)/" },
    ),
    rule(
      "tui-enters-by-the-doors",
      "tui imports host and core only through their index",
      { path: "^tui/" },
      { path: "^(host|core)/", pathNot: "^(host|core)/index\\.ts$" },
    ),
    rule(
      "tui-knows-no-extension",
      "tui never imports extensions or examples",
      { path: "^tui/" },
      { path: "^(extensions|examples)/" },
    ),
    rule(
      "names-are-for-extensions",
      "the package's own name is for extensions and examples; inside, imports are relative",
      { path: "^(core|host|tui)/" },
      { dependencyTypes: ["aliased", "aliased-tsconfig", "aliased-tsconfig-paths"] },
    ),
    rule(
      "extensions-import-names-only",
      "extensions and examples reach the program by package name, never by a path",
      { path: "^(extensions|examples)/" },
      {
        path: "^(core|host|tui|test)/",
        dependencyTypesNot: ["aliased", "aliased-tsconfig", "aliased-tsconfig-paths"],
      },
    ),
    rule(
      "extensions-import-known-names",
      "extensions and examples know coppice and its /core, /tui, /ai, /testing; embedding knows /host",
      { path: "^(extensions|examples)/", pathNot: "^examples/headless\\.ts$" },
      { path: "^(core|host|tui|test)/", pathNot: namedModules },
    ),
    rule(
      "extensions-stand-alone",
      "an extension or example imports its own files only, so that it can be copied out",
      { path: "^(extensions|examples)/([^/]+)" },
      { path: "^(extensions|examples)/", pathNot: "^$1/$2(/|$)" },
    ),
    rule(
      "extensions-declare-their-packages",
      "an extension imports the npm packages of its own package.json",
      { path: "^(extensions|examples)/" },
      { dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"] },
    ),
    rule(
      "program-uses-its-own-packages",
      "what ships imports no package that only development has (but what a build bundles), and none " +
        "that is undeclared",
      { path: "^(core|host|tui)/", pathNot: "^host/sandbox/shims/guest/" },
      { dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"] },
    ),
    rule(
      "nothing-imports-tests",
      "tests stand outside the program",
      { path: "^(core|host|tui|extensions|examples)/" },
      { path: "^test/" },
    ),
    home("blessed", "^tui/screen\\.ts$"),
    home("commander", "^tui/"),
    home("tapable", "^host/hooks\\.ts$"),
    home("jiti", "^host/(load-trusted|sandbox/entry)\\.ts$"),
    home("proper-lockfile", "^host/storage/"),
    home("get-east-asian-width", "^host/text/"),
    home("@babel/parser", "^host/(packages|sandbox/compile)/"),
    home("semver", "^host/packages/"),
    home("typebox", "^host/(tools-validate\\.ts|sandbox/shims/guest/)"),
    home("enhanced-resolve", "^host/sandbox/compile/"),
    home("isolated-vm|coppice-engine-node20", "^host/sandbox/"),
    home("esbuild", "^host/sandbox/"),
    home("@anthropic-ai/sdk", "^extensions/anthropic/"),
    rule(
      "type-cycles-stay-in-a-folder",
      "types may refer to each other inside one folder only",
      { path: "^(.+)/[^/]+$" },
      { circular: true, via: { pathNot: "^$1/[^/]+$" } },
    ),
    rule(
      "imports-resolve",
      "every import finds its module; names of texts for the sandbox are no files",
      {},
      { couldNotResolve: true, pathNot: "^coppice:" },
    ),
  ],
  options: {
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^host/sandbox/engine-node20/" },
    detectProcessBuiltinModuleCalls: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default", "types"],
      extensions: [".ts", ".js", ".mjs", ".cjs", ".json"],
      mainFields: ["main", "types"],
    },
  },
};
