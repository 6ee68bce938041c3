/** Names that the host resolves itself, also where a package has a copy (extensions spec §1.4). */
const HOST_PACKAGES =
  /^(?:coppice|typebox|@sinclair\/typebox|@(?:mariozechner|earendil-works|oh-my-pi)\/pi-(?:coding-agent|tui|ai|agent-core|utils))$/;

export function isHostPackage(name: string): boolean {
  return HOST_PACKAGES.test(name);
}
