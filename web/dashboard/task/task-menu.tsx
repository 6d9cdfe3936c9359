import { ActionIcon, Button, Menu, Modal, Select, TextInput } from "@mantine/core";
import { as, t } from "../../../languages/text.ts";
import { IconDots } from "../ui/icons.tsx";
import { useState } from "react";
import { post, remove } from "../api.ts";
import type { Me, Task } from "../api.ts";
import type { Claim } from "./claim.ts";
import { Confirm } from "../ui/confirm.tsx";
import { sentenceOf } from "../ui/page.tsx";
import { isOperatorOf } from "../projects/access.ts";
import { usePeople } from "../projects/queries.ts";
import { BY_MENU, useKeys } from "../ui/keyboard.ts";
import { useIsPhone } from "../ui/phone.ts";
import { nameOf, queryClient, taskQuery } from "../queries.ts";
import { ChangeDeadline } from "./deadline.tsx";
import { dropDraft } from "./draft.ts";
import { setDeleted } from "../inbox/reading.ts";
import type { TaskNavigation } from "./navigation.ts";
import { SnoozeDialog } from "../snooze/lazy.tsx";
import { wakeUp } from "../snooze/words.tsx";
import { toast } from "../ui/toasts.ts";

interface TaskMenuProps {
  task: Task;
  me: Me;
  isOpen: boolean;
  claim: Claim;
  navigation: TaskNavigation;
  copyLink: () => void;
  showRaw: () => void;
}

