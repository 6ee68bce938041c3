const { options } = require("./.dependency-cruiser.cjs");

/**
 * The same graph without type imports. Only one cycle through an import is ever reported, so in the
 * full graph a cycle of types could stand in front of one that happens at run time.
 */
module.exports = {
  forbidden: [
    {
      name: "no-runtime-cycle",
      comment: "modules that wait for each other while loading cannot be read or tested alone",
      severity: "error",
      from: {},
      to: { circular: true },
    },
  ],
  options: { ...options, tsPreCompilationDeps: false },
};
