export default { performance: globalThis.performance, constants: {} };
