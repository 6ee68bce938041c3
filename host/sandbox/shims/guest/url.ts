import { resolve as resolvePath } from "node:path";
import * as legacy from "url/";
import { URL, URLSearchParams } from "whatwg-url";
import { nodeError } from "./errors.ts";

function fileURLToPath(url: string | URL): string {
  const { protocol, host, pathname } = new URL(String(url));
  if (protocol !== "file:")
    throw nodeError("ERR_INVALID_URL_SCHEME", "The URL must be of scheme file");
  if (host !== "") throw nodeError("ERR_INVALID_FILE_URL_HOST", "File URL host must be empty");
  if (/%2f/i.test(pathname)) {
    throw nodeError(
      "ERR_INVALID_FILE_URL_PATH",
      "File URL path must not include encoded / characters",
    );
  }
  return decodeURIComponent(pathname);
}

function pathToFileURL(path: string): URL {
  const url = new URL("file:///");
  const escapes: Record<string, string> = {
    "%": "%25",
    "\\": "%5C",
    "\n": "%0A",
    "\r": "%0D",
    "\t": "%09",
  };
  url.pathname = absolute(path).replace(
    /[%\\\n\r\t]/g,
    (character) => escapes[character] ?? character,
  );
  return url;
}

function absolute(path: string): string {
  return path.endsWith("/") ? `${resolvePath(path)}/`.replace(/\/\/$/, "/") : resolvePath(path);
}

function format(url: string | URL | legacy.UrlObject): string {
  return url instanceof URL ? url.href : legacy.format(url as legacy.UrlObject);
}

function domainToASCII(domain: string): string {
  try {
    return new URL(`http://${domain}`).hostname;
  } catch (error) {
    if (error instanceof TypeError) return "";
    throw error;
  }
}

function urlToHttpOptions(url: URL): object {
  const { protocol, hostname, hash, search, pathname, href, port, username, password } = url;
  return {
    protocol,
    hostname: hostname.replace(/^\[(.*)\]$/, "$1"),
    hash,
    search,
    pathname,
    path: `${pathname}${search}`,
    href,
    ...(port !== "" && { port: Number(port) }),
    ...((username || password) && {
      auth: `${decodeURIComponent(username)}:${decodeURIComponent(password)}`,
    }),
  };
}

const { parse, resolve, resolveObject, Url } = legacy as typeof legacy & {
  resolveObject: unknown;
  Url: unknown;
};

export default {
  URL,
  URLSearchParams,
  Url,
  parse,
  resolve,
  resolveObject,
  format,
  fileURLToPath,
  pathToFileURL,
  domainToASCII,
  urlToHttpOptions,
};
