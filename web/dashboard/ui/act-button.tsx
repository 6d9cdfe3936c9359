import { Button } from "@mantine/core";
import { as } from "../../../languages/text.ts";

interface ActButtonProps {
  /** What it does: "Edit". */
  label: string;
  /** The thing in the list that it is about. Screen readers say both: "Edit support". */
  of: string;
  loading?: boolean;
  onClick: () => void;
}

/** A button of one thing in a list. */
export function ActButton({ label, of, loading = false, onClick }: ActButtonProps) {
  return (
    <Button
      variant="default"
      size="xs"
      aria-label={as("a verb, then its object", "{action} {thing}", { action: label, thing: of })}
      loading={loading}
      onClick={onClick}
    >
      {label}
    </Button>
  );
}
