export type { AuditRecord } from "./audit.ts";
export {
  changePermissions,
  type PermissionChange,
  type PermissionsResult,
  permissionLog,
} from "./change-permissions.ts";
export type { ConsentAnswer, ConsentPlan, Decided } from "./consent.ts";
export { describePackage, listPackages, type PackageInfo, type PackageLine } from "./describe.ts";
export { type DoctorOptions, doctor, type Finding, type SandboxCheck } from "./doctor.ts";
export { packageForRun } from "./for-run.ts";
export type { FoundPackage, PackageState } from "./found.ts";
export { type Grant, type GrantAnswer, Grants } from "./grants.ts";
export { type InstallOptions, type InstallResult, installPackage } from "./install.ts";
export { type DiscoveredPackages, discoverInstalled } from "./installed.ts";
export type { SearchHit } from "./npm.ts";
export { parsePermission, riskOf } from "./permission.ts";
export { RUNNERS } from "./permission-table.ts";
export { placesOf } from "./places.ts";
export {
  type AskConsent,
  type ConsentQuestion,
  type ConsentWay,
  consentRequired,
} from "./question.ts";
export { type LoadOutcome, recordLoads } from "./record-load.ts";
export { type RemoveResult, removePackage } from "./remove.ts";
export { searchPackages } from "./search.ts";
export { disableExtension, enableExtension, type SwitchResult } from "./switch.ts";
export { decideTrust, type ProjectTrust, projectTrust, type TrustDecision } from "./trust.ts";
export { type UpdateResult, updatePackages } from "./update.ts";
export type { PackageWork } from "./work.ts";
