import { newTaskBody } from "./service.ts";
import type { CreateTaskBody } from "../../src/tasks/schema.ts";

const REFUND = {
  name: "refund",
  description: "Pays the customer back.",
  args: { amount: 90, to: { name: "Mia" } },
  args_schema: {
    type: "object",
    properties: {
      amount: { type: "number", title: "Amount", maximum: 100 },
      to: { type: "object", properties: { name: { type: "string" } } },
      lines: { type: "array", items: { type: "object", properties: { text: { type: "string" } } } },
    },
    required: ["amount"],
  },
  allowed: ["approve", "edit", "reject", "respond"],
};

/** Returns the body of a task about a refund, or about what `action` or `actions` change of it. */
export function actionTask({
  action = {},
  actions,
  ...fields
}: { action?: object; actions?: readonly object[] } & Partial<Omit<CreateTaskBody, "action" | "actions">> = {}) {
  const { payload: _, payload_schema: _s, response_schema: _r, ...body } = newTaskBody();
  const asked =
    actions === undefined
      ? { action: { ...REFUND, ...action } }
      : { actions: actions.map((one) => ({ ...REFUND, ...one })) };
  return { ...body, ...asked, ...fields };
}
