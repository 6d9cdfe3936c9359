import type { Reader } from "../db/database.ts";
import { invalid } from "../errors.ts";
import { calendarsOf, WITHOUT_CALENDARS, type Clockwork, type Step } from "./ladder.ts";

/**
 * Reads the calendars that steps name.
 * @throws ServiceError VALIDATION_FAILED that names the step whose calendar is not there
 */
export async function clockworkFor(_reader: Reader, _project: string, steps: readonly Step[]): Promise<Clockwork> {
  const [name] = calendarsOf(steps);
  if (name === undefined) return WITHOUT_CALENDARS;
  const i = steps.findIndex(({ calendar }) => calendar === name);
  throw invalid(`/escalation/${i}/calendar`, `There is no calendar "${name}" in this project.`);
}
