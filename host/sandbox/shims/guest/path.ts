import posix from "path-browserify";

const path = { ...posix, toNamespacedPath: (name: string) => name };

/** POSIX paths: the sandbox exists on Linux and macOS. */
export default Object.assign(path, { posix: path });
