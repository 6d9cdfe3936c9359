import { Modal, TextInput } from "@mantine/core";
import { useEffect, useId, useRef, useState } from "react";
import type { KeyboardEvent } from "react";
import { plural, t } from "../../../languages/text.ts";
import type { Me } from "../api.ts";
import { isMac } from "../ui/keyboard.ts";
import { IconSearch } from "../ui/icons.tsx";
import { adoptStyles } from "../ui/later-styles.ts";
import { usePreferences } from "../ui/preferences.ts";
import { useItems } from "./items.ts";
import type { Item } from "./items.ts";
import styles from "./palette.css?inline";
import { keepRecent } from "./recent.ts";

adoptStyles(styles);

interface PaletteProps {
  me: Me;
  onClose: () => void;
}

/** Finds and does everything that is possible now: a field, and a list that is moved through from it. */
export function Palette({ me, onClose }: PaletteProps) {
  const { singleKeys } = usePreferences();
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const before = useRef(document.activeElement);
  const { groups, isSearching } = useItems(query, me);
  const items = groups.flatMap((group) => group.items);
  const current = Math.min(at, items.length - 1);
  const optionOf = (index: number) => `${id}-${index}`;
  useEffect(() => {
    list.current?.querySelector("[aria-selected='true']")?.scrollIntoView({ block: "nearest" });
  });
  const close = (then?: () => void): void => {
    onClose();
    // The page gets the focus back first, since what is done may depend on where it is.
    requestAnimationFrame(() => {
      const place = before.current;
      if (place instanceof HTMLElement && place.isConnected) place.focus({ preventScroll: true });
      then?.();
    });
  };
  const choose = (item: Item | undefined): void => {
    if (item === undefined) return;
    keepRecent(item.key);
    close(item.run);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    const last = items.length - 1;
    const to = {
      ArrowDown: current === last ? 0 : current + 1,
      ArrowUp: current <= 0 ? last : current - 1,
      PageDown: Math.min(current + 8, last),
      PageUp: Math.max(current - 8, 0),
    }[event.key];
    if (to !== undefined) setAt(to);
    else if (event.key === "Enter") choose(items[current]);
    else return;
    event.preventDefault();
  };
  let index = -1;
  return (
    <Modal
      opened
      onClose={() => close()}
      title={t("Commands")}
      size="lg"
      yOffset="8vh"
      returnFocus={false}
      closeButtonProps={{ "aria-label": t("Close") }}
    >
      <TextInput
        data-autofocus
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a field with a list that it controls
        role="combobox"
        aria-label={t("Search actions, pages, people and tasks")}
        aria-expanded={items.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={items.length > 0 ? optionOf(current) : undefined}
        placeholder={t("Search actions, pages, people and tasks")}
        leftSection={<IconSearch size={16} aria-hidden />}
        autoComplete="off"
        maxLength={200}
        value={query}
        onChange={(event) => {
          setQuery(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <output className="unseen">
        {isSearching ? "" : items.length === 0 ? t("No matches") : plural(items.length, "{n} match", "{n} matches")}
      </output>
      {items.length === 0 && <p className="muted palette-none">{isSearching ? t("Searching") : t("No matches")}</p>}
      {/* oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- as above */}
      <div className="palette" id={`${id}-list`} role="listbox" aria-label={t("Matches")} tabIndex={-1} ref={list}>
        {groups.map(({ name, items: ofGroup }) => (
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- as above
          <div key={name} role="group" aria-label={name}>
            <p className="palette-group" aria-hidden="true">
              {name}
            </p>
            {ofGroup.map((item) => {
              index++;
              const here = index;
              return (
                // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the field has the focus and its keys
                <div
                  key={item.key}
                  id={optionOf(here)}
                  // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- as above
                  role="option"
                  aria-selected={here === current}
                  className="palette-item"
                  onPointerMove={() => here !== current && setAt(here)}
                  onClick={() => choose(item)}
                >
                  <span className="palette-label" dir="auto">
                    {item.label}
                  </span>
                  {item.about !== undefined && <span className="muted palette-about">{item.about}</span>}
                  {singleKeys && item.keys !== undefined && item.keys.length > 0 && (
                    <span className="palette-keys">
                      {item.keys.map((key) => (
                        <kbd key={key}>{key === t("Ctrl") && isMac ? "⌘" : key}</kbd>
                      ))}
                    </span>
                  )}
                </div>
              );
            })}
          </div>
        ))}
      </div>
    </Modal>
  );
}
