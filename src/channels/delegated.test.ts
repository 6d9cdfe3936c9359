import assert from "node:assert/strict";
import { mailsTo, send, told, withSender } from "../../test/support/mail.ts";
import { addUser } from "../../test/support/people.ts";
import { testOnBoth, type TestService } from "../../test/support/service.ts";
import { testWithSlack } from "../../test/support/slack-service.ts";
import type { ReceivedMail } from "../../test/support/smtp.ts";
import type { UserRecord } from "../people/schema.ts";

const ADA = "ada@example.com";
const BEN = "ben@example.com";
const DAY = 24 * 3_600_000;

/** The text of a mail, without the line breaks of its encoding. */
const textOf = ({ source }: ReceivedMail) => source.replaceAll("=\r\n", "");

/** Ada, who is away for three days, and Ben, who stands in for her. */
async function stage(service: TestService): Promise<{ ada: UserRecord; ben: UserRecord }> {
  const ada = await addUser(service, { email: ADA, display_name: "Ada Lind" });
  const ben = await addUser(service, { email: BEN });
  const at = (days: number) => new Date(service.clock.now() + days * DAY).toISOString();
  const body = { from: at(0), until: at(3), delegate_user_id: ben.id };
  assert.equal((await service.call("PUT", `/api/users/${ada.id}/absence`, { body })).status, 200);
  return { ada, ben };
}

testOnBoth(
  "the delegate is asked by mail, and who is away hears of it where the task names them",
  async (service, t) => {
    const smtp = await withSender(service, t);
    const { ada } = await stage(service);
    const { id } = await service.create({ notify: [`email:${ADA}`] });
    await send(service);
    assert.deepEqual(
      (await told(service, id)).map(({ to, purpose }) => [to, purpose]).toSorted(([a], [b]) => (a! < b! ? -1 : 1)),
      [
        [ADA, "decision"],
        [BEN, "assigned"],
      ],
    );
    const [toAda, toBen] = [mailsTo(smtp, ADA)[0]!, mailsTo(smtp, BEN)[0]!].map(textOf) as [string, string];
    for (const text of [toAda, toBen]) assert.match(text, /For Ada Lind, who is away until \w{3} \d/);
    assert.match(toAda, /This task is assigned to ben@example\.com\./);
    const [, path = ""] = /(\/api\/channels\/email\/action\/[\w.-]+)/.exec(toBen) ?? [];
    const page = await service.call("GET", path, { token: null });
    assert.equal(page.status, 200);
    assert.match(page.text, /For Ada Lind, who is away until /);

    // Without `notify`, the delegate is told all the same: as anyone who gets a task later.
    const quiet = await service.create({ assign_to: { user_id: ada.id } });
    await send(service);
    assert.deepEqual(
      (await told(service, quiet.id)).map(({ to }) => to),
      [BEN],
    );
  },
);

testOnBoth("a delegate whom the task names too gets one mail", async (service, t) => {
  const smtp = await withSender(service, t);
  await stage(service);
  await service.create({ assign_to: { email: ADA }, notify: [`email:${BEN}`] });
  await send(service);
  assert.equal(mailsTo(smtp, BEN).length, 1);
});

testWithSlack("a message in Slack says who the assignee stands in for", async ({ service, slack, send: sendAll }) => {
  const member = slack.addUser({ name: "ben" });
  const { ada, ben } = await stage(service);
  await service.call("PATCH", `/api/users/${ben.id}`, {
    body: { slack_team_id: slack.team.id, slack_user_id: member.id },
  });
  await service.create({ assign_to: { user_id: ada.id }, notify: ["slack:#approvals", `slack:${member.id}`] });
  await sendAll();
  assert.equal(slack.posts.length, 2);
  for (const { blocks } of slack.posts) {
    const text = JSON.stringify(blocks);
    assert.match(text, /For Ada Lind, who is away/);
    assert.match(text, /Away until <!date\^/);
  }
});