/** Further actions on a task. */
export function TaskMenu({ task, me, isOpen, claim, navigation, copyLink, showRaw }: TaskMenuProps) {
  const [dialog, setDialog] = useState<"assign" | "deadline" | "cancel" | "delete" | "snooze" | null>(null);
  const close = () => setDialog(null);
  const isPhone = useIsPhone();
  const isOperator = isOperatorOf(me, task.project);
  const ask = (about: NonNullable<typeof dialog>) => () => setDialog(about);
  const isSnoozed = task.snoozed_until !== undefined;
  const snooze = isSnoozed ? () => wakeUp(task) : ask("snooze");
  useKeys({
    h: isOpen && me.user_id !== null ? snooze : undefined,
    p: isOpen && isOperator ? ask("assign") : undefined,
    [BY_MENU.deadline]: isOpen && isOperator ? ask("deadline") : undefined,
    [BY_MENU.cancel]: isOpen && isOperator ? ask("cancel") : undefined,
    [BY_MENU.delete]: isOperator ? ask("delete") : undefined,
    [BY_MENU.raw]: showRaw,
  });
  return (
    <>
      <Menu position="bottom-end" width={200}>
        <Menu.Target>
          <ActionIcon variant="default" size={32} aria-label={t("More")} title={t("More")}>
            <IconDots size={16} stroke={1.75} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {isPhone && (
            <>
              <Menu.Item onClick={navigation.previous}>{t("Previous task")}</Menu.Item>
              <Menu.Item onClick={navigation.next}>{t("Next task")}</Menu.Item>
              <Menu.Item onClick={copyLink}>{t("Copy link")}</Menu.Item>
            </>
          )}
          {isOpen && claim.state !== "held" && me.user_id !== null && (
            <Menu.Item onClick={claim.toggle}>{claim.state === "mine" ? t("Release") : as("verb", "Claim")}</Menu.Item>
          )}
          {isOpen && me.user_id !== null && (
            <Menu.Item onClick={snooze}>{isSnoozed ? t("Wake up") : t("Snooze")}</Menu.Item>
          )}
          {isOpen && claim.state === "held" && isOperator && (
            <Menu.Item onClick={claim.takeOver}>{t("Take over")}</Menu.Item>
          )}
          {isOpen && isOperator && (
            <>
              <Menu.Item onClick={ask("assign")}>{t("Assign")}</Menu.Item>
              <Menu.Item onClick={ask("deadline")}>{t("Change deadline")}</Menu.Item>
            </>
          )}
          <Menu.Item onClick={showRaw}>{t("Raw JSON")}</Menu.Item>
          {isOperator && (
            <>
              <Menu.Divider />
              {isOpen && (
                <Menu.Item color="bad" onClick={ask("cancel")}>
                  {t("Cancel task")}
                </Menu.Item>
              )}
              <Menu.Item color="bad" onClick={ask("delete")}>
                {t("Delete")}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      {dialog === "snooze" && <SnoozeDialog task={task} onSnoozed={navigation.nextOpen} onClose={close} />}
      {dialog === "assign" && <Assign task={task} me={me} onClose={close} />}
      {dialog === "deadline" && <ChangeDeadline task={task} onChanged={keepAndRefresh} onClose={close} />}
      {dialog === "cancel" && <Cancel task={task} onClose={close} />}
      {dialog === "delete" && (
        <Confirm
          title={t("Delete this task?")}
          action={t("Delete task")}
          onClose={close}
          onConfirm={async () => {
            await remove(`/api/tasks/${task.id}`);
            dropDraft(task.id);
            setDeleted(task.id);
            toast({ message: t("Task deleted") });
            navigation.nextOpen();
            await queryClient.invalidateQueries({ queryKey: ["tasks"] });
          }}
        >
          <p>{t("Deletes the task, its answer and its callbacks. This can't be undone; the agent gets a 404.")}</p>
        </Confirm>
      )}
    </>
  );
}

async function keepAndRefresh(task: Task): Promise<void> {
  queryClient.setQueryData(taskQuery(task.id).queryKey, task);
  await queryClient.invalidateQueries({ queryKey: ["tasks"] });
}

function Cancel({ task, onClose }: { task: Task; onClose: () => void }) {
  const [reason, setReason] = useState("");
  return (
    <Confirm
      title={t("Cancel this task?")}
      action={t("Cancel task")}
      keep={t("Keep it open")}
      onClose={onClose}
      onConfirm={async () => {
        await keepAndRefresh(
          await post<Task>(`/api/tasks/${task.id}/cancel`, reason.trim() === "" ? {} : { reason: reason.trim() }),
        );
        toast({ message: t("Task cancelled") });
      }}
    >
      <div className="stack">
        <p>{t("No one can answer it after that. The agent is told that it was cancelled.")}</p>
        <TextInput
          label={t("Reason")}
          description={t("Optional. Shown to the agent and in the activity.")}
          value={reason}
          maxLength={500}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      </div>
    </Confirm>
  );
}

const NO_ONE = "";

function Assign({ task, me, onClose }: { task: Task; me: Me; onClose: () => void }) {
  const users = usePeople(me, task.project);
  const [to, setTo] = useState(task.assigned_to_user_id ?? NO_ONE);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const assign = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      await keepAndRefresh(await post<Task>(`/api/tasks/${task.id}/assign`, { user_id: to === NO_ONE ? null : to }));
      onClose();
      const user = users.find(({ id }) => id === to);
      toast({ message: user === undefined ? t("Unassigned") : t("Assigned to {person}", { person: nameOf(user) }) });
    } catch (failure) {
      setError(sentenceOf(failure));
      setBusy(false);
    }
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={t("Assign this task")}
      centered
      closeButtonProps={{ "aria-label": t("Close") }}
    >
      <div className="stack">
        <Select
          label={as("people", "To")}
          data={[
            { value: NO_ONE, label: t("No one") },
            ...users.map((user) => ({ value: user.id, label: nameOf(user) })),
          ]}
          value={to}
          onChange={(value) => setTo(value ?? NO_ONE)}
          searchable
          // Otherwise Escape would close the open list, and not the dialog.
          openOnFocus={false}
          allowDeselect={false}
          nothingFoundMessage={t("No matches")}
          data-autofocus
        />
        {error !== null && (
          <p className="notice bad" role="alert">
            {error}
          </p>
        )}
        <div className="row end">
          <Button variant="default" onClick={onClose}>
            {t("Cancel")}
          </Button>
          <Button loading={busy} onClick={() => void assign()}>
            {t("Assign")}
          </Button>
        </div>
      </div>
    </Modal>
  );
}
