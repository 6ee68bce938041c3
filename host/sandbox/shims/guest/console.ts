export default globalThis.console;
