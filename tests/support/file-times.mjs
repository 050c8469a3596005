/**
 * A Vitest reporter for `npm test`: writes how long each test file took, with its imports and its
 * setup, as JSON [{ file, seconds }] to the file that FILE_TIMES names.
 */
import { writeFileSync } from "node:fs";

export default function FileTimes() {
  const times = [];
  return {
    onTestModuleEnd(module) {
      const { prepareDuration, setupDuration, collectDuration, duration } = module.diagnostic();
      const ms = prepareDuration + setupDuration + collectDuration + duration;
      times.push({ file: module.relativeModuleId, seconds: ms / 1000 });
    },
    onTestRunEnd: () => writeFileSync(process.env["FILE_TIMES"], JSON.stringify(times)),
  };
}
