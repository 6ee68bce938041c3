import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { type Disk, nodeDisk } from "../../../host/storage/disk.ts";
import { openSession } from "../../../host/storage/sessions.ts";
import { diskWith, HEADER, user, userMessage, world } from "./world.ts";

function eio(): never {
  throw Object.assign(new Error("EIO: i/o error"), { code: "EIO", syscall: "close" });
}

it.each(["close", "dataSync", "factsOf", "realPath"] as const)(
  "closing releases the lock and every file when %s fails",
  async (operation) => {
    const path = world().file("a.jsonl", [HEADER, user("u1", null, "one")]);
    const open = new Set<number>();
    let isBroken = false;
    const failing: Partial<Disk> = { [operation]: eio };
    const disk = diskWith({
      open: (file, purpose) => {
        const fd = nodeDisk.open(file, purpose);
        open.add(fd);
        return fd;
      },
      dataSync: (fd) => (isBroken ? (failing.dataSync ?? nodeDisk.dataSync)(fd) : undefined),
      factsOf: (fd) =>
        isBroken ? (failing.factsOf ?? nodeDisk.factsOf)(fd) : nodeDisk.factsOf(fd),
      realPath: (file) =>
        isBroken ? (failing.realPath ?? nodeDisk.realPath)(file) : nodeDisk.realPath(file),
      close: (fd) => {
        nodeDisk.close(fd);
        open.delete(fd);
        if (isBroken) failing.close?.(fd);
      },
    });
    const session = await openSession(path, { disk });
    const id = session.appendMessage(userMessage("two"));
    isBroken = true;
    const isReported = operation === "close" || operation === "dataSync";
    if (isReported) {
      expect(() => session.close()).toThrow(
        expect.objectContaining({ code: "SESSION_WRITE_FAILED" }),
      );
    } else session.close();
    expect([...open]).toEqual([]);
    expect(existsSync(`${path}.lock`)).toBe(false);
    expect(existsSync(`${path}.owner`)).toBe(false);
    const again = await openSession(path);
    expect(again.getLeafId()).toBe(id);
    again.close();
  },
);

it("an append to a file that cannot be looked at raises SESSION_WRITE_FAILED and is tried again", async () => {
  const path = world().file("a.jsonl", [HEADER, user("u1", null, "one")]);
  let isBroken = false;
  const disk = diskWith({ facts: (file) => (isBroken ? eio() : nodeDisk.facts(file)) });
  const session = await openSession(path, { disk });
  isBroken = true;
  expect(() => session.appendMessage(userMessage("two"))).toThrow(
    expect.objectContaining({ code: "SESSION_WRITE_FAILED" }),
  );
  isBroken = false;
  session.appendMessage(userMessage("two"));
  expect(session.getEntries()).toHaveLength(2);
  session.close();
});
