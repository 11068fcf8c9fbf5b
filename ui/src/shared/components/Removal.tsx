// The last entry of a menu: takes something away for good, once the person has said so.

import { Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Confirm } from "./Dialog";
import { MenuItem, MenuLine } from "./Menu";

interface Removing {
  title: string;
  body: string;
  /** The word for doing it, in the menu and in the question. */
  action: string;
  onRemove: () => Promise<unknown>;
}

/** The entry stands in the menu, the question beside it: a menu that closes takes with it what is inside. */
export function useRemoval({ title, body, action, onRemove }: Removing): { entry: ReactNode; question: ReactNode } {
  const [asking, setAsking] = useState(false);
  return {
    entry: (
      <>
        <MenuLine />
        <MenuItem icon={<Trash2 aria-hidden className="size-4" />} danger onSelect={() => setAsking(true)}>
          {action}
        </MenuItem>
      </>
    ),
    question: (
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={title}
        body={body}
        action={action}
        danger
        onConfirm={async () => void (await onRemove())}
      />
    ),
  };
}
