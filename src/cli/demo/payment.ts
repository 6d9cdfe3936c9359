import { inspect } from "node:util";
import { approval, type Client, type TaskOutcome } from "../../../sdk/index.ts";
import type { Output } from "../clients.ts";
import type { Colleague } from "./colleagues.ts";

/** The person who runs the demo, and the made-up ones. */
export interface Cast {
  /** The address of the person who runs the demo. */
  you: string;
  ada: Colleague;
  ben: Colleague;
}

const YOU = "You";

type Approvals = NonNullable<TaskOutcome["approvals"]>;
type Voter = Approvals["decisions"][number]["by"];

/** Asks whether a payment may run, which two of three people must approve. One of them has, when you see it. */
export async function askForPayment(client: Client, cast: Cast, { result, note }: Output): Promise<void> {
  const { you, ada, ben } = cast;
  const asked = await client.ask(
    approval({
      name: "pay_invoice",
      task: "Pay 12,400 EUR to Nordwind Lamps?",
      description: "Pays an invoice by bank transfer.",
      args: { to: "Nordwind Lamps", invoice: "NW-2026-118", amount: 12_400 },
      argsSchema: {
        type: "object",
        properties: {
          to: { type: "string", title: "To" },
          invoice: { type: "string", title: "Invoice" },
          amount: { type: "number", title: "Amount in EUR", minimum: 1 },
        },
        required: ["to", "invoice", "amount"],
      },
      allowed: ["approve", "edit", "reject"],
      editable: ["/amount"],
      approvals: { need: 2, from: { emails: [you, ada.email, ben.email] } },
      timeoutSeconds: 3600,
      occasion: new Date().toISOString(),
    }),
  );
  await ada.approve(asked.id, 1);
  note(`
2 of 3: an action that several people must approve

The agent wants to pay 12,400 EUR to Nordwind Lamps. Two people must approve: you, Ada or Ben. Ada and Ben are made up,
and the demo acts for them. Ada has approved already, so the page says "1 of 2". Approve, reject, or change the amount:
then Ada's approval does not count any more, and Ben looks at the new amount.

  Decide it here:  ${asked.url}

To see what Ben sees, open a private window, and sign in as ${ben.email} with the password ${ben.password}

Waiting for you ...`);
  await actAs(client, asked.id, cast, note);
  const decision = await asked.answer();
  const { approvals } = await client.get(asked.id);
  note("\nThe agent got this decision:");
  result(inspect(decision));
  const voters = approvals!.decisions.map(({ by }) => nameOf(by, you)).toSorted((a, b) => +(b === YOU) - +(a === YOU));
  note(
    decision.decision === "reject"
      ? "It was rejected, so the agent pays nothing."
      : `${voters.join(" and ")} approved, so the agent pays ${decision.args.amount} EUR.`,
  );
}

/** Approves each changed round as a colleague who has not changed it, until the task has ended. */
async function actAs(client: Client, id: string, { you, ada, ben }: Cast, note: Output["note"]): Promise<void> {
  let seen = 1;
  for (;;) {
    const { approvals, status } = await client.poll(id, { timeoutSeconds: 1 });
    if (status !== "created") return;
    const { round, changed_by } = approvals!;
    if (round === seen) continue;
    seen = round;
    const other = changed_by!.user_id === ben.id ? ada : ben;
    note(
      `\n${nameOf(changed_by!, you)} changed the amount, so earlier approvals do not count. ${other.name} approves it.`,
    );
    await other.approve(id, round);
  }
}

function nameOf({ name, email }: Voter, you: string): string {
  return email === you ? YOU : (name ?? email ?? "Someone");
}
